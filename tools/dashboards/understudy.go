package main

import (
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/units"
)

// it is the selector of the processes that are looked at.
const it = `job=~"$job", instance=~"$instance"`

// understudy shows the processes themselves.
func understudy() *dashboard.DashboardBuilder {
	b := frame("understudy-self", "Understudy / Understudy itself", "Whether the processes of Understudy are well, and how alerts reach them.").
		WithVariable(variable("job", "Job", "label_values(understudy_build_info, job)")).
		WithVariable(variable("instance", "Instance", `label_values(understudy_build_info{job=~"$job"}, instance)`))
	return selfResources(selfInterface(selfJournal(selfRules(selfFacts(selfProcess(b))))))
}

func selfProcess(b *dashboard.DashboardBuilder) *dashboard.DashboardBuilder {
	yes := means(meaning{"0", "no", "red"}, meaning{"1", "yes", "green"})
	return b.WithRow(row("Processes")).
		WithPanel(figure(panel{
			title: "Ready", description: "Whether every provider was probed.", unit: units.NoUnit, meanings: yes, levels: above("red", from(1, "green")), width: 6,
			queries: []query{{expr: `min(understudy_ready{` + it + `})`, legend: "ready"}},
		})).
		WithPanel(figure(panel{
			title: "Configuration taken", description: "Whether the last reading of the configuration succeeded everywhere. If not, the one before is in force.", unit: units.NoUnit,
			meanings: yes, levels: above("red", from(1, "green")), width: 6,
			queries: []query{{expr: `min(understudy_config_last_reload_successful{` + it + `})`, legend: "taken"}},
		})).
		WithPanel(figure(panel{
			title: "Journal writable", description: "Whether decisions come on disk.", unit: units.NoUnit, meanings: yes, levels: above("red", from(1, "green")), width: 6,
			queries: []query{{expr: `min(understudy_journal_writable{` + it + `})`, legend: "writable"}},
		})).
		WithPanel(figure(panel{
			title: "Configurations", description: "Different configurations among the processes. Exporter and controller may have different ones for a moment only.", unit: units.NoUnit,
			levels: above("green", from(2, "orange")), width: 6,
			queries: []query{{expr: `count(count_values("hash", understudy_config_hash{` + it + `}))`, legend: "configurations"}},
		})).
		WithPanel(list(panel{
			title: "Versions", description: "What runs where.", unit: units.NoUnit, height: 5,
			queries: []query{{expr: `max by (job, instance, version, revision, goversion) (understudy_build_info{` + it + `})`}},
		}).WithTransformation(organized(map[string]string{
			"job": "Job", "instance": "Instance", "version": "Version", "revision": "Revision", "goversion": "Go",
		}, "Time", "Value")))
}

