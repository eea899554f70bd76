package config

import (
	"errors"
	"os"
	"path/filepath"

	commoncfg "github.com/prometheus/common/config"
	"go.yaml.in/yaml/v3"
	"golang.org/x/net/http/httpguts"
)

// http makes a provider's HTTP client block. Everything in it has been checked
// by shape; what is left are contradictions, which the block's own validation
// finds. Its words name keys, never values.
func (b *builder) http(v *value) commoncfg.HTTPClientConfig {
	c := commoncfg.DefaultHTTPClientConfig
	if !v.set() {
		return c
	}
	dir := filepath.Dir(b.file)
	b.checkFiles(v, dir)
	b.checkHeaders(v.get("http_headers"))
	b.checkHeaders(v.get("proxy_connect_header"))
	if !whole(v) {
		return c
	}
	text, err := yaml.Marshal(v.plain())
	if err == nil {
		err = yaml.Unmarshal(text, &c)
	}
	if err != nil {
		b.blame(v, "the HTTP client block cannot be used", err.Error())
		return commoncfg.DefaultHTTPClientConfig
	}
	c.SetDirectory(dir)
	if c.OAuth2 != nil {
		c.OAuth2.ClientCertificateKeyFile = commoncfg.JoinDir(dir, c.OAuth2.ClientCertificateKeyFile)
	}
	return c
}

// checkFiles refuses files that are not there or cannot be read. Their names
// are not repeated: a secret may have slipped into the wrong key.
func (b *builder) checkFiles(v *value, dir string) {
	for _, name := range v.names {
		b.checkFiles(v.members[name], dir)
	}
	for _, item := range v.items {
		b.checkFiles(item, dir)
	}
	if v.from.shape != shapeFile || v.broken {
		return
	}
	if err := readable(commoncfg.JoinDir(dir, v.text)); err != nil {
		b.blame(v, "the file cannot be read: "+reason(err), "names are relative to the folder of the configuration file")
	}
}

// readable says why a file cannot be read.
func readable(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("it is not a regular file")
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return f.Close()
}

// checkHeaders refuses names that HTTP does not allow; sending one would fail
// each request.
func (b *builder) checkHeaders(v *value) {
	if v == nil {
		return
	}
	for _, name := range v.names {
		if !httpguts.ValidHeaderFieldName(name) {
			b.blame(v.members[name], "it is not the name of a header", "letters, digits and - are possible")
		}
	}
}

// whole says that nothing in a value is broken and nothing is missing.
func whole(v *value) bool {
	if v.broken {
		return false
	}
	for _, c := range v.from.children {
		if c.required && v.members[c.name] == nil {
			return false
		}
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
