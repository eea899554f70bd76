package config

import (
	"path/filepath"

	commoncfg "github.com/prometheus/common/config"
	"go.yaml.in/yaml/v3"
)

// http makes a provider's HTTP client block. Everything in it has been checked
// by shape; what is left are contradictions, which the block's own validation
// finds. Its words name keys, never values.
func (b *builder) http(v *value) commoncfg.HTTPClientConfig {
	c := commoncfg.DefaultHTTPClientConfig
	if !v.set() || !whole(v) {
		return c
	}
	text, err := yaml.Marshal(v.plain())
	if err == nil {
		err = yaml.Unmarshal(text, &c)
	}
	if err != nil {
		b.blame(v, "the HTTP client block contradicts itself", err.Error())
		return commoncfg.DefaultHTTPClientConfig
	}
	dir := filepath.Dir(b.file)
	c.SetDirectory(dir)
	if c.OAuth2 != nil {
		c.OAuth2.ClientCertificateKeyFile = commoncfg.JoinDir(dir, c.OAuth2.ClientCertificateKeyFile)
	}
	return c
}

// whole says that nothing in a value is broken.
func whole(v *value) bool {
	if v.broken {
		return false
	}
	for _, m := range v.members {
		if !whole(m) {
			return false
		}
	}
	for _, i := range v.items {
		if !whole(i) {
			return false
		}
	}
	return true
}

// plain is a value as YAML's own types, variables replaced.
func (v *value) plain() any {
	switch v.from.shape {
	case shapeObject, shapeTable:
		m := map[string]any{}
		for name, member := range v.members {
			m[name] = member.plain()
		}
		return m
	case shapeList:
		l := []any{}
		for _, item := range v.items {
			l = append(l, item.plain())
		}
		return l
	case shapeBoolean:
		return v.flag
	default:
		return v.text
	}
}
