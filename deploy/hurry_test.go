//go:build compose

package deploy_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// pace is a mounted configuration with what is shortened in it for the test, so
// that what takes minutes is seen in seconds. All else is as it is shipped.
type pace struct {
	file, mounted string
	services      []string
	changes       map[string]string
}

var paces = []pace{
	{
		"demo.yml", "/etc/understudy/understudy.yml", []string{"exporter", "controller"},
		map[string]string{"recovery_check_interval: 3s": "recovery_check_interval: 1s", "error_window: 15s": "error_window: 8s"},
	},
	{
		"prometheus.yml", "/etc/prometheus/prometheus.yml", []string{"prometheus"},
		map[string]string{"scrape_interval: 5s": "scrape_interval: 1s", "scrape_timeout: 4s": "scrape_timeout: 1s"},
	},
	{
		"alertmanager.yml", "/etc/alertmanager/alertmanager.yml", []string{"alertmanager"},
		map[string]string{"group_interval: 10s": "group_interval: 1s", "group_interval: 5s": "group_interval: 1s", "repeat_interval: 30s": "repeat_interval: 4s"},
	},
}

// hurried is an override file for docker-compose that holds the paces, and keeps
// the simulated providers from failing by their script.
func hurried(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	services := map[string]map[string]any{}
	for name, s := range compose(t).Services {
		services[name] = map[string]any{"healthcheck": map[string]string{"interval": "2s"}}
		if s.Profiles != nil {
			services[name]["environment"] = map[string]string{"UNDERSTUDY_PLAY": "false"}
		}
	}
	for _, p := range paces {
		text, err := os.ReadFile(filepath.Join("compose", p.file))
		require.NoError(t, err)
		changed := string(text)
		for from, to := range p.changes {
			require.Contains(t, changed, from, p.file)
			changed = strings.ReplaceAll(changed, from, to)
		}
		path := filepath.Join(dir, p.file)
		require.NoError(t, os.WriteFile(path, []byte(changed), 0o600))
		// Whoever the container runs as reads it.
		require.NoError(t, os.Chmod(path, 0o644))
		for _, name := range p.services {
			services[name]["volumes"] = []string{path + ":" + p.mounted + ":ro"}
		}
	}
	services["prometheus"]["command"] = append(compose(t).Services["prometheus"].Command, "--rules.alert.resend-delay=2s")
	// Two and a half times the repetition of the watchdog, and what Prometheus takes
	// to evaluate and to tell again.
	services["controller"]["environment"] = map[string]string{
		"UNDERSTUDY_ALERTMANAGER_WATCHDOG_LIMIT": "12s",
		"UNDERSTUDY_ALERTMANAGER_RESEND_LIMIT":   "12s",
	}
	text, err := yaml.Marshal(map[string]any{"services": services})
	require.NoError(t, err)
	path := filepath.Join(dir, "override.yml")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}
