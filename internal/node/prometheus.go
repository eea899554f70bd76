package node

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"testing"
)

// PrometheusNode is a Prometheus that keeps its samples over a restart.
type PrometheusNode struct {
	*Process
	// URL is where it answers, without /api.
	URL *url.URL
}

// PrometheusAt starts Debian's Prometheus on an address with a configuration
// file, next to which are the files that it names. Further arguments are added
// to its own.
func PrometheusAt(tb testing.TB, address, file string, args ...string) *PrometheusNode {
	tb.Helper()
	dir := tb.TempDir()
	n := &PrometheusNode{URL: &url.URL{Scheme: "http", Host: address}}
	n.Process = Start(tb, Spec{
		Name:   "prometheus",
		Binary: "prometheus",
		Dir:    dir,
		Args: append([]string{
			"--config.file=" + file,
			"--storage.tsdb.path=" + filepath.Join(dir, "data"),
			"--web.listen-address=" + address,
		}, args...),
		Ready: func(ctx context.Context) error { return answersWell(ctx, n.URL.JoinPath("-", "ready").String()) },
	})
	return n
}

// answersWell returns nil if a page can be had.
func answersWell(ctx context.Context, page string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return err
	}
	response, err := rpcClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: status %d", response.StatusCode)
	}
	return nil
}
