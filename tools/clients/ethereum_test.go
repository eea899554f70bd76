//go:build e2e

package clients

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/node"
)

// batchSize is that of Bifrost.
const batchSize = 500

func TestEthclientNoticesNothingWhileAnvilsFail(t *testing.T) {
	t.Parallel()
	chain := node.Anvils(t, 31337, 3)
	chain.MineEvery(time.Second)
	var b strings.Builder
	b.WriteString("chains:\n  eth:\n    network: any\n    failover: {health_check_interval: 1s}\n    gateway: {attempt_timeout: 1s}\n    providers:\n")
	for i, name := range []string{"a", "b", "c"} {
		fmt.Fprintf(&b, "      - {name: %s, type: evm-rpc, rpc_host: %q}\n", name, chain.Node(i).URL())
	}
	address := start(t, "eth", 3, b.String())
	dialled, err := rpc.DialContext(t.Context(), "http://"+address+"/rpc/eth")
	require.NoError(t, err)
	defer dialled.Close()
	l := repeat(t, func(ctx context.Context) error { return bifrost(ctx, dialled) })
	l.more(3, "all is well")
	chain.Leave(0)
	chain.Node(0).Pause()
	l.more(5, "the active one hangs")
	chain.Node(0).Stop()
	l.more(5, "the active one is gone")
	l.quiet()
	f, err := failover(t.Context(), address, "eth")
	require.NoError(t, err)
	require.NotZero(t, f.ActiveIndex)
	require.Positive(t, f.Endpoints[0].TotalFailures, "the active one did fail")
}

// bifrost is one round of what Bifrost asks an EVM node: the chain, the head, a
// block by number, an account, a revert, and a batch.
func bifrost(ctx context.Context, dialled *rpc.Client) error {
	client := ethclient.NewClient(dialled)
	id, err := client.ChainID(ctx)
	if err != nil || id.Int64() != 31337 {
		return fmt.Errorf("chain id %v: %w", id, err)
	}
	head, err := client.BlockNumber(ctx)
	if err != nil {
		return fmt.Errorf("height: %w", err)
	}
	block, err := client.BlockByNumber(ctx, new(big.Int).SetUint64(head))
	if err != nil || block.NumberU64() != head {
		return fmt.Errorf("block %d: %w", head, err)
	}
	account := common.HexToAddress("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266")
	if balance, err := client.BalanceAt(ctx, account, nil); err != nil || balance.Sign() == 0 {
		return fmt.Errorf("balance %v: %w", balance, err)
	}
	if _, err := client.SuggestGasPrice(ctx); err != nil {
		return fmt.Errorf("gas price: %w", err)
	}
	if _, err := client.HeaderByHash(ctx, common.Hash{1}); err == nil {
		return errors.New("a block that is not there was found")
	}
	return batch(ctx, dialled, head)
}

// batch asks for as many blocks as Bifrost does, in one request.
func batch(ctx context.Context, dialled *rpc.Client, head uint64) error {
	elements := make([]rpc.BatchElem, batchSize)
	numbers := make([]struct{ Number hexutil.Uint64 }, batchSize)
	for i := range elements {
		elements[i] = rpc.BatchElem{
			Method: "eth_getBlockByNumber", Args: []any{hexutil.Uint64(uint64(i) % (head + 1)), false}, Result: &numbers[i],
		}
	}
	if err := dialled.BatchCallContext(ctx, elements); err != nil {
		return fmt.Errorf("batch: %w", err)
	}
	for i, e := range elements {
		if e.Error != nil || uint64(numbers[i].Number) != uint64(i)%(head+1) {
			return fmt.Errorf("batch: call %d: block %d: %w", i, numbers[i].Number, e.Error)
		}
	}
	return nil
}
