package selection

import (
	"fmt"
	"slices"
	"time"
)

// Choice is who is to serve, and what that means.
type Choice struct {
	// Provider is "" if nobody may serve.
	Provider string `json:"provider,omitempty"`
	// Fallbacks are the others that may, the next one first.
	Fallbacks []string `json:"fallbacks,omitempty"`
	State     State    `json:"state"`
	// Kind says what sort of switch this is; KindNone if it is none.
	Kind Kind `json:"kind"`
	// Last is the provider, or if there is none the one that served last.
	Last string `json:"last,omitempty"`
	// Revisit is when time alone will lead to another choice. Zero: never.
	Revisit time.Time `json:"revisit,omitzero"`
}

// Apply is what serves once the choice is carried out.
func (c Choice) Apply(to Current, now time.Time) Current {
	to.Last = c.Last
	if c.Kind != KindNone {
		to.Provider, to.Since, to.Kind = c.Provider, now, c.Kind
	}
	return to
}

// State is how well a chain is served. The zero value is None.
type State uint8

// How well a chain is served.
const (
	// None: not at all.
	None State = iota
	// Degraded: by a provider that is not known to be fit.
	Degraded
	// OK: by a fit one.
	OK
)

var stateWords = []string{"none", "degraded", "ok"}

// String is the word of the state in JSON and for people.
func (s State) String() string { return word(stateWords, s, "State") }

// MarshalText fails only for a value that is none of the states.
func (s State) MarshalText() ([]byte, error) { return text(stateWords, s, "state of a chain") }

// UnmarshalText takes the words that String gives.
func (s *State) UnmarshalText(b []byte) error { return parse(stateWords, s, b, "state of a chain") }

// Kind is the sort of a switch. The zero value is KindNone.
type Kind uint8

// The sorts of switches.
const (
	// KindNone: no switch.
	KindNone Kind = iota
	// KindStart: somebody serves where nobody did.
	KindStart
	// KindFailover: who served became unfit.
	KindFailover
	// KindFailback: a preferred one has returned.
	KindFailback
	// KindSwitchover: an operator wants it so.
	KindSwitchover
)

var kindWords = []string{"none", "start", "failover", "failback", "switchover"}

// String is the word of the kind in metrics, in JSON and for people.
func (k Kind) String() string { return word(kindWords, k, "Kind") }

// MarshalText fails only for a value that is none of the kinds.
func (k Kind) MarshalText() ([]byte, error) { return text(kindWords, k, "kind of switch") }

// UnmarshalText takes the words that String gives.
func (k *Kind) UnmarshalText(b []byte) error { return parse(kindWords, k, b, "kind of switch") }

// word is the name of a value, or its number where it has no name.
func word[T ~uint8](words []string, value T, kind string) string {
	if int(value) < len(words) {
		return words[value]
	}
	return fmt.Sprintf("%s(%d)", kind, value)
}

// text is the name of a value that has one.
func text[T ~uint8](words []string, value T, kind string) ([]byte, error) {
	if int(value) < len(words) {
		return []byte(words[value]), nil
	}
	return nil, fmt.Errorf("%d is no %s", value, kind)
}

// parse sets value to the one of that name, and leaves it alone if there is none.
func parse[T ~uint8](words []string, value *T, name []byte, kind string) error {
	i := slices.Index(words, string(name))
	if i < 0 {
		return fmt.Errorf("%q is no %s, which is one of %q", name, kind, words)
	}
	*value = T(i)
	return nil
}
