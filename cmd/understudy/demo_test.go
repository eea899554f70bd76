package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/demo"
)

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
