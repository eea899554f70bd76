package evaluator

import "time"

// Group is a group of rules as its file holds it. Its rules are evaluated in
// order, each one seeing what those before it recorded.
type Group struct {
	// File and Name identify the group: across a reload, a group of the same file
	// and name keeps the state of its rules.
	File, Name string
	// Interval is what the file says. It is for Prometheus: here every group is
	// evaluated in each round, since results older than the look-back are gone.
	Interval time.Duration
	// QueryOffset moves the evaluation of the whole group into the past.
	QueryOffset time.Duration
	// Limit is how many series or alerts one rule may give; 0 is no limit.
	Limit int
	Rules []Rule
}

// Rule is a recording or an alerting rule as its file holds it, with the labels
// of its group merged into its own.
type Rule struct {
	// Record is the name of the recorded series, Alert the name of the alert;
	// exactly one of them is set.
	Record, Alert string
	// Expr is the PromQL expression.
	Expr string
	// For is how long an alert is pending, KeepFiringFor how long it goes on firing
	// once its expression gives nothing.
	For, KeepFiringFor time.Duration
	// Labels and Annotations of an alert may be templates.
	Labels, Annotations map[string]string
	// Line is where the rule begins in its file, from 1; 0 if it has none.
	Line int
}

// Name is the name of the alert or of the recorded series.
func (r Rule) Name() string {
	if r.Alert != "" {
		return r.Alert
	}
	return r.Record
}
