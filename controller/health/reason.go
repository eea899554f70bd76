package health

// Reason is why Next answered what it did, also when nothing changed. The zero
// value is NoReason, that of a record nobody has judged.
type Reason uint8

// What moves a provider to another state.
const (
	NoReason Reason = iota
	// FirstProbeGood: the first verdict is a good one.
	FirstProbeGood
	// FirstProbeFailed: the first verdict is a bad one.
	FirstProbeFailed
	// FactStands: an alert stands against it.
	FactStands
	// IntegrityFact: an alert says that what it serves is wrong.
	IntegrityFact
	// WrongNetwork: it proved to be of another network.
	WrongNetwork
	// CheckFailed: a probe failed while it was recovering.
	CheckFailed
	// CheckPassed: a recovery check passed, and more are required.
	CheckPassed
	// Recovered: as many checks in a row as required have passed.
	Recovered
)

// What leaves it in the state it is in.
const (
	// Steady: it is healthy and nothing speaks against it.
	Steady Reason = iota + Recovered + 1
	// FailureTolerated: it is healthy, its last probe failed, and that alone is
	// no fact: the rules decide how many failures make one.
	FailureTolerated
	// Blind: the exporter is not heard, so nothing is known.
	Blind
	// NotProbed: no probe of it has ended with a verdict.
	NotProbed
	// NotIdentified: its network is not proven.
	NotIdentified
	// StillFailing: it is unhealthy and its last probe failed.
	StillFailing
	// CheckNotDue: the time of the next recovery check has not come.
	CheckNotDue
	// ProbeAwaited: a check is due and waits for a probe newer than the last one
	// that counted.
	ProbeAwaited
	// ClockSetBack: the last check lies in the future, so the wait for the next
	// one starts again.
	ClockSetBack
)

var reasonWords = []string{
	NoReason:         "none",
	FirstProbeGood:   "first_probe_good",
	FirstProbeFailed: "first_probe_failed",
	FactStands:       "fact",
	IntegrityFact:    "integrity_fact",
	WrongNetwork:     "wrong_network",
	CheckFailed:      "check_failed",
	CheckPassed:      "check_passed",
	Recovered:        "recovered",
	Steady:           "steady",
	FailureTolerated: "failure_tolerated",
	Blind:            "blind",
	NotProbed:        "not_probed",
	NotIdentified:    "not_identified",
	StillFailing:     "still_failing",
	CheckNotDue:      "check_not_due",
	ProbeAwaited:     "probe_awaited",
	ClockSetBack:     "clock_set_back",
}

var reasonPhrases = []string{
	NoReason:         "has not been judged",
	FirstProbeGood:   "answered its first probe",
	FirstProbeFailed: "failed its first probe",
	FactStands:       "has an alert against it",
	IntegrityFact:    "serves data that the others contradict",
	WrongNetwork:     "serves another network",
	CheckFailed:      "failed a recovery check",
	CheckPassed:      "passed a recovery check",
	Recovered:        "passed its recovery checks",
	Steady:           "is well",
	FailureTolerated: "failed its last probe, which is no alert yet",
	Blind:            "is not seen, as the exporter is silent",
	NotProbed:        "has no verdict yet",
	NotIdentified:    "has not proven its network",
	StillFailing:     "still fails its probes",
	CheckNotDue:      "waits for its next recovery check",
	ProbeAwaited:     "waits for its next probe",
	ClockSetBack:     "waits again, as the clock was set back",
}

// String is the stable word of the reason: the value of a label, of a log key
// and of a field of the journal.
func (r Reason) String() string { return word(reasonWords, r, "Reason") }

// MarshalText fails only for a value that is none of the reasons.
func (r Reason) MarshalText() ([]byte, error) { return text(reasonWords, r, "reason") }

// UnmarshalText takes the words that String gives.
func (r *Reason) UnmarshalText(b []byte) error { return parse(reasonWords, r, b, "reason") }

// Phrase says the reason to people: what follows the provider's name in a
// sentence.
func (r Reason) Phrase() string { return word(reasonPhrases, r, "has the reason") }

// Reasons are all the reasons there are, for whoever publishes a series of each.
func Reasons() []Reason {
	all := make([]Reason, len(reasonWords))
	for i := range all {
		all[i] = Reason(i)
	}
	return all
}
