// Package deploy holds the configuration files of the programs around
// Understudy as they are shipped, for everybody who writes them out or checks
// them. It holds no code.
package deploy

import "embed"

// Files are the configurations of Prometheus and Alertmanager, each in the folder
// of its program.
//
//go:embed prometheus/prometheus.yml alertmanager/alertmanager.yml
var Files embed.FS
