//go:build e2e

package clients

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/node"
)

// litecoins are litecoinds that know no peers: what the chain has, the test gives
// each of them.
type litecoins struct {
	t     *testing.T
	nodes []*node.LitecoinNode
}

// mine adds a block to the chain, and gives it to those of the nodes that are to
// have it. The last node makes it.
func (l *litecoins) mine(followers ...*node.LitecoinNode) {
	l.t.Helper()
	maker := l.nodes[len(l.nodes)-1]
	hash := maker.Mine(1)[0]
	for _, n := range followers {
		give(l.t, maker, n, hash)
	}
}

// give gives a node a block of another one.
func give(t *testing.T, from, to *node.LitecoinNode, hash string) {
	t.Helper()
	var raw string
	from.Ask(&raw, "getblock", hash, 0)
	var refusal *string
	to.Ask(&refusal, "submitblock", raw)
	require.Nil(t, refusal)
}

// litecoinCLI asks an address of the chain's own, with a user and password of
// which nobody has heard.
type litecoinCLI struct {
	path, folder, address string
}

// ask runs litecoin-cli.
func (c litecoinCLI) ask(ctx context.Context, args ...string) (string, error) {
	host, port, err := net.SplitHostPort(c.address)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, c.path, append([]string{
		"-datadir=" + c.folder, "-rpcconnect=" + host, "-rpcport=" + port, "-rpcuser=any", "-rpcpassword=any",
	}, args...)...)
	output, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("litecoin-cli %s: %w: %s", strings.Join(args, " "), err, output)
	}
	return strings.TrimSpace(string(output)), nil
}

// round is one round of what an operator's scripts ask.
func (c litecoinCLI) round(ctx context.Context, seen *sightings) error {
	text, err := c.ask(ctx, "getblockchaininfo")
	if err != nil {
		return err
	}
	var info struct {
		Chain         string
		Blocks        int64
		BestBlockHash string
	}
	if err := json.Unmarshal([]byte(text), &info); err != nil || info.Chain != "regtest" {
		return fmt.Errorf("chain %q: %w", info.Chain, err)
	}
	seen.add(info.Blocks, info.BestBlockHash)
	hash, err := c.ask(ctx, "getblockhash", strconv.FormatInt(info.Blocks, 10))
	if err != nil {
		return err
	}
	seen.add(info.Blocks, hash)
	if text, err = c.ask(ctx, "getblockheader", hash); err != nil || !strings.Contains(text, hash) {
		return fmt.Errorf("header of %s: %s: %w", hash, text, err)
	}
	if _, err := c.ask(ctx, "getblockhash", "999999"); err == nil || !strings.Contains(err.Error(), "error code: -8\nerror message:\nBlock height out of range") {
		return fmt.Errorf("what the node says of a block that is not there was lost: %w", err)
	}
	// A batch, of which the default lets the wallet's part not through.
	if text, err = c.ask(ctx, "-getinfo"); err != nil || !strings.Contains(text, `"blocks": `) {
		return fmt.Errorf("-getinfo: %s: %w", text, err)
	}
	return nil
}

