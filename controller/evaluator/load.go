package evaluator

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"

	"github.com/understudy-rpc/understudy/rules"
)

// maxRuleFile bounds a rule file, in bytes. It is far above what anybody writes
// by hand.
const maxRuleFile = 16 << 20

// LoadGroups reads rule files: the bundled ones, if they are wanted, and then
// those that the globs match, in the order of the globs and of the names. All
// mistakes are found at once; each is one line and begins with its place, as in
// FILE:LINE:COLUMN. A glob that matches nothing is fine, a file that is not
// there is a mistake.
func LoadGroups(bundled bool, globs []string) ([]Group, error) {
	var (
		all      []Group
		mistakes []error
	)
	recorded := map[string]string{}
	take := func(name string, text []byte, err error) {
		if err != nil {
			mistakes = append(mistakes, err)
			return
		}
		groups, wrong := parseGroups(name, text, recorded)
		all, mistakes = append(all, groups...), append(mistakes, wrong...)
	}
	if bundled {
		for _, name := range rules.FileNames() {
			text, err := rules.Files.ReadFile(name)
			take("rules/"+name, text, err)
		}
	}
	files, wrong := match(globs)
	mistakes = append(mistakes, wrong...)
	for _, name := range files {
		text, err := readRuleFile(name)
		take(name, text, err)
	}
	if len(mistakes) > 0 {
		return nil, errors.Join(mistakes...)
	}
	return all, nil
}

// match are the files that the globs match, each once.
func match(globs []string) (files []string, mistakes []error) {
	for _, glob := range globs {
		found, err := filepath.Glob(glob)
		switch {
		case err != nil:
			mistakes = append(mistakes, fmt.Errorf("%s: it is not a pattern of file names", glob))
		case len(found) == 0 && !strings.ContainsAny(glob, `*?[\`):
			mistakes = append(mistakes, fmt.Errorf("%s: there is no such file", glob))
		}
		for _, name := range found {
			if !slices.Contains(files, name) {
				files = append(files, name)
			}
		}
	}
	return files, mistakes
}

// readRuleFile reads a file whole, within its bound.
func readRuleFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxRuleFile+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxRuleFile:
		return nil, fmt.Errorf("%s: it has more than %d MiB", name, maxRuleFile>>20)
	}
	return text, nil
}

// parseGroups reads one file. What it records is looked up in and added to
// recorded, by name and labels, with its place.
func parseGroups(name string, text []byte, recorded map[string]string) ([]Group, []error) {
	file := newRuleFile(name, text)
	parsed, wrong := rulefmt.Parse(text, false, model.UTF8Validation, promQL, slog.New(slog.DiscardHandler))
	if len(wrong) == 0 {
		wrong = file.furtherDocuments()
	}
	if len(wrong) > 0 {
		return nil, file.explain(wrong)
	}
	var (
		all      []Group
		mistakes []error
	)
	for i, from := range parsed.Groups {
		g := Group{File: name, Name: from.Name, Interval: time.Duration(from.Interval), Limit: from.Limit}
		if from.QueryOffset != nil {
			g.QueryOffset = time.Duration(*from.QueryOffset)
		}
		for k, r := range from.Rules {
			at := file.rule(i, k)
			r := ruleFrom(r, from.Labels, at.line)
			var read reads
			if err := read.addRule(r, g.QueryOffset); err != nil {
				mistakes = append(mistakes, fmt.Errorf("%s: %w", file.at(file.key(at, "expr")), err))
			}
			if err := once(r, file.at(at), recorded); err != nil {
				mistakes = append(mistakes, err)
			}
			g.Rules = append(g.Rules, r)
		}
		all = append(all, g)
	}
	return all, mistakes
}

// ruleFrom turns a parsed rule into one of ours. The rule's labels win over those
// of its group.
func ruleFrom(from rulefmt.Rule, ofGroup map[string]string, line int) Rule {
	merged := maps.Clone(ofGroup)
	if merged == nil {
		merged = map[string]string{}
	}
	maps.Copy(merged, from.Labels)
	return Rule{
		Record: from.Record, Alert: from.Alert, Expr: from.Expr,
		For: time.Duration(from.For), KeepFiringFor: time.Duration(from.KeepFiringFor),
		Labels: merged, Annotations: from.Annotations, Line: line,
	}
}

// once refuses to record the same series a second time: which of the two values
// counts would be a matter of chance.
func once(r Rule, place string, recorded map[string]string) error {
	if r.Record == "" {
		return nil
	}
	key := r.Record + labels.FromMap(r.Labels).String()
	if first, ok := recorded[key]; ok {
		return fmt.Errorf("%s: %q is recorded already at %s; give it another name or labels", place, r.Record, first)
	}
	recorded[key] = place
	return nil
}
