package web

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// update writes what the pages say now to testdata.
var update = flag.Bool("update", false, "write the expected pages anew")

// expect compares a page with the one that stands in testdata.
func expect(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".html")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(string(want), got), "run the test with -update if the page is meant to say that")
}

// secret is what the addresses in the answers have in them.
var secret = regexp.MustCompile(`[A-Z]+SECRET`)

func TestAChainsPageTellsWhatIsKnownOfIt(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"failover", "nobody", "orders", "split"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := answer(t, name)
			w, _ := statusPage(t, fakeGuard{trusted: true}, c)
			got := get(t, w, "/chains/"+c.Chain+"?part=main")
			require.Equal(t, http.StatusOK, got.Code)
			require.NotRegexp(t, secret, got.Body.String())
			expect(t, name, got.Body.String())
		})
	}
}

func TestThePageOfAllChainsHasARowForEach(t *testing.T) {
	t.Parallel()
	w, _ := statusPage(t, fakeGuard{}, answer(t, "failover"), answer(t, "nobody"), answer(t, "orders"), answer(t, "split"))
	got := get(t, w, "/?part=main")
	require.Equal(t, http.StatusOK, got.Code)
	require.NotRegexp(t, secret, got.Body.String())
	expect(t, "index", got.Body.String())
}

func TestTheRowOfAChainIsTheSameAloneAndAmongAll(t *testing.T) {
	t.Parallel()
	w, _ := statusPage(t, fakeGuard{}, answer(t, "failover"), answer(t, "nobody"))
	row := get(t, w, "/chains/eth?part=row").Body.String()
	row = strings.TrimSuffix(strings.TrimPrefix(row, "<table><tbody>"), "</tbody></table>")
	require.Contains(t, row, `id="chain-eth"`)
	require.Contains(t, get(t, w, "/").Body.String(), row)
}

func TestAPageSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	w, v := statusPage(t, fakeGuard{}, answer(t, "failover"))
	v.missing = []error{fmt.Errorf("no exporter answers: the last choice stands")}
	for _, path := range []string{"/", "/chains/btc"} {
		require.Contains(t, get(t, w, path).Body.String(), "Not ready: no exporter answers: the last choice stands")
	}
}

func TestWithoutChainsThePageSaysSo(t *testing.T) {
	t.Parallel()
	w, _ := statusPage(t, fakeGuard{})
	require.Contains(t, get(t, w, "/").Body.String(), "No chain is configured.")

	starting, v := statusPage(t, fakeGuard{})
	v.missing = []error{fmt.Errorf("the rules were not evaluated yet")}
	require.Contains(t, get(t, starting, "/").Body.String(), "Nothing is decided yet of any chain.")
}

func TestOnlySomeChainsAreShownOnDemand(t *testing.T) {
	t.Parallel()
	well := answer(t, "orders")
	well.Healthy = well.Total
	w, _ := statusPage(t, fakeGuard{}, answer(t, "failover"), answer(t, "nobody"), well)
	for _, c := range []struct {
		name, path string
		shown      []string
	}{
		{"all", "/", []string{"btc", "eth", "ltc"}},
		{"by a part of the name, in any case", "/?q=BT", []string{"btc"}},
		{"by the name of a provider", "/?q=infura", []string{"eth"}},
		{"those that want attention", "/?show=attention", []string{"btc", "eth"}},
		{"both", "/?show=attention&q=eth", []string{"eth"}},
		{"none", "/?q=doge", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			body := get(t, w, c.path).Body.String()
			var shown []string
			for _, found := range regexp.MustCompile(`<tr role="row" id="chain-([a-z]+)"`).FindAllStringSubmatch(body, -1) {
				shown = append(shown, found[1])
			}
			require.Equal(t, c.shown, shown)
		})
	}
}

