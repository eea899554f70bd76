package chain

import (
	"context"
	"errors"
	"time"
)

// Ask says what a probe shall find out beyond the tip.
type Ask struct {
	Identity, Hints, Capabilities bool
	// Previous is the last good tip of this provider, or the zero Tip.
	Previous Tip
}

// Observe is one probe. The observation holds the exchanges, and whatever was
// found out before it failed, also with an error; the error is a *Failure or a
// *NoVerdict.
func (p *Provider) Observe(ctx context.Context, ask Ask) (Observation, error) {
	s := p.session()
	defer s.end()
	var o Observation
	err := s.settle(p.observe(ctx, s, ask, &o))
	o.Exchanges, o.CertificateExpiry = s.exchanges, s.expiry
	return o, err
}

// settle keeps to what Observe promises: an error that says nothing of a
// provider's fault, such as ErrPruned where a tip was asked for, is an answer
// that was not to be expected.
func (s *Session) settle(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*Failure](err); ok {
		return err
	}
	if _, ok := errors.AsType[*NoVerdict](err); ok {
		return err
	}
	if errors.Is(err, ErrPruned) || errors.Is(err, ErrSkipped) {
		return s.RejectMissing(err.Error())
	}
	return s.Reject(err.Error())
}

// observe asks for the tip and then for what else is due.
func (p *Provider) observe(ctx context.Context, s *Session, ask Ask, o *Observation) error {
	if ask.Capabilities {
		p.unsupported.clear()
	}
	if ask.Identity {
		// Who answers is proven by the certificate as well.
		p.http.sessions.forget()
	}
	tip, err := p.dialect.Tip(ctx, s, ask.Previous)
	o.Latency = heightLatency(s.exchanges)
	if err != nil {
		return err
	}
	if len(tip.Network) > maxIdentity {
		return s.Reject("what should be the name of a network is none")
	}
	o.Tip, o.HasTip, o.Identity = tip, true, tip.Network
	// A break in the chain may mean that another network answers now.
	broken := ask.Previous.Height > 0 && !tip.Follows(ask.Previous, p.step)
	if ask.Identity || broken {
		if err := p.identify(ctx, s, o); err != nil {
			return err
		}
	}
	if ask.Hints {
		if err := p.hint(ctx, s, o); err != nil {
			return err
		}
	}
	if ask.Capabilities {
		return p.verify(ctx, s, o)
	}
	return nil
}

// maxIdentity bounds the name of a network: passphrases are the longest, with
// less than half of this.
const maxIdentity = 128

// identify asks for the network, unless the tip told it, and for the block at
// the checkpoint. A provider that has this block serves the wanted network even
// if it has no name for it.
func (p *Provider) identify(ctx context.Context, s *Session, o *Observation) error {
	if o.Identity == "" || isGenesis(p.want, o.Identity) {
		network, err := p.dialect.Identity(ctx, s, p.want)
		if err != nil {
			return err
		}
		if len(network) > maxIdentity {
			return s.Reject("what should be the name of a network is none")
		}
		o.Identity = network
	}
	if p.checkpoint == nil || o.Height < p.checkpoint.Height {
		return nil
	}
	s.wantBlock()
	block, err := p.dialect.Block(ctx, s, p.checkpoint.Height, false)
	switch {
	case err == nil:
		o.OffCheckpoint = Some(block.Hash != p.checkpoint.Hash)
		if o.Identity == "" && !o.OffCheckpoint.Value {
			o.Identity = p.want
		}
	case errors.Is(err, ErrPruned), errors.Is(err, ErrSkipped), reasonOf(err) == Missing:
		// It cannot be told from this provider.
	default:
		return err
	}
	return nil
}

// isGenesis says whether a genesis hash is wanted where the tip told a name.
func isGenesis(want, told string) bool { return len(want) == 64 && len(told) != 64 }

// hint asks for self-reports. A provider that does not offer them, or says of
// itself that it is not well, has answered: only what stops the next request as
// well (no answer, a limit) is a failure of the probe.
func (p *Provider) hint(ctx context.Context, s *Session, o *Observation) error {
	h, ok := p.dialect.(Hinter)
	if !ok {
		return nil
	}
	hints, err := h.Hints(ctx, s, o.Tip)
	o.Hints = o.Hints.merge(hints)
	return seriousOnly(err)
}

// verify asks for the declared capabilities.
func (p *Provider) verify(ctx context.Context, s *Session, o *Observation) error {
	v, ok := p.dialect.(CapabilityProber)
	if !ok || len(p.declared) == 0 {
		return nil
	}
	found, err := v.Capabilities(ctx, s, o.Tip, p.declared)
	o.Capabilities = found
	return seriousOnly(err)
}

// seriousOnly passes on the errors that are about the provider as a whole and
// not about one optional question. Credentials that were good for the tip are
// good: a 403 after it is Bitcoin Core's -rpcwhitelist, or a vendor's plan, that
// leaves out a method.
func seriousOnly(err error) error {
	switch reasonOf(err) {
	case MethodUnsupported, Unauthorized, RPCError, HTTP4xx, Missing, Starting, Syncing, Behind, BadResponse:
		return nil
	}
	return err
}

// heightLatency is the latency of the first exchange that was answered well, or
// of the last one, which then is the one that failed.
func heightLatency(exchanges []Exchange) time.Duration {
	var latency time.Duration
	for _, e := range exchanges {
		latency = e.Latency
		if e.Reason == "" && e.Status != 0 {
			break
		}
	}
	return latency
}
