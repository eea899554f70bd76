package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kingpin/v2"

	"github.com/understudy-rpc/understudy/controller/rulelint"
	"github.com/understudy-rpc/understudy/rules"
)

// checkRules adds the subcommand that looks for what is wrong with rule files.
func (p *program) checkRules(check *kingpin.CmdClause) command {
	c := check.Command("rules", "Parse rule files and find what cannot work in them: one line per finding. Files of your own are checked together with the bundled ones, unless they have all groups of one and so replace it.")
	fatal := c.Flag("fatal-warnings", "Fail on warnings too.").Bool()
	globs := c.Arg("FILE", "Rule files or patterns of their names; the bundled ones if there is none.").Strings()
	return command{c, func() int {
		files, err := p.ruleFiles(*globs)
		if err != nil {
			_, _ = fmt.Fprintln(p.stderr, err)
			return exitFailed
		}
		return p.reportRules(files, rulelint.Lint(files), *fatal)
	}}
}

// reportRules prints the findings and the sum of them.
func (p *program) reportRules(files []rulelint.File, findings []rulelint.Finding, fatal bool) int {
	wrong := 0
	for _, f := range findings {
		_, _ = fmt.Fprintln(p.stderr, f)
		if f.Severity == rulelint.Error {
			wrong++
		}
	}
	checked := len(files) - countBeside(files)
	if warnings := len(findings) - wrong; wrong > 0 || warnings > 0 {
		_, _ = fmt.Fprintf(p.stderr, "%s: %s, %s\n", counted(checked, "rule file", "rule files"), counted(wrong, "error", "errors"), counted(warnings, "warning", "warnings"))
		if wrong > 0 || fatal {
			return exitFailed
		}
	}
	if _, err := fmt.Fprintf(p.stdout, "%s valid.\n", counted(checked, "rule file is", "rule files are")); err != nil {
		return p.fail(err)
	}
	return exitOK
}

func countBeside(files []rulelint.File) int {
	n := 0
	for _, f := range files {
		if f.Beside {
			n++
		}
	}
	return n
}

// ruleFiles reads the named files beside the bundled ones; without a name it is
// the bundled ones that are meant.
func (p *program) ruleFiles(globs []string) ([]rulelint.File, error) {
	files, err := bundledRules(len(globs) > 0)
	if err != nil || len(globs) == 0 {
		return files, err
	}
	names, err := expand(globs)
	if err != nil {
		return nil, err
	}
	beside := len(files)
	for _, name := range names {
		if strings.HasSuffix(name, "_test.yml") {
			_, _ = fmt.Fprintf(p.stderr, "%s: left out, as by its name it holds tests; run them with: promtool test rules %s\n", name, name)
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read a rule file: %w", err)
		}
		files = append(files, rulelint.File{Name: name, Data: text})
	}
	if len(files) == beside {
		return nil, errors.New("there is no rule file among them")
	}
	return files, nil
}

// expand are the files that the patterns match, each once.
func expand(globs []string) ([]string, error) {
	var names []string
	for _, glob := range globs {
		found, err := filepath.Glob(glob)
		if err != nil {
			return nil, fmt.Errorf("%s: it is not a pattern of file names", glob)
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s: there is no such file", glob)
		}
		for _, name := range found {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names, nil
}

// bundledRules are the rule files inside the program.
func bundledRules(beside bool) ([]rulelint.File, error) {
	var files []rulelint.File
	for _, name := range rules.FileNames() {
		text, err := rules.Files.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read a bundled rule file: %w", err)
		}
		files = append(files, rulelint.File{Name: "rules/" + name, Data: text, Beside: beside})
	}
	return files, nil
}
