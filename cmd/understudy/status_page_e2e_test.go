//go:build e2e

package main

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/wire"
	"github.com/understudy-rpc/understudy/internal/browser"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

// The tests of the page run one after the other: a browser takes a core or two.

// adminToken is what orders need in these tests.
const adminToken = "correct-horse-battery-staple"

// watched starts the program with simulated providers a, b and c, whose
// addresses have secrets in them, and with an admin token.
func watched(t *testing.T) (*process, map[string]*simulator.Provider) {
	t.Helper()
	path, providers := ethereum(t, "a", "b", "c")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	changed := strings.NewReplacer(
		"http://", "http://USERSECRET:PASSSECRET@",
		// A browser beside it takes the machine's time, and nobody is to fail for that.
		hasty, "{health_check_interval: 2s, suspect_check_interval: 250ms, request_timeout: 2s, error_window: 20s, integrity: {interval: 5s}}",
	).Replace(string(text))
	require.Contains(t, changed, "error_window: 20s")
	require.NoError(t, os.WriteFile(path, []byte(changed), 0o600))
	p := startCommand(t, "run", nil, "--config.file="+path, "--web.admin-token-file="+file(t, "token", adminToken+"\n"))
	p.ready()
	p.eventually(func() bool { return p.active() == "a" }, "a serves")
	return p, providers
}

// page is the address of a page of the program.
func (p *process) page(path string) string { return "http://" + p.address + path }

// active is who serves the chain eth.
func (p *process) active() string {
	_, text := p.get("/active/eth")
	var a wire.Active
	if json.Unmarshal([]byte(text), &a) != nil || a.Provider == nil {
		return ""
	}
	return *a.Provider
}

// drain is the drain of a provider of the chain eth; nil: there is none.
func (p *process) drain(provider string) *wire.Drain {
	p.t.Helper()
	_, text := p.get("/thorchain/providers/eth")
	var c wire.Chain
	require.NoError(p.t, json.Unmarshal([]byte(text), &c))
	for _, one := range c.Providers {
		if one.Name == provider {
			return one.Drained
		}
	}
	return nil
}

// signIn shows the admin token on the page that asks for it.
func signIn(b *browser.Tab, p *process) {
	b.Visit(p.page("/login?chain=eth"))
	b.Type("#token", adminToken)
	b.Click(".login button")
	b.AwaitText("#chain-name", "eth")
}

func TestThePageFollowsAFailoverWhileSomebodyFillsInAForm(t *testing.T) {
	p, providers := watched(t)
	b := browser.Open(t)
	signIn(b, p)
	b.AwaitText("#live-text", "Live")
	b.AwaitText(".serving", "a serves")
	b.Click("#drain-c > summary")
	b.Type("#drain-c-reason", "a new version")
	require.True(t, b.IsTrue("window.mark = true"), "a page that is loaded anew has no mark")

	providers["a"].SetBehaviour(simulator.Behaviour{Mode: simulator.ModeRefuse})
	b.AwaitText(".serving", "b serves")
	b.AwaitText("#announce", "eth: b serves now.")
	b.AwaitText("#provider-a .state", "unhealthy")
	b.AwaitText("#provider-a .facts", "ProviderDown")
	b.AwaitText("table.events", "failover")
	require.True(t, b.IsTrue("window.mark"), "the page was renewed in place")
	require.True(t, b.IsTrue("document.querySelector('#drain-c').open"), "what was folded out stays so")
	require.True(t, b.IsTrue("document.activeElement.id === 'drain-c-reason'"), "the focus stays where it is")
	require.True(t, b.IsTrue("document.activeElement.value === 'a new version'"), "what was typed stays")

	b.Click("#drain-c form button")
	b.AwaitText(".message.notice", "c is drained.")
	require.Equal(t, "a new version", p.drain("c").Reason)
	require.NotNil(t, p.drain("c").Until)
	b.AwaitText("#provider-c", "Drained by an operator")
	b.Click("#provider-c form[action$=undrain] button")
	b.AwaitText(".message.notice", "c is no longer drained.")
	require.Nil(t, p.drain("c"))
}

func TestThePageOfAllChainsFollowsAFailover(t *testing.T) {
	p, providers := watched(t)
	b := browser.Open(t)
	b.Visit(p.page("/"))
	b.AwaitText("#live-text", "Live")
	b.AwaitText("#chain-eth .c-active", "a")
	require.True(t, b.IsTrue("window.mark = true"))
	providers["a"].SetBehaviour(simulator.Behaviour{Mode: simulator.ModeRefuse})
	b.AwaitText("#chain-eth .c-active", "b")
	b.AwaitText("#announce", "eth: b serves now.")
	b.AwaitTrue("document.querySelector('#chain-eth .dots li.unhealthy')")
	require.True(t, b.IsTrue("window.mark"), "the row was renewed in place")
}

func TestThePageRefusesOrdersWithoutTheToken(t *testing.T) {
	p, _ := watched(t)
	b := browser.Open(t)
	b.Visit(p.page("/chains/eth"))
	require.False(t, b.IsTrue("document.querySelector('form[action$=drain]')"), "there is no button")
	require.Contains(t, b.Text(".orders-hint"), "Sign in with the admin token")
	require.Equal(t, http.StatusUnauthorized, b.Post("/chains/eth/a/drain"))
	b.Visit(p.page("/login"))
	b.Type("#token", "a guess")
	b.Click(".login button")
	b.AwaitText(".message.problem", "That is not the admin token.")
	require.Equal(t, http.StatusUnauthorized, b.Post("/chains/eth/a/drain"))
	require.Nil(t, p.drain("a"))
	require.Equal(t, "a", p.active())
}

func TestThePageWorksWithoutJavaScript(t *testing.T) {
	p, _ := watched(t)
	b := browser.Open(t)
	b.WithoutScripts()
	b.Visit(p.page("/"))
	b.Click("#chain-eth a")
	b.AwaitText(".serving", "a serves")
	require.Contains(t, b.Text("#live-text"), "As of", "nothing claims to be live")
	require.Contains(t, b.Text("table.events"), "start")
	b.Click(".tabs a[href*='window=6h']")
	b.AwaitText(".tabs a[aria-current]", "6 hours")

	signIn(b, p)
	b.Click("#pin-b > summary")
	b.Click("#pin-b form button")
	b.AwaitText(".message.notice", "b is pinned.")
	b.AwaitText(".serving", "b serves")
	require.Equal(t, "b", p.active())
	b.Click("#provider-b form[action$=unpin] button")
	b.AwaitText(".message.notice", "b is no longer pinned.")
}

func TestThePageShowsNoSecret(t *testing.T) {
	p, _ := watched(t)
	b := browser.Open(t)
	signIn(b, p)
	for _, path := range []string{"/chains/eth", "/", "/exporter"} {
		b.Visit(p.page(path))
		require.NotContains(t, b.Source(), "SECRET", path)
		require.NotContains(t, b.Source(), adminToken, path)
	}
	b.Visit(p.page("/chains/eth"))
	require.Contains(t, b.Text("#provider-a .host"), "http://127.0.0.1:")
}
