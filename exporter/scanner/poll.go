package scanner

import (
	"context"
	"hash/fnv"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/understudy-rpc/understudy/internal/config"
)

// interval is the time between two polls of one address.
const interval = 15 * time.Second

// endpoint is an address that is polled, for one chain or more. The zero value
// is none.
type endpoint struct {
	from string
	// address is the whole URL and must not be shown.
	address string
	// shown is its scheme and host.
	shown string
}

// endpointOf is what is polled for a source.
func endpointOf(source Source) endpoint {
	o := source.ObservedHeight
	switch {
	case o == nil:
		return endpoint{}
	case o.BifrostStatusURL != nil:
		return newEndpoint(FromBifrost, *o.BifrostStatusURL)
	case o.ThornodeURL != nil:
		return newEndpoint(FromThornode, *o.ThornodeURL, "thorchain", "lastblock", strings.ToUpper(source.Chain))
	case o.Metric != nil:
		return newEndpoint(FromMetric, o.Metric.URL)
	}
	return endpoint{}
}

// newEndpoint is a URL with elements added to its path.
func newEndpoint(from string, u config.URL, path ...string) endpoint {
	return endpoint{from: from, address: u.Reveal().JoinPath(path...).String(), shown: u.String()}
}

// parse decodes an answer in the endpoint's format.
func (e endpoint) parse(body []byte) (answer, *Failure) {
	switch e.from {
	case FromBifrost:
		return parseStatus(body)
	case FromThornode:
		return parseLastBlock(body)
	}
	return parseMetrics(body)
}

// Run polls until ctx ends, with one goroutine for each address. It returns nil
// when all of them are done.
func (s *Scanner) Run(ctx context.Context) error {
	defer s.client.CloseIdleConnections()
	var wg sync.WaitGroup
	defer wg.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	running := map[endpoint]context.CancelFunc{}
	for {
		s.reconcile(ctx, running, &wg)
		select {
		case <-ctx.Done():
			return nil
		case <-s.changed:
		}
	}
}

// reconcile stops the polls of endpoints that are gone and starts those that are
// missing.
func (s *Scanner) reconcile(ctx context.Context, running map[endpoint]context.CancelFunc, wg *sync.WaitGroup) {
	s.mu.Lock()
	defer s.mu.Unlock()
	wanted := map[endpoint]bool{}
	for _, o := range s.chains {
		if o.endpoint.address != "" {
			wanted[o.endpoint] = true
		}
	}
	for e, stop := range running {
		if !wanted[e] {
			stop()
			delete(running, e)
		}
	}
	for e := range wanted {
		if running[e] != nil {
			continue
		}
		own, stop := context.WithCancel(ctx)
		running[e] = stop
		wg.Go(func() { s.watch(own, e) })
	}
}

// watch polls one endpoint, at once and then at its phase of the interval. A
// poll that takes longer than that delays the next one.
func (s *Scanner) watch(ctx context.Context, e endpoint) {
	for {
		s.poll(ctx, e)
		timer := time.NewTimer(untilTick(s.now(), e.phase()))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
	}
}

// phase is where in the interval an endpoint is polled, so that not all are
// polled at once, nor elsewhere after a restart.
func (e endpoint) phase() time.Duration {
	h := fnv.New64a()
	_, _ = h.Write([]byte(e.from + " " + e.address))
	return time.Duration(h.Sum64() % uint64(interval))
}

// untilTick is the time to the next tick at a phase of the interval; above zero.
func untilTick(now time.Time, phase time.Duration) time.Duration {
	since := (time.Duration(now.UnixNano()) - phase) % interval
	if since < 0 {
		since += interval
	}
	return interval - since
}

// poll asks an endpoint once and notes what it tells of each of its chains.
func (s *Scanner) poll(ctx context.Context, e endpoint) {
	body, failure := fetch(ctx, s.client, e.address)
	if ctx.Err() != nil {
		// Our own end, which says nothing about the source.
		return
	}
	var a answer
	if failure == nil {
		a, failure = fenced(e, body)
	}
	for _, change := range s.note(e, a, failure) {
		change(ctx)
	}
}

// fenced parses and turns a panic of a parser into a failure.
func fenced(e endpoint, body []byte) (a answer, f *Failure) {
	defer func() {
		if p := recover(); p != nil {
			a, f = nil, fail(Malformed, "the answer cannot be parsed (a panic of type %T)", p)
		}
	}()
	return e.parse(body)
}

// note records an answer, or the failure to get one, for every chain that is
// read from the endpoint now, and returns what is to be logged.
func (s *Scanner) note(e endpoint, a answer, failure *Failure) []func(context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	var changes []func(context.Context)
	for name, o := range s.chains {
		if o.endpoint != e {
			continue
		}
		height, f := uint64(0), failure
		if f == nil {
			height, f = a.height(name, o.source.ObservedHeight.Metric)
		}
		o.status.Polls++
		if f == nil {
			o.height, o.known = Height{Value: height, At: now, From: e.from}, true
		} else {
			o.status.Failures[f.Reason]++
			o.status.LastFailure, o.status.LastFailureAt = f, now
		}
		if o.failing != (f != nil) {
			changes = append(changes, s.report(name, e, f))
		}
		o.failing = f != nil
	}
	return changes
}

// report logs that a source began or ceased to fail.
func (s *Scanner) report(chain string, e endpoint, f *Failure) func(context.Context) {
	logger := s.logger.With(slog.String("chain", chain), slog.String("source", e.from), slog.String("address", e.shown))
	return func(ctx context.Context) {
		if f == nil {
			logger.InfoContext(ctx, "observed height is told again")
			return
		}
		logger.WarnContext(ctx, "observed height is not told", slog.Any("err", f))
	}
}
