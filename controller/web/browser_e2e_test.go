//go:build e2e

package web

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/history"
	"github.com/understudy-rpc/understudy/controller/wire"
	"github.com/understudy-rpc/understudy/internal/browser"
)

// pictures writes the pictures that the documentation shows.
var pictures = flag.Bool("pictures", false, "write the screenshots in docs/images anew")

// The tests of the page run one after the other: a browser takes a core or two.

// gallery is a status page with much to see, and streams on which nothing comes.
func gallery(t *testing.T, g fakeGuard) string {
	t.Helper()
	page, v := statusPage(t, g, showcase(t)...)
	page.View = livelyView{v}
	mux := http.NewServeMux()
	mux.Handle("/", page)
	mux.HandleFunc("/events", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		// The browser holds its stream open for as long as it is there.
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

// livelyView has latencies as real providers do.
type livelyView struct{ *fakeView }

func (livelyView) History(_, provider string) []history.Sample {
	base := map[string]float64{"local-daemon": 3, "quicknode": 41, "blockchair": 118}[provider]
	if base == 0 {
		base = 60
	}
	var all []history.Sample
	for i := range history.Points {
		x := float64(i + len(provider)*7)
		latency := base * (1 + 0.18*math.Sin(x/5) + 0.09*math.Sin(x*1.7) + 0.06*math.Cos(x*0.63))
		s := history.Sample{Time: morning.Add(time.Duration(i-history.Points) * history.Step), LatencyMS: &latency, Good: true}
		if provider == "quicknode" && i > 80 {
			s.LatencyMS, s.Good = nil, false
		}
		all = append(all, s)
	}
	return all
}

// showcase are chains in all states, with a day's events of one of them.
func showcase(t *testing.T) []wire.Chain {
	t.Helper()
	btc := answer(t, "failover")
	state := func(age time.Duration, provider, from, to, reason string, facts ...string) wire.Event {
		return wire.Event{Time: morning.Add(-age), Kind: wire.EventState, Provider: provider, From: from, To: to, Reason: provider + " " + reason, Facts: facts}
	}
	changed := func(age time.Duration, kind, from, to, reason string, facts ...string) wire.Event {
		return wire.Event{Time: morning.Add(-age), Kind: kind, From: from, To: to, Reason: kind + ": " + reason, Facts: facts}
	}
	const healthy, unhealthy, recovering = wire.StatusHealthy, wire.StatusUnhealthy, wire.StatusRecovering
	btc.Events = []wire.Event{
		state(72*time.Second, "blockchair", unhealthy, recovering, "passed a recovery check"),
		changed(192*time.Second, "failover", "quicknode", "local-daemon", "quicknode down (timeout)", "ProviderDown"),
		state(195*time.Second, "quicknode", healthy, unhealthy, "down (timeout)", "ProviderDown"),
		state(9*time.Minute, "blockchair", healthy, unhealthy, "failing (rate_limited)", "ProviderRateLimited"),
		changed(21*time.Minute, "failback", "local-daemon", "quicknode", "quicknode is preferred and healthy again"),
		state(21*time.Minute, "quicknode", recovering, healthy, "passed its recovery checks"),
		state(23*time.Minute, "quicknode", unhealthy, recovering, "passed a recovery check"),
		changed(34*time.Minute, "failover", "quicknode", "local-daemon", "quicknode is 5 blocks behind", "ProviderBehindTip"),
		state(34*time.Minute, "quicknode", healthy, unhealthy, "is 5 blocks behind", "ProviderBehindTip"),
		state(47*time.Minute, "blockchair", recovering, healthy, "passed its recovery checks"),
		state(49*time.Minute, "blockchair", unhealthy, recovering, "passed a recovery check"),
		state(53*time.Minute, "blockchair", healthy, unhealthy, "is slow (6.2s)", "ProviderSlow"),
		changed(6*time.Hour, "start", "", "quicknode", "quicknode is the first fit to serve"),
		state(6*time.Hour, "local-daemon", wire.StatusUnknown, healthy, "answered its first probe"),
	}
	all := []wire.Chain{btc, answer(t, "nobody"), answer(t, "orders"), answer(t, "split")}
	for i, name := range []string{"avax", "base", "bch", "bsc", "doge", "gaia", "soroban", "xrp"} {
		c := answer(t, "failover")
		height, age := uint64(1_000_000+i*7_654_321), 1.5*float64(i+1)
		c.Chain, c.Alerts, c.Healthy, c.Events = name, nil, c.Total, nil
		c.Tip = wire.Tip{Height: &height, Source: wire.TipConsensus, AgeSeconds: &age}
		c.Since = morning.Add(-time.Duration(i+3) * 31 * time.Hour)
		for j := range c.Providers {
			p := &c.Providers[j]
			p.Name, p.Status, p.Active = fmt.Sprint([]string{"own-", "vendor-", "public-"}[j], name), wire.StatusHealthy, j == 0
		}
		c.Active = &c.Providers[0].Name
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b wire.Chain) int { return cmp.Compare(a.Chain, b.Chain) })
	return all
}

func TestNothingOnThePagesKeepsPeopleOut(t *testing.T) {
	b := browser.Open(t)
	open, closed := gallery(t, fakeGuard{trusted: true}), gallery(t, fakeGuard{token: token})
	for _, look := range []struct {
		width  int64
		scheme string
	}{{360, browser.Dark}, {1280, browser.Light}} {
		b.Size(look.width, look.scheme)
		for _, page := range []string{open + "/", open + "/chains/btc", open + "/chains/eth", open + "/chains/ltc", closed + "/login", closed + "/chains/btc", open + "/nowhere"} {
			b.Visit(page)
			if page == open+"/chains/btc" {
				b.Click("#drain-quicknode > summary")
			}
			require.Empty(t, b.Barriers(), "%s, %d wide, %s", page, look.width, look.scheme)
			require.LessOrEqual(t, b.Number("document.documentElement.scrollWidth"), float64(look.width), "%s is not scrolled sideways", page)
		}
	}
}

func TestThePagesCanBeUsedWithAKeyboard(t *testing.T) {
	b := browser.Open(t)
	b.Visit(gallery(t, fakeGuard{trusted: true}) + "/chains/btc")
	b.Press("\t")
	require.True(t, b.IsTrue("document.activeElement.className === 'skip'"), "the first stop leads past the head")
	b.Press("\r")
	require.True(t, b.IsTrue("location.hash === '#main'"))
	for range 60 {
		if b.IsTrue("document.activeElement.parentElement?.id === 'drain-quicknode'") {
			break
		}
		b.Press("\t")
	}
	require.True(t, b.IsTrue("getComputedStyle(document.activeElement).outlineStyle !== 'none'"), "the focus can be seen")
	b.Press("\r")
	require.True(t, b.IsTrue("document.querySelector('#drain-quicknode').open"))
	b.Press("\t")
	require.True(t, b.IsTrue("document.activeElement.id === 'drain-quicknode-reason'"))
}

func TestThePagesAreShownInTheDocumentation(t *testing.T) {
	b := browser.Open(t)
	url := gallery(t, fakeGuard{trusted: true})
	for _, picture := range []struct{ name, page, scheme string }{
		{"status-page.png", "/", browser.Light},
		{"status-page-chain.png", "/chains/btc", browser.Dark},
	} {
		b.Size(1280, picture.scheme)
		b.Visit(url + picture.page)
		b.AwaitText("#live-text", "Live")
		path := filepath.Join("../../docs/images", picture.name)
		if *pictures {
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.WriteFile(path, b.Picture(), 0o644))
		}
		require.FileExists(t, path, "run the test with -pictures")
	}
}
