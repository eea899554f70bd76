//go:build e2e

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/wire"
	"github.com/understudy-rpc/understudy/internal/node"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

// visitor is a client program that goes through its calls round after round.
type visitor struct {
	t     testing.TB
	input io.Closer

	mu     sync.Mutex
	rounds int
	errors []string
	stderr lockedBuffer
	ended  chan struct{}
}

// visit starts a script of tools/clients/javascript.
func visit(t testing.TB, script string, args ...string) *visitor {
	t.Helper()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	modules := filepath.Join(root, ".cache", "javascript", "node_modules")
	require.DirExists(t, modules, "the client libraries are not there: run make setup")
	v := &visitor{t: t, ended: make(chan struct{})}
	cmd := exec.Command(node.Binary(t, "node"), append([]string{filepath.Join(root, "tools", "clients", "javascript", script)}, args...)...)
	cmd.Env = append(cmd.Environ(), "NODE_PATH="+modules)
	cmd.Stderr = &v.stderr
	v.input, err = cmd.StdinPipe()
	require.NoError(t, err)
	output, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	go func() {
		defer close(v.ended)
		v.read(output)
		_ = cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-v.ended
		if t.Failed() {
			t.Log(v.stderr.String())
		}
	})
	return v
}

// read takes the rounds in.
func (v *visitor) read(output io.Reader) {
	for lines := bufio.NewScanner(output); lines.Scan(); {
		var round struct{ Errors []string }
		err := json.Unmarshal(lines.Bytes(), &round)
		v.mu.Lock()
		v.rounds++
		v.errors = append(v.errors, round.Errors...)
		if err != nil {
			v.errors = append(v.errors, "not a round: "+lines.Text())
		}
		v.mu.Unlock()
	}
}

// more waits for further rounds to end.
func (v *visitor) more(rounds int, what string) {
	v.t.Helper()
	v.mu.Lock()
	want := v.rounds + rounds
	v.mu.Unlock()
	require.Eventually(v.t, func() bool {
		v.mu.Lock()
		defer v.mu.Unlock()
		return v.rounds >= want
	}, 90*time.Second, 20*time.Millisecond, what)
}

// leave ends the visitor, who must have seen no error.
func (v *visitor) leave() {
	v.t.Helper()
	require.NoError(v.t, v.input.Close())
	<-v.ended
	require.Empty(v.t, v.errors, "after %d rounds", v.rounds)
}

func TestTheStellarSDKNoticesNothingWhileEndpointsFail(t *testing.T) {
	t.Parallel()
	environ, providers := soroban(t, 3, "RPC_FAILOVER_FAILURE_THRESHOLD=2")
	p := startCommand(t, "run", environ)
	p.ready()
	p.eventually(func() bool { _, h := getFailover(p); return h == 3 }, "all are proven")
	v := visit(t, "stellar.cjs", "http://"+p.address+"/rpc/soroban")
	v.more(2, "all is well")
	for _, fault := range []struct {
		name string
		is   simulator.Behaviour
	}{
		{"it refuses", simulator.Behaviour{Mode: simulator.ModeRefuse}},
		{"it hangs", simulator.Behaviour{Mode: simulator.ModeHang}},
		{"it limits the rate", simulator.Behaviour{RateLimit: &simulator.RateLimit{}}},
		{"it is unhealthy by its own word", simulator.Behaviour{Health: simulator.HealthBad}},
		{"it starts", simulator.Behaviour{Starting: true}},
	} {
		providers[0].SetBehaviour(fault.is)
		v.more(3, fault.name)
		providers[0].SetBehaviour(simulator.Behaviour{})
		v.more(1, "after: "+fault.name)
	}
	// Two of three are gone at once.
	providers[0].SetBehaviour(simulator.Behaviour{Mode: simulator.ModeRefuse})
	providers[1].SetBehaviour(simulator.Behaviour{Mode: simulator.ModeHang})
	v.more(3, "two of three fail")
	v.leave()
	_, m := getJSON[wire.Metrics](p, "/metrics")
	require.Greater(t, m.FailoverEventsTotal, uint64(5), "the endpoints did fail")
}

// getFailover is whom requests go to first and how many may be asked.
func getFailover(p *process) (active, healthy int) {
	_, text := p.get("/health")
	var h struct {
		Failover struct{ ActiveIndex, HealthyEndpoints int }
	}
	_ = json.Unmarshal([]byte(text), &h)
	return h.Failover.ActiveIndex, h.Failover.HealthyEndpoints
}

func TestEthersNoticesNothingWhileAnvilsFail(t *testing.T) {
	t.Parallel()
	chain := node.Anvils(t, 31337, 3)
	chain.MineEvery(time.Second)
	var b strings.Builder
	b.WriteString("chains:\n  eth:\n    network: any\n    failover: {health_check_interval: 1s}\n    gateway: {attempt_timeout: 1s}\n    providers:\n")
	for i, name := range []string{"a", "b", "c"} {
		fmt.Fprintf(&b, "      - {name: %s, type: evm-rpc, rpc_host: %q}\n", name, chain.Node(i).URL())
	}
	p := startCommand(t, "run", nil, "--config.file="+file(t, "understudy.yml", b.String()))
	p.ready()
	p.eventually(func() bool { _, h := getFailover(p); return h == 3 }, "all are proven")
	v := visit(t, "ethers.cjs", "http://"+p.address+"/rpc/eth", "31337")
	v.more(3, "all is well")
	chain.Leave(0)
	chain.Node(0).Pause()
	v.more(5, "the active one hangs")
	chain.Node(0).Stop()
	v.more(5, "the active one is gone")
	v.leave()
	_, m := getJSON[wire.Metrics](p, "/metrics")
	require.Positive(t, m.Failover.Endpoints[0].TotalFailures, "the active one did fail")
	require.NotZero(t, m.Failover.ActiveIndex)
}
