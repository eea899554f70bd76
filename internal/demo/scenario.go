// Package demo plays a script of faults over simulated chains and providers, so
// that one can watch failovers without a network and without keys.
//
// It makes the providers and a configuration for them, and breaks them when the
// script says so. It decides nothing and watches nothing: what happens then is
// the work of the program proper, which knows nothing of the script.
package demo

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/understudy-rpc/understudy/internal/config"
)

//go:embed scenario.yml
var builtIn []byte

// Scenario is a script.
type Scenario struct {
	Chains []Chain `yaml:"chains"`
	// Steps are in the order of their times.
	Steps []Step `yaml:"steps"`
	// End is when the script is over.
	End time.Duration `yaml:"end"`
}

// Chain is a simulated chain.
type Chain struct {
	Name      string        `yaml:"name"`
	BlockTime time.Duration `yaml:"block_time"`
	// Providers are in the order of preference.
	Providers []Provider `yaml:"providers"`
}

// Provider is a simulated provider.
type Provider struct {
	Name string      `yaml:"name"`
	Type config.Type `yaml:"type"`
}

// Step is what happens to a provider at a time.
type Step struct {
	At       time.Duration `yaml:"at"`
	Chain    string        `yaml:"chain"`
	Provider string        `yaml:"provider"`
	Fault    Fault         `yaml:"fault"`
	// Blocks is for lag and ahead, Latency for slow.
	Blocks  int64         `yaml:"blocks"`
	Latency time.Duration `yaml:"latency"`
	// Say is told when it happens; empty: nothing is.
	Say string `yaml:"say"`
}

// Fault is how a provider fails.
type Fault string

// The faults.
const (
	// None ends a fault.
	None Fault = "none"
	// Refuse refuses connections, Hang never answers, Reset breaks connections off.
	Refuse Fault = "refuse"
	Hang   Fault = "hang"
	Reset  Fault = "reset"
	// Lag is so many blocks behind, Ahead claims so many more than there are, Freeze
	// stops at the height of now.
	Lag    Fault = "lag"
	Ahead  Fault = "ahead"
	Freeze Fault = "freeze"
	// Fork has other blocks at the same heights, Incomplete leaves out transactions.
	Fork       Fault = "fork"
	Incomplete Fault = "incomplete"
	// Slow takes Latency for every answer.
	Slow Fault = "slow"
	// RateLimit answers 429, Unauthorized 401, Page an HTML page with status 200.
	RateLimit    Fault = "rate_limit"
	Unauthorized Fault = "unauthorized"
	Page         Fault = "page"
)

// faults are all of them.
var faults = []Fault{None, Refuse, Hang, Reset, Lag, Ahead, Freeze, Fork, Incomplete, Slow, RateLimit, Unauthorized, Page}

// Default is the built-in script.
func Default() (Scenario, error) { return Parse(builtIn) }

// Parse reads a script. Its errors say which line or step is wrong.
func Parse(text []byte) (Scenario, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	var s Scenario
	if err := decoder.Decode(&s); err != nil {
		if errors.Is(err, io.EOF) {
			return s, errors.New("the script is empty")
		}
		return s, err
	}
	return s, s.validate()
}

// validate says what in the script cannot be played.
func (s *Scenario) validate() error {
	var wrong []error
	if len(s.Chains) == 0 {
		wrong = append(wrong, errors.New("chains: at least one is needed"))
	}
	known := map[[2]string]bool{}
	for i, c := range s.Chains {
		if len(c.Providers) == 0 || c.BlockTime <= 0 {
			wrong = append(wrong, fmt.Errorf("chains[%d]: it needs providers and a block_time above zero", i))
		}
		for _, p := range c.Providers {
			known[[2]string{c.Name, p.Name}] = true
		}
	}
	for i, step := range s.Steps {
		switch {
		case !known[[2]string{step.Chain, step.Provider}]:
			wrong = append(wrong, fmt.Errorf("steps[%d]: there is no provider %s/%s", i, step.Chain, step.Provider))
		case !slices.Contains(faults, step.Fault):
			wrong = append(wrong, fmt.Errorf("steps[%d].fault: %q is none of %q", i, step.Fault, faults))
		case step.At < 0:
			wrong = append(wrong, fmt.Errorf("steps[%d].at: %s is before the start", i, step.At))
		}
		s.End = max(s.End, step.At)
	}
	slices.SortStableFunc(s.Steps, func(a, b Step) int { return int(a.At - b.At) })
	return errors.Join(wrong...)
}
