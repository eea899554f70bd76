package helm

import (
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// documents are the manifests in a text.
func documents(t *testing.T, text string) []map[string]any {
	t.Helper()
	var all []map[string]any
	for _, one := range regexp.MustCompile(`(?m)^---$`).Split(text, -1) {
		if strings.TrimSpace(one) == "" {
			continue
		}
		var doc map[string]any
		if err := yaml.UnmarshalStrict([]byte(one), &doc); err != nil {
			t.Fatalf("%v in:\n%s", err, one)
		}
		if doc != nil {
			all = append(all, doc)
		}
	}
	return all
}

// at follows a path of keys; nil if it leads nowhere.
func at(doc any, path ...string) any {
	for _, key := range path {
		m, _ := doc.(map[string]any)
		doc = m[key]
	}
	return doc
}

func list(doc any, path ...string) []any {
	all, _ := at(doc, path...).([]any)
	return all
}

// whole is every manifest of every release.
func whole(t *testing.T) map[string][]map[string]any {
	t.Helper()
	all := map[string][]map[string]any{}
	for name, values := range releases {
		manifests, err := render(t, values)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range manifests {
			all[name] = append(all[name], documents(t, text)...)
		}
	}
	return all
}

// versions are the kinds in use, with the version of their interface.
var versions = map[string]string{
	"StatefulSet": "apps/v1", "Service": "v1", "ServiceAccount": "v1", "Secret": "v1", "ConfigMap": "v1",
	"PodDisruptionBudget": "policy/v1", "NetworkPolicy": "networking.k8s.io/v1",
	"ServiceMonitor": "monitoring.coreos.com/v1", "PrometheusRule": "monitoring.coreos.com/v1", "AlertmanagerConfig": "monitoring.coreos.com/v1alpha1",
}

func TestManifestsHaveKindNameAndLabels(t *testing.T) {
	t.Parallel()
	kinds := map[string]bool{}
	for release, docs := range whole(t) {
		seen := map[string]bool{}
		for _, doc := range docs {
			kind, _ := doc["kind"].(string)
			name, _ := at(doc, "metadata", "name").(string)
			kinds[kind] = true
			if versions[kind] != doc["apiVersion"] {
				t.Errorf("%s: %s %s has version %v", release, kind, name, doc["apiVersion"])
			}
			if !regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`).MatchString(name) || seen[kind+name] {
				t.Errorf("%s: %s cannot be called %q", release, kind, name)
			}
			seen[kind+name] = true
			for _, label := range []string{"name", "instance", "version", "managed-by"} {
				if at(doc, "metadata", "labels", "app.kubernetes.io/"+label) == nil {
					t.Errorf("%s: %s %s has no label %s", release, kind, name, label)
				}
			}
		}
	}
	if len(kinds) != len(versions) {
		t.Errorf("of %d kinds only %v are rendered", len(versions), kinds)
	}
}

// Kubernetes labels every pod with the name of its StatefulSet, a dash and a hash of
// ten characters, and a label has 63.
func TestNamesLeaveRoomForWhatKubernetesAdds(t *testing.T) {
	t.Parallel()
	for what, values := range map[string]string{
		"a long name of its own":    "mode: split\nfullnameOverride: " + strings.Repeat("n", 60),
		"a long name of the chart":  "mode: split\nnameOverride: " + strings.Repeat("n", 60),
		"a dash where it is cut":    "mode: split\nfullnameOverride: " + strings.Repeat("n-", 30),
		"the name that it has else": "mode: split",
	} {
		manifests, err := render(t, values)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"statefulset.yaml", "exporter.yaml"} {
			for _, doc := range documents(t, manifests[file]) {
				name, _ := at(doc, "metadata", "name").(string)
				if len(name) > 52 || strings.Contains(name, "--") {
					t.Errorf("%s: a StatefulSet cannot be called %q", what, name)
				}
			}
		}
	}
}

// A StatefulSet whose pods wait for each other never replaces one that does not get
// ready, as after a mistake in the configuration, with the one that would.
func TestAPodThatIsNotReadyIsReplacedByAnUpgrade(t *testing.T) {
	t.Parallel()
	for release, docs := range whole(t) {
		for _, workload := range pods(docs) {
			if policy := at(workload, "spec", "podManagementPolicy"); policy != "Parallel" {
				t.Errorf("%s: %v has podManagementPolicy %v", release, at(workload, "metadata", "name"), policy)
			}
		}
	}
}

// pods are the workloads of a release.
func pods(docs []map[string]any) []map[string]any {
	var found []map[string]any
	for _, doc := range docs {
		if doc["kind"] == "StatefulSet" {
			found = append(found, doc)
		}
	}
	return found
}

func TestSelectorsFindPods(t *testing.T) {
	t.Parallel()
	for release, docs := range whole(t) {
		for _, doc := range docs {
			var selector any
			switch doc["kind"] {
			case "Service":
				selector = at(doc, "spec", "selector")
			case "StatefulSet", "PodDisruptionBudget":
				selector = at(doc, "spec", "selector", "matchLabels")
			case "NetworkPolicy":
				selector = at(doc, "spec", "podSelector", "matchLabels")
			default:
				continue
			}
			found := 0
			for _, workload := range pods(docs) {
				if covers(at(workload, "spec", "template", "metadata", "labels"), selector) {
					found++
				}
			}
			if want := map[bool]int{true: 2, false: 1}[doc["kind"] == "NetworkPolicy" && release == "split.yaml"]; found != want {
				t.Errorf("%s: %s %v finds %d workloads", release, doc["kind"], at(doc, "metadata", "name"), found)
			}
		}
	}
}

// covers says whether labels have all that a selector demands.
func covers(labels, selector any) bool {
	demanded, _ := selector.(map[string]any)
	for name, value := range demanded {
		if at(labels, name) != value {
			return false
		}
	}
	return len(demanded) > 0
}

func TestPodsAreContained(t *testing.T) {
	t.Parallel()
	for release, docs := range whole(t) {
		for _, workload := range pods(docs) {
			spec := at(workload, "spec", "template", "spec")
			c := list(spec, "containers")[0]
			for what, want := range map[string]bool{
				"runs as nobody in particular":    at(spec, "securityContext", "runAsNonRoot") == true,
				"has the default system calls":    at(spec, "securityContext", "seccompProfile", "type") == "RuntimeDefault",
				"has no token of the cluster":     at(spec, "automountServiceAccountToken") == false,
				"cannot write to its image":       at(c, "securityContext", "readOnlyRootFilesystem") == true,
				"cannot become more than it is":   at(c, "securityContext", "allowPrivilegeEscalation") == false,
				"has no capability":               len(list(c, "securityContext", "capabilities", "drop")) == 1 && list(c, "securityContext", "capabilities", "drop")[0] == "ALL",
				"has a bound on memory":           at(c, "resources", "limits", "memory") != nil,
				"is asked whether it is alive":    at(c, "livenessProbe", "httpGet", "path") == "/-/healthy",
				"is asked whether it is ready":    at(c, "readinessProbe", "httpGet", "path") == "/-/ready",
				"is probed at a port that it has": at(c, "livenessProbe", "httpGet", "port") == at(list(c, "ports")[0], "name"),
			} {
				if !want {
					t.Errorf("%s: it is not so that %v %s", release, at(workload, "metadata", "name"), what)
				}
			}
		}
	}
}

func TestEveryMountHasItsVolumeAndEveryVolumeItsContent(t *testing.T) {
	t.Parallel()
	for release, docs := range whole(t) {
		there := map[string]bool{"Secret/understudy-tokens": true}
		for _, doc := range docs {
			there[doc["kind"].(string)+"/"+at(doc, "metadata", "name").(string)] = true
		}
		for _, workload := range pods(docs) {
			volumes := map[string]bool{}
			for _, v := range list(workload, "spec", "template", "spec", "volumes") {
				volumes[at(v, "name").(string)] = true
				if name := at(v, "secret", "secretName"); name != nil && !there["Secret/"+name.(string)] {
					t.Errorf("%s: there is no Secret %s", release, name)
				}
				if name := at(v, "configMap", "name"); name != nil && !there["ConfigMap/"+name.(string)] {
					t.Errorf("%s: there is no ConfigMap %s", release, name)
				}
			}
			for _, v := range list(workload, "spec", "volumeClaimTemplates") {
				volumes[at(v, "metadata", "name").(string)] = true
			}
			for _, m := range list(list(workload, "spec", "template", "spec", "containers")[0], "volumeMounts") {
				if name := at(m, "name").(string); !volumes[name] {
					t.Errorf("%s: there is no volume %s", release, name)
				}
			}
		}
	}
}
