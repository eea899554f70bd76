package main

import (
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/units"
)

// states are the numbers that the state timeline gives to states.
var states = means(
	meaning{"0", "unknown", "text"}, meaning{"1", "healthy", "green"},
	meaning{"2", "recovering", "yellow"}, meaning{"3", "unhealthy", "red"},
)

// of is the selector of the providers that are looked at.
const of = `chain=~"$chain", provider=~"$provider"`

// chain shows one chain with its providers.
func chain() *dashboard.DashboardBuilder {
	b := frame("understudy-chain", "Understudy / Chain", "One chain: the states of its providers, what they report, and how fast and how well they answer.").
		WithVariable(one("chain", "Chain", "label_values(bifrost_provider_active, chain)")).
		WithVariable(variable("provider", "Provider", `label_values(bifrost_provider_active{chain=~"$chain"}, provider)`)).
		Annotation(switches(`chain=~"$chain"`))
	return chainTrust(chainProbes(chainHeights(chainStates(b))))
}

func chainStates(b *dashboard.DashboardBuilder) *dashboard.DashboardBuilder {
	return b.WithRow(row("Who serves")).
		WithPanel(word(panel{
			title: "Active", description: "The provider that serves the chain.", unit: units.NoUnit,
			queries: []query{{expr: `max by (provider) (bifrost_provider_active{chain=~"$chain"}) == 1`, legend: "{{provider}}"}},
		})).
		WithPanel(figure(panel{
			title: "Healthy providers", description: "Providers that could serve the chain now.", unit: units.NoUnit,
			levels:  above("red", from(1, "orange"), from(2, "green")),
			queries: []query{{expr: `sum(max by (provider) (bifrost_provider_status{chain=~"$chain", status="healthy"}))`, legend: "healthy"}},
		})).
		WithPanel(figure(panel{
			title: "Tip", description: "Height on which the operators agree.", unit: units.NoUnit,
			queries: []query{{expr: `max(chain:bifrost_block_height:tip{chain=~"$chain"})`, legend: "tip"}},
		})).
		WithPanel(figure(panel{
			title: "Age of the tip", description: "Time since any provider was last seen to grow.", unit: units.Seconds,
			queries: []query{{expr: `time() - max(chain:bifrost_provider_last_advance_timestamp_seconds:max{chain=~"$chain"})`, legend: "age"}},
		}).Decimals(0)).
		WithPanel(figure(panel{
			title: "Failovers", description: "How often the active provider became unfit, in the time shown.", unit: units.NoUnit,
			levels:  above("green", from(1, "orange")),
			queries: []query{{expr: `round(sum(increase(bifrost_provider_failover_total{chain=~"$chain"}[$__range])))`, legend: "failovers"}},
		})).
		WithPanel(figure(panel{
			title: "Split", description: "Whether the operators disagree on a block and none has a majority.", unit: units.NoUnit,
			levels:   above("green", from(1, "red")),
			meanings: means(meaning{"0", "agree", "green"}, meaning{"1", "split", "red"}),
			queries:  []query{{expr: `max(bifrost_chain_split{chain=~"$chain"})`, legend: "split"}},
		})).
		WithPanel(course(panel{
			title: "States", description: "In which state each provider was.", unit: units.NoUnit, meanings: states, height: 6,
			queries: []query{{
				expr: `max by (provider) (bifrost_provider_status{` + of + `, status="healthy"})` +
					` + 2 * max by (provider) (bifrost_provider_status{` + of + `, status="recovering"})` +
					` + 3 * max by (provider) (bifrost_provider_status{` + of + `, status="unhealthy"})`,
				legend: "{{provider}}",
			}},
		})).
		WithPanel(course(panel{
			title: "Active provider", description: "When each provider served the chain.", unit: units.NoUnit, meanings: serving, height: 6,
			queries: []query{{expr: `max by (provider) (bifrost_provider_active{` + of + `})`, legend: "{{provider}}"}},
		})).
		WithPanel(list(panel{
			title: "Alerts", description: "What fires now.", unit: units.NoUnit, height: 6,
			queries: []query{{expr: `max by (alertname, provider, severity, failure_mode) (ALERTS{alertstate="firing", chain=~"$chain"})`}},
		}).WithTransformation(organized(map[string]string{
			"alertname": "Alert", "provider": "Provider", "severity": "Severity", "failure_mode": "Way of failing",
		}, "Time", "Value")))
}

func chainHeights(b *dashboard.DashboardBuilder) *dashboard.DashboardBuilder {
	return b.WithRow(row("Heights")).
		WithPanel(graph(panel{
			title: "Height", description: "Newest block that each provider reports, and the height on which the operators agree.", unit: units.NoUnit,
			queries: []query{
				{expr: `max by (provider) (bifrost_provider_block_height{` + of + `})`, legend: "{{provider}}"},
				{expr: `max(chain:bifrost_block_height:tip{chain=~"$chain"})`, legend: "tip"},
			},
		})).
		WithPanel(graph(panel{
			title: "Blocks behind the tip", description: "Below zero: ahead of it. Above the limit, a provider is unfit.", unit: units.NoUnit,
			queries: []query{
				{expr: `max by (provider) (chain_provider:bifrost_block_lag:blocks{` + of + `})`, legend: "{{provider}}"},
				{expr: `max(bifrost_failover_max_block_lag{chain=~"$chain"})`, legend: "limit"},
			},
		})).
		WithPanel(graph(panel{
			title: "Time since the last advance", description: "The one clock that a provider cannot fake. Above the limit it is stalled, if others move.", unit: units.Seconds,
			queries: []query{
				{expr: `time() - max by (provider) (bifrost_provider_last_advance_timestamp_seconds{` + of + `})`, legend: "{{provider}}"},
				{expr: `max(bifrost_failover_stall_timeout_seconds{chain=~"$chain"})`, legend: "limit"},
			},
		}).Min(0)).
		WithPanel(graph(panel{
			title: "Steps back", description: "Largest step back of the height within a minute: one address with backends that disagree.", unit: units.NoUnit,
			queries: []query{{expr: `max by (provider) (bifrost_provider_height_jitter_blocks{` + of + `})`, legend: "{{provider}}"}},
		}).Min(0).LineInterpolation(common.LineInterpolationStepAfter))
}