func selfFacts(b *dashboard.DashboardBuilder) *dashboard.DashboardBuilder {
	return b.WithRow(row("Facts")).
		WithPanel(course(panel{
			title: "Evaluator", description: "Whose facts counted: those that come through Alertmanager, or those of the local evaluator.", unit: units.NoUnit,
			meanings: ruling, width: 12, height: 6,
			queries: []query{{expr: `max by (source) (understudy_evaluator_active{` + it + `})`, legend: "{{source}}"}},
		})).
		WithPanel(graph(panel{
			title: "Age of the watchdog", description: "Time since the watchdog last came through Alertmanager. After 75 s of silence, unless set otherwise, the local evaluator rules.",
			unit: units.Seconds, height: 6,
			queries: []query{{expr: `time() - max by (instance) (understudy_watchdog_timestamp_seconds{` + it + `} > 0)`, legend: "{{instance}}"}},
		}).Min(0)).
		WithPanel(graph(panel{
			title: "Facts", description: "Facts that stand, by their source.", unit: units.NoUnit,
			queries: []query{{expr: `max by (source) (understudy_facts{` + it + `})`, legend: "{{source}}"}},
		}).Min(0)).
		WithPanel(graph(panel{
			title: "Disagreements", description: "Facts that one source has and the other has not.", unit: units.NoUnit,
			levels:  above("green", from(1, "orange")),
			queries: []query{{expr: `max by (instance) (understudy_evaluator_disagreements{` + it + `})`, legend: "{{instance}}"}},
		}).Min(0)).
		WithPanel(bars(panel{
			title: "Webhooks", description: "Webhooks of Alertmanager, by the status of the answer.", unit: units.NoUnit,
			queries: []query{{expr: `sum by (code) (increase(understudy_webhook_requests_total{` + it + `}[$__rate_interval]))`, legend: "{{code}}"}},
		})).
		WithPanel(bars(panel{
			title: "Alerts in webhooks", description: "What became of the alerts that webhooks brought.", unit: units.NoUnit,
			queries: []query{{expr: `sum by (result) (increase(understudy_webhook_alerts_total{` + it + `}[$__rate_interval]))`, legend: "{{result}}"}},
		})).
		WithPanel(bars(panel{
			title: "Readings of Alertmanager", description: "Readings of Alertmanager's API, by their result.", unit: units.NoUnit,
			queries: []query{{expr: `sum by (result) (increase(understudy_alertmanager_readings_total{` + it + `}[$__rate_interval]))`, legend: "{{result}}"}},
		})).
		WithPanel(bars(panel{
			title: "Facts lost", description: "Facts that expired as nobody confirmed them, and webhooks that left alerts out.", unit: units.NoUnit,
			queries: []query{
				{expr: `sum(increase(understudy_facts_expired_total{` + it + `}[$__rate_interval]))`, legend: "expired"},
				{expr: `sum(increase(understudy_webhook_truncations_total{` + it + `}[$__rate_interval]))`, legend: "truncated webhooks"},
			},
		}))
}

func selfRules(b *dashboard.DashboardBuilder) *dashboard.DashboardBuilder {
	return b.WithRow(row("Local evaluator")).
		WithPanel(graph(panel{
			title: "Duration of an evaluation", description: "Time that the last evaluation of all rules took.", unit: units.Seconds,
			queries: []query{{expr: `max by (instance) (understudy_evaluation_duration_seconds{` + it + `})`, legend: "{{instance}}"}},
		}).Min(0)).
		WithPanel(graph(panel{
			title: "Evaluations", description: "Evaluations of rules, and those that failed.", unit: units.OpsPerSecond,
			queries: []query{
				{expr: `sum by (group) (rate(understudy_rule_evaluations_total{` + it + `}[$__rate_interval]))`, legend: "{{group}}"},
				{expr: `sum(rate(understudy_rule_evaluation_failures_total{` + it + `}[$__rate_interval]))`, legend: "failed"},
			},
		}).Min(0)).
		WithPanel(graph(panel{
			title: "Scrapes", description: "Scrapes of exporters, and those that failed.", unit: units.OpsPerSecond,
			queries: []query{
				{expr: `sum by (exporter) (rate(understudy_scrapes_total{` + it + `}[$__rate_interval]))`, legend: "{{exporter}}"},
				{expr: `sum(rate(understudy_scrape_failures_total{` + it + `}[$__rate_interval]))`, legend: "failed"},
			},
		}).Min(0)).
		WithPanel(graph(panel{
			title: "Series in memory", description: "Series that the evaluator keeps.", unit: units.Short,
			queries: []query{{expr: `max by (instance) (understudy_evaluator_series{` + it + `})`, legend: "{{instance}}"}},
		}).Min(0))
}

