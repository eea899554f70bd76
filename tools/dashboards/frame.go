package main

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
)

// tag is on every dashboard of ours; their links to each other go by it.
const tag = "understudy"

// source is the data source that the reader chose.
var source = common.DataSourceRef{Type: cog.ToPtr("prometheus"), Uid: cog.ToPtr("${datasource}")}

// frame begins a dashboard: all that does not depend on its panels.
func frame(uid, title, description string) *dashboard.DashboardBuilder {
	return dashboard.NewDashboardBuilder(title).
		Uid(uid).
		Description(description).
		Tags([]string{tag, "blockchain"}).
		Readonly().
		Timezone("browser").
		Time("now-1h", "now").
		Refresh("10s").
		Tooltip(dashboard.DashboardCursorSyncCrosshair).
		Link(dashboard.NewDashboardLinkBuilder("Dashboards").
			Type(dashboard.DashboardLinkTypeDashboards).Tags([]string{tag}).
			AsDropdown(true).KeepTime(true).IncludeVars(true)).
		Link(dashboard.NewDashboardLinkBuilder("Runbook").
			Type(dashboard.DashboardLinkTypeLink).Icon("doc").TargetBlank(true).
			Url("https://github.com/understudy-rpc/understudy/blob/main/docs/runbook.md")).
		WithVariable(dashboard.NewDatasourceVariableBuilder("datasource").
			Label("Data source").Type("prometheus"))
}

// variable is one that takes its values from a query. Several values can be
// chosen, and all are at first.
func variable(name, label, values string) *dashboard.QueryVariableBuilder {
	return one(name, label, values).Multi(true).IncludeAll(true).AllValue(".+").
		Current(dashboard.VariableOption{
			Selected: cog.ToPtr(true),
			Text:     dashboard.StringOrArrayOfString{ArrayOfString: []string{"All"}},
			Value:    dashboard.StringOrArrayOfString{ArrayOfString: []string{"$__all"}},
		})
}

// one is a variable with a single value.
func one(name, label, values string) *dashboard.QueryVariableBuilder {
	return dashboard.NewQueryVariableBuilder(name).
		Label(label).
		Datasource(source).
		Query(dashboard.StringOrMap{Map: map[string]any{"query": values, "refId": "StandardVariableQuery"}}).
		Definition(values).
		Refresh(dashboard.VariableRefreshOnTimeRangeChanged).
		Sort(dashboard.VariableSortNaturalAsc)
}

// switches marks in every graph when another provider took over.
func switches(selector string) *dashboard.AnnotationQueryBuilder {
	return dashboard.NewAnnotationQueryBuilder().
		Name("Switches").
		Datasource(source).
		Enable(true).
		IconColor("orange").
		Target(prometheus.NewDataqueryBuilder().RefId("Switches").Range().
			Expr(`sum by (chain, kind) (increase(understudy_switches_total{` + selector + `}[$__rate_interval])) > 0`)).
		TitleFormat("{{chain}}: {{kind}}").
		TextFormat("Another provider serves {{chain}}.").
		TagKeys("kind")
}

// row is the headline of the panels that follow it.
func row(title string) *dashboard.RowBuilder { return dashboard.NewRowBuilder(title) }
