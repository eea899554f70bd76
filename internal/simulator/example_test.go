package simulator_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

// Two providers of one chain; the second one falls behind, and later refuses.
func Example() {
	chain := simulator.NewChain(simulator.ChainOptions{Name: "eth", Kind: config.EVM, BaseHeight: 436})
	good := simulator.NewProvider(chain, simulator.ProviderOptions{Name: "good", Type: config.EVMRPC})
	late := simulator.NewProvider(chain, simulator.ProviderOptions{
		Name: "late", Type: config.EVMRPC, Behaviour: simulator.Behaviour{Lag: 4},
	})
	var server simulator.Server
	defer server.Close()
	for _, p := range []*simulator.Provider{good, late} {
		url, err := server.Listen(p)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(p.Name(), post(url, `{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}`))
	}
	late.SetBehaviour(simulator.Behaviour{Mode: simulator.ModeRefuse})
	fmt.Println(good.Requests(), late.CountOf("eth_blockNumber"))
	// Output:
	// good {"jsonrpc":"2.0","id":1,"result":"0x1b4"}
	// late {"jsonrpc":"2.0","id":1,"result":"0x1b0"}
	// 1 1
}

// A script changes a provider by the chain's clock.
func ExampleScript() {
	clock := time.Unix(1_700_000_000, 0)
	chain := simulator.NewChain(simulator.ChainOptions{
		Name: "btc", Kind: config.Bitcoin, BlockTime: time.Second, Now: func() time.Time { return clock },
	})
	p := simulator.NewProvider(chain, simulator.ProviderOptions{
		Name: "a", Type: config.BitcoinRPC,
		Script: simulator.Script{Phases: []simulator.Phase{
			{From: 10 * time.Second, Behaviour: simulator.Behaviour{Freeze: true}},
			{From: 20 * time.Second, Behaviour: simulator.Behaviour{Lag: 2}},
		}},
	})
	for range 4 {
		fmt.Println(chain.Height(), p.Height())
		clock = clock.Add(8 * time.Second)
	}
	// Output:
	// 1000 1000
	// 1008 1008
	// 1016 1010
	// 1024 1022
}

func post(url, body string) string {
	response, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		return err.Error()
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err.Error()
	}
	return string(answer)
}
