package main

import (
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/units"
)

// What 0 and 1 mean where they mean yes and no.
var (
	serving = means(meaning{"0", "stands by", "super-light-blue"}, meaning{"1", "serves", "green"})
	ruling  = means(meaning{"0", "stands by", "super-light-blue"}, meaning{"1", "rules", "green"})
)

// firing are the alerts of the chains, whoever wrote their rules, and those of
// Understudy itself, which have no chain. The heartbeat always fires and says nothing.
const firing = `ALERTS{alertstate="firing", chain=~"$chain"}` +
	` or ALERTS{alertstate="firing", alertname=~"Understudy.+", alertname!="UnderstudyWatchdog", chain=~"$chain|"}`

// overview shows all chains at once.
func overview() *dashboard.DashboardBuilder {
	b := frame("understudy-overview", "Understudy / Overview", "Which provider serves each chain, and how much is left when it falters.").
		WithVariable(variable("chain", "Chain", "label_values(bifrost_provider_active, chain)")).
		Annotation(switches(`chain=~"$chain"`))
	return overviewHistory(overviewNow(b))
}

func overviewNow(b *dashboard.DashboardBuilder) *dashboard.DashboardBuilder {
	return b.WithRow(row("Now")).
		WithPanel(figure(panel{
			title: "Chains", description: "Chains that are watched.", unit: units.NoUnit,
			queries: []query{{expr: `count(sum by (chain) (bifrost_provider_active{chain=~"$chain"}))`, legend: "chains"}},
		})).
		WithPanel(figure(panel{
			title: "Chains without a provider", description: "Chains that nobody serves: clients have no answer.", unit: units.NoUnit,
			levels:  above("green", from(1, "red")),
			queries: []query{{expr: `sum(sum by (chain) (bifrost_provider_active{chain=~"$chain"}) == bool 0)`, legend: "chains"}},
		})).
		WithPanel(figure(panel{
			title: "Degraded chains", description: "Chains that are served by a provider which is not known to be fit.", unit: units.NoUnit,
			levels:  above("green", from(1, "orange")),
			queries: []query{{expr: `sum(max by (chain) (understudy_chain_degraded{chain=~"$chain"}))`, legend: "chains"}},
		})).
		WithPanel(figure(panel{
			title: "Healthy providers", description: "Share of all providers that are healthy.", unit: units.PercentUnit,
			levels: above("red", from(0.5, "orange"), from(1, "green")),
			queries: []query{{
				expr:   `avg(max by (chain, provider) (bifrost_provider_status{chain=~"$chain", status="healthy"}))`,
				legend: "healthy",
			}},
		})).
		WithPanel(figure(panel{
			title: "Failovers", description: "How often an active provider became unfit and another took over, in the time shown.", unit: units.NoUnit,
			levels:  above("green", from(1, "orange")),
			queries: []query{{expr: `round(sum(increase(bifrost_provider_failover_total{chain=~"$chain"}[$__range])))`, legend: "failovers"}},
		})).
		WithPanel(word(panel{
			title: "Evaluator", description: "Whose facts count: those that come through Alertmanager, or those of the local evaluator.", unit: units.NoUnit,
			queries: []query{{expr: `max by (source) (understudy_evaluator_active) == 1`, legend: "{{source}}"}},
		})).
		WithPanel(chains()).
		WithPanel(list(panel{
			title: "Alerts", description: "What fires now, but for the heartbeat.", unit: units.NoUnit, height: 6,
			queries: []query{{expr: `max by (alertname, chain, provider, severity, failure_mode) (` + firing + `)`}},
		}).WithTransformation(organized(map[string]string{
			"alertname": "Alert", "chain": "Chain", "provider": "Provider", "severity": "Severity", "failure_mode": "Way of failing",
		}, "Time", "Value")))
}

