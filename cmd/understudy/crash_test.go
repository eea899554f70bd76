package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/wire"
	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

const (
	// crashes is how often the program is killed, by as many lanes at a time.
	crashes = 200
	lanes   = 2
	// crashBudget bounds the test on a machine that is busy with others: fewer
	// crashes are better than none.
	crashBudget = 2 * time.Minute
	// wellEvery is how many lives lie between two that last until all is well.
	wellEvery = 10
)

// TestNoKillCostsADecision kills the program at random moments while it decides
// all the time, and starts it again on the same journal.
func TestNoKillCostsADecision(t *testing.T) {
	// Not beside other tests: the program has to decide in lives of milliseconds, and
	// so without the race detector, with which it takes longer to start than to live.
	program := filepath.Join(t.TempDir(), "understudy")
	built, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput()
	require.NoError(t, err, string(built))
	for n := range lanes {
		t.Run(fmt.Sprint("lane ", n), func(t *testing.T) {
			t.Parallel()
			// From here on, as a lane may have to wait for another test to end.
			ended := time.Now().Add(crashBudget)
			l := newLane(t, program, uint64(n))
			for l.kills < crashes/lanes && time.Now().Before(ended) {
				l.live(time.Duration(20+l.rand.IntN(300)) * time.Millisecond)
			}
			t.Logf("%d kills, %d decisions seen, at %d generations", l.kills, len(l.seen.decisions), len(l.seen.providers))
			require.Greater(t, l.kills, 10)
			require.Greater(t, len(l.seen.providers), l.kills/4, "it switched all the time")
			require.LessOrEqual(t, l.slow, l.kills/10, "the first answer comes within a second, unless the machine is busy")
			r := call(nil, "replay", "--quiet", l.storage)
			require.Equal(t, exitOK, r.status, r.stderr+r.stdout)
			require.Contains(t, r.stdout, " 0 problems")
		})
	}
}

// lane is one program that is killed and started again and again.
type lane struct {
	t    *testing.T
	rand *rand.Rand
	// program is the binary; config is its configuration, storage its directory.
	program, config, storage string

	seen *sightings
	// slow is how often the first answer took more than a second.
	kills, slow int
}

func newLane(t *testing.T, program string, seed uint64) *lane {
	l := &lane{t: t, program: program, rand: rand.New(rand.NewPCG(seed, 0)), storage: t.TempDir(), seen: newSightings()}
	var server simulator.Server
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	var b strings.Builder
	b.WriteString("chains:\n")
	ctx, cancel := context.WithCancel(context.Background())
	var flapping sync.WaitGroup
	for _, name := range []string{"eth", "bsc"} {
		fmt.Fprintf(&b, "  %s:\n    network: any\n    failover: {health_check_interval: 100ms, request_timeout: 100ms, suspect_check_interval: 10ms, error_threshold: 2, error_window: 1s, recovery_check_interval: 50ms, min_recovery_checks: 1, flap_penalty: false, integrity: {enabled: false}}\n    providers:\n", name)
		chain := simulator.NewChain(simulator.ChainOptions{Name: name, Kind: config.EVM, BaseHeight: 1000})
		var providers []*simulator.Provider
		for _, provider := range []string{"a", "b", "c"} {
			p := simulator.NewProvider(chain, simulator.ProviderOptions{Name: provider, Type: config.EVMRPC, Remember: -1})
			url, err := server.Listen(p)
			require.NoError(t, err)
			providers = append(providers, p)
			fmt.Fprintf(&b, "      - {name: %s, type: evm-rpc, operator: %s, rpc_host: %q}\n", provider, provider, url)
		}
		random := rand.New(rand.NewPCG(seed, 1))
		flapping.Go(func() { flap(ctx, random, providers) })
	}
	t.Cleanup(func() { cancel(); flapping.Wait() })
	l.config = file(t, "understudy.yml", b.String())
	return l
}

// flap makes providers fail and answer again, at random.
func flap(ctx context.Context, random *rand.Rand, providers []*simulator.Provider) {
	tick := time.NewTicker(30 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		p, b := providers[random.IntN(len(providers))], simulator.Behaviour{}
		if random.IntN(4) == 0 {
			b.Mode = simulator.ModeReset
		}
		p.SetBehaviour(b)
	}
}

// live lets the program live for a while under load.
func (l *lane) live(d time.Duration) {
	address := freeAddress(l.t)
	var log lockedBuffer
	cmd := exec.Command(l.program, "run", "--web.listen-address="+address, "--config.file="+l.config, "--storage.path="+l.storage, "--log.level=warn")
	cmd.Stdout, cmd.Stderr = &log, &log
	require.NoError(l.t, cmd.Start())
	ctx, cancel := context.WithCancel(context.Background())
	defer func() {
		cancel()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if l.t.Failed() {
			l.t.Log(log.String())
		}
	}()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	c := crashClient{http: http.Client{Transport: transport}, base: "http://" + address, seen: l.seen}
	l.first(c)
	var load sync.WaitGroup
	for _, work := range []func(context.Context){c.watch, c.watch, c.look, c.order} {
		load.Go(func() { work(ctx) })
	}
	if l.kills%wellEvery == 0 {
		l.awaitWell(c)
	}
	time.Sleep(d)
	require.NoError(l.t, cmd.Process.Kill())
	l.kills++
	cancel()
	load.Wait()
	require.Empty(l.t, l.seen.contradictions())
}

