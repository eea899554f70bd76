package prober

// Verdict says whether a provider serves the network that its chain expects.
type Verdict uint8

// The verdicts. The zero value is unknown, which is no fault of the provider.
const (
	NetworkUnknown Verdict = iota
	NetworkRight
	NetworkWrong
)
