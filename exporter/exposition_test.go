package exporter

import (
	"bytes"
	"context"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/exporter/chain"
	"github.com/understudy-rpc/understudy/exporter/integrity"
	"github.com/understudy-rpc/understudy/exporter/prober"
	"github.com/understudy-rpc/understudy/exporter/scanner"
	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/rules"
)

var update = flag.Bool("update", false, "write the golden files")

// lintExceptions are the names that promlint objects to, with the reason why
// they stay: dashboards and rules of Bifrost operators use them.
var lintExceptions = map[string]string{
	"bifrost_provider_latency_ms":     "named so by Bifrost's operators; seconds are in bifrost_provider_probe_duration_seconds",
	"bifrost_failover_max_latency_ms": "the threshold of bifrost_provider_latency_ms has its unit",
}

// fakeAsker answers as a test says.
type fakeAsker func() (chain.Observation, error)

func (f fakeAsker) Observe(context.Context, chain.Ask) (chain.Observation, error) {
	time.Sleep(12 * time.Millisecond)
	return f()
}

// askers are who stands behind the providers of the sample: a good one, one
// that turns away, and one that serves another network.
func askers() map[string]*fakeAsker {
	height := uint64(884200)
	daemon := fakeAsker(func() (chain.Observation, error) {
		height++
		return chain.Observation{
			HasTip: true, Latency: 3250 * time.Microsecond, Identity: "main",
			Tip: chain.Tip{
				Height: height, Hash: "00ab", Time: time.Now().Add(-20 * time.Second).Truncate(time.Second),
				Hints: chain.Hints{Syncing: chain.Some(false), Peers: chain.Some(8)},
			},
			Capabilities: map[string]bool{"wallet": true, "txindex": false},
		}, nil
	})
	vendor := fakeAsker(func() (chain.Observation, error) {
		return chain.Observation{CertificateExpiry: time.Now().Add(90 * 24 * time.Hour).Truncate(time.Hour)},
			&chain.Failure{Reason: chain.RateLimited, Wait: 27 * time.Second}
	})
	fresh := fakeAsker(func() (chain.Observation, error) {
		return chain.Observation{HasTip: true, Identity: "test", Tip: chain.Tip{Height: 12}, Latency: time.Millisecond}, nil
	})
	return map[string]*fakeAsker{"daemon": &daemon, "vendor": &vendor, "fresh": &fresh}
}

// fakeJudge expects the network main.
type fakeJudge struct{}

func (fakeJudge) Judge(_ prober.Key, identity string) prober.Verdict {
	switch identity {
	case "main":
		return prober.NetworkRight
	case "":
		return prober.NetworkUnknown
	}
	return prober.NetworkWrong
}

// sampleView is what there is to tell after a minute of probing, inside a test
// bubble whose clock always starts at the same moment.
func sampleView(t *testing.T) *view {
	t.Helper()
	cfg, err := config.Parse("test.yml", []byte(sampleConfig), func(string) (string, bool) { return "", false })
	require.NoError(t, err)
	f, err := newFleet(cfg, nil)
	require.NoError(t, err)
	set := prober.New(prober.Options{Judge: fakeJudge{}})
	targets := f.targets()
	for i := range targets {
		targets[i].Asker = askers()[targets[i].Provider]
	}
	set.Apply(targets)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- set.Run(ctx) }()
	time.Sleep(time.Minute)
	v := &view{now: time.Now()}
	for _, m := range f.members {
		status, ok := set.Status(m.key)
		require.True(t, ok)
		v.providers = append(v.providers, providerView{member: m, status: status})
	}
	cancel()
	require.NoError(t, <-ended)
	v.providers[0].integrity = integrity.Result{HashDiffers: chain.Some(false), TransactionsDiffer: chain.Some(false), TipVerified: chain.Some(true)}
	v.providers[0].asked = 7
	v.providers[1].integrity = integrity.Result{HashDiffers: chain.Some(true)}
	v.chains = []chainView{{
		chainLabel: pair(rules.LabelChain, "btc"), config: cfg.Chains[0],
		observed: chain.Some(scanner.Height{Value: 884210}), polls: chain.Some(scanner.Status{Polls: 9, Failures: map[scanner.Reason]uint64{scanner.Timeout: 2}}),
		agreement: integrity.ChainResult{Split: true, AgreedAt: v.now.Add(-time.Minute), CommonHeight: chain.Some(uint64(884100))},
	}}
	return v
}