func TestTextFromOutsideIsNeverMarkup(t *testing.T) {
	t.Parallel()
	c := answer(t, "failover")
	const evil = `<img src=x onerror=alert(1)>"'`
	c.Chain, c.Reason, c.Kept = "b"+evil, evil, evil
	for i := range c.Providers {
		p := &c.Providers[i]
		p.Name, p.Type, p.Operator, p.Reason, p.BlockHash = evil+fmt.Sprint(i), evil, evil, evil, evil
		p.RPCHost = "https://user:pass@host.example/" + evil
		p.LastError = &wire.ProbeError{Reason: evil, Message: evil}
		p.Capabilities = []string{evil}
		p.Alerts = []wire.Alert{{Name: evil, Severity: evil, Summary: evil, Source: evil}}
		p.Drained = &wire.Drain{Reason: evil}
	}
	c.Alerts = []wire.Alert{{Name: evil, Severity: evil, Summary: evil}}
	c.Events = []wire.Event{{Kind: evil, Reason: evil, From: evil, To: evil, Time: morning}, {Kind: "state", Provider: evil, Reason: evil, Facts: []string{evil}, Time: morning}}
	w, _ := statusPage(t, fakeGuard{trusted: true}, c)
	for _, path := range []string{"/", "/" + pathOf(c.Chain), "/?q=" + "%3Cimg%20src=x%20onerror=1%3E", "/login?chain=%22%3E%3Cimg%3E"} {
		got := get(t, w, path)
		require.Equal(t, http.StatusOK, got.Code, path)
		require.NotContains(t, got.Body.String(), "<img", path)
		require.NotRegexp(t, `onerror=alert\(1\)>"`, got.Body.String(), path)
	}
}

func TestAPageHasNoStyleAndNoScriptOfItsOwn(t *testing.T) {
	t.Parallel()
	w, _ := statusPage(t, fakeGuard{trusted: true}, answer(t, "failover"), answer(t, "orders"))
	for _, path := range []string{"/", "/chains/btc", "/chains/ltc", "/login", "/nowhere"} {
		got := get(t, w, path)
		body := got.Body.String()
		require.NotRegexp(t, `(?i)<style|<script(?: defer)?>|\sstyle=|\son[a-z]+=|javascript:`, body, path)
		require.NotRegexp(t, `(?:src|href|action)="(?:https?:)?//`, body, path+": nothing is loaded from elsewhere")
		csp := got.Header().Get("Content-Security-Policy")
		require.Contains(t, csp, "default-src 'none'")
		require.NotContains(t, csp, "unsafe")
		require.Equal(t, "no-store", got.Header().Get("Cache-Control"))
	}
}

func TestEveryAddressOnAPageIsAnswered(t *testing.T) {
	t.Parallel()
	w, _ := statusPage(t, fakeGuard{token: "s3cret"}, answer(t, "failover"), answer(t, "nobody"))
	links := regexp.MustCompile(`(?:src|href)="([^"#][^"]*)"`)
	for _, at := range []string{"/", "/chains/btc", "/chains/none"} {
		for _, found := range links.FindAllStringSubmatch(get(t, w, at).Body.String(), -1) {
			to := strings.ReplaceAll(found[1], "&amp;", "&")
			if strings.HasSuffix(to, "/metrics") {
				continue // It is beside the status page.
			}
			resolved := resolve(t, at, to)
			require.Equal(t, http.StatusOK, get(t, w, resolved).Code, "%s on %s", to, at)
		}
	}
}

func TestFilesAreKeptForeverUnderTheirVersionOnly(t *testing.T) {
	t.Parallel()
	w, _ := statusPage(t, fakeGuard{})
	for _, name := range []string{"style.css", "live.js", "icon.svg"} {
		versioned := get(t, w, "/"+w.assets.url(name))
		require.Equal(t, http.StatusOK, versioned.Code)
		require.Contains(t, versioned.Header().Get("Cache-Control"), "immutable")
		require.NotEmpty(t, versioned.Header().Get("Content-Type"))
		require.Equal(t, "no-cache", get(t, w, "/assets/"+name+"?v=another").Header().Get("Cache-Control"))
	}
	require.Equal(t, http.StatusNotFound, get(t, w, "/assets/none.css").Code)
}

func TestWhatIsNotThereIsSaidInAPage(t *testing.T) {
	t.Parallel()
	w, _ := statusPage(t, fakeGuard{}, answer(t, "failover"))
	for path, status := range map[string]int{"/chains/doge": http.StatusNotFound, "/elsewhere": http.StatusNotFound, "/chains/btc/quicknode/drain": http.StatusMethodNotAllowed} {
		got := get(t, w, path)
		require.Equal(t, status, got.Code, path)
		require.Contains(t, got.Body.String(), "All chains")
	}
}

func TestEventsAreReadOnceForEachIndex(t *testing.T) {
	t.Parallel()
	w, v := statusPage(t, fakeGuard{}, answer(t, "failover"))
	for range 3 {
		get(t, w, "/chains/btc")
	}
	require.Equal(t, 1, v.read)
	v.chains[0].Index++
	get(t, w, "/chains/btc?window=24h")
	require.Equal(t, 2, v.read)
}
