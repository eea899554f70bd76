package console

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/wire"
)

func TestProseTellsWhatExplainTells(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"failover", "nobody", "orders", "split"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(filepath.Join("testdata", name+".json"))
			require.NoError(t, err)
			var c wire.Chain
			require.NoError(t, json.Unmarshal(data, &c))
			flat := strings.Join(strings.Fields(Explain(c, now, Style{})), " ")
			p := Tell(c, now)
			require.Len(t, p.Providers, len(c.Providers))
			all := append(append([]string{p.Judge}, p.Outlook...), p.Alerts...)
			for _, provider := range p.Providers {
				all = append(append(all, provider.Figures, provider.Probes, provider.Orders, provider.Recovery), provider.Facts...)
			}
			for _, s := range all {
				require.Contains(t, flat, strings.Join(strings.Fields(s), " "))
				require.NotContains(t, s, "SECRET")
			}
			require.NotEmpty(t, p.Verdict)
		})
	}
}
