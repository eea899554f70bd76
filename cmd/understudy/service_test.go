package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPathsThatNoPageCanHaveAreRefusedAtStart(t *testing.T) {
	t.Parallel()
	path, _ := ethereum(t, "a", "b")
	for name, flag := range map[string]string{
		"metrics without a slash":               "--web.telemetry-path=metrics",
		"metrics nowhere":                       "--web.telemetry-path=",
		"metrics under a pattern":               "--web.telemetry-path=/{metrics",
		"metrics under everything":              "--web.telemetry-path=/*",
		"a prefix that is a pattern":            "--web.route-prefix=/{a",
		"an external URL whose path is pattern": "--web.external-url=http://understudy.example/%7Ba",
	} {
		for _, command := range []string{"run", "exporter", "controller"} {
			t.Run(name+", "+command, func(t *testing.T) {
				t.Parallel()
				args := []string{command, "--config.file=" + path, "--web.listen-address=127.0.0.1:0", flag}
				if command != "exporter" {
					args = append(args, "--storage.path="+t.TempDir())
				}
				r := call(nil, args...)
				require.Equal(t, exitUsage, r.status)
				require.Regexp(t, `--web\.(telemetry-path|route-prefix): ".*" is not a path`, r.stderr)
			})
		}
	}
}
