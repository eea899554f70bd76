package console

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// header is the first row of the table.
var header = []string{"  PROVIDER", "STATE", "FOR", "PRIO", "HEIGHT", "LAG", "LATENCY", "NOTES"}

// stateColumn is the place of the state.
const stateColumn = 1

// Status is the table of chains: a line or two about each chain, and a row for
// each provider. A * marks who serves.
func Status(chains []wire.Chain, now time.Time, style Style) string {
	if len(chains) == 0 {
		return "No chains are configured.\n"
	}
	table := columns{right: []bool{false, false, false, true, true, true, true, false}, rows: [][]string{header}}
	states := []string{""}
	for _, c := range chains {
		for _, p := range c.Providers {
			table.rows = append(table.rows, row(c, p, now))
			states = append(states, p.Status)
		}
	}
	lines := table.lines(func(row, column int, cell string) string {
		if column == stateColumn {
			return style.paint(states[row], cell)
		}
		return cell
	})
	var b strings.Builder
	b.WriteString(lines[0] + "\n")
	lines = lines[1:]
	for i, c := range chains {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(headline(c, now, style))
		for range c.Providers {
			b.WriteString(lines[0] + "\n")
			lines = lines[1:]
		}
	}
	return b.String()
}

// headline is what is said of a chain as a whole.
func headline(c wire.Chain, now time.Time, style Style) string {
	parts := []string{served(c, now), fmt.Sprintf("%d of %d healthy", c.Healthy, c.Total), strings.TrimSuffix(tip(c.Tip), agreed)}
	if c.Evaluator.Source != "" {
		parts = append(parts, decides(c.Evaluator.Source))
	}
	state := Line(c.Chain) + ": " + Line(c.State)
	lines := breakText(state+", "+strings.Join(parts, "; "), width-2)
	text := strings.Join(lines, "\n  ") + "\n"
	if rest, ok := strings.CutPrefix(text, state); ok {
		text = Line(c.Chain) + ": " + style.paint(c.State, Line(c.State)) + rest
	}
	if c.Reason != "" {
		text += wrap("  ", Line(c.Reason))
	}
	if len(c.Alerts) > 0 {
		text += wrap("  ", "alerts about the chain: "+strings.Join(namesOf(c.Alerts), ", "))
	}
	return text
}

// served says who serves a chain.
func served(c wire.Chain, now time.Time) string {
	what := serving(c)
	if !c.Since.IsZero() {
		what += " for " + since(c.Since, now)
	}
	return what
}

// serving names who serves.
func serving(c wire.Chain) string {
	if c.Active == nil {
		return "nobody serves"
	}
	return Line(*c.Active) + " serves"
}

// tip says how high the chain is.
func tip(t wire.Tip) string {
	if t.Height == nil {
		return "tip unknown"
	}
	return "tip " + height(t.Height) + tipSource(t.Source)
}

// agreed is said of a tip that several operators report, which is the usual case.
const agreed = " by consensus"

// tipSource says whose word the tip is.
func tipSource(source string) string {
	switch source {
	case wire.TipConsensus:
		return agreed
	case wire.TipObserved:
		return " from the scanner"
	case wire.TipSingle:
		return " by one voice"
	}
	return ""
}

// decides says whose facts count.
func decides(source string) string {
	switch source {
	case "alertmanager":
		return "Alertmanager decides"
	case "local":
		return "local rules decide"
	case "both":
		return "Alertmanager and local rules decide"
	}
	return Line(source) + " decides"
}

// row is a provider as a row.
func row(c wire.Chain, p wire.Provider, now time.Time) []string {
	return []string{
		mark(p) + target(c, p.Name), Line(p.Status), since(p.Since, now), strconv.Itoa(p.Priority),
		height(p.BlockHeight), lag(p.BlockLag), latency(p.LatencyMS), strings.Join(notes(c, p, now), "; "),
	}
}

// mark stands before a provider.
func mark(p wire.Provider) string {
	if p.Active {
		return "* "
	}
	return "  "
}

// notes are what else there is to say of a provider, the weightiest first.
func notes(c wire.Chain, p wire.Provider, now time.Time) []string {
	var all []string
	add := func(format string, args ...any) { all = append(all, Line(fmt.Sprintf(format, args...))) }
	if d := p.Drained; d != nil {
		add("drained%s%s", more(d.Until, now), because(d.Reason))
	}
	if pin := c.Pinned; pin != nil && pin.Provider == p.Name {
		add("pinned%s%s", more(pin.Until, now), because(pin.Reason))
	}
	counting, others := sortedOut(p.Alerts)
	if len(counting) > 0 {
		add("%s", strings.Join(namesOf(counting), ", "))
	}
	switch {
	case p.Status == wire.StatusRecovering || p.Status == wire.StatusUnhealthy && p.Recovery.Passed > 0:
		add("%s", progress(p, "checks", now))
	case p.Status == wire.StatusUnhealthy && len(counting) == 0, p.Status == wire.StatusUnknown && p.Reason != "":
		add("%s", strings.TrimPrefix(p.Reason, p.Name+" "))
	}
	if p.ConsecutiveErrors > 0 && len(counting) == 0 {
		add("%s%s", failing(p.ConsecutiveErrors), errorReason(p.LastError))
	}
	if !p.Identified && p.Status != wire.StatusUnknown {
		add("network not proven")
	}
	for _, a := range others {
		add("%s does not count (%s)", a.Name, a.Source)
	}
	return all
}

// failing is a number of probes that failed one after the other.
func failing(n uint64) string {
	if n == 1 {
		return "last probe failed"
	}
	return fmt.Sprintf("last %d probes failed", n)
}

// because is a reason that somebody gave, if he did.
func because(reason string) string {
	if reason = Line(reason); reason == "" {
		return ""
	}
	return ": " + reason
}

// errorReason is the class of an error in brackets.
func errorReason(e *wire.ProbeError) string {
	if e == nil || e.Reason == "" {
		return ""
	}
	return " (" + Line(e.Reason) + ")"
}

// progress is how far a recovery has come, counted in the noun.
func progress(p wire.Provider, noun string, now time.Time) string {
	text := fmt.Sprintf("%d of %d %s", p.Recovery.Passed, p.Recovery.Required, noun)
	counting, _ := sortedOut(p.Alerts)
	switch {
	case len(counting) > 0:
		text += ", none while a fact stands"
	case p.Recovery.NextCheck != nil:
		text += ", next " + in(*p.Recovery.NextCheck, now)
	}
	return text
}

// sortedOut are the alerts that count against a provider, and those that speak
// against it and do not count. The rest is for people only.
func sortedOut(alerts []wire.Alert) (counting, others []wire.Alert) {
	for _, a := range alerts {
		switch {
		case a.Counts:
			counting = append(counting, a)
		case a.Evidence:
			others = append(others, a)
		}
	}
	return counting, others
}

// namesOf are the names of alerts, each once: two sources may have the same.
func namesOf(alerts []wire.Alert) []string {
	var names []string
	seen := map[string]bool{}
	for _, a := range alerts {
		if name := Line(a.Name); !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}
