//go:build e2e

package clients

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cometbft/cometbft/rpc/client/http"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/node"
)

func TestTheClientOfCometBFTNoticesNothingWhileANodeFails(t *testing.T) {
	t.Parallel()
	validator := node.CometBFT(t)
	validator.AwaitHeight(2)
	first, voice := node.Follower(t, validator), node.Follower(t, validator)
	first.AwaitHeight(2)
	voice.AwaitHeight(2)
	var b strings.Builder
	// A rival begins at height 1, and is to be seen as what it is, not as late.
	fmt.Fprintf(&b, "chains:\n  gaia:\n    network: any\n    block_time: 200ms\n    failover: "+hasty+"\n    gateway: {attempt_timeout: 1s, cooldown: 1s}\n    providers:\n", ", max_block_lag: 100000")
	// Two are asked. The third one is a voice, as a fork takes two to be outvoted.
	for i, n := range []*node.CometNode{first, validator, voice} {
		fmt.Fprintf(&b, "      - {name: %s, type: cometbft-rpc, rpc_host: %q}\n", []string{"follower", "validator", "voice"}[i], n.URL())
	}
	c := &course{first: "follower", call: `{"jsonrpc":"2.0","id":1,"method":"health","params":{}}`, seen: &sightings{}, right: validator.Hash}
	c.understudy = start(t, "gaia", 3, b.String(), nil)
	asking, err := http.New("http://" + c.address + "/rpc/gaia")
	require.NoError(t, err)
	c.clients = []client{repeat(t, func(ctx context.Context) error { return scan(ctx, asking, c.seen) })}
	c.more(3, "all is well")

	c.fails("it hangs", first.Pause, first.Resume)
	var end func()
	c.fails("it is gone, and then limits the rate", func() {
		first.Stop()
		c.more(4, "it is gone")
		end = node.LimitRate(t, first.RPC)
	}, func() {
		end()
		first.Restart()
	})
	var rival *node.CometNode
	c.fails("it is on a fork", func() {
		first.Stop()
		c.awaitLeft("follower")
		rival = node.Rival(t, validator, first)
		rival.AwaitHeight(5)
		c.awaitFact("follower", "ProviderInconsistent")
	}, func() {
		rival.Stop()
		first.Restart()
	})
	c.quiet()
}

// scan is one round of what a scanner asks a Cosmos node: the status, a block
// with its results, a block that is not there, and an application's state.
func scan(ctx context.Context, client *http.HTTP, seen *sightings) error {
	status, err := client.Status(ctx)
	if err != nil {
		return fmt.Errorf("status: %w", err)
	}
	// The height may be one that another node has not reached yet.
	height := max(1, status.SyncInfo.LatestBlockHeight-20)
	block, err := client.Block(ctx, &height)
	if err != nil || block.Block.Height != height {
		return fmt.Errorf("block %d: %w", height, err)
	}
	seen.add(height, block.BlockID.Hash.String())
	if _, err := client.BlockResults(ctx, &height); err != nil {
		return fmt.Errorf("results of block %d: %w", height, err)
	}
	far := height + 1_000_000
	if _, err := client.Block(ctx, &far); err == nil || !strings.Contains(err.Error(), "must be less than or equal to") {
		return errors.Join(errors.New("what the node says of a block that is not there was lost"), err)
	}
	if _, err := client.ABCIInfo(ctx); err != nil {
		return fmt.Errorf("application: %w", err)
	}
	batch := client.NewBatch()
	for range 10 {
		if _, err := batch.Block(ctx, &height); err != nil {
			return fmt.Errorf("batch: %w", err)
		}
	}
	results, err := batch.Send(ctx)
	if err != nil || len(results) != 10 {
		return fmt.Errorf("batch of 10 has %d answers: %w", len(results), err)
	}
	return nil
}
