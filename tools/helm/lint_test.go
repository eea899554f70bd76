package helm

import (
	"testing"

	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
)

// What "helm lint" would say, with the values of every release.
func TestHelmHasNothingAgainstTheChart(t *testing.T) {
	for name, text := range releases {
		values, err := chartutil.ReadValues([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range lint.AllWithKubeVersion(chartDir, values, "chains", nil).Messages {
			if m.Severity > support.InfoSev {
				t.Errorf("%s: %s", name, m)
			}
		}
	}
}
