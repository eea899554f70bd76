package web

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"github.com/understudy-rpc/understudy/controller/console"
	"github.com/understudy-rpc/understudy/controller/wire"
)

// indexPage is the page of all chains.
type indexPage struct {
	page
	Rows []indexRow
	// Total, OK, Degraded and None count all chains, whatever is shown, and Trouble
	// those that want attention.
	Total, OK, Degraded, None, Trouble int
	// Query and Attention say which are shown.
	Query     string
	Attention bool
}

// indexRow is a chain in one row.
type indexRow struct {
	// ID is that of the row in the page, Path the chain's page below
	// Base, the way to the status page.
	ID, Path, Base    string
	Name              string
	State, StateWord  string
	Generation, Index uint64
	// Active is who serves; "": nobody.
	Active         string
	Since          moment
	Healthy, Total int
	Providers      []dot
	Tip            any
	TipTime        moment
	Notes          []string
	// Attention: not all is as it should be.
	Attention bool
}

// dot is a provider in one word.
type dot struct {
	Name, Status string
	Active       bool
	// Orders are what operators want of it: drained, pinned.
	Drained, Pinned bool
}

// serveIndex shows all chains.
func (web *Web) serveIndex(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	p := web.indexPage(r, strings.TrimSpace(q.Get("q")), q.Get("show") == "attention")
	name := "index"
	if q.Get("part") == partMain {
		name = "index-main"
	}
	web.send(w, http.StatusOK, name, p)
}

// partMain and partRow are the parts of pages that the script asks for.
const (
	partMain = "main"
	partRow  = "row"
)

// indexPage is the page of the chains whose name has the query in it.
func (web *Web) indexPage(r *http.Request, query string, attention bool) indexPage {
	p := indexPage{page: web.page(r, "Chains"), Query: query, Attention: attention}
	p.Events = "events"
	now := web.Now()
	for _, c := range web.View.Chains() {
		row := rowOf(c, p.Root, now)
		p.count(row)
		if (attention && !row.Attention) || !matches(c, query) {
			continue
		}
		p.Rows = append(p.Rows, row)
	}
	return p
}

// count adds a chain to the numbers of the page.
func (p *indexPage) count(row indexRow) {
	p.Total++
	switch row.State {
	case wire.StateOK:
		p.OK++
	case wire.StateDegraded:
		p.Degraded++
	default:
		p.None++
	}
	if row.Attention {
		p.Trouble++
	}
}

// matches says whether a chain or one of its providers has the query in its
// name.
func matches(c wire.Chain, query string) bool {
	has := func(name string) bool { return strings.Contains(strings.ToLower(name), strings.ToLower(query)) }
	if has(c.Chain) {
		return true
	}
	for _, p := range c.Providers {
		if has(p.Name) {
			return true
		}
	}
	return false
}

// rowOf puts a chain into one row.
func rowOf(c wire.Chain, root string, now time.Time) indexRow {
	row := indexRow{
		ID: "chain-" + c.Chain, Path: pathOf(c.Chain), Base: root, Name: c.Chain, State: c.State, StateWord: stateWord(c.State),
		Generation: c.Generation, Index: c.Index, Since: at(c.Since, now), Healthy: c.Healthy, Total: c.Total,
		Tip: digits(c.Tip.Height), TipTime: at(tipTime(c.Tip, now), now),
	}
	if c.Active != nil {
		row.Active = *c.Active
	}
	for _, p := range c.Providers {
		row.Providers = append(row.Providers, dot{
			Name: p.Name, Status: p.Status, Active: p.Active, Drained: p.Drained != nil,
			Pinned: c.Pinned != nil && c.Pinned.Provider == p.Name,
		})
	}
	for _, a := range c.Alerts {
		row.Notes = append(row.Notes, cmp.Or(console.Line(a.Summary), console.Line(a.Name)))
	}
	row.Attention = c.State != wire.StateOK || c.Healthy < c.Total || len(c.Alerts) > 0
	return row
}

// tipTime is when the newest block was made; zero if nobody tells.
func tipTime(t wire.Tip, now time.Time) time.Time {
	if t.AgeSeconds == nil {
		return time.Time{}
	}
	return now.Add(-time.Duration(*t.AgeSeconds * float64(time.Second)))
}
