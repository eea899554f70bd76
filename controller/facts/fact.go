package facts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Source says through which way a fact came.
type Source uint8

// The sources. The zero value is none, which no fact has. Each of the two is a
// bit of Both.
const (
	NoSource Source = iota
	// Alertmanager is the way through Prometheus and Alertmanager.
	Alertmanager
	// Local is the controller's own evaluator.
	Local
	// Both is no source of a fact, only a ruling: both ways count at the same time.
	Both
)

var sourceNames = []string{NoSource: "none", Alertmanager: "alertmanager", Local: "local", Both: "both"}

// Sources are the sources that a fact can have.
func Sources() []Source { return []Source{Alertmanager, Local} }

// String is the source as metrics, logs and answers write it.
func (s Source) String() string {
	if int(s) < len(sourceNames) {
		return sourceNames[s]
	}
	return fmt.Sprintf("source %d", uint8(s))
}

// MarshalText is the source as answers write it.
func (s Source) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (s *Source) UnmarshalText(text []byte) error {
	i := slices.Index(sourceNames, string(text))
	if i < 0 {
		return fmt.Errorf("source %q: want one of %s", text, strings.Join(sourceNames, ", "))
	}
	*s = Source(i)
	return nil
}

// Fact is what an alert that fires says about a provider, or about a chain.
// Once returned it does not change any more.
type Fact struct {
	Chain string `json:"chain"`
	// Provider is empty in a fact about the chain as a whole.
	Provider string `json:"provider,omitempty"`
	// Alert is the alert's name.
	Alert string `json:"alert"`
	// Evidence marks an alert that speaks against its provider. Others are kept to
	// be shown and act on nothing.
	Evidence    bool   `json:"evidence"`
	FailureMode string `json:"failure_mode,omitempty"`
	Severity    string `json:"severity,omitempty"`
	Source      Source `json:"source"`
	// Episode is since when the alert fires, in its sender's clock.
	Episode time.Time `json:"episode"`
	// Refreshed is when the fact was last confirmed, in our clock.
	Refreshed time.Time `json:"refreshed"`
	// Expires is from when on the fact no longer stands unless it is confirmed.
	Expires     time.Time `json:"expires"`
	Summary     string    `json:"summary,omitempty"`
	Description string    `json:"description,omitempty"`
	// Fingerprint is that of the alert's labels, as Alertmanager writes it. Several
	// alerts of one name can stand behind one fact; it is that of the oldest.
	Fingerprint string `json:"fingerprint"`
}

// stands says whether the fact is still to be believed.
func (f Fact) stands(now time.Time) bool { return now.Before(f.Expires) }

// order is the order of facts in every answer: by provider, alert and source,
// and the oldest first.
func order(a, b Fact) int {
	return cmp.Or(
		strings.Compare(a.Chain, b.Chain),
		strings.Compare(a.Provider, b.Provider),
		strings.Compare(a.Alert, b.Alert),
		cmp.Compare(a.Source, b.Source),
		a.Episode.Compare(b.Episode),
		strings.Compare(a.Fingerprint, b.Fingerprint),
	)
}

// merged sorts facts and makes one of those that say the same: the oldest, which
// stands for as long as any of them.
func merged(all []Fact) []Fact {
	slices.SortFunc(all, order)
	kept := all[:0]
	for _, f := range all {
		if n := len(kept); n > 0 && kept[n-1].says() == f.says() {
			last := &kept[n-1]
			last.Evidence = last.Evidence || f.Evidence
			if f.Expires.After(last.Expires) {
				last.Refreshed, last.Expires = f.Refreshed, f.Expires
			}
			continue
		}
		kept = append(kept, f)
	}
	return kept
}

// statement is what a fact says, without how long and in which words.
type statement struct {
	chain, provider, alert string
	source                 Source
}

func (f Fact) says() statement { return statement{f.Chain, f.Provider, f.Alert, f.Source} }
