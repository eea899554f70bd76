package selection

// Reason is why Choose answered what it did, also when nothing changed. The
// zero value is NoReason, which Choose never gives.
type Reason uint8

// Why the provider that served no longer does.
const (
	NoReason Reason = iota
	// LeftUnhealthy: it is not healthy.
	LeftUnhealthy
	// LeftUnjudged: nothing is known of it any more, as when its URL was changed.
	LeftUnjudged
	// LeftUnidentified: its network is not proven.
	LeftUnidentified
	// LeftInconsistent: it serves wrong data.
	LeftInconsistent
	// LeftDrained: an operator wants it not to serve.
	LeftDrained
	// LeftRemoved: it is not configured any more.
	LeftRemoved
	// LeftIncapable: it lacks what a consumer asks for.
	LeftIncapable
)

// Why a provider begins to serve though none became unfit.
const (
	// FirstFit: it is the first that is fit to serve the chain.
	FirstFit Reason = iota + LeftIncapable + 1
	// FitAgain: nobody was fit for a while, and it is.
	FitAgain
	// LastResort: nobody is fit, and it served last.
	LastResort
	// Pinned: an operator wants it to serve.
	Pinned
	// Preferred: it is fit again and preferred.
	Preferred
	// Approved: the same, and an operator agreed.
	Approved
)

// Why nothing changes.
const (
	// KeptBest: it is the most preferred of the fit.
	KeptBest Reason = iota + Approved + 1
	// KeptPinned: an operator wants it to serve.
	KeptPinned
	// KeptSticky: a preferred one is fit, and the policy is to stay.
	KeptSticky
	// KeptForApproval: a preferred one is fit, and an operator has to agree.
	KeptForApproval
	// KeptForNow: a preferred one is fit, and min_active_time is not over.
	KeptForNow
	// KeptLast: nobody is fit, and it served last.
	KeptLast
	// KeptSplit: the providers contradict each other, so no other may take over.
	KeptSplit
	// NoneAgreed: nobody serves, the providers contradict each other, and so none
	// may begin to.
	NoneAgreed
	// NoneJudged: nobody serves, and there are providers without a verdict.
	NoneJudged
	// NoneFit: nobody is fit to serve.
	NoneFit
)

var reasonWords = []string{
	NoReason:         "none",
	LeftUnhealthy:    "unhealthy",
	LeftUnjudged:     "unjudged",
	LeftUnidentified: "unidentified",
	LeftInconsistent: "inconsistent",
	LeftDrained:      "drained",
	LeftRemoved:      "removed",
	LeftIncapable:    "incapable",
	FirstFit:         "first_fit",
	FitAgain:         "fit_again",
	LastResort:       "last_resort",
	Pinned:           "pinned",
	Preferred:        "preferred",
	Approved:         "approved",
	KeptBest:         "kept_best",
	KeptPinned:       "kept_pinned",
	KeptSticky:       "kept_sticky",
	KeptForApproval:  "kept_for_approval",
	KeptForNow:       "kept_for_now",
	KeptLast:         "kept_last",
	KeptSplit:        "kept_split",
	NoneAgreed:       "none_agreed",
	NoneJudged:       "none_judged",
	NoneFit:          "none_fit",
}

var reasonPhrases = []string{
	NoReason:         "has no reason",
	LeftUnhealthy:    "is not healthy",
	LeftUnjudged:     "has to be judged again",
	LeftUnidentified: "has not proven its network",
	LeftInconsistent: "serves data that the others contradict",
	LeftDrained:      "is drained",
	LeftRemoved:      "is not configured any more",
	LeftIncapable:    "lacks the capability asked for",
	FirstFit:         "is the first fit to serve",
	FitAgain:         "is fit to serve again",
	LastResort:       "served last, and none is healthy",
	Pinned:           "is pinned",
	Preferred:        "is healthy and preferred",
	Approved:         "is healthy and preferred, and an operator agreed",
	KeptBest:         "is the most preferred of the healthy",
	KeptPinned:       "is pinned",
	KeptSticky:       "is healthy, and failback is sticky",
	KeptForApproval:  "is healthy, and failback waits for an operator",
	KeptForNow:       "has not served for min_active_time yet",
	KeptLast:         "served last, and none is healthy",
	KeptSplit:        "serves, and the providers contradict each other",
	NoneAgreed:       "the providers contradict each other",
	NoneJudged:       "there is no verdict yet",
	NoneFit:          "no provider is fit to serve",
}

// String is the stable word of the reason: the value of a label, of a log key
// and of a field of the journal.
func (r Reason) String() string { return word(reasonWords, r, "Reason") }

// MarshalText fails only for a value that is none of the reasons.
func (r Reason) MarshalText() ([]byte, error) { return text(reasonWords, r, "reason of a choice") }

// UnmarshalText takes the words that String gives.
func (r *Reason) UnmarshalText(b []byte) error {
	return parse(reasonWords, r, b, "reason of a choice")
}

// Phrase says the reason to people. It follows a provider's name in a sentence:
// that of the one that was left if AboutLeft, of the chosen one if there is
// one, and else it stands by itself.
func (r Reason) Phrase() string { return word(reasonPhrases, r, "has the reason") }

// AboutLeft says whether the reason is about the provider that no longer serves.
func (r Reason) AboutLeft() bool { return r >= LeftUnhealthy && r <= LeftIncapable }

// Reasons are all the reasons there are, for whoever publishes a series of each.
func Reasons() []Reason {
	all := make([]Reason, len(reasonWords))
	for i := range all {
		all[i] = Reason(i)
	}
	return all
}

// Sentence tells people of a choice, as in "failover: quicknode down (timeout)".
// left is who served before. because says what is wrong with it where more is
// known than the reason tells; "" leaves it at that.
func (c Choice) Sentence(r Reason, left, because string) string {
	subject, what := c.Provider, r.Phrase()
	if r.AboutLeft() {
		subject = left
		if because != "" {
			what = because
		}
	}
	if subject != "" {
		what = subject + " " + what
	}
	switch {
	case c.Kind != KindNone:
		return c.Kind.String() + ": " + what
	case c.Provider != "":
		return "kept: " + what
	default:
		return "none: " + what
	}
}
