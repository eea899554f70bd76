package main

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheStatusPageTakesTheRootOfRun(t *testing.T) {
	t.Parallel()
	path, _ := ethereum(t, "a", "b")
	p := startCommand(t, "run", nil, "--config.file="+path)
	p.ready()
	p.eventually(func() bool { status, _ := p.get("/chains/eth"); return status == http.StatusOK }, "the chain is decided")
	for page, text := range map[string]string{
		"/": "Who serves each chain", "/chains/eth": "Providers of eth",
		"/exporter": "<table", "/metrics": "bifrost_provider_up", "/active": `"index"`,
	} {
		status, body := p.get(page)
		require.Equal(t, http.StatusOK, status, page)
		require.Contains(t, body, text, page)
	}
	_, exporter := p.get("/exporter")
	require.NotContains(t, exporter, "Who serves each chain", "the exporter's own table")
	_, body := p.get("/")
	require.Contains(t, body, `href="./exporter"`)
	status, _ := p.get("/chains/none")
	require.Equal(t, http.StatusNotFound, status)
}

func TestAControllerAloneHasTheStatusPageAndNoTableOfAnExporter(t *testing.T) {
	t.Parallel()
	path, _ := ethereum(t, "a")
	p := startCommand(t, "controller", nil, "--config.file="+path, "--exporter.url=http://"+freeAddress(t))
	_, body := p.get("/")
	require.Contains(t, body, "Understudy")
	require.Contains(t, body, "Not ready: the rules were not evaluated yet")
	require.NotContains(t, body, "exporter\"")
	status, _ := p.get("/exporter")
	require.Equal(t, http.StatusNotFound, status)
}
