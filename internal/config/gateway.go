package config

import (
	"fmt"
	"strings"
	"time"
	"unicode"
)

// Gateway is how requests of clients are forwarded to a chain's providers. Every
// field has its default filled in.
type Gateway struct {
	// Enabled says whether they are forwarded at all.
	Enabled bool `yaml:"enabled" json:"enabled"`
	// AttemptTimeout bounds one attempt, RequestTimeout all attempts together.
	AttemptTimeout time.Duration `yaml:"attempt_timeout" json:"attempt_timeout"`
	RequestTimeout time.Duration `yaml:"request_timeout" json:"request_timeout"`
	// HedgeAfter is how long a provider is waited for before the next one is asked
	// as well; 0: that is not done.
	HedgeAfter time.Duration `yaml:"hedge_after" json:"hedge_after"`
	// FailureThreshold failures in a row put a provider into quarantine for
	// Cooldown.
	FailureThreshold int           `yaml:"failure_threshold" json:"failure_threshold"`
	Cooldown         time.Duration `yaml:"cooldown" json:"cooldown"`
	// Methods stand beside the defaults of the family.
	Methods Methods `yaml:"methods,omitempty" json:"methods,omitzero"`
}

// Methods are which methods are let through and refused, by name or path; a * at
// the end stands for anything.
type Methods struct {
	Allow []string `yaml:"allow,omitempty,flow" json:"allow,omitempty"`
	Deny  []string `yaml:"deny,omitempty,flow" json:"deny,omitempty"`
}

// The defaults of the gateway. They are the keeper's, where it has one.
const (
	defaultAttemptTimeout   = 5 * time.Second
	defaultGatewayTimeout   = 25 * time.Second
	defaultFailureThreshold = 3
	defaultCooldown         = 30 * time.Second
)

// maxMethod bounds the name of a method.
const maxMethod = 128

// gateway makes the gateway's part of a chain, every default filled in.
func (b *builder) gateway(v *value) Gateway {
	attempt, request := v.get("attempt_timeout"), v.get("request_timeout")
	g := Gateway{
		Enabled:          v.get("enabled").flagOr(true),
		HedgeAfter:       v.get("hedge_after").spanOr(0),
		FailureThreshold: int(v.get("failure_threshold").numberOr(defaultFailureThreshold)),
		Cooldown:         v.get("cooldown").spanOr(defaultCooldown),
	}
	g.RequestTimeout = request.spanOr(max(defaultGatewayTimeout, attempt.spanOr(0)))
	g.AttemptTimeout = attempt.spanOr(min(defaultAttemptTimeout, g.RequestTimeout))
	methods := v.get("methods")
	g.Methods = Methods{Allow: b.methods(methods.get("allow")), Deny: b.methods(methods.get("deny"))}
	if !sound(v, attempt, request) {
		return g
	}
	if attempt.set() && attempt.span > g.RequestTimeout {
		b.mistake(attempt.at, fmt.Sprintf("one attempt may take %s, but all of them together only %s (request_timeout)", formatDuration(attempt.span), formatDuration(g.RequestTimeout)),
			"set it to at most "+formatDuration(g.RequestTimeout))
	}
	if h := v.get("hedge_after"); h.set() && h.span >= g.AttemptTimeout {
		b.mistake(h.at, fmt.Sprintf("the next provider is asked after %s anyway (attempt_timeout), so waiting %s changes nothing", formatDuration(g.AttemptTimeout), formatDuration(h.span)),
			"set it to less than "+formatDuration(g.AttemptTimeout)+", or to 0s")
	}
	return g
}

// methods are the names of a list.
func (b *builder) methods(v *value) []string {
	var names []string
	for _, item := range v.list() {
		if !item.set() {
			continue
		}
		name := strings.TrimSuffix(item.text, "*")
		if len(item.text) > maxMethod || strings.ContainsFunc(name, func(r rune) bool { return r == '*' || unicode.IsSpace(r) || !unicode.IsPrint(r) }) {
			b.blame(item, "it is not the name of a method or a path", "without blanks, and a * only at the end")
			continue
		}
		names = append(names, item.text)
	}
	return names
}
