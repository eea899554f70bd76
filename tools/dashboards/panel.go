package main

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/variants"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/heatmap"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/statetimeline"
	"github.com/grafana/grafana-foundation-sdk/go/table"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

// panel says what a panel shows. How, says the function that draws it.
type panel struct {
	title, description string
	// unit is Grafana's word for the unit of all its values.
	unit string
	// width and height are in cells of the grid, which is 24 wide; 0: as is usual
	// for the kind.
	width, height uint32
	queries       []query
	// meanings give values a word and a colour; levels give them a colour alone.
	meanings []dashboard.ValueMapping
	levels   []dashboard.Threshold
}

// query is a PromQL expression and the name of its series.
type query struct {
	expr, legend string
	format       prometheus.PromQueryFormat
	instant      bool
}

// drawing is what the builders of all kinds of panels have in common.
type drawing[B any] interface {
	Title(string) B
	Description(string) B
	Datasource(common.DataSourceRef) B
	Height(uint32) B
	Span(uint32) B
	Unit(string) B
	NoValue(string) B
	Mappings([]dashboard.ValueMapping) B
	Thresholds(cog.Builder[dashboard.ThresholdsConfig]) B
	WithTarget(cog.Builder[variants.Dataquery]) B
}

// draw hands to a builder what it has in common with the others.
func draw[B drawing[B]](b B, p panel, width, height uint32) B {
	if p.width != 0 {
		width = p.width
	}
	if p.height != 0 {
		height = p.height
	}
	b = b.Title(p.title).Description(p.description).Datasource(source).Span(width).Height(height).Unit(p.unit).NoValue("no data")
	if p.meanings != nil {
		b = b.Mappings(p.meanings)
	}
	if p.levels != nil {
		b = b.Thresholds(dashboard.NewThresholdsConfigBuilder().Mode(dashboard.ThresholdsModeAbsolute).Steps(p.levels))
	}
	for i, q := range p.queries {
		t := prometheus.NewDataqueryBuilder().Datasource(source).RefId(string(rune('A' + i))).Expr(q.expr).
			LegendFormat(q.legend).EditorMode(prometheus.QueryEditorModeCode)
		if q.format != "" {
			t = t.Format(q.format)
		}
		if q.instant {
			t = t.Instant()
		} else {
			t = t.Range()
		}
		b = b.WithTarget(t)
	}
	return b
}

// figure shows the last value large.
func figure(p panel) *stat.PanelBuilder {
	for i := range p.queries {
		p.queries[i].instant = true
	}
	return draw(stat.NewPanelBuilder(), p, 4, 4).
		ColorMode(common.BigValueColorModeValue).
		GraphMode(common.BigValueGraphModeNone).
		ReduceOptions(common.NewReduceDataOptionsBuilder().Calcs([]string{"lastNotNull"}))
}

// word shows the name of each series in place of its value.
func word(p panel) *stat.PanelBuilder {
	return figure(p).TextMode(common.BigValueTextModeName)
}

// graph shows how values went.
func graph(p panel) *timeseries.PanelBuilder {
	return draw(timeseries.NewPanelBuilder(), p, 12, 8).
		LineWidth(1).FillOpacity(5).ShowPoints(common.VisibilityModeNever).
		Legend(common.NewVizLegendOptionsBuilder().ShowLegend(true).
			DisplayMode(common.LegendDisplayModeTable).Placement(common.LegendPlacementBottom).Calcs([]string{"lastNotNull", "max"})).
		Tooltip(common.NewVizTooltipOptionsBuilder().Mode(common.TooltipDisplayModeMulti).Sort(common.SortOrderDescending))
}

// bars shows how often something happened, one bar for each step.
func bars(p panel) *timeseries.PanelBuilder {
	return graph(p).DrawStyle(common.GraphDrawStyleBars).FillOpacity(60).Min(0).
		Stacking(common.NewStackingConfigBuilder().Mode(common.StackingModeNormal))
}

// course shows through which states each series went.
func course(p panel) *statetimeline.PanelBuilder {
	return draw(statetimeline.NewPanelBuilder(), p, 24, 8).
		ShowValue(common.VisibilityModeNever).MergeValues(true).LineWidth(0).FillOpacity(80).
		Legend(common.NewVizLegendOptionsBuilder().ShowLegend(true).
			DisplayMode(common.LegendDisplayModeList).Placement(common.LegendPlacementBottom)).
		Tooltip(common.NewVizTooltipOptionsBuilder().Mode(common.TooltipDisplayModeSingle))
}

// heat shows how the values of a histogram spread.
func heat(p panel) *heatmap.PanelBuilder {
	for i := range p.queries {
		p.queries[i].format, p.queries[i].legend = prometheus.PromQueryFormatHeatmap, "{{le}}"
	}
	return draw(heatmap.NewPanelBuilder(), p, 12, 8).
		Calculate(false).
		YAxis(heatmap.NewYAxisConfigBuilder().Unit(p.unit)).
		Color(heatmap.NewHeatmapColorOptionsBuilder().Mode(heatmap.HeatmapColorModeScheme).Scheme("Oranges").Steps(64))
}

// list shows the values of now in a table.
func list(p panel) *table.PanelBuilder {
	for i := range p.queries {
		p.queries[i].instant, p.queries[i].format = true, prometheus.PromQueryFormatTable
	}
	return draw(table.NewPanelBuilder(), p, 24, 8).Filterable(true)
}

// above colours values: from each level on, in its colour.
func above(base string, levels ...dashboard.Threshold) []dashboard.Threshold {
	return append([]dashboard.Threshold{{Color: base}}, levels...)
}

func from(value float64, color string) dashboard.Threshold {
	return dashboard.Threshold{Value: &value, Color: color}
}

// meaning gives a value a word and a colour.
type meaning struct{ value, text, color string }

func means(all ...meaning) []dashboard.ValueMapping {
	m := dashboard.NewValueMap()
	for i, one := range all {
		m.Options[one.value] = dashboard.ValueMappingResult{Text: &one.text, Color: &one.color, Index: cog.ToPtr(int32(i))}
	}
	return []dashboard.ValueMapping{{ValueMap: m}}
}

// tablePanel is a table that is still being described.
type tablePanel = table.PanelBuilder

// organized names the columns of a table anew and leaves some out.
func organized(names map[string]string, without ...string) dashboard.DataTransformerConfig {
	left := map[string]bool{}
	for _, name := range without {
		left[name] = true
	}
	return dashboard.DataTransformerConfig{Id: "organize", Options: map[string]any{"renameByName": names, "excludeByName": left}}
}
