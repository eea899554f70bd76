package remote

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	commoncfg "github.com/prometheus/common/config"
)

// credentialsOf is the HTTP client configuration with the token in it. A redirect
// is never followed: the credentials are for one address.
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
	switch {
	case user:
		return cfg, errors.New("there is a token file, and the controller's URL has a user: only one of them can be sent")
	case cfg.BasicAuth != nil || cfg.Authorization != nil || cfg.OAuth2 != nil:
		return cfg, fmt.Errorf("there is a token file, and %s has credentials as well: only one of them can be sent", o.HTTPConfigFile)
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
	cfg.Authorization = &commoncfg.Authorization{Type: "Bearer", CredentialsFile: o.TokenFile}
	return cfg, nil
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
