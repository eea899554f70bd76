// Package deploy holds the configuration files of the programs around
// Understudy as they are shipped, for everybody who writes them out or checks
// them. It holds no code.
package deploy

import "embed"

// The chart carries copies, as Helm reads nothing outside its folder.
//go:generate cp ../rules/providers.yml ../rules/chains.yml ../rules/pipeline.yml kubernetes/understudy/files/rules/
//go:generate cp ../dashboards/overview.json ../dashboards/chain.json ../dashboards/gateway.json ../dashboards/understudy.json kubernetes/understudy/files/dashboards/

// Files are the configurations of Prometheus and Alertmanager, each in the folder
// of its program.
//
//go:embed prometheus/prometheus.yml alertmanager/alertmanager.yml
var Files embed.FS
