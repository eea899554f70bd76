package controller_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/understudy-rpc/understudy/controller"
	"github.com/understudy-rpc/understudy/controller/api"
	"github.com/understudy-rpc/understudy/controller/evaluator"
	"github.com/understudy-rpc/understudy/controller/wire"
	"github.com/understudy-rpc/understudy/internal/config"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// secrets stand in the addresses of the providers, in every place that can hold
// one.
var secrets = []string{"USERSECRET", "PASSSECRET", "PATHSECRET", "QUERYSECRET"}

// three is a chain with the providers a, b and c, preferred in this order. A
// recovery takes two checks, ten seconds apart.
const three = `chains:
  eth:
    network: "1"
    failover: {health_check_interval: 5s, suspect_check_interval: 1s, recovery_check_interval: 10s, min_recovery_checks: 2}
    providers:
      - {name: a, type: evm-rpc, operator: one, priority: 1, capabilities: [archive], rpc_host: "https://USERSECRET:PASSSECRET@a.example/PATHSECRET?key=QUERYSECRET"}
      - {name: b, type: evm-rpc, operator: two, priority: 2, capabilities: [archive, receipts], rpc_host: "https://b.example/PATHSECRET"}
      - {name: c, type: evm-rpc, operator: three, priority: 3, rpc_host: "https://c.example"}
`

// with is three with other words in some places.
func with(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(three) }

func parse(t require.TestingT, text string) config.Config {
	cfg, err := config.Parse("test.yml", []byte(text), func(string) (string, bool) { return "", false })
	require.NoError(t, err)
	return cfg
}

// world is a controller with its surroundings, in a bubble of time.
type world struct {
	t        testing.TB
	dir      string
	fleet    *fleet
	log      *record
	registry *prometheus.Registry
	c        *controller.Controller
	// stop ends the controller and returns the error of Run.
	stop func() error
}

// inBubble runs a test with a clock of its own.
func inBubble(t *testing.T, test func(t *testing.T)) {
	t.Parallel()
	synctest.Test(t, test)
}

// open makes a controller of a configuration, with bundled rules and an exporter
// that sees everybody well; the options can be changed.
func open(t testing.TB, dir, text string, change ...func(*controller.Options)) *world {
	cfg := parse(t, text)
	w := &world{t: t, dir: dir, fleet: newFleet("exporter:1", cfg), log: &record{}, registry: prometheus.NewPedanticRegistry()}
	o := controller.Options{
		Config: cfg, Exporters: []evaluator.Source{w.fleet}, Bundled: true, StoragePath: dir,
		Registerer: w.registry, Logger: slog.New(slog.NewJSONHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, f := range change {
		f(&o)
	}
	var err error
	w.c, err = controller.New(o)
	require.NoError(t, err)
	t.Cleanup(func() {
		// Only who runs can be stopped, and who is stopped closes the journal.
		if w.stop == nil {
			w.run()
		}
		_ = w.stop()
	})
	return w
}

// run starts it.
func (w *world) run() *world {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.c.Run(ctx) }()
	w.stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	synctest.Wait()
	return w
}

// begin opens and runs one, and has everybody probed.
func begin(t testing.TB, text string, change ...func(*controller.Options)) *world {
	w := open(t, t.TempDir(), text, change...).run()
	w.look()
	return w
}

// look probes everybody and lets the controller evaluate that.
func (w *world) look() {
	w.fleet.probe()
	w.evaluate()
}

// evaluate lets the controller evaluate once.
func (w *world) evaluate() {
	// A round needs a time of its own.
	time.Sleep(time.Millisecond)
	w.c.Trigger()
	synctest.Wait()
}

// pass lets time pass, with a probe of everybody each second.
func (w *world) pass(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		time.Sleep(time.Second)
		w.look()
	}
}

// fail makes the probes of a provider fail from now on.
func (w *world) fail(provider, reason string) {
	w.fleet.change("eth", provider, func(n *node) { n.failing = reason })
}

// well makes them good.
func (w *world) well(provider string) { w.fail(provider, "") }

// active is who serves eth.
func (w *world) active() wire.Active {
	a, ok := w.c.Overview().Active("eth", "")
	require.True(w.t, ok, "the chain is configured")
	return a
}

// serves checks who serves eth, and in which state the chain is.
func (w *world) serves(provider, state string) wire.Active {
	w.t.Helper()
	a := w.active()
	got := ""
	if a.Provider != nil {
		got = *a.Provider
	}
	require.Equal(w.t, provider, got, a.Reason)
	require.Equal(w.t, state, a.State, a.Reason)
	return a
}

// chain is what is known of eth.
func (w *world) chain() wire.Chain {
	c, ok := w.c.Overview().Chain("eth")
	require.True(w.t, ok)
	return c
}

// status is that of a provider of eth.
func (w *world) status(provider string) wire.Provider {
	for _, p := range w.chain().Providers {
		if p.Name == provider {
			return p
		}
	}
	w.t.Fatalf("there is no provider %s", provider)
	return wire.Provider{}
}

// copied is a copy of the journal's folder as it is now, as a crash would leave
// it.
func (w *world) copied() string {
	dir := w.t.TempDir()
	require.NoError(w.t, os.CopyFS(dir, os.DirFS(w.dir)))
	return dir
}

// record is a log that can be read while it is written.
type record struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(p)
}

// String is the whole log.
func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// lines are those with a message, without the time, the component and what
// depends on the machine.
func (r *record) lines(message string) []map[string]any {
	var found []map[string]any
	for line := range strings.Lines(r.String()) {
		var m map[string]any
		if json.Unmarshal([]byte(line), &m) == nil && m["msg"] == message {
			maps.DeleteFunc(m, func(key string, _ any) bool {
				return key == "time" || key == "msg" || key == "component" || key == "duration"
			})
			found = append(found, m)
		}
	}
	return found
}

// settle waits until everybody in the bubble waits for time to pass.
func settle() { synctest.Wait() }

// order is one without an end.
func order(reason string) api.Order { return api.Order{Reason: reason} }

// replaced is a text with another word in some places.
func replaced(text, before, after string) string { return strings.ReplaceAll(text, before, after) }

// sourcesOf are fleets as exporters.
func sourcesOf(fleets ...*fleet) []evaluator.Source {
	var all []evaluator.Source
	for _, f := range fleets {
		all = append(all, f)
	}
	return all
}

// metrics is the page of the controller's own metrics.
func (w *world) metrics() string {
	families, err := w.registry.Gather()
	require.NoError(w.t, err)
	var page bytes.Buffer
	for _, f := range families {
		_, err := expfmt.MetricFamilyToText(&page, f)
		require.NoError(w.t, err)
	}
	return page.String()
}
