package evaluator

import (
	"fmt"
	"time"

	"github.com/prometheus/prometheus/model/labels"
)

// State is the state of an alert.
type State uint8

// The states. The zero value is that of an alert that was firing and is over.
const (
	Resolved State = iota
	Pending
	Firing
)

// String is the state as Prometheus writes it.
func (s State) String() string {
	switch s {
	case Resolved:
		return "inactive"
	case Pending:
		return "pending"
	case Firing:
		return "firing"
	}
	return fmt.Sprintf("state %d", uint8(s))
}

// MarshalText is the state as Prometheus writes it.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Alert is one instance of an alerting rule, as it was after an evaluation. It
// does not change any more.
type Alert struct {
	// Labels identify the alert: those of the sample without its name, the rule's
	// and its group's, and alertname. External labels are not among them, as in
	// Prometheus they are added to what is sent.
	Labels labels.Labels
	// Annotations are those of the last evaluation that gave the alert.
	Annotations labels.Labels
	State       State
	// Value is the sample's at the last evaluation that gave the alert.
	Value float64
	// ActiveAt is when the expression first gave the alert.
	ActiveAt time.Time
	// FiredAt is when it began to fire; zero while it is pending.
	FiredAt time.Time
	// ResolvedAt is when it was over; zero before.
	ResolvedAt time.Time
	// KeepFiringSince is since when it only fires because of keep_firing_for; zero
	// while the expression gives the alert.
	KeepFiringSince time.Time
}

// Name is the name of the alert.
func (a Alert) Name() string { return a.Labels.Get(labels.AlertName) }
