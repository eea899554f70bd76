package prober

import "time"

// growth watches how one provider's height moves.
type growth struct {
	// peak is the height that counts as reached, peakSeen when it was last
	// seen.
	peak     uint64
	peakSeen time.Time
}

// advanced says whether a height is growth. Backends behind one URL that stand
// still at different heights go up and down for ever; so only a height above the
// highest of late is growth. What was not seen again for the memory's length is
// forgotten, since a chain may be set back and one absurd height must not hide
// all honest ones.
func (g *growth) advanced(height uint64, now time.Time, length time.Duration) bool {
	switch {
	case g.peakSeen.IsZero() || height > g.peak:
		g.peak, g.peakSeen = height, now
		return true
	case height == g.peak || now.Sub(g.peakSeen) >= length:
		g.peak, g.peakSeen = height, now
	}
	return false
}

// stepBack is a height that was lower than the one before.
type stepBack struct {
	at     time.Time
	blocks uint64
}

// withStep is a copy of the steps with one more. Steps that a later and larger
// one outlasts, and those out of the window, are left out.
func withStep(steps []stepBack, step stepBack) []stepBack {
	kept := make([]stepBack, 0, len(steps)+1)
	for _, s := range steps {
		if s.blocks > step.blocks && step.at.Sub(s.at) < jitterWindow {
			kept = append(kept, s)
		}
	}
	return append(kept, step)
}