// awaitWell waits until both chains are served: most lives are too short for an
// evaluation of the rules, and nobody switches between providers that are not
// healthy.
func (l *lane) awaitWell(c crashClient) {
	l.t.Helper()
	require.Eventually(l.t, func() bool {
		list, err := c.get(context.Background(), "/active")
		return err == nil && len(list.Chains) == 2 && list.Chains[0].State == wire.StateOK && list.Chains[1].State == wire.StateOK
	}, time.Minute, 5*time.Millisecond, "both chains are served")
}

// first checks the first answer: it comes at once when somebody listens, and is
// what was decided last or later.
func (l *lane) first(c crashClient) {
	l.t.Helper()
	before := l.seen.latest()
	var list wire.ActiveList
	var listening time.Time
	require.Eventually(l.t, func() bool {
		var err error
		if list, err = c.get(context.Background(), "/active"); err == nil {
			return true
		}
		if failed, ok := errors.AsType[*net.OpError](err); listening.IsZero() && (!ok || failed.Op != "dial") {
			listening = time.Now()
		}
		return false
	}, time.Minute, 2*time.Millisecond, "it answers")
	if !listening.IsZero() && time.Since(listening) > time.Second {
		l.slow++
	}
	require.GreaterOrEqual(l.t, list.Index, before.index)
	if l.kills > 0 {
		require.Len(l.t, list.Chains, 2, "both chains are answered at once")
	}
	require.Empty(l.t, l.seen.contradictions())
}

// crashClient asks a program that may die at any moment.
type crashClient struct {
	http http.Client
	base string
	seen *sightings
}

// get reads who serves, and notes it.
func (c crashClient) get(ctx context.Context, path string) (wire.ActiveList, error) {
	var list wire.ActiveList
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+path, nil)
	if err != nil {
		return list, err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return list, err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return list, err
	}
	if response.StatusCode != http.StatusOK {
		return list, fmt.Errorf("HTTP status %d: %s", response.StatusCode, text)
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return list, err
	}
	c.seen.note(list)
	return list, nil
}

// watch follows the decisions.
func (c crashClient) watch(ctx context.Context) {
	index := uint64(0)
	for {
		list, err := c.get(ctx, fmt.Sprintf("/active?index=%d&wait=5s", index))
		if err != nil {
			return
		}
		index = list.Index
	}
}

// look asks all the time.
func (c crashClient) look(ctx context.Context) {
	for ctx.Err() == nil {
		if _, err := c.get(ctx, "/active"); err != nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// order pins one provider after the other, and drains them for a moment, so that
// there are many switches.
func (c crashClient) order(ctx context.Context) {
	for i := 0; ; i++ {
		provider := string("abc"[i%3])
		for _, path := range []string{"eth/pin", "bsc/pin", "eth/" + provider + "/drain"} {
			body := fmt.Sprintf(`{"provider":%q,"for":"1m"}`, provider)
			if strings.HasSuffix(path, "drain") {
				body = `{"for":"30ms"}`
			}
			request, err := http.NewRequestWithContext(ctx, http.MethodPut, c.base+"/thorchain/providers/"+path, strings.NewReader(body))
			if err != nil {
				return
			}
			request.Header.Set("Content-Type", "application/json")
			response, err := c.http.Do(request)
			if err != nil {
				return
			}
			_ = response.Body.Close()
		}
	}
}

// sightings are what was answered in all the lives of a program.
type sightings struct {
	mu sync.Mutex
	// decisions are by index, providers by generation.
	decisions map[string]string
	providers map[string]string
	last      mark
	chains    map[string]mark
	wrong     []string
}

// mark is the highest index and generation.
type mark struct{ index, generation uint64 }

func newSightings() *sightings {
	return &sightings{decisions: map[string]string{}, providers: map[string]string{}, chains: map[string]mark{}}
}

// note takes down an answer, and what it contradicts: no index stands for two
// decisions, and no generation for two providers.
func (s *sightings) note(list wire.ActiveList) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last.index = max(s.last.index, list.Index)
	for _, a := range list.Chains {
		provider := "none"
		if a.Provider != nil {
			provider = *a.Provider
		}
		decision := fmt.Sprint(a.Chain, " ", provider, " ", a.State, " ", a.Generation, " ", a.Since, " ", a.Reason, " ", a.Fallbacks)
		s.compare(s.decisions, fmt.Sprint("index ", a.Index), decision)
		s.compare(s.providers, fmt.Sprint(a.Chain, " generation ", a.Generation), provider)
		m := s.chains[a.Chain]
		s.chains[a.Chain] = mark{max(m.index, a.Index), max(m.generation, a.Generation)}
	}
}

// compare notes what something stands for, and if it stood for something else.
func (s *sightings) compare(known map[string]string, key, value string) {
	if before, ok := known[key]; ok && before != value {
		s.wrong = append(s.wrong, fmt.Sprintf("%s was %q and is %q", key, before, value))
	}
	known[key] = value
}

func (s *sightings) latest() mark {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

func (s *sightings) contradictions() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wrong
}
