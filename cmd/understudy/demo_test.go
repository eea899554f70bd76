package main

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
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
