package chain

import (
	"net/url"
	"strings"

	"github.com/understudy-rpc/understudy/internal/config"
)

// minSecret is the length from which a part of a URL is taken for a secret.
// Shorter ones (v2, rpc, mainnet) are words that would maim every message.
const minSecret = 8

// scrub takes the provider's secrets out of a text: a vendor may repeat the key
// that it refuses.
func (p *Provider) scrub(text string) string { return p.secrets.Replace(text) }

// scrubber replaces every secret that the provider's configuration holds.
func scrubber(p config.Provider) *strings.Replacer {
	var pairs []string
	for _, secret := range secretsOf(p) {
		pairs = append(pairs, secret, "<secret>")
		if escaped := url.QueryEscape(secret); escaped != secret {
			pairs = append(pairs, escaped, "<secret>")
		}
	}
	return strings.NewReplacer(pairs...)
}

// secretsOf are the parts of the address and of the http block that must not be
// repeated.
func secretsOf(p config.Provider) []string {
	u := p.RPCHost.Reveal()
	var all []string
	if u.User != nil {
		if password, ok := u.User.Password(); ok {
			all = append(all, password)
		}
		all = append(all, longOnly(u.User.Username())...)
	}
	all = append(all, longOnly(strings.Split(u.Path, "/")...)...)
	for _, values := range u.Query() {
		all = append(all, longOnly(values...)...)
	}
	if b := p.HTTP.BasicAuth; b != nil {
		all = append(all, string(b.Password))
	}
	if a := p.HTTP.Authorization; a != nil {
		all = append(all, string(a.Credentials))
	}
	if h := p.HTTP.HTTPHeaders; h != nil {
		for _, header := range h.Headers {
			for _, secret := range header.Secrets {
				all = append(all, string(secret))
			}
		}
	}
	return nonEmpty(all)
}

func longOnly(parts ...string) []string {
	var long []string
	for _, part := range parts {
		if len(part) >= minSecret {
			long = append(long, part)
		}
	}
	return long
}

func nonEmpty(parts []string) []string {
	var kept []string
	for _, part := range parts {
		if part != "" {
			kept = append(kept, part)
		}
	}
	return kept
}