const sampleConfig = `
chains:
  btc:
    observed_height: {thornode_url: "http://127.0.0.1:1317"}
    providers:
      - {name: daemon, type: bitcoin-rpc, rpc_host: "http://127.0.0.1:8332", priority: 1, capabilities: [wallet, txindex]}
      - {name: vendor, type: bitcoin-rpc, rpc_host: "https://node.example.com/KEY12345678", priority: 2}
      - {name: fresh, type: esplora-rest, rpc_host: "https://esplora.example.org/api", priority: 3}
`

// exposition is the page as text.
func exposition(t *testing.T, v *view) string {
	t.Helper()
	var b bytes.Buffer
	format := expfmt.NewFormat(expfmt.TypeTextPlain)
	require.NoError(t, encodeView(&b, expfmt.NewEncoder(&b, format), format, v))
	return b.String()
}

// samplePage is the page about the sample.
func samplePage(t *testing.T) string {
	t.Helper()
	var page string
	synctest.Test(t, func(t *testing.T) { page = exposition(t, sampleView(t)) })
	return page
}

func TestExpositionIsGolden(t *testing.T) {
	t.Parallel()
	got := samplePage(t)
	const golden = "testdata/metrics.golden"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "run the test with -update if this is meant")
}

func TestGatheredFamiliesAreTheExposition(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := sampleView(t)
		var b bytes.Buffer
		encoder := expfmt.NewEncoder(&b, expfmt.NewFormat(expfmt.TypeTextPlain))
		for _, f := range gather(v) {
			require.NoError(t, encoder.Encode(f))
		}
		require.Equal(t, exposition(t, v), b.String(), "families that share storage would differ here")
	})
}

func TestExpositionIsWellFormed(t *testing.T) {
	t.Parallel()
	problems, err := promlint.New(strings.NewReader(samplePage(t))).Lint()
	require.NoError(t, err)
	met := map[string]bool{}
	for _, p := range problems {
		require.Contains(t, lintExceptions, p.Metric, p.Text)
		met[p.Metric] = true
	}
	require.Len(t, met, len(lintExceptions), "an exception that is not needed any more")
}

func TestLabelsStandInTheOrderOfTheAlphabet(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, f := range gather(sampleView(t)) {
			for _, m := range f.Metric {
				names := []string{}
				for _, l := range m.Label {
					names = append(names, l.GetName())
				}
				require.Truef(t, slices.IsSorted(names), "%s has %v", f.GetName(), names)
			}
		}
	})
}

func TestEveryMetricOfTheCatalogueIsPublishedAndDescribed(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../docs/metrics.md")
	require.NoError(t, err)
	published := map[string]bool{}
	for _, line := range strings.Split(samplePage(t), "\n") {
		if name, ok := strings.CutPrefix(line, "# HELP "); ok {
			published[strings.Fields(name)[0]] = true
		}
	}
	own, err := newProcessMetrics(func() bool { return true }).registry.Gather()
	require.NoError(t, err)
	for _, f := range own {
		published[f.GetName()] = true
	}
	for _, m := range rules.Exporter() {
		require.Truef(t, published[m.Name], "%s is in the catalogue and not published", m.Name)
		require.Containsf(t, string(doc), "`"+m.Name+"`", "docs/metrics.md does not describe %s", m.Name)
		require.Truef(t, strings.HasSuffix(m.Help, "."), "the help of %s is not a sentence", m.Name)
		delete(published, m.Name)
	}
	for name := range published {
		require.Truef(t, strings.HasPrefix(name, "go_") || strings.HasPrefix(name, "process_") || name == "understudy_build_info",
			"%s is published and not in the catalogue", name)
	}
	for _, reason := range chain.Reasons {
		require.Contains(t, string(doc), "`"+string(reason)+"`", "docs/metrics.md does not explain the reason")
	}
}
