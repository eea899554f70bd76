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
	follower := node.Follower(t, validator)
	follower.AwaitHeight(2)
	var b strings.Builder
	b.WriteString("chains:\n  gaia:\n    network: any\n    block_time: 200ms\n    failover: {health_check_interval: 1s, max_block_lag: 50}\n    gateway: {attempt_timeout: 1s}\n    providers:\n")
	for name, url := range map[string]string{"follower": follower.URL(), "validator": validator.URL()} {
		priority := map[string]int{"follower": 1, "validator": 2}[name]
		fmt.Fprintf(&b, "      - {name: %s, type: cometbft-rpc, rpc_host: %q, priority: %d}\n", name, url, priority)
	}
	address := start(t, "gaia", 2, b.String())
	client, err := http.New("http://" + address + "/rpc/gaia")
	require.NoError(t, err)
	l := repeat(t, func(ctx context.Context) error { return scan(ctx, client) })
	l.more(3, "all is well")
	follower.Pause()
	l.more(5, "the active one hangs")
	follower.Stop()
	l.more(5, "the active one is gone")
	l.quiet()
}

// scan is one round of what a scanner asks a Cosmos node: the status, a block
// with its results, a block that is not there, and an application's state.
func scan(ctx context.Context, client *http.HTTP) error {
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
