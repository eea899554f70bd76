package integrity

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/exporter/prober"
	"github.com/understudy-rpc/understudy/internal/config"
)

const (
	unknown = prober.NetworkUnknown
	right   = prober.NetworkRight
	wrong   = prober.NetworkWrong
)

// network is a chain c whose providers are given as NAME/OPERATOR pairs.
func network(t *testing.T, n config.Network, providers ...string) config.Chain {
	t.Helper()
	c := config.Chain{Name: "c", Network: n}
	for i := 0; i < len(providers); i += 2 {
		u, err := config.ParseURL("https://" + providers[i] + ".example.org")
		require.NoError(t, err)
		c.Providers = append(c.Providers, config.Provider{Name: providers[i], Operator: providers[i+1], Type: config.EVMRPC, RPCHost: u})
	}
	return c
}

// judged is a Networks with one chain.
func judged(chains ...config.Chain) *Networks {
	n := NewNetworks()
	n.Apply(chains)
	return n
}

func key(provider string) prober.Key { return prober.Key{Chain: "c", Provider: provider} }

func TestNetworksWithAnExpectedValue(t *testing.T) {
	t.Parallel()
	n := judged(network(t, config.Network{Value: "1"}, "a", "a", "b", "b"))
	require.Equal(t, right, n.Judge(key("a"), "1"))
	require.Equal(t, wrong, n.Judge(key("b"), "5"))
	require.Equal(t, unknown, n.Judge(key("b"), ""))
	require.Equal(t, unknown, n.Judge(key("nobody"), "1"))
	require.Equal(t, unknown, n.Judge(prober.Key{Chain: "other", Provider: "a"}, "1"))
	expected, ok := n.Expected("c")
	require.True(t, ok)
	require.Equal(t, "1", expected)
	_, ok = n.Expected("other")
	require.False(t, ok)
}

func TestNetworksWithAny(t *testing.T) {
	t.Parallel()
	n := judged(network(t, config.Network{Any: true}, "a", "a"))
	require.Equal(t, right, n.Judge(key("a"), "1"))
	require.Equal(t, right, n.Judge(key("a"), ""))
	_, ok := n.Expected("c")
	require.False(t, ok)
}

func TestNetworksVote(t *testing.T) {
	t.Parallel()
	type say struct {
		provider, identity string
		want               prober.Verdict
	}
	for _, c := range []struct {
		name      string
		providers []string
		says      []say
		expected  string
	}{
		{"nobody is judged before everybody had a say", []string{"a", "a", "b", "b", "c", "c"}, []say{
			{"a", "5", unknown}, {"b", "1", unknown}, {"a", "5", unknown}, {"c", "1", right}, {"a", "5", wrong}, {"b", "1", right},
		}, "1"},
		{"a tie judges nobody", []string{"a", "a", "b", "b"}, []say{
			{"a", "1", unknown}, {"b", "5", unknown}, {"a", "1", unknown},
		}, ""},
		{"a tie that ends", []string{"a", "a", "b", "b"}, []say{
			{"a", "1", unknown}, {"b", "5", unknown}, {"b", "1", right}, {"a", "1", right},
		}, "1"},
		{"one without an identity had its say", []string{"a", "a", "b", "b"}, []say{
			{"a", "1", unknown}, {"b", "", unknown}, {"a", "1", right},
		}, "1"},
		{"a single operator is its own majority", []string{"a1", "a", "a2", "a"}, []say{
			{"a1", "1", unknown}, {"a2", "1", right}, {"a1", "1", right},
		}, "1"},
		{"an operator that disagrees with itself has no vote", []string{"a1", "a", "a2", "a", "b", "b"}, []say{
			{"a1", "5", unknown}, {"a2", "1", unknown}, {"b", "1", right}, {"a1", "5", wrong}, {"a2", "1", right},
		}, "1"},
		{"many URLs of one operator are one vote", []string{"a1", "a", "a2", "a", "a3", "a", "b", "b", "c", "c"}, []say{
			{"a1", "5", unknown}, {"a2", "5", unknown}, {"a3", "5", unknown}, {"b", "1", unknown}, {"c", "1", right}, {"a1", "5", wrong},
		}, "1"},
		{"what is established outlives a tie", []string{"a", "a", "b", "b"}, []say{
			{"a", "1", unknown}, {"b", "1", right}, {"b", "5", wrong}, {"a", "1", right},
		}, "1"},
		{"and ends with a strict majority for another", []string{"a", "a", "b", "b", "c", "c"}, []say{
			{"a", "1", unknown}, {"b", "1", unknown}, {"c", "1", right}, {"a", "5", wrong}, {"b", "5", right}, {"c", "1", wrong},
		}, "5"},
		{"one that lost its identity keeps its vote", []string{"a", "a", "b", "b", "c", "c"}, []say{
			{"a", "1", unknown}, {"b", "1", unknown}, {"c", "5", wrong}, {"a", "", unknown}, {"b", "1", right},
		}, "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			n := judged(network(t, config.Network{}, c.providers...))
			for i, s := range c.says {
				require.Equal(t, s.want, n.Judge(key(s.provider), s.identity), "step %d: %+v", i, s)
			}
			expected, ok := n.Expected("c")
			require.Equal(t, c.expected, expected)
			require.Equal(t, c.expected != "", ok)
		})
	}
}

