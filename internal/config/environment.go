package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// The variables of a Soroban keeper.
const (
	variableURL        = "SOROBAN_RPC_URL"
	variableURLs       = "SOROBAN_RPC_URLS"
	variableEnabled    = "RPC_FAILOVER_ENABLED"
	variableThreshold  = "RPC_FAILOVER_FAILURE_THRESHOLD"
	variableCooldown   = "RPC_FAILOVER_COOLDOWN_MS"
	variableInterval   = "RPC_FAILOVER_HEALTH_CHECK_INTERVAL_MS"
	variablePassphrase = "NETWORK_PASSPHRASE"
)

// environmentName stands for the name of a file in messages.
const environmentName = "environment"

// sorobanChain is the name of the one chain of a keeper.
const sorobanChain = "soroban"

// FromEnvironment is the configuration of a Soroban keeper, which stands in the
// environment alone: one chain with the URLs as providers, in their order. It
// is false when SOROBAN_RPC_URL is not set or empty. An error is of type
// Mistakes, with the name of the variable as the path of each.
//
// The variables are made into the nodes that a file would have had, so that
// the same defaults, checks and arithmetic hold.
func FromEnvironment(lookup func(string) (string, bool)) (Config, bool, error) {
	get := func(name string) string {
		s, _ := lookup(name)
		return strings.TrimSpace(s)
	}
	if get(variableURL) == "" {
		return Config{}, false, nil
	}
	b := &builder{reader: &reader{file: environmentName}, config: Config{Source: environmentName}}
	k := &keeper{builder: b, get: get, variables: map[string]string{}}
	chain := k.chain()
	read := b.read(chain, file.child("chains").each, "chains."+sorobanChain)
	all := &value{from: file.child("chains"), members: map[string]*value{sorobanChain: read}, names: []string{sorobanChain}}
	b.build(all)
	k.rename(b.mistakes)
	k.rename(b.warnings)
	config, err := b.result()
	if err == nil && get(variablePassphrase) == "" {
		// A keeper runs on test networks too, so the main one is no default.
		config.Chains[0].Network = Network{}
	}
	return config, true, err
}

// keeper makes nodes of variables.
type keeper struct {
	*builder
	get func(string) string
	// variables are the names of the variables by the path of the value they
	// became.
	variables map[string]string
}

// chain is the node of the keeper's chain.
func (k *keeper) chain() *yaml.Node {
	chain := mapping()
	add(chain, "providers", k.providers())
	if p := k.get(variablePassphrase); p != "" {
		k.set(chain, "chains.soroban", "network", p, variablePassphrase)
	}
	add(chain, "failover", k.failover())
	add(chain, "gateway", k.gateway())
	return chain
}

// providers are the nodes of the endpoints: each URL once, in order, named by
// its host.
func (k *keeper) providers() *yaml.Node {
	list := &yaml.Node{Kind: yaml.SequenceNode}
	k.variables["chains.soroban.providers"] = variableURLs
	var seen, names []string
	endpoint := func(u, variable string) {
		if u == "" || slices.Contains(seen, u) {
			return
		}
		name := endpointName(u, len(seen), names)
		seen, names = append(seen, u), append(names, name)
		p := mapping()
		at := fmt.Sprintf("chains.soroban.providers[%d]", len(list.Content))
		add(p, "name", text(name))
		add(p, "type", text(string(SorobanRPC)))
		k.set(p, at, "rpc_host", u, variable)
		k.variables[at] = variable
		list.Content = append(list.Content, p)
	}
	endpoint(k.get(variableURL), variableURL)
	for i, u := range strings.Split(k.get(variableURLs), ",") {
		endpoint(strings.TrimSpace(u), fmt.Sprintf("%s[%d]", variableURLs, i))
	}
	return list
}

// endpointName is the host name of a URL, made unique; a URL that cannot be
// read is refused later and needs a name all the same.
func endpointName(raw string, index int, taken []string) string {
	name := fmt.Sprintf("endpoint-%d", index)
	if u, err := ParseURL(raw); err == nil {
		clean := strings.Map(func(c rune) rune {
			if strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789.-", c) {
				return c
			}
			return '-'
		}, hostName(u))
		if clean = strings.Trim(clean, ".-"); clean != "" {
			name = clean[:min(len(clean), 56)]
		}
	}
	unique := name
	for n := 2; slices.Contains(taken, unique); n++ {
		unique = name + "-" + itoa(n)
	}
	return unique
}

