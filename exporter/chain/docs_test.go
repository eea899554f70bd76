package chain

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

// chainOf is a chain of each type's family; of Blockchair's, Bitcoin.
func chainOf(t config.Type) config.Chain {
	kind := t.Kind()
	if kind == "" {
		kind = config.Bitcoin
	}
	return config.Chain{Name: "btc", Kind: kind}
}

func TestDocumentSaysWhatEachTypeCosts(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../../docs/providers.md")
	require.NoError(t, err)
	for _, typ := range config.Types {
		c, err := CostOf(chainOf(typ), config.Provider{Name: "p", Type: typ})
		require.NoError(t, err)
		row := fmt.Sprintf("| `%s` | %g | %g | %g | %g | %g | %g |", typ, c.Cycle, c.NewBlock, c.Identity, c.Hints, c.Block, c.BlockTransactions)
		require.Contains(t, string(doc), row)
	}
}
