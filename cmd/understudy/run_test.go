package main

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/simulator"
)

// ownRule fires for every provider that is asked at all.
const ownRule = `groups:
  - name: own
    rules:
      - alert: ProviderIsAsked
        expr: max by (chain, provider) (bifrost_provider_probes_total) > 0
        labels: {severity: info}
`

// firing are the names of the alerts that fire, by provider.
func (p *process) firing() map[string][]string {
	_, text := p.get("/alerts")
	var answer struct {
		Alerts []struct {
			State  string            `json:"state"`
			Labels map[string]string `json:"labels"`
		} `json:"alerts"`
	}
	if json.Unmarshal([]byte(text), &answer) != nil {
		return nil
	}
	found := map[string][]string{}
	for _, a := range answer.Alerts {
		if a.State == "firing" {
			found[a.Labels["provider"]] = append(found[a.Labels["provider"]], a.Labels["alertname"])
		}
	}
	return found
}

// fires waits until an alert fires, or does not any more.
func (p *process) fires(provider, alert string, want bool) {
	p.t.Helper()
	what := map[bool]string{true: " fires", false: " does not fire"}[want]
	p.eventually(func() bool {
		found := p.firing()
		return found != nil && strings.Contains(strings.Join(found[provider], " "), alert) == want
	}, alert+what)
}

func TestRunEvaluatesTheRulesInTheSameProcess(t *testing.T) {
	t.Parallel()
	path, providers := ethereum(t, "a", "b", "c")
	p := startCommand(t, "run", nil, "--config.file="+path)
	p.ready()
	p.fires("", "UnderstudyWatchdog", true)
	require.Empty(t, p.firing()["a"], "nobody is condemned while all is well")

	providers["a"].SetBehaviour(simulator.Behaviour{Mode: simulator.ModeRefuse})
	p.fires("a", "ProviderDown", true)
	require.Empty(t, p.firing()["b"])
	require.Contains(t, p.log.String(), `msg="Alert firing"`)
	require.Contains(t, p.log.String(), "alert=ProviderDown chain=eth provider=a")
	_, page := p.get("/metrics")
	require.Contains(t, page, "understudy_rule_evaluations_total")

	providers["a"].SetBehaviour(simulator.Behaviour{})
	p.fires("a", "ProviderDown", false)
	require.Equal(t, 0, p.stop(os.Interrupt))
}

func TestRulesOfOnesOwnAreReloadedWithTheConfiguration(t *testing.T) {
	t.Parallel()
	path, _ := ethereum(t, "a", "b")
	own := file(t, "own.yml", ownRule)
	p := startCommand(t, "run", []string{"UNDERSTUDY_RULES_FILE=" + own}, "--config.file="+path, "--no-rules.bundled")
	p.ready()
	p.fires("a", "ProviderIsAsked", true)
	require.Empty(t, p.firing()[""], "the bundled rules are left out")

	require.NoError(t, os.WriteFile(own, []byte(strings.Replace(ownRule, "> 0", "> (", 1)), 0o600))
	status, text := p.do(http.MethodPost, "/-/reload", "")
	require.Equal(t, http.StatusInternalServerError, status)
	require.Contains(t, text, own+":5:", "the place of the mistake")
	p.fires("a", "ProviderIsAsked", true)

	require.NoError(t, os.WriteFile(own, []byte(strings.Replace(ownRule, "ProviderIsAsked", "ProviderWasAsked", 1)), 0o600))
	status, text = p.do(http.MethodPost, "/-/reload", "")
	require.Equal(t, http.StatusOK, status, text)
	p.fires("a", "ProviderWasAsked", true)
	p.fires("a", "ProviderIsAsked", false)
}

func TestRunRefusesABrokenRuleFileAtStart(t *testing.T) {
	t.Parallel()
	path, _ := ethereum(t, "a")
	own := file(t, "own.yml", "groups: [{name: x, rules: [{alert: Y, expr: 'up ==='}]}]\n")
	r := call(nil, "run", "--config.file="+path, "--rules.file="+own)
	require.Equal(t, exitFailed, r.status)
	require.Contains(t, r.stderr, own+":1:")
}
