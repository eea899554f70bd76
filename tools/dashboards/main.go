// Command dashboards writes the Grafana dashboards of Understudy to a folder.
//
// It is a module of its own, so that what builds dashboards is no dependency of
// the product. What it writes depends on nothing but this code: the same commit
// gives the same files.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: dashboards DIR")
		os.Exit(2)
	}
	if err := writeAll(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "dashboards:", err)
		os.Exit(1)
	}
}

// writeAll writes every dashboard.
func writeAll(dir string) error {
	files, err := generate()
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// generate makes every dashboard, by the name of its file.
func generate() (map[string][]byte, error) {
	files := map[string][]byte{}
	for name, b := range map[string]*dashboard.DashboardBuilder{
		"overview.json": overview(), "chain.json": chain(), "gateway.json": gateway(), "understudy.json": understudy(),
	} {
		built, err := b.Build()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		number(built.Panels)
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(built); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		files[name] = text.Bytes()
	}
	return files, nil
}

// number gives every panel the number that links to it use.
func number(panels []dashboard.PanelOrRowPanel) {
	for i := range panels {
		id := uint32(i + 1)
		if p := panels[i].Panel; p != nil {
			p.Id = &id
		}
		if r := panels[i].RowPanel; r != nil {
			r.Id = id
		}
	}
}
