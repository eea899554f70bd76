package chain

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	commoncfg "github.com/prometheus/common/config"

	"github.com/understudy-rpc/understudy/internal/config"
)

const (
	// minSecret is the length from which a part of a URL is taken for a secret,
	// and minSecretWithDigit the length if it has a digit. Shorter ones (v2,
	// rpc, mainnet) are words that would maim every message.
	minSecret          = 8
	minSecretWithDigit = 6
	// minPassword is the length from which what can only be a secret is taken
	// for one. Replacing a shorter one everywhere would show where it stands in
	// every word, and so tell it.
	minPassword = 4
	// hidden stands where a secret was.
	hidden = "<secret>"
)

// scrubber takes the secrets of a provider's configuration out of texts: a
// vendor may repeat the key that it refuses.
type scrubber struct {
	// secrets are in the order in which they are looked for.
	secrets []string
	// files hold more secrets, which may change at any time.
	files []string
}

// scrub takes the provider's secrets out of a text.
func (p *Provider) scrub(text string) string { return p.access.secrets.scrub(text) }

// newScrubber collects the parts of the address and of the http block that must
// not be repeated, in each form in which they may come back.
func newScrubber(p config.Provider) scrubber {
	found := urlSecrets(p.RPCHost.Reveal())
	b := p.HTTP
	var s scrubber
	found = append(found, string(b.BearerToken))
	s.files = append(s.files, b.BearerTokenFile)
	if a := b.BasicAuth; a != nil {
		found = append(found, string(a.Password), basic(a.Username, string(a.Password)))
		s.files = append(s.files, a.PasswordFile)
	}
	if a := b.Authorization; a != nil {
		found = append(found, string(a.Credentials))
		s.files = append(s.files, a.CredentialsFile)
	}
	if o := b.OAuth2; o != nil {
		found = append(found, string(o.ClientSecret), string(o.ClientCertificateKey))
		s.files = append(s.files, o.ClientSecretFile)
		if u, err := url.Parse(o.TokenURL); err == nil {
			found = append(found, urlSecrets(u)...)
		}
		found = append(found, proxySecrets(o.ProxyConfig)...)
	}
	if h := b.HTTPHeaders; h != nil {
		for _, header := range h.Headers {
			for _, secret := range header.Secrets {
				found = append(found, string(secret))
			}
			s.files = append(s.files, header.Files...)
		}
	}
	found = append(found, proxySecrets(b.ProxyConfig)...)
	s.secrets = forms(found)
	s.files = slices.DeleteFunc(s.files, func(name string) bool { return name == "" })
	return s
}

// scrub replaces every secret. Those in files are read anew, since they are
// allowed to change; a file that cannot be read has no secret that was sent.
func (s scrubber) scrub(text string) string {
	secrets := s.secrets
	for _, name := range s.files {
		if content, err := os.ReadFile(name); err == nil {
			secrets = append(forms([]string{strings.TrimSpace(string(content))}), secrets...)
		}
	}
	for _, secret := range secrets {
		text = hide(text, secret)
	}
	return credentials.ReplaceAllString(text, "$1 "+hidden)
}

// hide replaces a secret in small and large letters.
func hide(text, secret string) string {
	rest, secret := lower(text), lower(secret)
	var b strings.Builder
	for {
		i := strings.Index(rest, secret)
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:i] + hidden)
		text, rest = text[i+len(secret):], rest[i+len(secret):]
	}
}

// lower makes small letters of those that keep their place.
func lower(text string) string {
	small := []byte(text)
	for i, c := range small {
		if 'A' <= c && c <= 'Z' {
			small[i] = c + 'a' - 'A'
		}
	}
	return string(small)
}

// credentials finds what a header Authorization holds, for those that are not
// in the configuration: tokens of OAuth 2, and passwords out of files.
var credentials = regexp.MustCompile(`(?i)\b(basic|bearer) [a-z0-9+/._~-]{6,}=*`)

// urlSecrets are the parts of an address that may be one.
func urlSecrets(u *url.URL) []string {
	var all []string
	if u.User != nil {
		password, _ := u.User.Password()
		all = append(all, password, basic(u.User.Username(), password))
		all = append(all, likely(u.User.Username())...)
	}
	all = append(all, likely(strings.Split(u.Path, "/")...)...)
	for name, values := range u.Query() {
		if namesSecret(name) {
			all = append(all, values...)
		} else {
			all = append(all, likely(values...)...)
		}
	}
	// A query that does not parse is a secret as a whole.
	if _, err := url.ParseQuery(u.RawQuery); err != nil {
		all = append(all, u.RawQuery)
	}
	return all
}

// proxySecrets are the credentials of a proxy.
func proxySecrets(p commoncfg.ProxyConfig) []string {
	var all []string
	if p.ProxyURL.URL != nil {
		all = urlSecrets(p.ProxyURL.URL)
	}
	for _, values := range p.ProxyConnectHeader {
		for _, value := range values {
			all = append(all, string(value))
		}
	}
	return all
}

// namesSecret says whether a parameter's name promises a secret.
func namesSecret(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"key", "token", "auth", "secret", "pass", "sig"},
		func(word string) bool { return strings.Contains(name, word) })
}

// basic is a user and a password as the header Authorization has them.
func basic(user, password string) string {
	return base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
}

// likely are the parts that look like secrets.
func likely(parts ...string) []string {
	var all []string
	for _, part := range parts {
		if len(part) >= minSecret || (len(part) >= minSecretWithDigit && strings.ContainsAny(part, "0123456789")) {
			all = append(all, part)
		}
	}
	return all
}

// forms are the secrets in each form in which they may come back: as they are,
// and escaped for a query, a path and JSON. A longer one stands before a shorter
// one that it may contain.
func forms(secrets []string) []string {
	var all []string
	for _, secret := range secrets {
		if len(secret) < minPassword {
			continue
		}
		all = append(all, secret, url.QueryEscape(secret), url.PathEscape(secret))
		if quoted, err := json.Marshal(secret); err == nil {
			all = append(all, string(quoted[1:len(quoted)-1]))
		}
	}
	slices.SortFunc(all, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})
	return slices.Compact(all)
}
