package scanner

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"reflect"
	"sync"
	"time"

	"github.com/understudy-rpc/understudy/internal/config"
)

// maxAge is how old a height may be and still be reported.
const maxAge = 5 * time.Minute

var (
	// ErrUnknownChain says that a chain is not configured.
	ErrUnknownChain = errors.New("unknown chain")
	// ErrBadHeight says that a pushed number cannot be a height.
	ErrBadHeight = errors.New("more than any height can be (2^53)")
)

// Options are what a Scanner needs. The zero value is useful.
type Options struct {
	// Logger is slog.Default if nil.
	Logger *slog.Logger
	// Now is time.Now if nil.
	Now func() time.Time
}

// Source is a chain with where its height comes from.
type Source struct {
	Chain string
	// ObservedHeight is nil for a chain whose height can only be pushed.
	ObservedHeight *config.ObservedHeight
}

// Height is what a chain's scanner observed last.
type Height struct {
	Value uint64
	// At is when it was told.
	At time.Time
	// From is the kind of source: bifrost, thornode, metric or pushed.
	From string
}

// The kinds of sources.
const (
	FromBifrost  = "bifrost"
	FromThornode = "thornode"
	FromMetric   = "metric"
	FromPushed   = "pushed"
)

// Status is how the polls of one chain went.
type Status struct {
	// From is the kind of source, Address its scheme and host.
	From, Address string
	// Polls counts the polls that ended, Failures those of them that told no
	// height, by reason. Every reason is there.
	Polls    uint64
	Failures map[Reason]uint64
	// LastFailure and LastFailureAt are nil and zero before the first.
	LastFailure   *Failure
	LastFailureAt time.Time
}

// Scanner polls and keeps the observed heights. Its methods are safe for
// concurrent use.
type Scanner struct {
	logger  *slog.Logger
	now     func() time.Time
	client  *http.Client
	changed chan struct{}

	mu     sync.Mutex
	chains map[string]*observed
}

// observed is one chain with its source and what it told.
type observed struct {
	source   Source
	endpoint endpoint
	height   Height
	known    bool
	// failing says that the last poll failed.
	failing bool
	status  Status
}

// New makes a Scanner of no chains.
func New(o Options) *Scanner {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Scanner{
		logger: o.Logger, now: o.Now,
		client: newClient(), changed: make(chan struct{}, 1), chains: map[string]*observed{},
	}
}

// Apply sets the chains. What is known of a chain whose source is the same is
// kept; of one whose source is another, only a pushed height is.
func (s *Scanner) Apply(sources []Source) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := map[string]*observed{}
	for _, source := range sources {
		old := s.chains[source.Chain]
		if old != nil && reflect.DeepEqual(old.source, source) {
			next[source.Chain] = old
			continue
		}
		o := &observed{source: source, endpoint: endpointOf(source)}
		o.status = Status{From: o.endpoint.from, Address: o.endpoint.shown, Failures: map[Reason]uint64{}}
		for _, r := range Reasons {
			o.status.Failures[r] = 0
		}
		if old != nil && old.known && old.height.From == FromPushed {
			o.height, o.known = old.height, true
		}
		next[source.Chain] = o
	}
	s.chains = next
	select {
	case s.changed <- struct{}{}:
	default:
		// Run has not looked since the last change, and will see this one too.
	}
}

// Push takes a height that somebody tells unasked. Its errors wrap
// ErrUnknownChain and ErrBadHeight.
func (s *Scanner) Push(chain string, height uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.chains[chain]
	switch {
	case o == nil:
		return fmt.Errorf("chain %q: %w", chain, ErrUnknownChain)
	case height > maxHeight:
		return fmt.Errorf("chain %q: height %d: %w", chain, height, ErrBadHeight)
	}
	o.height, o.known = Height{Value: height, At: s.now(), From: FromPushed}, true
	return nil
}

// Observed is a chain's last observed height. It is false if none is known, or
// none is recent enough.
func (s *Scanner) Observed(chain string) (Height, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.chains[chain]
	if o == nil || !o.known || s.now().Sub(o.height.At) > maxAge {
		return Height{}, false
	}
	return o.height, true
}

// Status is how a chain's polls went. It is false for a chain that is not
// polled.
func (s *Scanner) Status(chain string) (Status, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.chains[chain]
	if o == nil || o.endpoint.address == "" {
		return Status{}, false
	}
	status := o.status
	status.Failures = maps.Clone(status.Failures)
	return status, true
}