func chainProbes(b *dashboard.DashboardBuilder) *dashboard.DashboardBuilder {
	return b.WithRow(row("Probes")).
		WithPanel(graph(panel{
			title: "Latency", description: "Rolling average of the request for the height. Above the limit, a provider is too slow.", unit: units.Milliseconds,
			queries: []query{
				{expr: `max by (provider) (bifrost_provider_latency_ms{` + of + `})`, legend: "{{provider}}"},
				{expr: `max(bifrost_failover_max_latency_ms{chain=~"$chain"})`, legend: "limit"},
			},
		}).Min(0)).
		WithPanel(heat(panel{
			title: "Duration of probes", description: "How the durations of whole probes spread, connecting included.", unit: units.Seconds,
			queries: []query{{expr: `sum by (le) (increase(bifrost_provider_probe_duration_seconds_bucket{` + of + `}[$__rate_interval]))`}},
		})).
		WithPanel(bars(panel{
			title: "Failed probes by reason", description: "Failed probes, in each step of the graph.", unit: units.NoUnit,
			queries: []query{{
				expr:   `sum by (provider, reason) (increase(bifrost_provider_failures_total{` + of + `}[$__rate_interval])) > 0`,
				legend: "{{provider}}: {{reason}}",
			}},
		})).
		WithPanel(graph(panel{
			title: "Errors in the window", description: "Failed probes within the window of the policy. At the limit, a provider is unfit.", unit: units.NoUnit,
			queries: []query{
				{expr: `max by (provider) (bifrost_provider_window_errors{` + of + `})`, legend: "{{provider}}"},
				{expr: `max(bifrost_failover_error_threshold{chain=~"$chain"})`, legend: "limit"},
			},
		}).Min(0)).
		WithPanel(graph(panel{
			title: "Probes", description: "Probes with a verdict; a paid provider bills their requests.", unit: units.OpsPerSecond,
			queries: []query{{expr: `sum by (provider) (rate(bifrost_provider_probes_total{` + of + `}[$__rate_interval]))`, legend: "{{provider}}"}},
		}).Min(0)).
		WithPanel(graph(panel{
			title: "Time since the last probe", description: "Nothing is known of a provider that is not probed.", unit: units.Seconds,
			queries: []query{{expr: `time() - max by (provider) (bifrost_provider_last_probe_timestamp_seconds{` + of + `})`, legend: "{{provider}}"}},
		}).Min(0))
}

func chainTrust(b *dashboard.DashboardBuilder) *dashboard.DashboardBuilder {
	return b.WithRow(row("Trust")).
		WithPanel(course(panel{
			title: "Agreement with the others", description: "Whether the provider contradicts the majority of operators in the hash of a block or in its transactions.",
			unit: units.NoUnit, meanings: means(meaning{"0", "agrees", "green"}, meaning{"1", "contradicts", "red"}), width: 12,
			queries: []query{{expr: `max by (provider, check) (bifrost_provider_inconsistent{` + of + `})`, legend: "{{provider}}: {{check}}"}},
		})).
		WithPanel(course(panel{
			title: "Network", description: "Whether the provider serves the chain's network.",
			unit: units.NoUnit, meanings: means(meaning{"0", "right", "green"}, meaning{"1", "wrong", "red"}), width: 12,
			queries: []query{{expr: `max by (provider) (bifrost_provider_network_mismatch{` + of + `})`, legend: "{{provider}}"}},
		})).
		WithPanel(list(panel{
			title: "Providers", description: "What is configured for each provider.", unit: units.NoUnit, width: 12,
			queries: []query{
				{expr: `max by (provider, type, operator) (bifrost_provider_info{` + of + `})`},
				{expr: `max by (provider) (bifrost_provider_priority{` + of + `})`},
				{expr: `max by (provider) (understudy_provider_drained{` + of + `})`},
			},
		}).
			WithTransformation(dashboard.DataTransformerConfig{Id: "joinByField", Options: map[string]any{"byField": "provider", "mode": "outer"}}).
			WithTransformation(organized(map[string]string{
				"provider": "Provider", "type": "Type", "operator": "Operator", "Value #B": "Priority", "Value #C": "Drained",
			}, "Time", "Time 1", "Time 2", "Time 3", "Value #A"))).
		WithPanel(list(panel{
			title: "Capabilities", description: "What consumers can ask for. 0: a probe showed that the provider has it not.", unit: units.NoUnit, width: 12,
			meanings: means(meaning{"0", "no", "red"}, meaning{"1", "yes", "green"}),
			queries:  []query{{expr: `max by (provider, capability) (bifrost_provider_capability{` + of + `})`}},
		}).WithTransformation(organized(map[string]string{"provider": "Provider", "capability": "Capability", "Value": "Has it"}, "Time")))
}
