package console

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// Explain tells in words who serves a chain and why, what is known of each
// provider, whose facts count, what happened, and what would happen next.
func Explain(c wire.Chain, now time.Time, style Style) string {
	var b strings.Builder
	b.WriteString(verdict(c, now, style))
	if len(c.Alerts) > 0 {
		b.WriteString("\nAlerts about the chain\n")
		for _, a := range c.Alerts {
			b.WriteString(wrap("  - ", fact(a, "", now)))
		}
	}
	b.WriteString("\nProviders\n")
	for _, p := range c.Providers {
		b.WriteString(portrait(c, p, now, style))
	}
	b.WriteString("\nWho decides\n")
	b.WriteString(wrap("  ", judge(c.Evaluator, now)))
	b.WriteString("\nLast events\n")
	b.WriteString(history(c.Events, now))
	b.WriteString("\nWhat would happen next\n")
	for _, s := range outlook(c, now) {
		b.WriteString(wrap("  - ", s))
	}
	return b.String()
}

// verdict is who serves, since when and why.
func verdict(c wire.Chain, now time.Time, style Style) string {
	var b strings.Builder
	text := serving(c)
	if !c.Since.IsZero() {
		text += " since " + ago(c.Since, now)
	}
	fmt.Fprintf(&b, "%s: %s, %s.\n", Line(c.Chain), style.paint(c.State, Line(c.State)), text)
	if why := sentence(c.Reason); why != "" {
		b.WriteString(wrap("  Why:  ", why))
	}
	if kept := sentence(strings.TrimPrefix(c.Kept, "none: ")); kept != "" {
		b.WriteString(wrap("  Kept: ", kept))
	}
	text = capital(tip(c.Tip))
	if c.Tip.AgeSeconds != nil {
		text += ", its block " + seconds(*c.Tip.AgeSeconds) + " old"
	}
	text += fmt.Sprintf(". %d of %d providers healthy. Generation %d, index %d.", c.Healthy, c.Total, c.Generation, c.Index)
	b.WriteString(wrap("  ", text))
	return b.String()
}

// capital is text with a capital letter first.
func capital(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return s
	}
	return string(unicode.ToUpper(first)) + s[size:]
}

// judge says whose facts count.
func judge(e wire.Evaluator, now time.Time) string {
	text := capital(decides(e.Source))
	if e.Source == "" {
		text = "Nobody decides yet"
	}
	if !e.Since.IsZero() {
		text += ", since " + ago(e.Since, now)
	}
	if e.WatchdogAgeSeconds == nil {
		return text + ". Alertmanager's watchdog never came."
	}
	return text + ". Alertmanager's watchdog came " + seconds(*e.WatchdogAgeSeconds) + " ago."
}

// history are the events, the latest first.
func history(events []wire.Event, now time.Time) string {
	if len(events) == 0 {
		return "  None.\n"
	}
	table := columns{right: []bool{false, true, false, false}}
	for _, e := range events {
		table.rows = append(table.rows, []string{"  " + clock(e.Time, now), age(now.Sub(e.Time)) + " ago", Line(e.Kind), happening(e)})
	}
	plain := func(_, _ int, cell string) string { return cell }
	return strings.Join(table.lines(plain), "\n") + "\n"
}

// happening is what an event says. What the other columns say already is left
// out of its reason.
func happening(e wire.Event) string {
	what := Line(e.Provider)
	if e.From != "" || e.To != "" {
		what = strings.TrimLeft(what+" "+orNobody(e.From, e.Provider)+" -> "+orNobody(e.To, e.Provider), " ")
	}
	reason := strings.TrimPrefix(Line(e.Reason), Line(e.Kind)+": ")
	if e.Provider != "" {
		reason = strings.TrimPrefix(reason, Line(e.Provider)+" ")
	}
	if what != "" && reason != "" {
		what += ": "
	}
	what += reason
	if facts := Unsaid(e); len(facts) > 0 {
		what += " [" + Line(strings.Join(facts, ", ")) + "]"
	}
	return what
}

// Unsaid are the facts of an event that its reason does not name.
func Unsaid(e wire.Event) []string {
	said := strings.FieldsFunc(e.Reason, func(r rune) bool { return !unicode.IsLetter(r) })
	var facts []string
	for _, f := range e.Facts {
		if !slices.Contains(said, f) {
			facts = append(facts, f)
		}
	}
	return facts
}

// orNobody is the name of a side of a switch, or of a state of a provider.
func orNobody(name, provider string) string {
	switch {
	case name != "":
		return Line(name)
	case provider != "":
		return wire.StatusUnknown
	}
	return "nobody"
}
