package controller_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller"
	"github.com/understudy-rpc/understudy/controller/evaluator"
)

func TestEachProbeIsToldOnceAsMostExportersSawIt(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		var told []string
		hear := func() []string {
			heard := told
			told = nil
			return heard
		}
		cfg := parse(t, three)
		second, third := newFleet("exporter:2", cfg), newFleet("exporter:3", cfg)
		w := open(t, t.TempDir(), three, func(o *controller.Options) {
			o.Exporters = append(o.Exporters, evaluator.Source(second), evaluator.Source(third))
			o.OnProbed = func(chain, provider string, good bool) {
				told = append(told, fmt.Sprintf("%s/%s %t", chain, provider, good))
			}
		}).run()
		all := func() {
			second.probe()
			third.probe()
			w.look()
		}
		all()
		require.ElementsMatch(t, []string{"eth/a true", "eth/b true", "eth/c true"}, hear())
		w.evaluate()
		require.Empty(t, hear(), "nobody was probed since")

		w.fail("a", "timeout")
		second.change("eth", "b", func(n *node) { n.failing = "timeout" })
		third.change("eth", "b", func(n *node) { n.failing = "timeout" })
		all()
		require.ElementsMatch(t, []string{"eth/a true", "eth/b false", "eth/c true"}, hear(), "one of three sees a fail, two of three b")

		w.c.Apply(parse(t, with("      - {name: c, type: evm-rpc, operator: three, priority: 3, rpc_host: \"https://c.example\"}\n", "")))
		all()
		require.ElementsMatch(t, []string{"eth/a true", "eth/b false"}, hear(), "c is not configured any more")
	})
}