func selfJournal(b *dashboard.DashboardBuilder) *dashboard.DashboardBuilder {
	return b.WithRow(row("Journal")).
		WithPanel(bars(panel{
			title: "Decisions", description: "Decisions that came on disk, that could not at once, and that were given up.", unit: units.NoUnit,
			queries: []query{
				{expr: `sum(increase(understudy_journal_entries_total{` + it + `}[$__rate_interval]))`, legend: "written"},
				{expr: `sum(increase(understudy_journal_failures_total{` + it + `}[$__rate_interval]))`, legend: "failed"},
				{expr: `sum(increase(understudy_journal_entries_lost_total{` + it + `}[$__rate_interval]))`, legend: "lost"},
			},
		})).
		WithPanel(graph(panel{
			title: "Size of the journal", description: "Size on disk; at most 64 MiB.", unit: units.BytesIEC,
			queries: []query{{expr: `max by (instance) (understudy_journal_size_bytes{` + it + `})`, legend: "{{instance}}"}},
		}).Min(0))
}

func selfInterface(b *dashboard.DashboardBuilder) *dashboard.DashboardBuilder {
	return b.WithRow(row("HTTP interface")).
		WithPanel(graph(panel{
			title: "Requests", description: "Requests by route and status.", unit: units.RequestsPerSecond,
			queries: []query{{expr: `sum by (handler, code) (rate(understudy_http_requests_total{` + it + `}[$__rate_interval]))`, legend: "{{handler}} {{code}}"}},
		}).Min(0)).
		WithPanel(graph(panel{
			title: "Duration of requests", description: "The 99th percentile by route, without those that waited for news.", unit: units.Seconds,
			queries: []query{{
				expr:   `histogram_quantile(0.99, sum by (handler, le) (rate(understudy_http_request_duration_seconds_bucket{` + it + `}[$__rate_interval])))`,
				legend: "{{handler}}",
			}},
		}).Min(0)).
		WithPanel(graph(panel{
			title: "Watchers", description: "Long polls and event streams under way.", unit: units.NoUnit,
			queries: []query{{expr: `sum by (instance) (understudy_http_watchers{` + it + `})`, legend: "{{instance}}"}},
		}).Min(0)).
		WithPanel(bars(panel{
			title: "Refused and dropped", description: "Watchers that were refused, streams whose reader did not keep up, and panics.", unit: units.NoUnit,
			queries: []query{
				{expr: `sum(increase(understudy_http_watchers_refused_total{` + it + `}[$__rate_interval]))`, legend: "refused"},
				{expr: `sum(increase(understudy_http_streams_dropped_total{` + it + `}[$__rate_interval]))`, legend: "dropped"},
				{expr: `sum(increase(understudy_http_panics_total{` + it + `}[$__rate_interval]))`, legend: "panics"},
			},
		}))
}

func selfResources(b *dashboard.DashboardBuilder) *dashboard.DashboardBuilder {
	return b.WithRow(row("Resources")).
		WithPanel(graph(panel{
			title: "Processor", description: "Share of one core.", unit: units.PercentUnit,
			queries: []query{{expr: `sum by (instance) (rate(process_cpu_seconds_total{` + it + `}[$__rate_interval]))`, legend: "{{instance}}"}},
		}).Min(0)).
		WithPanel(graph(panel{
			title: "Memory", description: "Resident memory.", unit: units.BytesIEC,
			queries: []query{{expr: `max by (instance) (process_resident_memory_bytes{` + it + `})`, legend: "{{instance}}"}},
		}).Min(0)).
		WithPanel(graph(panel{
			title: "Goroutines", description: "They grow with providers and with waiting clients, and must not grow with time.", unit: units.Short,
			queries: []query{{expr: `max by (instance) (go_goroutines{` + it + `})`, legend: "{{instance}}"}},
		}).Min(0)).
		WithPanel(graph(panel{
			title: "Open files", description: "Open file descriptors, of those allowed.", unit: units.PercentUnit,
			queries: []query{{expr: `max by (instance) (process_open_fds{` + it + `} / process_max_fds{` + it + `})`, legend: "{{instance}}"}},
		}).Min(0))
}
