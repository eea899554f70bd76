package controller

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/understudy-rpc/understudy/controller/evaluator"
)

// alertView is an alert as JSON has it: the members that Prometheus's own API
// has, by the same names.
type alertView struct {
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	State       evaluator.State   `json:"state"`
	// Value is text, as in Prometheus: JSON has no NaN.
	Value    string    `json:"value"`
	ActiveAt time.Time `json:"activeAt"`
}

// ServeAlerts answers with the pending and the firing alerts of the local
// evaluator.
func (c *Controller) ServeAlerts(w http.ResponseWriter, _ *http.Request) {
	views := []alertView{}
	for _, a := range c.evaluator.Alerts() {
		if a.State == evaluator.Resolved {
			continue
		}
		views = append(views, alertView{
			Labels: a.Labels.Map(), Annotations: a.Annotations.Map(), State: a.State,
			Value: strconv.FormatFloat(a.Value, 'g', -1, 64), ActiveAt: a.ActiveAt.UTC(),
		})
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-cache")
	if err := json.NewEncoder(w).Encode(map[string]any{"alerts": views}); err != nil {
		c.logger.Debug("The alerts were not sent whole", "err", err)
	}
}
