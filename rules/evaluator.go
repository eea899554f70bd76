package rules

// The labels of the evaluator's metrics. An exporter is named by its instance.
const (
	LabelGroup    = "group"
	LabelRule     = "rule"
	LabelExporter = "exporter"
)

// What the evaluator of rules publishes of itself.
var (
	RuleEvaluations = Metric{"understudy_rule_evaluations_total",
		"Evaluations of the rule.", Counter, byRule}
	RuleFailures = Metric{"understudy_rule_evaluation_failures_total",
		"Evaluations of the rule that failed.", Counter, byRule}
	RuleGroupDuration = Metric{"understudy_rule_group_duration_seconds",
		"Duration of the last evaluation of the group, in seconds.", Gauge, []string{LabelGroup}}
	RuleResultsDropped = Metric{"understudy_rule_results_dropped_total",
		"Results of rules that were dropped as another rule or a scrape had written the same series at that time.", Counter, nil}
	TemplateFailures = Metric{"understudy_template_failures_total",
		"Templates of alerts that could not be expanded and show the error instead.", Counter, nil}
	EvaluationDuration = Metric{"understudy_evaluation_duration_seconds",
		"Duration of the last evaluation of all rules, in seconds.", Gauge, nil}
	EvaluationTimestamp = Metric{"understudy_evaluation_timestamp_seconds",
		"Time of the last evaluation of all rules, as Unix time in seconds.", Gauge, nil}
	EvaluatorSamples = Metric{"understudy_evaluator_samples",
		"Samples in the memory of the rule evaluator.", Gauge, nil}
	EvaluatorSeries = Metric{"understudy_evaluator_series",
		"Series in the memory of the rule evaluator.", Gauge, nil}
	Scrapes = Metric{"understudy_scrapes_total",
		"Scrapes of the exporter.", Counter, byExporter}
	ScrapeFailures = Metric{"understudy_scrape_failures_total",
		"Scrapes of the exporter that failed.", Counter, []string{LabelExporter, LabelReason}}
	ScrapeSamplesDropped = Metric{"understudy_scrape_samples_dropped_total",
		"Scraped samples that were dropped as their series was there twice.", Counter, byExporter}
	ScrapeTimestampsIgnored = Metric{"understudy_scrape_timestamps_ignored_total",
		"Scraped samples whose own time was ignored in favour of the scrape's.", Counter, byExporter}
)

var (
	byRule     = []string{LabelGroup, LabelRule}
	byExporter = []string{LabelExporter}
)

// Evaluator lists the metrics that the evaluator of rules publishes of itself, in
// the order of the exposition.
func Evaluator() []Metric {
	return byName([]Metric{
		RuleEvaluations, RuleFailures, RuleGroupDuration, RuleResultsDropped, TemplateFailures,
		EvaluationDuration, EvaluationTimestamp, EvaluatorSamples, EvaluatorSeries,
		Scrapes, ScrapeFailures, ScrapeSamplesDropped, ScrapeTimestampsIgnored,
	})
}
