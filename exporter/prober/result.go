package prober

import (
	"fmt"
	"strings"
	"time"

	"github.com/understudy-rpc/understudy/exporter/chain"
)

// maxIdentity bounds what is kept of an identity, in bytes. No network's is so
// long, so that one cut off is never a right one.
const maxIdentity = 256

// result is one finished probe that reached a verdict.
type result struct {
	start, end  time.Time
	ask         chain.Ask
	observation chain.Observation
	// failure is nil if the provider answered.
	failure *chain.Failure
	// identity is what counts after the probe and network the verdict about it.
	identity string
	network  Verdict
}

// identityAfter is the identity that counts after a probe: what the provider
// told now; nothing, if it was asked and did not tell; else what it told before.
func (r result) identityAfter(before string) string {
	told := r.observation.Identity
	switch {
	case len(told) > maxIdentity:
		return strings.Clone(told[:maxIdentity])
	case told != "" || (r.ask.Identity && r.failure == nil):
		return told
	}
	return before
}

// wrongNetwork is the failure of a provider that answered for another network;
// nil if it did not.
func wrongNetwork(s *Status) *chain.Failure {
	switch {
	case s.OffCheckpoint.Value:
		return &chain.Failure{Reason: chain.WrongNetwork, Text: "another block stands at the checkpoint"}
	case s.Network == NetworkWrong:
		return &chain.Failure{Reason: chain.WrongNetwork, Text: fmt.Sprintf("the provider serves the network %q", s.Identity)}
	}
	return nil
}

// mayHideAnother says whether a provider that comes back after such a failure
// may be another one: its name was resolved anew, its process was replaced.
func mayHideAnother(r chain.Reason) bool {
	switch r {
	case chain.ConnectionRefused, chain.ConnectionReset, chain.DNS, chain.TLS, chain.Timeout, chain.WrongNetwork:
		return true
	}
	return false
}