// chains is a line for each chain.
func chains() *tablePanel {
	t := list(panel{
		title: "Chains", description: "Each chain, with who serves it and who could take over. A click on a chain opens it.", unit: units.NoUnit,
		queries: []query{
			{expr: `max by (chain, provider) (bifrost_provider_active{chain=~"$chain"}) == 1`},
			{expr: `max by (chain) (chain:bifrost_block_height:tip{chain=~"$chain"})`},
			{expr: `time() - max by (chain) (chain:bifrost_provider_last_advance_timestamp_seconds:max{chain=~"$chain"})`},
			{expr: `sum by (chain) (max by (chain, provider) (bifrost_provider_status{chain=~"$chain", status="healthy"}))`},
			{expr: `count by (chain) (max by (chain, provider) (bifrost_provider_up{chain=~"$chain"}))`},
			{expr: `round(sum by (chain) (increase(understudy_switches_total{chain=~"$chain"}[$__range])))`},
		},
	})
	return t.
		WithTransformation(dashboard.DataTransformerConfig{Id: "joinByField", Options: map[string]any{"byField": "chain", "mode": "outer"}}).
		WithTransformation(organized(map[string]string{
			"chain": "Chain", "provider": "Active", "Value #B": "Tip", "Value #C": "Tip age",
			"Value #D": "Healthy", "Value #E": "Providers", "Value #F": "Switches",
		}, "Time", "Time 1", "Time 2", "Time 3", "Time 4", "Time 5", "Time 6", "Value #A")).
		OverrideByName("Tip age", []dashboard.DynamicConfigValue{{Id: "unit", Value: units.Seconds}, {Id: "decimals", Value: 0}}).
		OverrideByName("Chain", []dashboard.DynamicConfigValue{{Id: "links", Value: []map[string]any{{
			"title": "Open the chain", "url": "/d/understudy-chain?var-chain=${__value.raw}&${datasource:queryparam}&${__url_time_range}",
		}}}}).
		OverrideByName("Healthy", []dashboard.DynamicConfigValue{
			{Id: "thresholds", Value: map[string]any{"mode": "absolute", "steps": above("red", from(1, "orange"), from(2, "green"))}},
			{Id: "custom.cellOptions", Value: map[string]any{"type": "color-text"}},
		})
}

func overviewHistory(b *dashboard.DashboardBuilder) *dashboard.DashboardBuilder {
	return b.WithRow(row("History")).
		WithPanel(course(panel{
			title: "Who served", description: "When each provider served its chain.", unit: units.NoUnit, meanings: serving, height: 10,
			queries: []query{{expr: `max by (chain, provider) (bifrost_provider_active{chain=~"$chain"})`, legend: "{{chain}} / {{provider}}"}},
		})).
		WithPanel(graph(panel{
			title: "Healthy providers of each chain", description: "With one left, the next fault leaves the chain without a provider.", unit: units.NoUnit,
			queries: []query{{
				expr:   `sum by (chain) (max by (chain, provider) (bifrost_provider_status{chain=~"$chain", status="healthy"}))`,
				legend: "{{chain}}",
			}},
		}).Min(0).Decimals(0).LineInterpolation(common.LineInterpolationStepAfter)).
		WithPanel(graph(panel{
			title: "Age of the tip", description: "Time since any provider of the chain was last seen to grow.", unit: units.Seconds,
			queries: []query{{
				expr:   `time() - max by (chain) (chain:bifrost_provider_last_advance_timestamp_seconds:max{chain=~"$chain"})`,
				legend: "{{chain}}",
			}},
		}).Min(0)).
		WithPanel(bars(panel{
			title: "Switches", description: "How often another provider took over, and why.", unit: units.NoUnit,
			queries: []query{{expr: `sum by (chain, kind) (increase(understudy_switches_total{chain=~"$chain"}[$__rate_interval]))`, legend: "{{chain}}: {{kind}}"}},
		})).
		WithPanel(graph(panel{
			title: "Failed probes", description: "Share of the probes of all providers of the chain that failed.", unit: units.PercentUnit,
			queries: []query{{
				expr: `sum by (chain) (rate(bifrost_provider_errors_total{chain=~"$chain"}[$__rate_interval]))` +
					` / sum by (chain) (rate(bifrost_provider_probes_total{chain=~"$chain"}[$__rate_interval]))`,
				legend: "{{chain}}",
			}},
		}).Min(0).Max(1))
}
