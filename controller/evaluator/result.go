package evaluator

import "time"

// Result is what one round found.
type Result struct {
	// At is the time that the round was for: of its samples, and of its evaluation.
	At time.Time
	// Evaluated says whether the rules were evaluated. They are not before every
	// source has answered once or has been given up for the time being: half of the
	// samples would make alerts of absence fire. Without an evaluation, Alerts are
	// those of the last one.
	Evaluated bool
	// Sources tells of each source, in the order of the options.
	Sources []SourceStatus
	// Alerts are the pending and firing ones, in the order of the rules and, within
	// one, of the labels. Nobody may change them.
	Alerts []Alert
	// Ended are the alerts that this evaluation ended, and which had been firing.
	Ended []Alert
	// Failures are the rules that could not be evaluated; their alerts stay as they
	// were. All others were.
	Failures []RuleFailure
	// Duration is how long the evaluation took, without the collection.
	Duration time.Duration
}

// SourceStatus is how one source did in a round.
type SourceStatus struct {
	Target Target
	// Err is why the collection failed, without any secret of an address; nil if it
	// did not.
	Err error
	// Late says that the collection was still going on when the round was
	// evaluated: the samples in force are those of an earlier one.
	Late bool
	// Samples is how many samples the source gave, also those that no rule reads.
	Samples int
}

// RuleFailure is a rule that could not be evaluated.
type RuleFailure struct {
	File, Group, Rule string
	Err               error
}
