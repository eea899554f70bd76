// Package simulator has fake chains and fake providers of every type, with
// faults on a script. It serves the tests, the demonstration and the benchmark;
// nothing on the way of a real observation imports it.
//
// A [Chain] is one network: its height follows a clock, or the hand of a test,
// and every block follows from the chain's name, the fork and the height alone.
// So two runs see the same blocks, and so do two providers, whatever their
// dialects. A [Provider] is an [http.Handler] that speaks the wire format of
// one [config.Type] about one chain, as well or as badly as its [Behaviour]
// says. The zero Behaviour is a good provider. A [Script] changes the behaviour
// by the chain's clock.
//
// A provider is reached in one of two ways: through a [Server] on loopback
// (a port each, or ten thousand under one port), or through a [Network], which
// has no sockets at all and therefore runs inside a testing/synctest bubble.
//
// [Vendors] are the literal answers by which real vendors refuse.
//
// The simulator never judges: which failure an answer is to be taken for stands
// in the tests of whoever classifies it. It never logs, and nothing a client
// sends makes it panic. Its memory is bounded: by [ProviderOptions.Remember]
// for recorded requests, by maxRequestBody for a request, and streams without
// an end are written from one small buffer.
package simulator
