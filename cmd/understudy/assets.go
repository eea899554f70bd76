package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/alecthomas/kingpin/v2"

	"github.com/understudy-rpc/understudy/dashboards"
	"github.com/understudy-rpc/understudy/deploy"
	"github.com/understudy-rpc/understudy/rules"
)

// asset is a file that the program brings along for others.
type asset struct {
	// path is where it goes, below the folder that the operator names.
	path string
	data []byte
}

// assets adds the subcommand that writes rules, dashboards and the configuration
// of Prometheus and Alertmanager to a folder.
func (p *program) assets(app *kingpin.Application) command {
	c := app.Command("assets", "Write the rules, Grafana dashboards and a configuration for Prometheus and Alertmanager to a folder. A file that is there with other content is left as it is.")
	force := c.Flag("force", "Overwrite files that were changed.").Bool()
	dir := c.Arg("DIR", "The folder; it is made if it is not there.").Required().String()
	return command{c, func() int {
		all, err := bundledAssets()
		if err != nil {
			return p.fail(err)
		}
		return p.writeAssets(*dir, all, *force)
	}}
}

// bundledAssets are all files that the program brings along.
func bundledAssets() ([]asset, error) {
	var all []asset
	add := func(from fs.FS, name, path string) error {
		data, err := fs.ReadFile(from, name)
		if err != nil {
			return fmt.Errorf("read a bundled file: %w", err)
		}
		all = append(all, asset{filepath.FromSlash(path), data})
		return nil
	}
	for _, name := range rules.FileNames() {
		if err := add(rules.Files, name, "rules/"+name); err != nil {
			return nil, err
		}
	}
	for _, name := range dashboards.FileNames() {
		if err := add(dashboards.Files, name, "dashboards/"+name); err != nil {
			return nil, err
		}
	}
	err := errors.Join(
		add(deploy.Files, "prometheus/prometheus.yml", "prometheus.yml"),
		add(deploy.Files, "alertmanager/alertmanager.yml", "alertmanager.yml"))
	return all, err
}

// writeAssets writes what is missing or old and says what became of each file.
func (p *program) writeAssets(dir string, all []asset, force bool) int {
	status := exitOK
	for _, a := range all {
		path := filepath.Join(dir, a.path)
		there, err := os.ReadFile(path)
		switch {
		case err == nil && bytes.Equal(there, a.data):
			_, _ = fmt.Fprintln(p.stdout, "unchanged", path)
			continue
		case err == nil && !force:
			_, _ = fmt.Fprintf(p.stderr, "kept %s: it has other content than the bundled file; --force overwrites it\n", path)
			status = exitFailed
			continue
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return p.fail(fmt.Errorf("look for an older file: %w", err))
		}
		if err := replaceFile(path, a.data); err != nil {
			return p.fail(fmt.Errorf("write a bundled file: %w", err))
		}
		_, _ = fmt.Fprintln(p.stdout, "wrote", path)
	}
	return status
}

// replaceFile writes a file so that a reader finds the old or the new one, and
// never a part: Prometheus may read its rules at any moment.
func replaceFile(path string, data []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	// Other programs, under other users, are to read it.
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
