package exporter

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/understudy-rpc/understudy/exporter/chain"
	"github.com/understudy-rpc/understudy/exporter/integrity"
	"github.com/understudy-rpc/understudy/exporter/prober"
	"github.com/understudy-rpc/understudy/internal/config"
)

// Report is what one probe of one provider found, for people to read. Members
// that are not known are absent. It holds no secret.
type Report struct {
	Chain    string      `json:"chain"`
	Provider string      `json:"provider"`
	Type     config.Type `json:"type"`
	RPCHost  config.URL  `json:"rpc_host"`
	Operator string      `json:"operator"`
	// OK: the right network, with a height.
	OK bool `json:"ok"`
	// Reason is the class of the failure, or no_verdict; Error its words.
	Reason string `json:"reason,omitempty"`
	Error  string `json:"error,omitempty"`

	Height            *uint64         `json:"height,omitempty"`
	Hash              string          `json:"hash,omitempty"`
	Time              *time.Time      `json:"time,omitempty"`
	LatencyMS         *float64        `json:"latency_ms,omitempty"`
	Network           string          `json:"network,omitempty"`
	NetworkVerdict    string          `json:"network_verdict"`
	Syncing           *bool           `json:"syncing,omitempty"`
	Peers             *int            `json:"peers,omitempty"`
	Capabilities      map[string]bool `json:"capabilities,omitempty"`
	CertificateExpiry *time.Time      `json:"certificate_expiry,omitempty"`
	Requests          []ReportRow     `json:"requests"`
}

// ReportRow is one request of the probe.
type ReportRow struct {
	Request   string       `json:"request"`
	StartMS   float64      `json:"start_ms"`
	LatencyMS float64      `json:"latency_ms"`
	Status    int          `json:"status"`
	Bytes     int          `json:"bytes"`
	Class     chain.Reason `json:"class"`
	Text      string       `json:"text,omitempty"`
}

// classOK is the class of a good answer.
const classOK chain.Reason = "ok"

// ProbeChain probes the providers of a chain once, at the same time, with every
// question there is, and judges their networks together. With a name it probes
// only that provider. The error is about the question itself, never about a
// provider.
func ProbeChain(ctx context.Context, c config.Chain, only string) ([]Report, error) {
	if only != "" {
		i := slices.IndexFunc(c.Providers, func(p config.Provider) bool { return p.Name == only })
		if i < 0 {
			return nil, fmt.Errorf("chain %q has no provider %q; it has %s", c.Name, only, namesOf(c.Providers))
		}
		c.Providers = c.Providers[i : i+1]
	}
	f, err := newFleet(config.Config{Chains: []config.Chain{c}}, nil)
	if err != nil {
		return nil, err
	}
	networks := integrity.NewNetworks()
	networks.Apply(f.config.Chains)
	observations, errs := make([]chain.Observation, len(f.members)), make([]error, len(f.members))
	var all sync.WaitGroup
	for i, m := range f.members {
		all.Go(func() {
			observations[i], errs[i] = m.asker.Observe(ctx, everything)
			networks.Judge(m.key, observations[i].Identity)
			networks.Attempted(m.key)
		})
	}
	all.Wait()
	reports := make([]Report, len(f.members))
	for i, m := range f.members {
		reports[i] = newReport(m, observations[i], errs[i], networks.Judge(m.key, observations[i].Identity))
	}
	return reports, nil
}

// everything is all that a probe can ask.
var everything = chain.Ask{Identity: true, Hints: true, Capabilities: true}

// newReport puts an observation into words.
func newReport(m *member, o chain.Observation, err error, network prober.Verdict) Report {
	r := Report{
		Chain: m.key.Chain, Provider: m.key.Provider, Type: m.config.Type,
		RPCHost: m.config.RPCHost, Operator: m.config.Operator,
		Hash: o.Hash, Network: o.Identity, NetworkVerdict: network.String(),
		Capabilities: o.Capabilities, Requests: []ReportRow{},
		Time: unlessZero(o.Time), CertificateExpiry: unlessZero(o.CertificateExpiry),
		Syncing: pointer(o.Hints.Syncing), Peers: pointer(o.Hints.Peers),
	}
	if o.HasTip {
		r.Height, r.LatencyMS = &o.Height, new(milliseconds(o.Latency))
	}
	for _, e := range o.Exchanges {
		row := ReportRow{e.Request, milliseconds(e.Start), milliseconds(e.Latency), e.Status, e.Bytes, e.Reason, e.Text}
		if row.Class == "" {
			row.Class = classOK
		}
		r.Requests = append(r.Requests, row)
	}
	r.Reason, r.Error = verdictOf(o, err, network)
	r.OK = r.Reason == ""
	return r
}

// verdictOf is the class and the words of what is wrong, or nothing.
func verdictOf(o chain.Observation, err error, network prober.Verdict) (reason, words string) {
	failed := func(r chain.Reason, text string) (string, string) {
		return string(r), (&chain.Failure{Reason: r, Text: text}).Error()
	}
	if f, ok := errors.AsType[*chain.Failure](err); ok {
		return string(f.Reason), f.Error()
	}
	switch {
	case err != nil:
		return "no_verdict", err.Error()
	case network == prober.NetworkWrong:
		return failed(chain.WrongNetwork, fmt.Sprintf("it serves network %q", o.Identity))
	case o.OffCheckpoint.Known && o.OffCheckpoint.Value:
		return failed(chain.WrongNetwork, "its block at the checkpoint is another one")
	case network == prober.NetworkUnknown:
		return failed("network_unproven", "which network it serves could not be proven")
	}
	return "", ""
}

// pointer is a value as JSON has it: nil if it is not known.
func pointer[T any](o chain.Optional[T]) *T {
	if !o.Known {
		return nil
	}
	return &o.Value
}

// unlessZero is nil for the zero time.
func unlessZero(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// milliseconds is a duration as a number.
func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// namesOf lists the names of providers.
func namesOf(providers []config.Provider) string {
	names := make([]string, len(providers))
	for i, p := range providers {
		names[i] = p.Name
	}
	return strings.Join(names, ", ")
}