func TestLitecoinCLINoticesNothingWhileLitecoindsFail(t *testing.T) {
	t.Parallel()
	l := &litecoins{t: t}
	for range 3 {
		l.nodes = append(l.nodes, node.Litecoind(t, "-disablewallet"))
	}
	first, second, third := l.nodes[0], l.nodes[1], l.nodes[2]
	for range 5 {
		l.mine(first, second)
	}
	cli := litecoinCLI{node.Binary(t, "litecoin-cli"), t.TempDir(), node.FreeAddress(t)}
	c := &course{first: "a", call: `{"id":1,"method":"getblockcount"}`, seen: &sightings{}, right: third.Hash}
	var b strings.Builder
	fmt.Fprintf(&b, "chains:\n  ltc:\n    network: %s\n    failover: "+hasty+"\n    gateway: {attempt_timeout: 1s, cooldown: 1s}\n    providers:\n", third.Hash(0), "")
	// Two are asked. The third one is a voice, as a fork takes two to be outvoted.
	for i, name := range []string{"a", "b", "voice"} {
		fmt.Fprintf(&b, "      - {name: %s, type: bitcoin-rpc, rpc_host: %q}\n", name, l.nodes[i].SecretURL())
	}
	c.understudy = start(t, "ltc", 3, b.String(), nil, "--gateway.listen-address=ltc="+cli.address)
	c.clients = []client{repeat(t, func(ctx context.Context) error { return cli.round(ctx, c.seen) })}
	c.more(2, "all is well")

	for _, call := range [][]string{{"getnewaddress"}, {"stop"}, {"-rpcwallet=w", "getbalance"}} {
		_, err := cli.ask(t.Context(), call...)
		require.ErrorContains(t, err, "error code: -32601", "%q", call)
		require.ErrorContains(t, err, "is not let through to chain ltc")
	}
	c.fails("it hangs", first.Pause, first.Resume)
	var end func()
	c.fails("it is gone, and then limits the rate", func() {
		first.Stop()
		c.more(2, "it is gone")
		end = node.LimitRate(t, first.RPC)
	}, func() {
		end()
		first.Restart()
	})
	l.mine(first, second)
	c.awaitHeights(6)
	var kept, forged string
	c.fails("it is on a fork", func() {
		kept = first.Hash(6)
		first.Invalidate(kept)
		forged = first.Mine(1)[0]
		c.more(2, "it is on a fork")
		// Blocks are compared two below the tip. The gateway knows those of the chain
		// before the fork has its own.
		for height := range int64(2) {
			l.mine(second)
			c.awaitHeights(7+height, "b", "voice")
		}
		first.Mine(2)
		c.awaitLeft("a")
	}, func() {
		first.Invalidate(forged)
		first.Reconsider(kept)
		for height := range int64(2) {
			give(t, third, first, third.Hash(7+height))
		}
	})
	c.quiet()
}

func TestLitecoinCLIUsesAWalletWhereTheConfigurationAllowsIt(t *testing.T) {
	t.Parallel()
	own, spare := node.Litecoind(t), node.Litecoind(t, "-disablewallet")
	give(t, own, spare, own.Mine(1)[0])
	cli := litecoinCLI{node.Binary(t, "litecoin-cli"), t.TempDir(), node.FreeAddress(t)}
	configuration := fmt.Sprintf(`chains:
  ltc:
    network: %s
    gateway:
      attempt_timeout: 20s
      methods: {allow: [/wallet/*, createwallet, listwallets, getnewaddress, getwalletinfo, listunspent]}
    providers:
      - {name: own, type: bitcoin-rpc, rpc_host: %q, capabilities: [wallet]}
      - {name: spare, type: bitcoin-rpc, rpc_host: %q}
`, own.Hash(0), own.SecretURL(), spare.SecretURL())
	start(t, "ltc", 2, configuration, nil, "--gateway.listen-address=ltc="+cli.address)
	ask := func(args ...string) string {
		t.Helper()
		text, err := cli.ask(t.Context(), args...)
		require.NoError(t, err)
		return text
	}
	ask("createwallet", "w")
	require.JSONEq(t, `["w"]`, ask("listwallets"))
	require.Regexp(t, "^rltc1", ask("getnewaddress"))
	require.JSONEq(t, `[]`, ask("-rpcwallet=w", "listunspent"))
	require.Contains(t, ask("-rpcwallet=w", "getwalletinfo"), `"walletname": "w"`)
	_, err := cli.ask(t.Context(), "-rpcwallet=w", "dumpwallet", "x")
	require.ErrorContains(t, err, "dumpwallet is not let through", "what was not allowed is still refused")
	_, err = cli.ask(t.Context(), "-rpcwallet=other", "getwalletinfo")
	require.ErrorContains(t, err, "error code: -18", "the node's own word")
	require.Contains(t, ask("-getinfo"), `"keypoolsize"`, "the whole batch goes through")
}
