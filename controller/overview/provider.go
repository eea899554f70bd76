package overview

import (
	"time"

	"github.com/understudy-rpc/understudy/controller/board"
	"github.com/understudy-rpc/understudy/controller/health"
	"github.com/understudy-rpc/understudy/controller/observation"
	"github.com/understudy-rpc/understudy/controller/wire"
	"github.com/understudy-rpc/understudy/internal/config"
)

// provider is all that is known of a provider, but for its alerts.
func (o *Overview) provider(d *board.Decision, p config.Provider, now time.Time) wire.Provider {
	m := d.State.Members[p.Name]
	v := wire.Provider{
		Name: p.Name, Type: string(p.Type), Operator: p.Operator, RPCHost: p.RPCHost.Reveal().String(),
		Priority: p.Priority, Status: m.State.String(), Active: p.Name == d.State.Current.Provider,
		Since: m.Since, Reason: m.Reason.Phrase(), Identified: m.Proven,
		Capabilities: append([]string{}, m.Capabilities...), Alerts: []wire.Alert{},
	}
	if m.Words != "" {
		v.Reason = m.Words
	}
	if m.State == health.Unknown {
		v.Reason = health.NotProbed.Phrase()
	}
	if m.State == health.Unhealthy || m.State == health.Recovering {
		v.Recovery = wire.Recovery{Passed: m.Passed, Required: m.Required, NextCheck: moment(m.NextCheck)}
	} else {
		v.Recovery.Required = m.Required
	}
	if order, drained := d.State.Drains[p.Name]; drained {
		v.Drained = &wire.Drain{Reason: order.Reason, Since: order.Since, Until: moment(order.Until)}
	}
	o.observe(&v, d.Config.Name, now)
	return v
}

// observe adds what the exporters report.
func (o *Overview) observe(v *wire.Provider, chain string, now time.Time) {
	seen := o.Observations.Provider(observation.Key{Chain: chain, Provider: v.Name}, now)
	if seen.HeightKnown {
		v.BlockHeight = &seen.Height
	}
	if seen.LatencyKnown {
		v.LatencyMS = &seen.LatencyMS
	}
	if lag, ok := o.Lag(chain, v.Name); ok {
		v.BlockLag = &lag
	}
	v.ErrorsTotal, v.ConsecutiveErrors, v.LastProbe = seen.Errors, seen.ConsecutiveErrors, seen.ProbedAt
	if seen.LastReason != "" {
		v.LastError = &wire.ProbeError{Reason: seen.LastReason, Time: seen.LastFailed.UTC()}
	}
	if o.Details == nil {
		return
	}
	if d, ok := o.Details.Detail(chain, v.Name); ok {
		v.BlockHash = d.Hash
		if d.LastError != nil {
			v.LastError = &wire.ProbeError{Reason: d.LastError.Reason, Message: d.LastError.Message, Time: d.LastError.Time.UTC()}
		}
	}
}
