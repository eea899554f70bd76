package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/understudy-rpc/understudy"

// allowed says which of our packages each package may import. Data flows one
// way, from cmd down to rules and internal/config; whoever adds a package says
// here where it stands.
var allowed = map[string][]string{
	"client": {"controller/wire"},
	"cmd/understudy": {
		"controller", "controller/api", "controller/evaluator", "controller/facts", "controller/gateway", "controller/overview", "controller/rulelint", "controller/web", "controller/wire",
		"dashboards", "deploy", "exporter", "exporter/chain", "exporter/prober", "internal/config", "controller/console", "internal/demo", "controller/remote", "rules",
	},
	"controller": {
		"controller/api", "controller/board", "controller/decision", "controller/evaluator", "controller/facts", "controller/gateway", "controller/health",
		"controller/journal", "controller/observation", "controller/overview", "controller/selection", "internal/config", "rules",
	},
	"controller/board":       {"controller/decision", "internal/config"},
	"controller/decision":    {"controller/health", "controller/selection"},
	"controller/observation": {"controller/evaluator", "rules"},
	"controller/overview": {
		"controller/board", "controller/decision", "controller/facts", "controller/health", "controller/history", "controller/journal", "controller/observation",
		"controller/selection", "controller/wire", "internal/config",
	},
	"controller/api":       {"controller/wire", "internal/config", "rules"},
	"controller/web":       {"controller/api", "controller/history", "controller/wire", "controller/console"},
	"controller/history":   {},
	"controller/wire":      {},
	"controller/gateway":   {"internal/config", "rules"},
	"controller/evaluator": {"internal/config", "rules"},
	"controller/facts":     {"rules"},
	"controller/health":    {},
	"controller/journal":   {},
	"controller/selection": {"controller/health"},
	"controller/rulelint":  {"rules"},
	"dashboards":           {},
	"deploy":               {},
	"exporter":             {"exporter/chain", "exporter/integrity", "exporter/prober", "exporter/scanner", "internal/config", "rules"},
	"exporter/integrity":   {"exporter/chain", "exporter/prober", "internal/config"},
	"exporter/prober":      {"exporter/chain", "internal/config"},
	"exporter/scanner":     {"internal/config"},
	"exporter/chain":       {"internal/config"},
	"internal/browser":     {},
	"internal/config":      {},
	"controller/console":   {"controller/wire", "rules"},
	"internal/demo":        {"internal/config", "internal/simulator"},
	"internal/node":        {},
	"controller/remote":    {"controller/wire", "internal/config"},
	"internal/simulator":   {"internal/config"},
	"rules":                {},
}

// testOnly are packages that no product code may import; the demonstration alone
// shows simulated providers.
var testOnly = []string{"internal/browser", "internal/node", "internal/simulator"}

func TestPackagesImportOnlyWhatStandsBelowThem(t *testing.T) {
	t.Parallel()
	for dir, imports := range importsOf(t) {
		below, ok := allowed[dir]
		require.Truef(t, ok, "package %s has no place in the table of allowed imports", dir)
		for _, imported := range imports {
			require.Containsf(t, below, imported, "%s must not import %s", dir, imported)
			if dir == "internal/demo" {
				continue
			}
			require.NotContainsf(t, testOnly, imported, "%s must not import %s, which is for tests", dir, imported)
		}
	}
}

func TestNoCodeFolderBesideThePlannedOnes(t *testing.T) {
	t.Parallel()
	top := []string{"client", "cmd", "controller", "dashboards", "deploy", "docs", "exporter", "internal", "rules", "tools"}
	entries, err := os.ReadDir("../..")
	require.NoError(t, err)
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && !slices.Contains([]string{"bin", "data", "node_modules"}, e.Name()) {
			require.Contains(t, top, e.Name())
		}
	}
}

// importsOf are our own packages that each package's product code imports, by
// folder.
func importsOf(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	err := filepath.WalkDir("../..", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "tools" || e.Name() == "node_modules" || (strings.HasPrefix(e.Name(), ".") && e.Name() != "..")):
			return fs.SkipDir
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		dir := path.Dir(strings.TrimPrefix(filepath.ToSlash(name), "../../"))
		found[dir] = append(found[dir], ours(t, file.Imports)...)
		return nil
	})
	require.NoError(t, err)
	require.Contains(t, found, "cmd/understudy", "the walk found nothing")
	return found
}

// ours are the imports of packages of this module, by folder.
func ours(t *testing.T, imports []*ast.ImportSpec) []string {
	t.Helper()
	var own []string
	for _, i := range imports {
		imported, err := strconv.Unquote(i.Path.Value)
		require.NoError(t, err)
		if dir, ok := strings.CutPrefix(imported, module+"/"); ok {
			own = append(own, dir)
		}
	}
	return own
}
