// Package scanner knows the last height that each chain's scanner observed: the
// consumer's own view of the chain, which is one more vote for its tip and the
// baseline of a single provider.
//
// A height is polled from Bifrost's /status/scanner, from a THORNode API or from
// any Prometheus text endpoint, or it is pushed. Each address is polled once,
// however many chains it tells, by a goroutine of its own and with a timeout of
// its own: Bifrost answers only after it has asked every daemon, which takes
// tens of seconds when one of them hangs.
//
// Whichever came last counts. A height lower than the one before is taken as it
// is, since a scanner that rescans goes back on purpose. One that was not told
// again for maxAge is not known any more; nothing is ever remembered across a
// restart. Answers are bounded, numbers are plain and at most 2^53, redirects
// stay on the host, and no error repeats an address beyond scheme and host, or
// anything that a source said.
//
// The package judges no provider and exports no metric.
package scanner
