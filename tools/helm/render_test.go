// Package helm checks the Helm chart with Helm's own engine. It is a module of its
// own, so that Helm is no dependency of the product, and holds tests only.
package helm

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"sigs.k8s.io/yaml"
)

const (
	chartDir  = "../../deploy/kubernetes/understudy"
	goldenDir = "../../deploy/kubernetes/rendered"
)

// update writes what is rendered in place of comparing it.
var update = flag.Bool("update", false, "write deploy/kubernetes/rendered anew")

// releases are the values that the chart is rendered with, by the name of the file
// with the result.
var releases = map[string]string{
	"all.yaml": ``,
	"split.yaml": `
mode: split
config:
  chains:
    eth:
      providers:
        - {name: own-node, type: evm-rpc, rpc_host: "http://geth:8545", priority: 1}
        - {name: vendor, type: evm-rpc, rpc_host: "https://eth.example.com/${VENDOR_KEY}", priority: 2}
envFrom: [{secretRef: {name: vendor}}]
tokensSecret: understudy-tokens
alertmanagerURL: http://alertmanager-operated:9093
rules: {own.yml: "groups: []\n"}
image: {tag: 1.2.3}
networkPolicy: {enabled: true}
serviceMonitor: {enabled: true, labels: {release: prometheus}}
prometheusRule: {enabled: true, labels: {release: prometheus}}
alertmanagerConfig: {enabled: true}
dashboards: {enabled: true}
`,
}

func loaded(t *testing.T) *chart.Chart {
	t.Helper()
	c, err := loader.Load(chartDir)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	return c
}

// render gives the manifests of a release, by their files, or what Helm has against
// the values.
func render(t *testing.T, text string) (map[string]string, error) {
	t.Helper()
	c := loaded(t)
	values, err := chartutil.ReadValues([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	release := chartutil.ReleaseOptions{Name: "understudy", Namespace: "chains", Revision: 1, IsInstall: true}
	all, err := chartutil.ToRenderValues(c, values, release, chartutil.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	files, err := engine.Engine{Strict: true}.Render(c, all)
	if err != nil {
		return nil, err
	}
	manifests := map[string]string{}
	for path, content := range files {
		if strings.HasSuffix(path, ".yaml") && strings.TrimSpace(content) != "" {
			manifests[filepath.Base(path)] = content
		}
	}
	return manifests, nil
}

// joined is a release as "helm template" prints it, without dashboards, which are
// long and checked elsewhere.
func joined(manifests map[string]string) string {
	var names []string
	for name := range manifests {
		if name != "configmap-dashboards.yaml" && name != "prometheusrule.yaml" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var b strings.Builder
	for _, name := range names {
		b.WriteString("---\n# Source: understudy/templates/" + name + "\n")
		b.WriteString(strings.TrimPrefix(strings.TrimSpace(manifests[name]), "---\n") + "\n")
	}
	return b.String()
}

func TestTheChartRendersWhatIsCommitted(t *testing.T) {
	t.Parallel()
	for name, values := range releases {
		manifests, err := render(t, values)
		if err != nil {
			t.Fatal(err)
		}
		got := joined(manifests)
		path := filepath.Join(goldenDir, name)
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s is not what is rendered; look at the difference after: go -C tools/helm test -update ./...", name)
		}
	}
}

func TestRulesAndDashboardsArriveUnchanged(t *testing.T) {
	t.Parallel()
	manifests, err := render(t, releases["split.yaml"])
	if err != nil {
		t.Fatal(err)
	}
	groups := map[string]any{}
	for _, doc := range documents(t, manifests["prometheusrule.yaml"]) {
		name := strings.TrimPrefix(doc["metadata"].(map[string]any)["name"].(string), "understudy-")
		groups[name+".yml"] = doc["spec"]
	}
	for _, name := range []string{"providers.yml", "chains.yml", "pipeline.yml"} {
		text, err := os.ReadFile(filepath.Join("../../rules", name))
		if err != nil {
			t.Fatal(err)
		}
		var want any
		if err := yaml.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		if same, got := asJSON(t, want), asJSON(t, groups[name]); !bytes.Equal(same, got) {
			t.Errorf("%s is another one as PrometheusRule", name)
		}
	}
	data := documents(t, manifests["configmap-dashboards.yaml"])[0]["data"].(map[string]any)
	for _, name := range []string{"overview.json", "chain.json", "gateway.json", "understudy.json"} {
		want, err := os.ReadFile(filepath.Join("../../dashboards", name))
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := data["understudy-"+name].(string); strings.TrimSpace(got) != strings.TrimSpace(string(want)) {
			t.Errorf("%s is another one as ConfigMap", name)
		}
	}
}

// Where only one of Prometheus and the controller has a rule, its alert does not count
// while the other one decides.
func TestRulesOfOnesOwnReachPrometheusAsWell(t *testing.T) {
	t.Parallel()
	const own = `
prometheusRule: {enabled: true, labels: {release: prometheus}}
rules:
  own.yml: |
    ---
    groups:
      - name: own
        rules:
          - alert: ProviderShortOfPeers
            expr: bifrost_provider_peers < 3
            annotations: {summary: "{{ $labels.provider }} is short of peers"}
  providers.yml: |
    groups: []
`
	manifests, err := render(t, own)
	if err != nil {
		t.Fatal(err)
	}
	specs := map[string]any{}
	for _, doc := range documents(t, manifests["prometheusrule.yaml"]) {
		if at(doc, "metadata", "labels", "release") != "prometheus" {
			t.Errorf("%v is not labelled", at(doc, "metadata", "name"))
		}
		specs[at(doc, "metadata", "name").(string)] = doc["spec"]
	}
	if len(specs) != 5 {
		t.Fatalf("three bundled files and two others are %d", len(specs))
	}
	data := documents(t, manifests["configmap-rules.yaml"])[0]["data"].(map[string]any)
	var want any
	if err := yaml.Unmarshal([]byte(data["own.yml"].(string)), &want); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(asJSON(t, want), asJSON(t, specs["understudy-rules-own"])) {
		t.Errorf("the rule is another one as PrometheusRule: %v", specs["understudy-rules-own"])
	}
}

func asJSON(t *testing.T, v any) []byte {
	t.Helper()
	text, err := yaml.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestMistakesInValuesAreRefused(t *testing.T) {
	t.Parallel()
	for what, values := range map[string]string{
		"a key that is not known":       "contoller: {}",
		"a mode that is none":           "mode: both",
		"a digest that is none":         "image: {repository: x, digest: latest}",
		"no exporter":                   "exporter: {replicas: 0}",
		"an interval without a unit":    `serviceMonitor: {interval: "5"}`,
		"webhooks without a token":      "alertmanagerConfig: {enabled: true}",
		"Alertmanager without a scheme": "alertmanagerURL: alertmanager:9093",
		"a rule file that is not read":  `rules: {own.yaml: "groups: []"}`,
		"a rule file that is none":      `{prometheusRule: {enabled: true}, rules: {own.yml: "groups: ["}}`,
		"one that has no name":          `rules: {.yml: "groups: []"}`,
	} {
		if _, err := render(t, values); err == nil {
			t.Errorf("%s is taken", what)
		}
	}
}
