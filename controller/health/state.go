// Package health models how far a provider can be trusted: the states that it
// goes through and what moves it from one to the next.
//
// Next is the whole of it: a pure, total function of what was known, of what
// is seen and of the time. The package reads no clock, does no input or
// output, logs nothing and keeps nothing between two calls. It does not judge
// what a provider answers either: that is done by the alert rules, whose
// standing alerts are the facts here.
//
// Invariants:
//   - A healthy provider has proven the identity of its network.
//   - Only a good probe leads towards healthy, and no probe counts twice. An
//     alert that ends is no evidence.
//   - A fact makes every state unhealthy, and none is left while one stands.
//   - Without fresh evidence nothing gets better, and only a fact makes it worse.
//   - The same call with the record it returned changes nothing.
package health

import (
	"fmt"
	"slices"
)

// State is how far a provider can be trusted. The zero value is Unknown.
type State uint8

// The states of a provider.
const (
	// Unknown: there is no verdict yet.
	Unknown State = iota
	// Healthy: it may serve.
	Healthy
	// Recovering: it was unhealthy and has begun to prove itself.
	Recovering
	// Unhealthy: a fact stands against it, or it did not answer when it had to.
	Unhealthy
)

var stateWords = []string{"unknown", "healthy", "recovering", "unhealthy"}

// String is the word of the state in metrics, in JSON and for people.
func (s State) String() string { return word(stateWords, s, "State") }

// MarshalText fails only for a value that is none of the states.
func (s State) MarshalText() ([]byte, error) { return text(stateWords, s, "state") }

// UnmarshalText takes the words that String gives.
func (s *State) UnmarshalText(b []byte) error { return parse(stateWords, s, b, "state") }

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
	return nil, fmt.Errorf("%d is no %s of a provider", value, kind)
}

// parse sets value to the one of that name, and leaves it alone if there is none.
func parse[T ~uint8](words []string, value *T, name []byte, kind string) error {
	i := slices.Index(words, string(name))
	if i < 0 {
		return fmt.Errorf("%q is no %s of a provider, which is one of %q", name, kind, words)
	}
	*value = T(i)
	return nil
}
