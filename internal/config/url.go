package config

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strconv"
	"unicode/utf8"
)

// URL is the address of a provider. API keys stand in user info, path and query
// alike, so whatever prints it shows scheme and host only; the secret parts are
// had by Reveal alone. The zero value is no address and prints as "".
type URL struct {
	full *url.URL
}

// ParseURL accepts an absolute http or https URL. Its errors never repeat the
// input, which may carry a secret.
func ParseURL(raw string) (URL, error) { return parseURL(raw, "http", "https") }

// parseProxyURL accepts the address of a proxy, which may be a SOCKS one.
func parseProxyURL(raw string) (URL, error) { return parseURL(raw, "http", "https", "socks5") }

func parseURL(raw string, schemes ...string) (URL, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return URL{}, fmt.Errorf("it is not a URL")
	case !slices.Contains(schemes, u.Scheme):
		return URL{}, fmt.Errorf("it needs the scheme %s", alternatives(schemes))
	case u.Hostname() == "":
		return URL{}, fmt.Errorf("it has no host")
	case !utf8.ValidString(u.Host):
		// %FF in a host stands for the byte.
		return URL{}, fmt.Errorf("its host is not in UTF-8")
	case u.Port() != "" && !validPort(u.Port()):
		return URL{}, fmt.Errorf("it has no port between 1 and 65535")
	case u.Fragment != "":
		return URL{}, fmt.Errorf("it has a fragment (#…), which is never sent")
	}
	return URL{full: u}, nil
}

func validPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0
}

// IsZero says whether there is no address.
func (u URL) IsZero() bool { return u.full == nil }

// Reveal returns a copy of the whole URL, secrets included. It is for requests
// and for callers that may know them; never for a log line, a page or a metric.
func (u URL) Reveal() *url.URL {
	if u.full == nil {
		return &url.URL{}
	}
	c := *u.full
	return &c
}

// Host is the host name with its port, if one is given.
func (u URL) Host() string {
	if u.full == nil {
		return ""
	}
	return u.full.Host
}

// String is scheme and host.
func (u URL) String() string {
	if u.full == nil {
		return ""
	}
	return u.full.Scheme + "://" + u.full.Host
}

// GoString keeps %#v from printing what String hides.
func (u URL) GoString() string { return fmt.Sprintf("config.URL(%q)", u.String()) }

// Format keeps every verb from printing what String hides.
func (u URL) Format(f fmt.State, verb rune) {
	if verb == 'q' {
		_, _ = fmt.Fprintf(f, "%q", u.String())
		return
	}
	_, _ = fmt.Fprint(f, u.String())
}

// LogValue is what slog prints.
func (u URL) LogValue() slog.Value { return slog.StringValue(u.String()) }

// MarshalText is scheme and host.
func (u URL) MarshalText() ([]byte, error) { return []byte(u.String()), nil }

// MarshalJSON is scheme and host.
func (u URL) MarshalJSON() ([]byte, error) { return json.Marshal(u.String()) }

// MarshalYAML is scheme and host.
func (u URL) MarshalYAML() (any, error) { return u.String(), nil }
