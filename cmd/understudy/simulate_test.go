package main

import (
	"net/http"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestALoneSimulatedProviderAnswersAndIsWell(t *testing.T) {
	t.Parallel()
	for who, question := range map[string]string{
		"eth/own-node":     `{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}`,
		"btc/local-daemon": `{"jsonrpc":"1.0","id":1,"method":"getblockcount","params":[]}`,
	} {
		p := startCommand(t, "simulate", nil, "--no-play", who)
		status, body := p.do(http.MethodPost, "/", question)
		require.Equal(t, http.StatusOK, status, body)
		require.Contains(t, body, `"result"`)
		require.Equal(t, exitOK, call(nil, "healthcheck", "--controller.url=http://"+p.address).status)
		require.Equal(t, exitOK, p.stop(syscall.SIGTERM))
	}
}

func TestSimulatingNobodyIsRefused(t *testing.T) {
	t.Parallel()
	r := call(nil, "simulate", "eth/nobody")
	require.Equal(t, exitUsage, r.status)
	require.Equal(t, "understudy: the script has no provider eth/nobody\n", r.stderr)
}
