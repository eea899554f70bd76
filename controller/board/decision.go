package board

import (
	"github.com/understudy-rpc/understudy/controller/decision"
	"github.com/understudy-rpc/understudy/internal/config"
)

// Decision is what was decided of a chain, and the configuration by which. It
// does not change any more.
type Decision struct {
	Config config.Chain
	// Providers and Policy are what of it the decision depends on.
	Providers []decision.Provider
	Policy    decision.Policy
	State     decision.State
}
