package exporter

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/rules"
)

// BenchmarkSamples gathers what rules read about 100 providers, as after every
// probe, and beside it everything, as for /metrics.
func BenchmarkSamples(b *testing.B) {
	var text strings.Builder
	text.WriteString("chains:\n")
	for i := range 100 {
		if i%5 == 0 {
			fmt.Fprintf(&text, "  eth%d:\n    network: \"1\"\n    providers:\n", i)
		}
		fmt.Fprintf(&text, "      - {name: p%d, type: evm-rpc, rpc_host: \"http://127.0.0.1:%d\"}\n", i, 10_000+i)
	}
	e, err := New(Options{Load: func() (config.Config, error) {
		return config.Parse("test.yml", []byte(text.String()), func(string) (string, bool) { return "", false })
	}})
	require.NoError(b, err)
	b.Run("wanted", func(b *testing.B) {
		b.ReportAllocs()
		s := e.NewSampler()
		wanted := func(name string) bool {
			return strings.HasPrefix(name, "bifrost_") && name != rules.ProviderProbeDuration.Name
		}
		for b.Loop() {
			_, err := s.Samples(wanted)
			require.NoError(b, err)
		}
	})
	b.Run("everything", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, err := e.Gather()
			require.NoError(b, err)
		}
	})
}
