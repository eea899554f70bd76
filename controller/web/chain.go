package web

import (
	"net/http"
	"net/url"
	"time"

	"github.com/understudy-rpc/understudy/controller/console"
	"github.com/understudy-rpc/understudy/controller/wire"
)

// chainPage is the page of one chain.
type chainPage struct {
	page
	indexRow
	// Reason says why that one serves, and Kept why it was not switched since.
	Reason, Kept string
	TipSource    string
	// Judge is who decides, JudgeSince since when, and Watchdog when that of
	// Alertmanager came.
	Judge                string
	JudgeSince, Watchdog moment
	Alerts               []alertView
	Details              []providerView
	Windows              []windowLink
	Window               string
	Timeline             timeline
	// Latest are the newest events, and Earlier those before them.
	Latest, Earlier []eventView
	Prose           console.Prose
	// Durations are what an order may be given for.
	Durations []duration
}

// alertView is a fact in words.
type alertView struct {
	Name, Severity, Text string
	// Counts against a provider now.
	Counts bool
}

// duration is for how long an order holds.
type duration struct {
	Value, Label string
	Chosen       bool
}

// durations are offered in forms. Those who want another use the command.
var durations = []duration{
	{Value: "15m", Label: "15 minutes"}, {Value: "1h", Label: "1 hour"}, {Value: "2h", Label: "2 hours", Chosen: true},
	{Value: "8h", Label: "8 hours"}, {Value: "1d", Label: "1 day"}, {Value: "7d", Label: "7 days"}, {Label: "until taken back"},
}

// eventsShown is how many events are open to view. The rest opens on demand.
const eventsShown = 12

// serveChain shows one chain.
func (web *Web) serveChain(w http.ResponseWriter, r *http.Request) {
	c, known := web.View.Chain(param(r, "chain"))
	if !known {
		web.sendProblem(w, r, http.StatusNotFound, "There is no such chain.")
		return
	}
	q := r.URL.Query()
	if q.Get("part") == partRow {
		web.send(w, http.StatusOK, "index-row-part", rowOf(c, ".", web.Now()))
		return
	}
	p := web.chainPage(r, c, windowOf(q.Get("window")))
	p.Notice = done(c, q.Get("done"), q.Get("provider"))
	name := "chain"
	if q.Get("part") == partMain {
		name = "chain-main"
	}
	web.send(w, http.StatusOK, name, p)
}

// chainPage is the page of a chain with the timeline of a window.
func (web *Web) chainPage(r *http.Request, c wire.Chain, window time.Duration) chainPage {
	now := web.Now()
	base := web.page(r, c.Chain)
	p := chainPage{
		page: base, indexRow: rowOf(c, base.Root, now), Reason: console.Line(c.Reason), Kept: console.Line(c.Kept),
		TipSource: tipSources[c.Tip.Source], Judge: sourceWord(c.Evaluator.Source), JudgeSince: at(c.Evaluator.Since, now),
		Prose: console.Tell(c, now), Durations: durations, Window: windowName(window),
	}
	p.Events = "events?chain=" + url.QueryEscape(c.Chain)
	if c.Evaluator.WatchdogAgeSeconds != nil {
		p.Watchdog = at(now.Add(-time.Duration(*c.Evaluator.WatchdogAgeSeconds*float64(time.Second))), now)
	}
	for i, a := range c.Alerts {
		p.Alerts = append(p.Alerts, alertView{Name: a.Name, Severity: a.Severity, Text: p.Prose.Alerts[i]})
	}
	events := web.events.of(c)
	for i, v := range c.Providers {
		history := web.View.History(c.Chain, v.Name)
		p.Details = append(p.Details, providerOf(c, v, p.Prose.Providers[i], chartOf(history), now))
	}
	p.Windows = windowLinks(window)
	p.Timeline = timelineOf(c, events, window, now)
	shown := eventsOf(events[:min(len(events), maxEvents)], now)
	p.Latest, p.Earlier = shown[:min(len(shown), eventsShown)], shown[min(len(shown), eventsShown):]
	return p
}
