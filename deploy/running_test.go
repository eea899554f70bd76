//go:build compose

package deploy_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTheComposeFileRunsAndTheRightProviderServes(t *testing.T) {
	begin := time.Now()
	s := newStack(t)
	t.Logf("the images are there after %.0f s", time.Since(begin).Seconds())
	s.up()
	s.healthy()
	s.serves("own-node", "alertmanager")
	t.Logf("the first provider serves after %.0f s", time.Since(begin).Seconds())
	for _, step := range []struct {
		name      string
		hurt      []func()
		evaluator string
		heal      []func()
	}{
		{"a provider hangs", []func(){s.docker("pause", "eth-own-node")}, "alertmanager", []func(){s.docker("unpause", "eth-own-node")}},
		{"a provider is stopped", []func(){s.docker("stop", "eth-own-node")}, "alertmanager", []func(){s.docker("start", "eth-own-node")}},
		{"a provider is cut off", []func(){s.cut("eth-own-node")}, "alertmanager", []func(){s.join("eth-own-node")}},
		{
			"Alertmanager hangs and a provider is down", []func(){s.docker("pause", "alertmanager"), s.docker("stop", "eth-own-node")}, "local",
			[]func(){s.docker("unpause", "alertmanager"), s.docker("start", "eth-own-node")},
		},
		{
			"Prometheus hangs and a provider is down", []func(){s.docker("pause", "prometheus"), s.docker("stop", "eth-own-node")}, "local",
			[]func(){s.docker("unpause", "prometheus"), s.docker("start", "eth-own-node")},
		},
		{
			"the controller is killed while a provider is down", []func(){s.docker("stop", "eth-own-node"), s.dies}, "alertmanager",
			[]func(){s.docker("start", "eth-own-node")},
		},
	} {
		begin := time.Now()
		for _, do := range step.hurt {
			do()
		}
		s.serves("vendor-a", step.evaluator)
		after := time.Since(begin)
		for _, do := range step.heal {
			do()
		}
		s.serves("own-node", "alertmanager")
		require.Eventually(t, func() bool { return s.active("btc").Provider == "local-daemon" }, time.Minute, time.Second, "nothing happens to btc")
		t.Logf("%s: another provider serves after %.0f s, the first one again after %.0f s", step.name, after.Seconds(), time.Since(begin).Seconds())
	}
}

// dies kills the controller once another provider serves. The next one knows what
// it decided, and says so before it has looked at anything.
func (s *stack) dies() {
	s.serves("vendor-a", "alertmanager")
	before := s.active("eth")
	s.docker("kill", "controller")()
	require.Empty(s, s.active("eth").Provider, "nobody answers for it")
	s.docker("start", "controller")()
	var after answer
	require.Eventually(s, func() bool { after = s.active("eth"); return after.Provider != "" }, time.Minute, 20*time.Millisecond)
	require.Equal(s, before.Provider, after.Provider)
	require.GreaterOrEqual(s, after.Generation, before.Generation)
	require.GreaterOrEqual(s, after.Index, before.Index)
}
