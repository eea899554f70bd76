package exporter

import (
	_ "embed"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/common/version"
)

//go:embed landing.html
var landingHTML string

var landingPage = template.Must(template.New("landing").Parse(landingHTML))

// landingRow is one provider on the landing page.
type landingRow struct {
	Chain, Provider, Type, Host, State, Height, Latency, Failure string
	Up                                                           bool
}

// landing is the page at the root: where everything is, and a table of the
// providers for whoever has no dashboard at hand.
func (e *Exporter) landing(o HandlerOptions) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
		err := landingPage.Execute(w, map[string]any{
			"Metrics": strings.TrimPrefix(o.TelemetryPath, "/"), "Version": version.Info(),
			"Rows": landingRows(e.view(time.Now())), "Actions": o.Actions,
		})
		if err != nil {
			e.logger.Debug("The landing page was not sent whole", "err", err)
		}
	}
}

// landingRows puts a view into words.
func landingRows(v *view) []landingRow {
	rows := make([]landingRow, 0, len(v.providers))
	for i := range v.providers {
		p := &v.providers[i]
		row := landingRow{
			Chain: p.key.Chain, Provider: p.key.Provider, Type: string(p.config.Type),
			Host: p.config.RPCHost.String(), Up: p.status.Up, State: stateWord(p, v.now),
			Height: "unknown", Latency: "unknown",
		}
		if p.status.HeightKnown(v.now) {
			row.Height = fmt.Sprint(p.status.Height)
			if p.status.LatencyMS.Known {
				row.Latency = fmt.Sprintf("%.1f ms", p.status.LatencyMS.Value)
			}
		}
		if f := p.status.LastFailure; f != nil && !p.status.Up {
			row.Failure = f.Error()
		}
		rows = append(rows, row)
	}
	return rows
}

// stateWord is what the last probe said, in a word or two.
func stateWord(p *providerView, now time.Time) string {
	switch {
	case !p.status.Probed:
		return "not probed yet"
	case p.status.Up:
		return "up"
	case p.status.RetryAfter.After(now):
		return "left alone until " + p.status.RetryAfter.UTC().Format(time.TimeOnly)
	}
	return "down"
}
