package main

import (
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/units"
)

// gateway shows what goes through the gateway.
func gateway() *dashboard.DashboardBuilder {
	b := frame("understudy-gateway", "Understudy / Gateway", "Requests that clients send through the gateway, and what becomes of them.").
		WithVariable(variable("chain", "Chain", "label_values(understudy_gateway_in_flight_requests, chain)")).
		Annotation(switches(`chain=~"$chain"`))
	return gatewayProviders(gatewayClients(b))
}

func gatewayClients(b *dashboard.DashboardBuilder) *dashboard.DashboardBuilder {
	return b.WithRow(row("Clients")).
		WithPanel(figure(panel{
			title: "Requests", description: "Requests of clients.", unit: units.RequestsPerSecond, width: 6,
			queries: []query{{expr: `sum(rate(understudy_gateway_answers_total{chain=~"$chain"}[$__rate_interval]))`, legend: "requests"}},
		})).
		WithPanel(figure(panel{
			title: "Without an answer", description: "Share of the requests that nobody could answer, or whose answer broke off.", unit: units.PercentUnit, width: 6,
			levels: above("green", from(0.001, "orange"), from(0.01, "red")),
			queries: []query{{
				expr: `sum(rate(understudy_gateway_answers_total{chain=~"$chain", result=~"failed|aborted"}[$__rate_interval]))` +
					` / sum(rate(understudy_gateway_answers_total{chain=~"$chain"}[$__rate_interval]))`,
				legend: "failed",
			}},
		})).
		WithPanel(figure(panel{
			title: "Under way", description: "Requests of clients that are being answered.", unit: units.NoUnit, width: 6,
			queries: []query{{expr: `sum(understudy_gateway_in_flight_requests{chain=~"$chain"})`, legend: "under way"}},
		})).
		WithPanel(figure(panel{
			title: "WebSockets", description: "Open WebSockets.", unit: units.NoUnit, width: 6,
			queries: []query{{expr: `sum(understudy_gateway_websockets{chain=~"$chain"})`, legend: "open"}},
		})).
		WithPanel(graph(panel{
			title: "Requests by result", description: "How requests of clients ended.", unit: units.RequestsPerSecond,
			queries: []query{{expr: `sum by (chain, result) (rate(understudy_gateway_answers_total{chain=~"$chain"}[$__rate_interval]))`, legend: "{{chain}}: {{result}}"}},
		}).Min(0)).
		WithPanel(graph(panel{
			title: "Time to the whole answer", description: "Median and 99th percentile.", unit: units.Seconds,
			queries: []query{
				{expr: `histogram_quantile(0.5, sum by (chain, le) (rate(understudy_gateway_request_duration_seconds_bucket{chain=~"$chain"}[$__rate_interval])))`, legend: "{{chain}}: median"},
				{expr: `histogram_quantile(0.99, sum by (chain, le) (rate(understudy_gateway_request_duration_seconds_bucket{chain=~"$chain"}[$__rate_interval])))`, legend: "{{chain}}: 99 %"},
			},
		}).Min(0)).
		WithPanel(heat(panel{
			title: "Durations", description: "How the times to the whole answer spread.", unit: units.Seconds,
			queries: []query{{expr: `sum by (le) (increase(understudy_gateway_request_duration_seconds_bucket{chain=~"$chain"}[$__rate_interval]))`}},
		})).
		WithPanel(graph(panel{
			title: "Providers asked for one request", description: "Average. Above 1, the first choice often fails or is hedged.", unit: units.NoUnit,
			queries: []query{{
				expr: `sum by (chain) (rate(understudy_gateway_attempts_sum{chain=~"$chain"}[$__rate_interval]))` +
					` / sum by (chain) (rate(understudy_gateway_attempts_count{chain=~"$chain"}[$__rate_interval]))`,
				legend: "{{chain}}",
			}},
		}).Min(0).Decimals(2))
}

func gatewayProviders(b *dashboard.DashboardBuilder) *dashboard.DashboardBuilder {
	return b.WithRow(row("Providers")).
		WithPanel(graph(panel{
			title: "Requests to providers", description: "Requests that the gateway sent, retries and hedges included.", unit: units.RequestsPerSecond,
			queries: []query{{
				expr:   `sum by (chain, provider) (rate(understudy_gateway_requests_total{chain=~"$chain"}[$__rate_interval]))`,
				legend: "{{chain}} / {{provider}}",
			}},
		}).Min(0)).
		WithPanel(graph(panel{
			title: "Outcomes at providers", description: "How requests to providers ended.", unit: units.RequestsPerSecond,
			queries: []query{{
				expr:   `sum by (chain, outcome) (rate(understudy_gateway_requests_total{chain=~"$chain"}[$__rate_interval])) > 0`,
				legend: "{{chain}}: {{outcome}}",
			}},
		}).Min(0)).
		WithPanel(course(panel{
			title: "Quarantine", description: "When the gateway left a provider alone after failures of its own requests.", unit: units.NoUnit,
			meanings: means(meaning{"0", "in use", "green"}, meaning{"1", "left alone", "red"}),
			queries:  []query{{expr: `max by (chain, provider) (understudy_gateway_quarantined{chain=~"$chain"})`, legend: "{{chain}} / {{provider}}"}},
		})).
		WithPanel(graph(panel{
			title: "Healthy endpoints", description: "Endpoints that requests go to, of those configured.", unit: units.NoUnit,
			queries: []query{
				{expr: `max by (chain) (keeper_rpc_failover_healthy_endpoints{chain=~"$chain"})`, legend: "{{chain}}: healthy"},
				{expr: `max by (chain) (keeper_rpc_failover_total_endpoints{chain=~"$chain"})`, legend: "{{chain}}: configured"},
			},
		}).Min(0).Decimals(0)).
		WithPanel(graph(panel{
			title: "Active endpoint", description: "Index of the endpoint that requests go to first, from 0.", unit: units.NoUnit,
			queries: []query{{expr: `max by (chain) (keeper_rpc_failover_active_endpoint_index{chain=~"$chain"})`, legend: "{{chain}}"}},
		}).Min(0).Decimals(0)).
		WithPanel(bars(panel{
			title: "Switches of the endpoint", description: "How often requests began to go to another endpoint first.", unit: units.NoUnit,
			queries: []query{{expr: `sum by (chain) (increase(keeper_rpc_failover_switches_total{chain=~"$chain"}[$__rate_interval]))`, legend: "{{chain}}"}},
		})).
		WithPanel(bars(panel{
			title: "Failures of endpoints", description: "Failures that spoke against an endpoint.", unit: units.NoUnit,
			queries: []query{{expr: `sum by (chain) (increase(keeper_rpc_failover_events_total{chain=~"$chain"}[$__rate_interval]))`, legend: "{{chain}}"}},
		}))
}
