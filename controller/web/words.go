package web

import (
	"html/template"
	"strconv"
	"strings"

	"github.com/understudy-rpc/understudy/controller/console"
	"github.com/understudy-rpc/understudy/controller/wire"
)

// unknown stands for what is not known.
const unknown = "–"

// stateWords name the states of a chain.
var stateWords = map[string]string{
	wire.StateOK: "ok", wire.StateDegraded: "degraded", wire.StateNone: "nobody serves",
}

// stateWord is the state of a chain in words.
func stateWord(state string) string {
	if word, ok := stateWords[state]; ok {
		return word
	}
	return console.Line(state)
}

// sources name who decides.
var sources = map[string]string{
	"alertmanager": "Alertmanager", "local": "local rules", "both": "Alertmanager and local rules",
}

// sourceWord is who decides in words.
func sourceWord(source string) string {
	if word, ok := sources[source]; ok {
		return word
	}
	return console.Line(source)
}

// tipSources say whose word a tip is.
var tipSources = map[string]string{
	wire.TipConsensus: "by consensus", wire.TipObserved: "from the scanner", wire.TipSingle: "by one voice",
}

// digits is a height with gaps between groups of three that are drawn and not
// written, so that it can be copied as a number.
func digits(height *uint64) template.HTML {
	if height == nil {
		return unknown
	}
	plain := strconv.FormatUint(*height, 10)
	var b strings.Builder
	for len(plain) > 3 {
		first := (len(plain)-1)%3 + 1
		b.WriteString("<b>" + plain[:first] + "</b>")
		plain = plain[first:]
	}
	b.WriteString(plain)
	// It is made of decimal digits and our own tags.
	return template.HTML(b.String())
}

// lagWord is a distance to the tip.
func lagWord(lag *int64) string {
	switch {
	case lag == nil:
		return unknown
	case *lag < 0:
		return strconv.FormatInt(-*lag, 10) + " ahead"
	case *lag == 0:
		return "at tip"
	}
	return strconv.FormatInt(*lag, 10) + " behind"
}

// latencyWord is a latency.
func latencyWord(ms *float64) string {
	if ms == nil {
		return unknown
	}
	return console.Latency(ms)
}

// plural is a number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// span is a part of a sentence; Code is what can be typed.
type span struct {
	Text string
	Code bool
}

// spans are the parts of a sentence in which backquotes stand around code.
func spans(sentence string) []span {
	var all []span
	code := false
	for part := range strings.SplitSeq(sentence, "`") {
		if part != "" {
			all = append(all, span{part, code})
		}
		code = !code
	}
	return all
}
