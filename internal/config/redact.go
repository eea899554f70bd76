package config

import (
	"bytes"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"time"

	commoncfg "github.com/prometheus/common/config"
	"go.yaml.in/yaml/v3"
)

// hidden stands for a secret, as in the Prometheus family.
const hidden = "<secret>"

// Redacted is the effective configuration as YAML: every default filled in,
// disabled providers left out, addresses as scheme and host, secrets as
// <secret>. Chains and providers stand in the order of the file.
func (c Config) Redacted() ([]byte, error) {
	var out bytes.Buffer
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	if err := e.Encode(c); err != nil {
		return nil, fmt.Errorf("redact the configuration: %w", err)
	}
	return out.Bytes(), nil
}

// MarshalYAML is the form of the file, without secrets.
func (c Config) MarshalYAML() (any, error) {
	table := mapping()
	for _, chain := range c.Chains {
		n := &yaml.Node{}
		if err := n.Encode(chain); err != nil {
			return nil, err
		}
		add(table, chain.Name, n)
	}
	root := mapping()
	add(root, "chains", table)
	return root, nil
}

// MarshalYAML is the form of the file, without secrets.
func (c Chain) MarshalYAML() (any, error) {
	type plain Chain
	return redacted(plain(c), file.child("chains").each)
}

// MarshalYAML is the form of the file, without secrets.
func (p Provider) MarshalYAML() (any, error) {
	type plain Provider
	b := file.child("chains").each.child("providers").each
	n, err := redacted(plain(p), b)
	if err == nil && reflect.DeepEqual(p.HTTP, commoncfg.DefaultHTTPClientConfig) {
		http := slices.IndexFunc(n.Content, func(c *yaml.Node) bool { return c.Value == "http" })
		n.Content = slices.Delete(n.Content, http, http+2)
	}
	return n, err
}

// MarshalYAML is the identity as it stands in the file.
func (n Network) MarshalYAML() (any, error) {
	if n.Any {
		return anyNetwork, nil
	}
	return n.Value, nil
}

// IsZero says that the identity is what most operators say.
func (n Network) IsZero() bool { return n == Network{} }

// redacted encodes something and cleans it by the table of keys.
func redacted(v any, b *branch) (*yaml.Node, error) {
	n := &yaml.Node{}
	if err := n.Encode(v); err != nil {
		return nil, err
	}
	clean(n, b)
	return n, nil
}

// clean replaces what must not be shown and brings durations into their
// shortest notation. It goes by the shapes of the keys, so that no type can
// forget to hide something. What the table does not know is dropped.
func clean(n *yaml.Node, b *branch) {
	switch {
	case n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			child := b.each
			if b.shape == shapeObject {
				child = b.child(n.Content[i].Value)
			}
			if child == nil || isNull(n.Content[i+1]) {
				n.Content = slices.Delete(n.Content, i, i+2)
				i -= 2
				continue
			}
			clean(n.Content[i+1], child)
		}
	case n.Kind == yaml.SequenceNode:
		for _, item := range n.Content {
			clean(item, b.each)
		}
	case b.shape == shapeSecret:
		*n = *text(hidden)
	case b.shape == shapeAddress:
		if u, err := parseProxyURL(n.Value); err == nil {
			*n = *text(u.String())
		} else {
			*n = *text(hidden)
		}
	case b.shape == shapeDuration:
		if d, err := time.ParseDuration(n.Value); err == nil {
			*n = *text(formatDuration(d))
		}
	}
}

// String is the provider without anything secret.
func (p Provider) String() string {
	return fmt.Sprintf("%s (%s at %s)", p.Name, p.Type, p.RPCHost)
}

// Format keeps every verb from printing what String hides: %#v would show the
// header of a proxy in HTTP.
func (p Provider) Format(f fmt.State, verb rune) {
	if verb == 'q' {
		_, _ = fmt.Fprintf(f, "%q", p.String())
		return
	}
	_, _ = fmt.Fprint(f, p.String())
}

// LogValue is what slog prints.
func (p Provider) LogValue() slog.Value {
	return slog.GroupValue(slog.String("name", p.Name), slog.String("type", string(p.Type)), slog.String("rpc_host", p.RPCHost.String()))
}
