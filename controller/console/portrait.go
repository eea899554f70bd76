package console

import (
	"fmt"
	"strings"
	"time"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// portrait is all that is known of a provider.
func portrait(c wire.Chain, p wire.Provider, now time.Time, style Style) string {
	var b strings.Builder
	where := []string{p.Type, fmt.Sprintf("priority %d", p.Priority)}
	if address := host(p.RPCHost); address != "" {
		where = append(where, address)
	}
	fmt.Fprintf(&b, "%s%s (%s)\n", mark(p), Line(p.Name), Line(strings.Join(where, ", ")))
	state := Line(p.Status)
	if !p.Since.IsZero() {
		state += " since " + ago(p.Since, now)
	}
	state = wrap("    ", strings.TrimSuffix(state+because(sentence(p.Reason)), ".")+".")
	b.WriteString(strings.Replace(state, Line(p.Status), style.paint(p.Status, Line(p.Status)), 1))
	lines := []string{figures(p), probes(p, now), orders(c, p, now), recovering(p, now)}
	for _, l := range lines {
		if l != "" {
			b.WriteString(wrap("    ", l))
		}
	}
	if len(p.Alerts) == 0 {
		b.WriteString("    No facts against it.\n")
	}
	for _, a := range p.Alerts {
		b.WriteString(wrap("    - ", fact(a, ", for people only", now)))
	}
	return b.String()
}

// figures are height, lag and latency.
func figures(p wire.Provider) string {
	text := "Height " + orUnknown(height(p.BlockHeight))
	if p.BlockLag != nil {
		text += ", " + toTip(*p.BlockLag)
	}
	text += "; latency " + orUnknown(latency(p.LatencyMS)) + "."
	if !p.Identified {
		text += " Its network is not proven."
	}
	return text
}

// orUnknown spells out what is not known.
func orUnknown(s string) string {
	if s == unknown {
		return "unknown"
	}
	return s
}

// toTip is a distance in words.
func toTip(lag int64) string {
	switch {
	case lag == 0:
		return "at the tip"
	case lag < 0:
		return count(-uint64(lag), "block") + " ahead of the tip"
	}
	return count(uint64(lag), "block") + " behind the tip"
}

// probes says how its probes went.
func probes(p wire.Provider, now time.Time) string {
	text := "Not probed yet."
	if !p.LastProbe.IsZero() {
		text = "Last probe " + age(now.Sub(p.LastProbe)) + " ago."
	}
	if p.ErrorsTotal == 0 && p.LastError == nil {
		return text
	}
	text += " " + capital(count(p.ErrorsTotal, "probe")) + " failed so far"
	if p.ConsecutiveErrors > 1 {
		text += fmt.Sprintf(", the last %d in a row", p.ConsecutiveErrors)
	}
	text += "."
	if e := p.LastError; e != nil {
		text += " Last error: " + Line(e.Reason)
		if !e.Time.IsZero() {
			text += " " + age(now.Sub(e.Time)) + " ago"
		}
		text += because(e.Message)
	}
	return sentence(text)
}

// orders are what operators want of it.
func orders(c wire.Chain, p wire.Provider, now time.Time) string {
	var all []string
	order := func(what, reason string, since time.Time, until *time.Time, back string) {
		text := what + " by an operator since " + ago(since, now)
		if until != nil {
			text += ", until " + clock(*until, now) + " UTC (" + in(*until, now) + ")"
		} else {
			text += ", until " + back
		}
		all = append(all, sentence(text+because(reason)))
	}
	if d := p.Drained; d != nil {
		order("Drained", d.Reason, d.Since, d.Until, "`understudy undrain "+target(c, p.Name)+"`")
	}
	if pin := c.Pinned; pin != nil && pin.Provider == p.Name {
		order("Pinned", pin.Reason, pin.Since, pin.Until, "`understudy unpin "+Line(c.Chain)+"`")
	}
	return strings.Join(all, " ")
}

// target is how commands name a provider.
func target(c wire.Chain, provider string) string { return Line(c.Chain + "/" + provider) }

// recovering is how far it has come back.
func recovering(p wire.Provider, now time.Time) string {
	if p.Status != wire.StatusRecovering && p.Status != wire.StatusUnhealthy {
		return ""
	}
	return "Recovery: " + progress(p, "checks passed", now) + "."
}

// fact is an alert in words: whether it counts, who says so, since when, and its
// numbers. other is said of one that is no evidence.
func fact(a wire.Alert, other string, now time.Time) string {
	text := Line(a.Name)
	if a.FailureMode != "" {
		text += " (" + Line(a.FailureMode) + ")"
	}
	switch {
	case a.Counts:
		text += ", counts"
	case a.Evidence:
		text += ", does not count"
	default:
		text += other
	}
	text += ", by " + sourceName(a.Source)
	if !a.Since.IsZero() {
		text += " for " + since(a.Since, now)
	}
	if words := strings.TrimSpace(sentence(a.Summary) + " " + sentence(a.Description)); words != "" {
		return text + ": " + words
	}
	return text + "."
}

// sourceName is the name of a source in a sentence.
func sourceName(source string) string {
	switch source {
	case "alertmanager":
		return "Alertmanager"
	case "local":
		return "local rules"
	}
	return Line(source)
}
