package dashboards_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/dashboards"
)

// board is what of a dashboard is under test.
type board struct {
	file          string
	ID            *int                                `json:"id"`
	UID           string                              `json:"uid"`
	Title         string                              `json:"title"`
	Description   string                              `json:"description"`
	Tags          []string                            `json:"tags"`
	Editable      bool                                `json:"editable"`
	Refresh       string                              `json:"refresh"`
	SchemaVersion int                                 `json:"schemaVersion"`
	Time          struct{ From, To string }           `json:"time"`
	Links         []struct{ Title, Type, URL string } `json:"links"`
	Panels        []panel                             `json:"panels"`
	Templating    struct{ List []variable }           `json:"templating"`
	Annotations   struct {
		List []struct {
			Name       string
			Datasource reference
			Target     target
		}
	} `json:"annotations"`
}

type reference struct{ Type, UID string }

type variable struct {
	Name, Type, Label string
	Datasource        reference
	Multi             bool
	IncludeAll        bool
	// Query is a text or an object with the text.
	Query any
}

type target struct {
	RefID        string
	Expr         string
	LegendFormat string
	Format       string
	Datasource   reference
}

type panel struct {
	ID                       int
	Type, Title, Description string
	GridPos                  struct{ H, W, X, Y int }
	Datasource               reference
	Targets                  []target
	FieldConfig              struct {
		Defaults struct {
			Unit       string
			Mappings   []any
			Thresholds *struct{ Steps []any }
		}
	}
}

// boards are all dashboards.
func boards(t *testing.T) []board {
	t.Helper()
	var all []board
	for _, name := range dashboards.FileNames() {
		text, err := dashboards.Files.ReadFile(name)
		require.NoError(t, err)
		b := board{file: name}
		require.NoError(t, json.Unmarshal(text, &b), name)
		require.NotEmpty(t, b.Panels, name)
		all = append(all, b)
	}
	return all
}

// each runs a check for every panel that shows data.
func each(t *testing.T, check func(*testing.T, board, panel)) {
	t.Helper()
	for _, b := range boards(t) {
		for _, p := range b.Panels {
			if p.Type == "row" {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d %s", b.file, p.ID, p.Title), func(t *testing.T) {
				t.Parallel()
				check(t, b, p)
			})
		}
	}
}

var promQL = parser.NewParser(parser.Options{})

// whole is a query with values in place of variables, as Grafana sends it.
func whole(expr string) string {
	return strings.NewReplacer("$__rate_interval", "1m", "$__range", "1h", `"$chain`, `"eth`, "$provider", ".+", "$job", ".+", "$instance", ".+").Replace(expr)
}

func TestEveryFileIsEmbedded(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	var there []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".json") {
			there = append(there, e.Name())
		}
	}
	require.ElementsMatch(t, there, dashboards.FileNames())
}

func TestDashboardsCanBeProvisioned(t *testing.T) {
	t.Parallel()
	uids, titles := map[string]bool{}, map[string]bool{}
	for _, b := range boards(t) {
		require.Nil(t, b.ID, "%s: Grafana gives the id", b.file)
		require.Regexp(t, `^understudy-[a-z]+$`, b.UID, b.file)
		require.LessOrEqual(t, len(b.UID), 40, b.file)
		require.Falsef(t, uids[b.UID] || titles[b.Title], "%s: uid and title are another's", b.file)
		uids[b.UID], titles[b.Title] = true, true
		require.NotEmpty(t, b.Description, b.file)
		require.Contains(t, b.Tags, "understudy", b.file)
		require.False(t, b.Editable, b.file)
		require.Equal(t, "10s", b.Refresh, b.file)
		require.Equal(t, "now-1h", b.Time.From, b.file)
		require.GreaterOrEqual(t, b.SchemaVersion, 36, b.file)
		require.Len(t, b.Links, 2, b.file)
	}
	require.Equal(t, map[string]bool{"understudy-overview": true, "understudy-chain": true, "understudy-gateway": true, "understudy-self": true}, uids,
		"links and bookmarks go by the uid")
}

// runbook is where the link to the runbook leads, in this repository.
var runbook = regexp.MustCompile(`/blob/main/(docs/\w+\.md)$`)

func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	for _, b := range boards(t) {
		for _, l := range b.Links {
			if l.Type == "dashboards" {
				continue
			}
			parts := runbook.FindStringSubmatch(l.URL)
			require.Len(t, parts, 2, l.URL)
			require.FileExists(t, "../"+parts[1])
		}
	}
}

func TestTheDataSourceIsTheReadersChoice(t *testing.T) {
	t.Parallel()
	chosen := reference{"prometheus", "${datasource}"}
	for _, b := range boards(t) {
		list := b.Templating.List
		require.Equal(t, "datasource", list[0].Name, b.file)
		require.Equal(t, "datasource", list[0].Type, b.file)
		require.Equal(t, "prometheus", list[0].Query, b.file)
		for _, v := range list[1:] {
			require.Equal(t, chosen, v.Datasource, "%s: %s", b.file, v.Name)
			require.NotEmpty(t, v.Label, "%s: %s", b.file, v.Name)
		}
		for _, a := range b.Annotations.List {
			require.Equal(t, chosen, a.Datasource, b.file)
		}
		text, err := dashboards.Files.ReadFile(b.file)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`"uid": "([^"]*)"`).FindAllStringSubmatch(string(text), -1) {
			require.Contains(t, []string{b.UID, chosen.UID}, m[1], b.file)
		}
	}
	each(t, func(t *testing.T, _ board, p panel) {
		require.Equal(t, chosen, p.Datasource)
		for _, q := range p.Targets {
			require.Equal(t, chosen, q.Datasource)
		}
	})
}

func TestSwitchesAreMarkedWhereChainsAreShown(t *testing.T) {
	t.Parallel()
	for _, b := range boards(t) {
		var marked bool
		for _, a := range b.Annotations.List {
			marked = marked || strings.Contains(a.Target.Expr, "increase(understudy_switches_total{")
		}
		require.Equal(t, b.UID != "understudy-self", marked, b.file)
	}
}