func TestNetworksAttempted(t *testing.T) {
	t.Parallel()
	n := judged(network(t, config.Network{}, "a", "a", "b", "b"))
	require.Equal(t, unknown, n.Judge(key("a"), "1"))
	n.Attempted(key("b"))
	n.Attempted(key("b"))
	n.Attempted(key("nobody"))
	expected, _ := n.Expected("c")
	require.Equal(t, "1", expected)
}

func TestNetworksMissed(t *testing.T) {
	t.Parallel()
	n := judged(network(t, config.Network{}, "a", "a", "b", "b", "c", "c"))
	for range 2 * maxMissed {
		n.Missed(key("a"))
		n.Missed(key("b"))
		n.Missed(key("c"))
	}
	require.Equal(t, unknown, n.Judge(key("a"), "1"), "while nobody is reached nobody had a say, so that the first one does not decide alone")
	require.Equal(t, unknown, n.Judge(key("b"), "1"))
	for range maxMissed - 1 {
		n.Missed(key("c"))
	}
	require.Equal(t, unknown, n.Judge(key("b"), "1"), "it may still be reached")
	n.Missed(key("nobody"))
	n.Missed(key("c"))
	require.Equal(t, right, n.Judge(key("b"), "1"), "it is not waited for any longer")
	require.Equal(t, wrong, n.Judge(key("c"), "5"), "and is judged when it is reached")
}

func TestNetworksReload(t *testing.T) {
	t.Parallel()
	three := []string{"a", "a", "b", "b", "c", "c"}
	established := func(t *testing.T) *Networks {
		t.Helper()
		n := judged(network(t, config.Network{}, three...))
		n.Judge(key("a"), "1")
		n.Judge(key("b"), "1")
		require.Equal(t, wrong, n.Judge(key("c"), "5"))
		return n
	}
	moved := func(t *testing.T, c config.Chain, providers ...int) config.Chain {
		t.Helper()
		for _, i := range providers {
			u, err := config.ParseURL("https://elsewhere.example.org")
			require.NoError(t, err)
			c.Providers[i].RPCHost = u
		}
		return c
	}
	for _, c := range []struct {
		name     string
		next     func(t *testing.T) []config.Chain
		expected string
	}{
		{"the same again", func(t *testing.T) []config.Chain { return []config.Chain{network(t, config.Network{}, three...)} }, "1"},
		{"a new provider that had no say yet", func(t *testing.T) []config.Chain {
			return []config.Chain{network(t, config.Network{}, append([]string{"d", "d"}, three...)...)}
		}, "1"},
		{"one that told it is left", func(t *testing.T) []config.Chain {
			return []config.Chain{network(t, config.Network{}, "b", "b", "c", "c")}
		}, "1"},
		{"another is left alone: its word is the majority", func(t *testing.T) []config.Chain { return []config.Chain{network(t, config.Network{}, "c", "c")} }, "5"},
		{"all moved: what they told counts no more", func(t *testing.T) []config.Chain {
			return []config.Chain{moved(t, network(t, config.Network{}, three...), 0, 1, 2)}
		}, ""},
		{"those who told it moved, and the third does not decide alone", func(t *testing.T) []config.Chain {
			return []config.Chain{moved(t, network(t, config.Network{}, three...), 0, 1)}
		}, ""},
		{"one who told it moved: it stays until a majority says otherwise", func(t *testing.T) []config.Chain {
			return []config.Chain{moved(t, network(t, config.Network{}, three...), 0)}
		}, "1"},
		{"a value is given", func(t *testing.T) []config.Chain {
			return []config.Chain{network(t, config.Network{Value: "7"}, three...)}
		}, "7"},
		{"the chain is gone", func(*testing.T) []config.Chain { return nil }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			n := established(t)
			n.Apply(c.next(t))
			expected, _ := n.Expected("c")
			require.Equal(t, c.expected, expected)
		})
	}
	t.Run("a say about a given value is none for the vote", func(t *testing.T) {
		t.Parallel()
		n := judged(network(t, config.Network{Value: "1"}, "a", "a", "b", "b"))
		n.Judge(key("a"), "1")
		n.Attempted(key("a"))
		n.Attempted(key("b"))
		n.Apply([]config.Chain{network(t, config.Network{}, "a", "a", "b", "b")})
		require.Equal(t, unknown, n.Judge(key("b"), "5"), "a was not heard")
	})
}

func TestNetworksFromManyGoroutines(t *testing.T) {
	t.Parallel()
	var providers []string
	for i := range 20 {
		providers = append(providers, fmt.Sprint("p", i), fmt.Sprint("o", i))
	}
	n := judged(network(t, config.Network{}, providers...))
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			for range 50 {
				n.Judge(key(fmt.Sprint("p", i)), "1")
				n.Expected("c")
			}
			n.Apply([]config.Chain{network(t, config.Network{}, providers...)})
		})
	}
	wg.Wait()
	require.Equal(t, right, n.Judge(key("p0"), "1"))
}
