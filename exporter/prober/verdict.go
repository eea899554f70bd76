package prober

// Verdict says whether a provider serves the network that its chain expects.
type Verdict uint8

// The verdicts. The zero value is unknown, which is no fault of the provider.
const (
	NetworkUnknown Verdict = iota
	NetworkRight
	NetworkWrong
)

// String is unknown, right or wrong.
func (v Verdict) String() string {
	switch v {
	case NetworkRight:
		return "right"
	case NetworkWrong:
		return "wrong"
	case NetworkUnknown:
	}
	return "unknown"
}

// Judge says whether what a provider told of its network is right.
type Judge interface {
	// Judge is called once in every probe that reached a verdict, from many
	// goroutines at once and with no lock held. identity is what the provider
	// told last; "" if it told nothing, which is right only where no identity is
	// asked for.
	Judge(key Key, identity string) Verdict
}

// anyNetwork is the judge where none is given.
type anyNetwork struct{}

func (anyNetwork) Judge(Key, string) Verdict { return NetworkRight }
