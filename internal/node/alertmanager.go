package node

import (
	"context"
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
	file := filepath.Join(tb.TempDir(), "alertmanager.yml")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		tb.Fatalf("node alertmanager: %v", err)
	}
	return AlertmanagerAt(tb, FreeAddress(tb), file)
}

// AlertmanagerAt starts Debian's Alertmanager on an address with a configuration
// file, next to which are the files that it names.
func AlertmanagerAt(tb testing.TB, address, file string) *AlertmanagerNode {
	tb.Helper()
	dir := tb.TempDir()
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
		Ready: func(ctx context.Context) error { return answersWell(ctx, n.URL.JoinPath("-", "ready").String()) },
	})
	return n
}
