package prober

// Key names one provider of one chain: the labels chain and provider.
type Key struct {
	Chain, Provider string
}

// String is CHAIN/PROVIDER, as the commands take it.
func (k Key) String() string { return k.Chain + "/" + k.Provider }
