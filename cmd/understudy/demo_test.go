package main

import (
	"bytes"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/demo"
)

func TestADemonstrationThatCannotListenDoesNotSayThatItStaysUp(t *testing.T) {
	t.Parallel()
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = busy.Close() })
	for _, args := range [][]string{{"demo"}, {"demo", "--once"}} {
		r := call(nil, append(args, "--web.listen-address="+busy.Addr().String())...)
		require.Equal(t, exitFailed, r.status)
		require.Contains(t, r.stderr, "address already in use")
		require.NotContains(t, r.stdout, "The script is over", "it was broken off")
		require.NotContains(t, r.stdout, "stays up")
	}
}

func TestTheDemonstrationSaysHowItIsAsked(t *testing.T) {
	t.Parallel()
	scenario, err := demo.Default()
	require.NoError(t, err)
	for at, want := range map[string]string{
		"http://127.0.0.1:9477":  "understudy status --watch\n",
		"http://127.0.0.1:19477": "understudy status --watch --controller.url=http://127.0.0.1:19477\n",
	} {
		var out bytes.Buffer
		n := &narrator{program: &program{stdout: &out}}
		n.welcome(scenario, at)
		require.Contains(t, out.String(), want)
	}
}
