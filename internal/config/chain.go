package config

import (
	"fmt"
	"regexp"
	"slices"
)

// chain makes one chain with its providers and its policy.
func (b *builder) chain(name string, v *value) Chain {
	c := Chain{Name: name}
	known, wellKnownName := wellKnown(name)
	c.Kind = b.kind(v, known, wellKnownName)
	if known.kind != c.Kind {
		known, wellKnownName = knownKind(c.Kind), false
	}
	c.BlockTime = v.get("block_time").spanOr(known.blockTime)
	c.Network = b.network(v.get("network"), c.Kind, known)
	c.Checkpoint = b.checkpoint(v.get("checkpoint"), c, known)
	c.ObservedHeight = b.observedHeight(v.get("observed_height"))
	sites := b.providers(v, name, c.Kind)
	interval := v.get("failover").get("health_check_interval").spanOr(defaultHealthCheckInterval)
	for i := range sites {
		if sites[i].HealthCheckInterval == 0 {
			sites[i].HealthCheckInterval = interval
		}
		c.Providers = append(c.Providers, sites[i].Provider)
	}
	c.Failover = b.failover(v, c)
	c.Gateway = b.gateway(v.get("gateway"))
	b.surprises(v, c, sites)
	return c
}

// knownKind is what is known about a chain of a family that is not well known.
func knownKind(k Kind) known { return known{kind: k, blockTime: familyBlockTimes[k]} }

// kind is the chain's family: as said, else as its name says, else as its
// providers' types say.
func (b *builder) kind(v *value, k known, wellKnownName bool) Kind {
	said := v.get("kind")
	if said.set() {
		return Kind(said.text)
	}
	if said != nil {
		return k.kind
	}
	if wellKnownName {
		return k.kind
	}
	items := v.get("providers").list()
	for _, p := range items {
		if kind := Type(p.get("type").textOr("")).Kind(); kind != "" {
			return kind
		}
	}
	for _, p := range items {
		if address := p.get("rpc_host"); address.set() {
			if kind, ok := blockchairKind(address.address.Reveal().Path); ok {
				return kind
			}
		}
	}
	for _, p := range items {
		if !sound(p, p.get("type")) || p.get("type") == nil {
			return ""
		}
	}
	if len(items) > 0 {
		b.mistake(v.below("kind"), "the family of the chain cannot be told from blockchair-rest alone", "add kind: "+alternatives([]string{string(Bitcoin), string(EVM), string(XRPL), string(Stellar)}))
	}
	return ""
}

// network is the identity to expect.
func (b *builder) network(v *value, kind Kind, k known) Network {
	switch {
	case !v.set():
		return Network{Value: k.network}
	case v.text == anyNetwork:
		return Network{Any: true}
	case kind == "":
		return Network{}
	}
	normal, wrong, right := normalNetwork(kind, v.text)
	if wrong != "" {
		b.blame(v, wrong, fmt.Sprintf("on a chain of kind %s it is %s, or %s", kind, right, anyNetwork))
	}
	return Network{Value: normal}
}

// checkpoint is the block that tells the network apart. The well-known one
// holds for the main network alone.
func (b *builder) checkpoint(v *value, c Chain, k known) *Checkpoint {
	if v == nil {
		if k.checkpoint == nil || c.Network.Value != k.network {
			return nil
		}
		known := *k.checkpoint
		return &known
	}
	height, hash := v.get("height"), v.get("hash")
	if v.broken || !height.set() || !hash.set() || c.Kind == "" {
		return nil
	}
	normal, wrong, right := normalBlockHash(c.Kind, hash.text)
	if wrong != "" {
		b.blame(hash, wrong, fmt.Sprintf("on a chain of kind %s it is %s", c.Kind, right))
	}
	return &Checkpoint{Height: uint64(height.number), Hash: normal}
}

var (
	metricName = regexp.MustCompile(`^[a-zA-Z_:][a-zA-Z0-9_:]*$`)
	labelName  = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)
)

// observedHeight is where the scanner's height is read: exactly one source.
func (b *builder) observedHeight(v *value) *ObservedHeight {
	if !v.set() {
		return nil
	}
	sources := v.from.childNames()
	present := slices.DeleteFunc(slices.Clone(sources), func(s string) bool { return v.get(s) == nil })
	switch {
	case len(present) == 0:
		b.mistake(v.at, "it names no source", "one of "+alternatives(sources))
		return nil
	case len(present) > 1:
		b.mistake(v.get(present[1]).at, "a second source stands beside "+present[0], "one of "+alternatives(sources))
		return nil
	}
	o := &ObservedHeight{}
	source := v.get(present[0])
	if !source.set() {
		return nil
	}
	switch present[0] {
	case "bifrost_status_url":
		o.BifrostStatusURL = &source.address
	case "thornode_url":
		o.ThornodeURL = &source.address
	case "metric":
		o.Metric = b.metric(source)
	}
	return o
}

// metric is one series of a Prometheus endpoint.
func (b *builder) metric(v *value) *MetricSource {
	m := &MetricSource{Name: v.get("name").textOr("")}
	if u := v.get("url"); u.set() {
		m.URL = u.address
	}
	if name := v.get("name"); name.set() && !metricName.MatchString(name.text) {
		b.blame(name, "it is not the name of a metric", "letters, digits, _ and : are possible; labels stand below labels:")
	}
	labels := v.get("labels")
	if !labels.set() {
		return m
	}
	m.Labels = map[string]string{}
	for _, name := range labels.names {
		label := labels.get(name)
		if !labelName.MatchString(name) {
			b.blame(label, "it is not the name of a label", "letters, digits and _ are possible")
		}
		m.Labels[name] = label.textOr("")
	}
	return m
}