// failover is the node of the policy. The window is as long as the threshold
// needs, as the keeper counts consecutive failures and has no window.
func (k *keeper) failover() *yaml.Node {
	const at = "chains.soroban.failover"
	f := mapping()
	threshold := int64(3)
	interval := 15 * time.Second
	if n, ok := k.integer(variableThreshold, maxCount); ok {
		threshold = n
	}
	if n, ok := k.integer(variableInterval, maxDuration.Milliseconds()); ok {
		interval = time.Duration(n) * time.Millisecond
	}
	cooldown := 30 * time.Second
	if n, ok := k.integer(variableCooldown, maxDuration.Milliseconds()); ok {
		cooldown = time.Duration(n) * time.Millisecond
	}
	k.set(f, at, "health_check_interval", formatDuration(interval), variableInterval)
	k.set(f, at, "recovery_check_interval", formatDuration(max(cooldown, minDuration)), variableCooldown)
	k.setNumber(f, at, "error_threshold", threshold, variableThreshold)
	needed := time.Duration(threshold) * (min(defaultSuspectCheckInterval, interval) + min(defaultRequestTimeout, interval))
	add(f, "error_window", text(formatDuration(max(defaultErrorWindow, needed))))
	if k.get(variableEnabled) != "" {
		enabled, ok := k.boolean(variableEnabled)
		if ok && !enabled {
			add(f, "failback", text(string(FailbackSticky)))
		}
	}
	return f
}

// gateway is the node of how calls are forwarded: the keeper's own rules. A client
// of the keeper's fails over also when the background checks are off, and so does
// the gateway.
func (k *keeper) gateway() *yaml.Node {
	const at = "chains.soroban.gateway"
	g := mapping()
	if n, ok := k.number(variableThreshold, maxCount); ok {
		k.setNumber(g, at, "failure_threshold", n, variableThreshold)
	}
	if n, ok := k.number(variableCooldown, maxDuration.Milliseconds()); ok {
		k.set(g, at, "cooldown", formatDuration(max(time.Duration(n)*time.Millisecond, minDuration)), variableCooldown)
	}
	return g
}

// number is integer without its mistakes, which are told once.
func (k *keeper) number(variable string, most int64) (int64, bool) {
	n, err := strconv.ParseInt(k.get(variable), 10, 64)
	return n, err == nil && n >= 1 && n <= most
}

// integer is a variable that holds a whole number above zero.
func (k *keeper) integer(variable string, most int64) (int64, bool) {
	s := k.get(variable)
	if s == "" {
		return 0, false
	}
	n, ok := k.number(variable, most)
	if !ok {
		k.mistake(place{path: variable}, "it is not a whole number of the possible size", fmt.Sprintf("1 to %d is possible", most))
		return 0, false
	}
	return n, true
}

// boolean is a variable that holds true or false.
func (k *keeper) boolean(variable string) (enabled, ok bool) {
	switch strings.ToLower(k.get(variable)) {
	case "true", "1":
		return true, true
	case "false", "0":
		return false, true
	}
	k.mistake(place{path: variable}, "it is not a boolean", "true or false")
	return false, false
}

// set adds a text to a node and remembers which variable it comes from.
func (k *keeper) set(n *yaml.Node, at, name, s, variable string) {
	k.variables[join(at, name)] = variable
	add(n, name, text(s))
}

func (k *keeper) setNumber(n *yaml.Node, at, name string, number int64, variable string) {
	k.variables[join(at, name)] = variable
	add(n, name, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.FormatInt(number, 10)})
}

// rename replaces the paths of a file by the names of the variables.
func (k *keeper) rename(ms Mistakes) {
	for i, m := range ms {
		if variable, ok := k.variables[m.Path]; ok {
			ms[i].Path = variable
		}
	}
}

func mapping() *yaml.Node { return &yaml.Node{Kind: yaml.MappingNode} }

func text(s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
}

func add(n *yaml.Node, name string, v *yaml.Node) {
	n.Content = append(n.Content, text(name), v)
}
