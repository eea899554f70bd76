package remote

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"strings"

	commoncfg "github.com/prometheus/common/config"
)

// tokenHeader carries the token where Authorization is taken by a password or a
// token that the listener asks for.
const tokenHeader = "X-Understudy-Token"

// credentialsOf is the HTTP client configuration with the token in it. user says
// that the address has a user. A redirect is never followed: the credentials are
// for one address.
func credentialsOf(o Options, user bool) (commoncfg.HTTPClientConfig, error) {
	cfg := commoncfg.DefaultHTTPClientConfig
	if o.HTTPConfigFile != "" {
		loaded, _, err := commoncfg.LoadHTTPConfigFile(o.HTTPConfigFile)
		if err != nil {
			return cfg, fmt.Errorf("the HTTP client configuration %s: %w", o.HTTPConfigFile, withoutValues(err))
		}
		cfg = *loaded
	}
	cfg.FollowRedirects = false
	if o.TokenFile == "" {
		return cfg, nil
	}
	token, err := os.ReadFile(o.TokenFile)
	switch {
	case err != nil:
		return cfg, fmt.Errorf("the token file: %w", err)
	case strings.TrimSpace(string(token)) == "":
		return cfg, fmt.Errorf("the token file %s is empty", o.TokenFile)
	case len(strings.Fields(string(token))) > 1:
		return cfg, fmt.Errorf("the token file %s holds more than one word", o.TokenFile)
	}
	if user || cfg.BasicAuth != nil || cfg.Authorization != nil || cfg.OAuth2 != nil {
		headers := maps.Clone(headersOf(cfg))
		headers[tokenHeader] = commoncfg.Header{Files: []string{o.TokenFile}}
		cfg.HTTPHeaders = &commoncfg.Headers{Headers: headers}
		return cfg, nil
	}
	cfg.Authorization = &commoncfg.Authorization{Type: "Bearer", CredentialsFile: o.TokenFile}
	return cfg, nil
}

// headersOf are the headers that are sent besides; never nil.
func headersOf(cfg commoncfg.HTTPClientConfig) map[string]commoncfg.Header {
	if cfg.HTTPHeaders == nil || cfg.HTTPHeaders.Headers == nil {
		return map[string]commoncfg.Header{}
	}
	return cfg.HTTPHeaders.Headers
}

// quoted is what parsers repeat of a file.
var quoted = regexp.MustCompile("(?s)`[^`]*`|\"(?:[^\"\\\\]|\\\\.)*\"|: invalid map key: .*")

// withoutValues is an error of reading a configuration without what it repeats of
// the file: a secret may have slipped into the wrong place.
func withoutValues(err error) error {
	if _, ok := errors.AsType[*os.PathError](err); ok {
		return err
	}
	return errors.New(strings.ReplaceAll(quoted.ReplaceAllString(err.Error(), "…"), "\n", ""))
}
