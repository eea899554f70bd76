package exporter

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/understudy-rpc/understudy/exporter/chain"
	"github.com/understudy-rpc/understudy/exporter/prober"
)

// Head is what the last probes of a provider found that is no metric: labels
// must not hold hashes and texts.
type Head struct {
	Chain    string `json:"chain"`
	Provider string `json:"provider"`
	// Hash is that of the newest block, as the provider told with Height; empty if
	// it is unknown.
	Hash   string `json:"hash,omitempty"`
	Height uint64 `json:"height,omitempty"`
	// Parent is the hash of the block before; empty if it is unknown.
	Parent string `json:"parent,omitempty"`
	// LastError is the last probe that failed; nil if none did.
	LastError *HeadError `json:"last_error,omitempty"`
}

// HeadError is a probe that failed. It has no secret.
type HeadError struct {
	// Reason is the value of the label reason.
	Reason  string    `json:"reason"`
	Message string    `json:"message"`
	Time    time.Time `json:"time"`
}

// Head is that of one provider; false if it is not configured.
func (e *Exporter) Head(chain, provider string) (Head, bool) {
	key := prober.Key{Chain: chain, Provider: provider}
	status, ok := e.prober.Status(key)
	if !ok {
		return Head{}, false
	}
	h := Head{Chain: chain, Provider: provider}
	if status.HeightKnown(time.Now()) {
		h.Hash, h.Height, h.Parent = status.Hash, status.Height, status.Tip.Parent
	}
	if history, ok := e.prober.History(key); ok && len(history.Failures) > 0 {
		last := history.Failures[len(history.Failures)-1]
		h.LastError = &HeadError{
			Reason: string(last.Failure.Reason), Message: last.Failure.Error(), Time: last.Start.Add(last.Duration).UTC(),
		}
	}
	return h, true
}

// Tip is the newest block of a provider as its last good probe told it; false if
// it is not known.
func (e *Exporter) Tip(key prober.Key) (chain.Tip, bool) {
	status, ok := e.prober.Status(key)
	return status.Tip, ok && status.HeightKnown(time.Now())
}

// Last says whether the last probe of a provider was good. It is not known of one
// that is not configured, that was never probed, or whose network is not proven.
func (e *Exporter) Last(key prober.Key) (good, known bool) {
	status, ok := e.prober.Status(key)
	return status.Up, ok && (status.Up || status.ConsecutiveErrors > 0)
}

// Hasten has a provider probed as soon as may be, because somebody has reason to
// doubt it. It waits for nothing.
func (e *Exporter) Hasten(chain, provider string) {
	e.prober.Hasten(prober.Key{Chain: chain, Provider: provider})
}

// serveHeads answers with the heads of all providers.
func (e *Exporter) serveHeads(w http.ResponseWriter, _ *http.Request) {
	heads := []Head{}
	for _, m := range e.fleet.Load().members {
		if h, ok := e.Head(m.key.Chain, m.key.Provider); ok {
			heads = append(heads, h)
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-cache")
	if err := json.NewEncoder(w).Encode(map[string]any{"heads": heads}); err != nil {
		e.logger.Debug("The heads were not sent whole", "err", err)
	}
}
