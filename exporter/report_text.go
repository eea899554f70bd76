package exporter

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// WriteText writes the report as a headline, the facts and a table of requests.
func (r Report) WriteText(w io.Writer) error {
	verdict := "ok"
	if !r.OK {
		verdict = "FAILED: " + r.Error
	}
	if _, err := fmt.Fprintf(w, "%s/%s  %s  %s  %s\n", r.Chain, r.Provider, r.Type, r.RPCHost, verdict); err != nil {
		return err
	}
	if facts := r.facts(); len(facts) > 0 {
		if _, err := fmt.Fprintf(w, "  %s\n", strings.Join(facts, "  ")); err != nil {
			return err
		}
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "  REQUEST\tSTATUS\tLATENCY\tBYTES\tCLASS\tTEXT")
	for _, row := range r.Requests {
		_, _ = fmt.Fprintf(table, "  %s\t%d\t%.1f ms\t%d\t%s\t%s\n", row.Request, row.Status, row.LatencyMS, row.Bytes, row.Class, row.Text)
	}
	return table.Flush()
}

// facts are what was found out, a word each.
func (r Report) facts() []string {
	var f []string
	add := func(format string, args ...any) { f = append(f, fmt.Sprintf(format, args...)) }
	if r.Height != nil {
		add("height=%d", *r.Height)
	}
	if r.Hash != "" {
		add("hash=%s", r.Hash)
	}
	if r.Time != nil {
		add("time=%s", r.Time.UTC().Format(time.RFC3339))
	}
	if r.LatencyMS != nil {
		add("latency=%.1fms", *r.LatencyMS)
	}
	if r.Network != "" {
		add("network=%q(%s)", r.Network, r.NetworkVerdict)
	}
	if r.Syncing != nil {
		add("syncing=%t", *r.Syncing)
	}
	if r.Peers != nil {
		add("peers=%d", *r.Peers)
	}
	for _, capability := range slices.Sorted(maps.Keys(r.Capabilities)) {
		add("%s=%t", capability, r.Capabilities[capability])
	}
	if r.CertificateExpiry != nil {
		add("certificate_until=%s", r.CertificateExpiry.UTC().Format(time.DateOnly))
	}
	return f
}
