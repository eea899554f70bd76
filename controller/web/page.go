package web

import (
	"net/http"
	"net/url"
	"time"

	"github.com/understudy-rpc/understudy/controller/console"
)

// page is what every page has.
type page struct {
	// Root is the relative way to the status page, without a slash at its end.
	Root  string
	Title string
	Now   moment
	// Events is the stream that the page follows; "": none.
	Events string
	// Style, Script and Icon are the addresses of our own files, below Root.
	Style, Script, Icon string
	Links               []Link
	Version             string
	Caller              caller
	// Notice says what an order has done, Problem what is wrong, and Missing why
	// decisions cannot be trusted yet.
	Notice, Problem string
	Missing         []string
}

// caller is who looks at the page.
type caller struct {
	// May give orders, and SignedIn by a session that can be ended.
	May, SignedIn bool
	// NeedsToken: signing in would help.
	NeedsToken bool
}

// moment is a point in time as pages show it.
type moment struct {
	// ISO is for programs, Clock in UTC and Age for people. They are empty if the
	// time is not known.
	ISO, Clock, Age string
}

// at is a moment as seen now. The zero time is not known.
func at(t, now time.Time) moment {
	if t.IsZero() {
		return moment{}
	}
	return moment{ISO: t.UTC().Format(time.RFC3339), Clock: console.Clock(t, now), Age: console.Age(now.Sub(t).Abs())}
}

// page is what a page for this request begins with.
func (web *Web) page(r *http.Request, title string) page {
	root, now := rootOf(r), web.Now()
	p := page{
		Root: root, Title: title, Now: at(now, now), Links: web.Links, Version: web.Version, Caller: web.caller(r),
		Style: web.assets.url("style.css"), Script: web.assets.url("live.js"), Icon: web.assets.url("icon.svg"),
	}
	for _, err := range web.View.Ready() {
		p.Missing = append(p.Missing, console.Line(err.Error()))
	}
	return p
}

// caller judges who looks, by the rules of the API.
func (web *Web) caller(r *http.Request) caller {
	if !web.Guard.NeedsToken() {
		return caller{May: web.Guard.Trusts(r)}
	}
	signed := web.sessions.valid(r)
	return caller{May: signed, SignedIn: signed, NeedsToken: true}
}

// pathOf is the address of a chain's page below the root.
func pathOf(chain string) string { return "chains/" + url.PathEscape(chain) }

// loginPage is the page that asks for the admin token.
type loginPage struct {
	page
	// Chain is whose page to return to; "": that of all chains.
	Chain string
}

// serveLogin asks for the admin token.
func (web *Web) serveLogin(w http.ResponseWriter, r *http.Request) {
	web.askForToken(w, r, http.StatusOK, r.URL.Query().Get("chain"), "")
}

func (web *Web) askForToken(w http.ResponseWriter, r *http.Request, status int, chain, problem string) {
	p := loginPage{page: web.page(r, "Sign in"), Chain: chain}
	p.Problem = problem
	web.send(w, status, "login", p)
}

// login begins a session for who shows the token.
func (web *Web) login(w http.ResponseWriter, r *http.Request) {
	if web.Guard.CheckOrigin(r) != nil {
		web.sendProblem(w, r, http.StatusForbidden, "The request comes from a page of another site.")
		return
	}
	if wrong := readForm(w, r); wrong != "" {
		web.sendProblem(w, r, http.StatusBadRequest, wrong)
		return
	}
	chain := r.PostFormValue("chain")
	if !web.Guard.IsToken(r.PostFormValue("token")) {
		web.logger.Warn("Somebody failed to sign in at the status page", "remote", r.RemoteAddr)
		web.askForToken(w, r, http.StatusUnauthorized, chain, "That is not the admin token.")
		return
	}
	web.sessions.begin(w, r)
	if _, known := web.View.Chain(chain); known {
		seeOther(w, pathOf(chain))
		return
	}
	seeOther(w, "./")
}

// logout ends the session.
func (web *Web) logout(w http.ResponseWriter, r *http.Request) {
	if web.Guard.CheckOrigin(r) != nil {
		web.sendProblem(w, r, http.StatusForbidden, "The request comes from a page of another site.")
		return
	}
	web.sessions.end(w, r)
	seeOther(w, "./")
}

// pathOfProvider is where the orders about a provider go, below the root.
func pathOfProvider(chain, provider string) string {
	return pathOf(chain) + "/" + url.PathEscape(provider)
}
