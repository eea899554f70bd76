// Package rules is the contract between the halves of Understudy: the names of
// the metrics that the exporter publishes and that rules, controller and
// dashboards read. Whoever uses a metric uses the name from here, so that none
// of them can drift away from the others.
//
// It imports nothing of ours and decides nothing.
package rules

// Type is a metric's type in the exposition.
type Type uint8

// The metric types in use.
const (
	Gauge Type = iota
	Counter
	Histogram
)

// String is the type as the exposition formats write it.
func (t Type) String() string {
	switch t {
	case Counter:
		return "counter"
	case Histogram:
		return "histogram"
	}
	return "gauge"
}

// Metric describes one metric family. The zero value is none.
type Metric struct {
	// Name is the family's name.
	Name string
	// Help is one sentence with unit and meaning.
	Help string
	Type Type
	// Labels are the label names in the order of the alphabet.
	Labels []string
}

// The label names.
const (
	LabelChain      = "chain"
	LabelProvider   = "provider"
	LabelReason     = "reason"
	LabelCause      = "cause"
	LabelCheck      = "check"
	LabelCapability = "capability"
	LabelType       = "type"
	LabelOperator   = "operator"
)

// The values of LabelCheck.
const (
	CheckHash         = "hash"
	CheckTransactions = "transactions"
)

var (
	byChain    = []string{LabelChain}
	byProvider = []string{LabelChain, LabelProvider}
)
