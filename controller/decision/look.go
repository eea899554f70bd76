package decision

import (
	"time"

	"github.com/understudy-rpc/understudy/controller/health"
	"github.com/understudy-rpc/understudy/controller/selection"
)

// Look is all that is seen of a chain at a moment.
type Look struct {
	Now time.Time `json:"now"`
	// Providers are the configured ones, in the order of the file.
	Providers []Provider `json:"providers"`
	Policy    Policy     `json:"policy"`
	// Evidence is by provider; who has none is one that nobody hears of.
	Evidence map[string]Evidence `json:"evidence"`
	// Split says that the providers contradict each other and no majority says who
	// is right.
	Split bool `json:"split,omitempty"`
	// Command is what an operator orders now; nil: nothing.
	Command *Command `json:"command,omitempty"`
	// Floor is the highest generation that may have been used before a crash.
	Floor uint64 `json:"floor,omitempty"`
}

// Provider is one configured provider.
type Provider struct {
	Name         string   `json:"name"`
	Endpoint     string   `json:"endpoint"`
	Priority     int      `json:"priority"`
	Capabilities []string `json:"capabilities,omitempty"`
}

// Policy is what the configuration wants of a chain.
type Policy struct {
	Recovery  health.Policy    `json:"recovery"`
	Selection selection.Policy `json:"selection"`
}

// Evidence is what is known of a provider.
type Evidence struct {
	health.Evidence
	// Words say what speaks against it, as in "down (timeout)". They follow the
	// provider's name in a sentence.
	Words string `json:"words,omitempty"`
}

// Command is what an operator orders.
type Command struct {
	Kind CommandKind `json:"kind"`
	// Provider is who it is about; Unpin and Failback need none.
	Provider string `json:"provider,omitempty"`
	Reason   string `json:"reason,omitempty"`
	// Until is when a drain or a pin ends; zero: when it is taken back.
	Until time.Time `json:"until,omitzero"`
}

// CommandKind is the sort of an operator's order.
type CommandKind string

// The sorts of orders.
const (
	Drain   CommandKind = "drain"
	Undrain CommandKind = "undrain"
	SetPin  CommandKind = "pin"
	Unpin   CommandKind = "unpin"
	// Failback agrees to a failback that awaits an operator.
	Failback CommandKind = "failback"
)

// Outcome is what a look leads to.
type Outcome struct {
	State State
	// Changed says that the state is another one. There can be a change without
	// anything in Changes: a recovery check that was passed is one.
	Changed bool
	Changes []Change
	// Wake is when time alone can lead to another outcome. Zero: never.
	Wake time.Time
}

// Change is something that happened to a chain.
type Change struct {
	// Kind is that of a switch, state, the sort of an order, or configuration.
	Kind string `json:"kind"`
	// Provider is who it is about; empty for a switch.
	Provider string `json:"provider,omitempty"`
	// From and To are the providers of a switch, or the states of Provider.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	// Reason is a sentence.
	Reason string `json:"reason"`
	// Facts are the names of the alerts behind it.
	Facts []string `json:"facts,omitempty"`
}

// The kinds of changes that are neither switches nor orders.
const (
	ChangeState         = "state"
	ChangeConfiguration = "configuration"
)

// Switch says whether the change is one of who serves.
func (c Change) Switch() bool {
	return c.Provider == "" && c.Kind != ChangeConfiguration
}
