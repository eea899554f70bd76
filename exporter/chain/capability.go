package chain

import (
	"context"
	"encoding/json"
	"errors"
)

// errUntold says that a capability cannot be told from this provider now.
var errUntold = errors.New("this cannot be told now")

// capabilityProbe asks for one capability. nil means that the provider has it,
// a refusal that it has not, errUntold that it stays unknown.
type capabilityProbe func(ctx context.Context, s *Session, tip Tip) error

// verifyEach asks for the declared capabilities for which there is a probe. It
// ends early, with what it has found, at an error that is about the provider
// as a whole.
func verifyEach(ctx context.Context, s *Session, tip Tip, declared []string, probes map[string]capabilityProbe) (map[string]bool, error) {
	found := map[string]bool{}
	for _, capability := range declared {
		probe, ok := probes[capability]
		if !ok {
			continue
		}
		switch err := probe(ctx, s, tip); {
		case err == nil:
			found[capability] = true
		case isRefusal(err):
			found[capability] = false
		case !errors.Is(err, errUntold) && !isSelfReport(err):
			return found, err
		}
	}
	return found, nil
}

// isRefusal says whether an error speaks of the question and not of the
// provider: there was an answer, and it is no. A 401 or 403 does so too where it
// comes after other methods have been answered with the same credentials:
// Bitcoin Core's -rpcwhitelist and vendors' plans refuse single methods like
// this.
func isRefusal(err error) bool {
	f, ok := errors.AsType[*Failure](err)
	if !ok || f.Status == 0 {
		return false
	}
	switch f.Reason {
	case MethodUnsupported, Unauthorized, RPCError, HTTP4xx, Missing, BadResponse:
		return true
	}
	return false
}

// isSelfReport says whether a node says of itself that it is not well, which
// leaves a capability open.
func isSelfReport(err error) bool {
	switch reasonOf(err) {
	case Starting, Syncing, Behind:
		return true
	}
	return false
}

// CallOptional asks a method that a provider need not offer, unless it is known
// to refuse it. A refusal is remembered and leaves the result untouched; it is
// no error. The provider must have answered another method before.
func (s *Session) CallOptional(ctx context.Context, method string, params, result any) error {
	if s.Unsupported(method) {
		return nil
	}
	raw, err := s.CallRaw(ctx, method, params)
	if reason := reasonOf(err); reason == MethodUnsupported || reason == Unauthorized {
		s.NoteUnsupported(method)
		return nil
	}
	if err != nil || raw == nil {
		return err
	}
	if err := json.Unmarshal(raw, result); err != nil {
		return s.Reject("a result of another shape: " + err.Error())
	}
	return nil
}
