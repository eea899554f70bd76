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

const chainCall = `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}`

func TestEthclientAndEthersNoticeNothingWhileAnvilsFail(t *testing.T) {
	t.Parallel()
	chain := node.Anvils(t, 31337, 3)
	chain.MineEvery(time.Second)
	c := &course{first: "a", call: chainCall, seen: &sightings{}, right: chain.Node(1).Hash}
	c.understudy = start(t, "eth", 3, anvils(chain), nil)
	dialled, err := rpc.DialContext(t.Context(), "http://"+c.address+"/rpc/eth")
	require.NoError(t, err)
	defer dialled.Close()
	c.clients = []client{
		repeat(t, func(ctx context.Context) error { return bifrost(ctx, dialled, c.seen) }),
		visit(t, c.seen, "ethers.cjs", "http://"+c.address+"/rpc/eth", "31337"),
	}
	c.more(3, "all is well")

	first := chain.Node(0)
	c.fails("it hangs", func() {
		chain.Leave(0)
		first.Pause()
	}, func() {
		first.Resume()
		chain.CatchUp(0)
	})
	var end func()
	c.fails("it is gone, and then limits the rate", func() {
		chain.Leave(0)
		first.Stop()
		c.more(4, "it is gone")
		end = node.LimitRate(t, first.RPC)
	}, func() {
		end()
		chain.Resync(0)
	})
	c.fails("it is on a fork", func() {
		// Only blocks that the others were probed at can be told from forged ones.
		c.awaitHeights(chain.Hold())
		first.Reorg(5)
		c.more(4, "it is on a fork")
		chain.GoOn()
		c.awaitLeft("a")
	}, func() { chain.Resync(0) })
	c.quiet()
}

// anvils is the configuration for these.
func anvils(chain *node.AnvilChain) string {
	var b strings.Builder
	fmt.Fprintf(&b, "chains:\n  eth:\n    network: any\n    block_time: 1s\n    failover: "+hasty+"\n    gateway: {attempt_timeout: 1s, cooldown: 1s}\n    providers:\n", ", max_block_lag: 5")
	for i, name := range []string{"a", "b", "c"} {
		fmt.Fprintf(&b, "      - {name: %s, type: evm-rpc, rpc_host: %q}\n", name, chain.Node(i).URL())
	}
	return b.String()
}

// evmBlock is a block as a node tells of it.
type evmBlock struct {
	Number hexutil.Uint64
	Hash   string
}

// bifrost is one round of what Bifrost asks an EVM node: the chain, the head, a
// block by number, an account, a revert, and a batch.
func bifrost(ctx context.Context, dialled *rpc.Client, seen *sightings) error {
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
	var newest evmBlock
	if err := dialled.CallContext(ctx, &newest, "eth_getBlockByNumber", "latest", false); err != nil {
		return fmt.Errorf("newest block: %w", err)
	}
	seen.add(int64(newest.Number), newest.Hash)
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
	return batch(ctx, dialled, head, seen)
}

// batch asks for as many blocks as Bifrost does, in one request.
func batch(ctx context.Context, dialled *rpc.Client, head uint64, seen *sightings) error {
	elements := make([]rpc.BatchElem, batchSize)
	blocks := make([]evmBlock, batchSize)
	for i := range elements {
		elements[i] = rpc.BatchElem{
			Method: "eth_getBlockByNumber", Args: []any{hexutil.Uint64(uint64(i) % (head + 1)), false}, Result: &blocks[i],
		}
	}
	if err := dialled.BatchCallContext(ctx, elements); err != nil {
		return fmt.Errorf("batch: %w", err)
	}
	for i, e := range elements {
		if e.Error != nil || uint64(blocks[i].Number) != uint64(i)%(head+1) {
			return fmt.Errorf("batch: call %d: block %d: %w", i, blocks[i].Number, e.Error)
		}
		seen.add(int64(blocks[i].Number), blocks[i].Hash)
	}
	return nil
}
