package facts

import (
	"strings"
	"time"

	"github.com/prometheus/common/model"

	"github.com/understudy-rpc/understudy/rules"
)

// Bounds of the words of an alert, in bytes. Whoever may post alerts does not
// thereby decide how much memory and journal they take.
const (
	maxName        = 256
	maxSummary     = 1 << 10
	maxDescription = 4 << 10
)

// Alert is an alert as a source tells of it.
type Alert struct {
	// Labels identify the alert, with its name under alertname. Required.
	Labels map[string]string
	// Annotations are its words for people.
	Annotations map[string]string
	// StartsAt is since when it fires.
	StartsAt time.Time
	// Firing is false in an alert that is over.
	Firing bool
}

// name is the name of the alert.
func (a Alert) name() string { return clip(a.Labels[rules.LabelAlert], maxName) }

// fingerprint is computed and never taken from a sender, so that one alert is
// the same alert whoever tells of it.
func (a Alert) fingerprint() string {
	set := make(model.LabelSet, len(a.Labels))
	for name, value := range a.Labels {
		set[model.LabelName(name)] = model.LabelValue(value)
	}
	return set.Fingerprint().String()
}

// identity tells the alert from the others of its chain.
func (a Alert) identity() identity {
	return identity{a.Labels[rules.LabelProvider], a.name(), a.fingerprint()}
}

// episode is since when the alert fires, in milliseconds: Alertmanager's API
// leaves out what is beyond, its webhook does not.
func (a Alert) episode() time.Time { return a.StartsAt.UTC().Truncate(time.Millisecond) }

// fact is what the alert says, refreshed now and standing for ttl.
func (a Alert) fact(source Source, now time.Time, ttl time.Duration) Fact {
	provider := a.Labels[rules.LabelProvider]
	return Fact{
		Chain:       a.Labels[rules.LabelChain],
		Provider:    provider,
		Alert:       a.name(),
		Evidence:    provider != "" && a.Labels[rules.LabelFailover] == rules.FailoverTrue,
		FailureMode: clip(a.Labels[rules.LabelFailureMode], maxName),
		Severity:    clip(a.Labels[rules.LabelSeverity], maxName),
		Source:      source,
		Episode:     a.episode(),
		Refreshed:   now,
		Expires:     now.Add(ttl),
		Summary:     clip(a.Annotations[rules.AnnotationSummary], maxSummary),
		Description: clip(a.Annotations[rules.AnnotationDescription], maxDescription),
		Fingerprint: a.fingerprint(),
	}
}

// clip cuts a text to a number of bytes, between characters. It copies, as a
// piece would keep the whole message in memory.
func clip(text string, most int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	return strings.Clone(text)
}
