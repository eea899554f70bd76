//go:build e2e

package clients

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

	"github.com/understudy-rpc/understudy/internal/node"
)

// visitor is a client program in JavaScript that goes through its calls round
// after round.
type visitor struct {
	t     testing.TB
	input io.Closer
	// seen are the blocks that it was told of.
	seen *sightings

	mu     sync.Mutex
	rounds int
	errors []string
	stderr strings.Builder
	ended  chan struct{}
}

// visit starts a script of the folder javascript.
func visit(t testing.TB, seen *sightings, script string, args ...string) *visitor {
	t.Helper()
	modules, err := filepath.Abs(filepath.Join("..", "..", ".cache", "javascript", "node_modules"))
	require.NoError(t, err)
	require.DirExists(t, modules, "the client libraries are not there: run make setup")
	v := &visitor{t: t, seen: seen, ended: make(chan struct{})}
	cmd := exec.Command(node.Binary(t, "node"), append([]string{filepath.Join("javascript", script)}, args...)...)
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
		var round struct {
			Errors []string
			Blocks []block
		}
		err := json.Unmarshal(lines.Bytes(), &round)
		v.mu.Lock()
		v.rounds++
		for _, one := range round.Errors {
			v.errors = append(v.errors, fmt.Sprintf("round %d: %s", v.rounds, one))
		}
		if err != nil {
			v.errors = append(v.errors, "not a round: "+lines.Text())
		}
		v.mu.Unlock()
		for _, b := range round.Blocks {
			v.seen.add(b.Height, b.Hash)
		}
	}
}

func (v *visitor) more(rounds int, what string) {
	v.t.Helper()
	v.mu.Lock()
	want := v.rounds + rounds
	v.mu.Unlock()
	require.Eventually(v.t, func() bool {
		v.mu.Lock()
		defer v.mu.Unlock()
		return v.rounds >= want
	}, 2*time.Minute, 20*time.Millisecond, what)
}

func (v *visitor) quiet() {
	v.t.Helper()
	require.NoError(v.t, v.input.Close())
	<-v.ended
	require.Empty(v.t, v.errors, "after %d rounds", v.rounds)
}
