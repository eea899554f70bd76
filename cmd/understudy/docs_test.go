package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kingpin/v2"
	"github.com/prometheus/common/promslog"
	"github.com/stretchr/testify/require"
)

// page is one document, by its path from the root of the project.
type page struct{ path, text string }

// pages are all documents.
func pages(t *testing.T) []page {
	t.Helper()
	var all []page
	root := "../.."
	require.NoError(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "node_modules" || e.Name() == "testdata" || (strings.HasPrefix(e.Name(), ".") && e.Name() != "..")):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".md"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		all = append(all, page{strings.TrimPrefix(filepath.ToSlash(path), root+"/"), string(text)})
		return nil
	}))
	require.Greater(t, len(all), 10, "the walk found nothing")
	return all
}

var (
	linkPattern    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	headingPattern = regexp.MustCompile(`(?m)^#+ (.+)$`)
	fencePattern   = regexp.MustCompile("(?s)```.*?```")
	notInAnchor    = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors are the places of a document that can be linked to.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	for _, m := range headingPattern.FindAllStringSubmatch(fencePattern.ReplaceAllString(text, ""), -1) {
		plain := strings.ToLower(linkPattern.ReplaceAllString(m[1], "]"))
		found[strings.ReplaceAll(notInAnchor.ReplaceAllString(plain, ""), " ", "-")] = true
	}
	return found
}

func TestNoLinkOfTheDocumentsIsDead(t *testing.T) {
	t.Parallel()
	byPath := map[string]page{}
	for _, p := range pages(t) {
		byPath[p.path] = p
	}
	links := 0
	for _, p := range byPath {
		for _, m := range linkPattern.FindAllStringSubmatch(fencePattern.ReplaceAllString(p.text, ""), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			links++
			file, anchor, _ := strings.Cut(m[1], "#")
			target := p.path
			if file != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(p.path), file))
			}
			_, err := os.Stat(filepath.Join("../..", target))
			require.NoError(t, err, "%s links to %s", p.path, m[1])
			if anchor != "" {
				require.True(t, anchors(byPath[target].text)[anchor], "%s links to %s, and there is no such heading", p.path, m[1])
			}
		}
	}
	require.Greater(t, links, 30)
}

// commandPattern finds commands as the documents write them: at the beginning of
// a line of code, after a prompt, or in back quotes.
var commandPattern = regexp.MustCompile("(?m)(?:^\\s*(?:\\$ )?|`)understudy ([a-z]+(?: (?:config|rules))?)((?: [^`\\n]*)?)")

var flagPattern = regexp.MustCompile(`(?:^|[\s\["'])--([a-z][a-z0-9.-]*)`)

func TestTheDocumentsNameCommandsAndFlagsThatExist(t *testing.T) {
	t.Parallel()
	app := kingpin.New("understudy", "")
	p := &program{stdout: io.Discard, stderr: io.Discard, log: &promslog.Config{}}
	p.commands(app)
	model := app.Model()
	seen := 0
	for _, doc := range pages(t) {
		for _, m := range commandPattern.FindAllStringSubmatch(doc.text, -1) {
			words := strings.Fields(m[1])
			i := slices.IndexFunc(model.Commands, func(c *kingpin.CmdModel) bool { return c.Name == words[0] })
			if i < 0 {
				require.Contains(t, []string{"help"}, words[0], "%s names the command understudy %s", doc.path, words[0])
				continue
			}
			seen++
			known := append([]string{"help", "version"}, flagNames(app.Model().FlagGroupModel, []*kingpin.CmdModel{model.Commands[i]})...)
			own, _, _ := strings.Cut(m[2], " | ")
			own, _, _ = strings.Cut(own, " # ")
			for _, flag := range flagPattern.FindAllStringSubmatch(own, -1) {
				name := strings.TrimPrefix(flag[1], "no-")
				require.True(t, slices.Contains(known, name) || slices.Contains(known, flag[1]), fmt.Sprintf("%s: understudy %s has no flag --%s", doc.path, words[0], flag[1]))
			}
		}
	}
	require.Greater(t, seen, 20)
}
