package facts

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/prometheus/alertmanager/template"
	"github.com/prometheus/common/model"

	"github.com/understudy-rpc/understudy/rules"
)

const (
	// webhookVersion is the version of Alertmanager's webhook payload, the only one
	// since its release 0.1.
	webhookVersion = "4"
	// maxAlerts bounds the alerts of a message, as a few bytes of an empty one
	// become a hundred times as many.
	maxAlerts = 10_000
)

// payload is the body of a webhook: the data of Alertmanager's templates and
// what it adds to them for webhooks. Members that are not named here, as later
// releases add, do not matter.
type payload struct {
	template.Data
	Version   string `json:"version"`
	GroupKey  string `json:"groupKey"`
	Truncated uint64 `json:"truncatedAlerts"`
}

// Decode reads the body of a webhook. Its errors are for whoever configures
// Alertmanager and repeat no value of the body.
func Decode(body []byte) (Message, error) {
	// Elements without a size cost nothing, however many there are.
	var size struct {
		Version any        `json:"version"`
		Alerts  []struct{} `json:"alerts"`
	}
	if err := json.Unmarshal(body, &size); err != nil {
		return Message{}, decodeError(err)
	}
	switch {
	case size.Version != webhookVersion:
		return Message{}, errors.New("version is not \"4\": this takes the default payload of an Alertmanager webhook")
	case size.Alerts == nil:
		return Message{}, errors.New("there is no list of alerts")
	case len(size.Alerts) > maxAlerts:
		return Message{}, fmt.Errorf("%d alerts, at most %d are taken", len(size.Alerts), maxAlerts)
	}
	var p payload
	if err := json.Unmarshal(body, &p); err != nil {
		return Message{}, decodeError(err)
	}
	m := Message{Alerts: make([]Alert, 0, len(p.Alerts)), Truncated: p.Truncated}
	for i, a := range p.Alerts {
		alert, err := fromTemplate(a)
		if err != nil {
			return Message{}, fmt.Errorf("alerts[%d]: %w", i, err)
		}
		m.Alerts = append(m.Alerts, alert)
	}
	return m, nil
}

// fromTemplate checks one alert of a webhook. When it ends is never read: it is
// the year 1 while it fires.
func fromTemplate(a template.Alert) (Alert, error) {
	switch {
	case a.Status != string(model.AlertFiring) && a.Status != string(model.AlertResolved):
		return Alert{}, errors.New("status is neither firing nor resolved")
	case a.Labels[rules.LabelAlert] == "":
		return Alert{}, errors.New("there is no label alertname")
	case a.StartsAt.IsZero():
		return Alert{}, errors.New("there is no startsAt")
	}
	return Alert{
		Labels: a.Labels, Annotations: a.Annotations,
		StartsAt: a.StartsAt, Firing: a.Status == string(model.AlertFiring),
	}, nil
}

// decodeError says where a body is wrong, without what stands there.
func decodeError(err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("at byte %d, %s: a JSON %s does not belong there", wrong.Offset, wrong.Field, kindOf(wrong.Value))
	}
	if wrong, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("at byte %d: this is no JSON", wrong.Offset)
	}
	return errors.New("a value, as a time, is not written as it has to be")
}

// kindOf is the kind of a JSON value without its digits, which encoding/json
// appends to a number.
func kindOf(value string) string {
	if len(value) > len("number") && value[:len("number")] == "number" {
		return "number"
	}
	return value
}
