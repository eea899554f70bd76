package node

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"
)

// AlertmanagerNode is an Alertmanager that keeps its silences over a restart,
// and, as every Alertmanager, none of its alerts.
type AlertmanagerNode struct {
	*Process
	// URL is where it answers, without /api.
	URL *url.URL
}

// Alertmanager starts Debian's Alertmanager with a configuration.
func Alertmanager(tb testing.TB, config string) *AlertmanagerNode {
	tb.Helper()
	dir, address := tb.TempDir(), freeAddress(tb)
	file := filepath.Join(dir, "alertmanager.yml")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		tb.Fatalf("node alertmanager: %v", err)
	}
	n := &AlertmanagerNode{URL: &url.URL{Scheme: "http", Host: address}}
	n.Process = Start(tb, Spec{
		Name:   "alertmanager",
		Binary: "prometheus-alertmanager",
		Dir:    dir,
		Args: []string{
			"--config.file=" + file,
			"--storage.path=" + filepath.Join(dir, "data"),
			"--web.listen-address=" + address,
			// No cluster: it would listen on every address.
			"--cluster.listen-address=",
		},
		Ready: n.ready,
	})
	return n
}

// ready returns nil once Alertmanager answers.
func (n *AlertmanagerNode) ready(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, n.URL.JoinPath("-", "ready").String(), nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: status %d", response.StatusCode)
	}
	return nil
}
