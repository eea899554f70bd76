package web

import (
	"time"

	"github.com/understudy-rpc/understudy/controller/console"
	"github.com/understudy-rpc/understudy/controller/wire"
)

// providerView is a provider as a page shows it.
type providerView struct {
	// ID is unique among the providers of the page, Path where its orders go, below
	// the root.
	ID, Path string
	dot
	Type, Host, Operator string
	Priority             int
	Since                moment
	// Reason says what brought it into its state.
	Reason string
	Height any
	Hash   string
	Lag    string
	// Behind: it has a lag and is not healthy. A block or two are nobody's fault.
	Behind  bool
	Latency string
	Chart   chart
	// Errors are all failed probes, Streak those that failed last in a row.
	Errors, Streak uint64
	LastError      *errorView
	Capabilities   []string
	// Recovery and Orders are sentences, empty if there is nothing to say: how far
	// it has come back, and what operators want of it.
	Recovery, Orders string
	// Facts are what is held against it.
	Facts []alertView
	// Unproven: its network is not known to be the chain's.
	Unproven bool
	// Awaits: it is preferred, fit to serve, and waits for an operator.
	Awaits bool
}

// errorView is a probe that failed.
type errorView struct {
	Reason, Message string
	Time            moment
}

// providerOf is a provider of a chain as seen now.
func providerOf(c wire.Chain, p wire.Provider, prose console.Portrait, drawn chart, now time.Time) providerView {
	v := providerView{
		ID: "provider-" + p.Name, Path: pathOfProvider(c.Chain, p.Name), Type: p.Type, Host: console.Host(p.RPCHost),
		Operator: p.Operator, Priority: p.Priority, Since: at(p.Since, now), Reason: console.Line(p.Reason),
		Height: digits(p.BlockHeight), Hash: p.BlockHash, Lag: lagWord(p.BlockLag), Behind: p.BlockLag != nil && *p.BlockLag > 0 && p.Status != wire.StatusHealthy,
		Latency: latencyWord(p.LatencyMS), Chart: drawn, Errors: p.ErrorsTotal, Streak: p.ConsecutiveErrors,
		Capabilities: p.Capabilities, Orders: prose.Orders, Unproven: !p.Identified && p.Status != wire.StatusUnknown,
		Awaits: c.AwaitsApproval == p.Name,
	}
	v.dot = dot{
		Name: p.Name, Status: p.Status, Active: p.Active, Drained: p.Drained != nil,
		Pinned: c.Pinned != nil && c.Pinned.Provider == p.Name,
	}
	if e := p.LastError; e != nil {
		v.LastError = &errorView{console.Line(e.Reason), console.Line(e.Message), at(e.Time, now)}
	}
	if p.Status == wire.StatusRecovering || (p.Status == wire.StatusUnhealthy && p.Recovery.Passed > 0) {
		v.Recovery = prose.Recovery
	}
	for i, a := range p.Alerts {
		v.Facts = append(v.Facts, alertView{a.Name, a.Severity, prose.Facts[i], a.Counts})
	}
	return v
}
