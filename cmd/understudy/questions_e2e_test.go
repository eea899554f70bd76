//go:build e2e

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/wire"
	"github.com/understudy-rpc/understudy/internal/node"
	"github.com/understudy-rpc/understudy/rules"
)

// awaitActive waits, as programs do, until a provider serves a chain, or, with
// "", until nobody does.
func (s *stack) awaitActive(chain, provider string) wire.Active {
	s.Helper()
	var a wire.Active
	node.Await(s, fmt.Sprintf("%q to serve %s", provider, chain), func(ctx context.Context) error {
		page := fmt.Sprintf("http://%s/active/%s?index=%d&wait=2s", s.address, chain, a.Index)
		if err := fetch(ctx, page, &a); err != nil {
			return err
		}
		if nameOf(a.Provider) != provider || (a.State == wire.StateNone) != (provider == "") || a.State == wire.StateDegraded {
			return fmt.Errorf("%q does, %s: %s", nameOf(a.Provider), a.State, a.Reason)
		}
		return nil
	})
	return a
}

// active is who serves a chain now.
func (s *stack) active(chain string) wire.Active {
	s.Helper()
	var a wire.Active
	require.NoError(s, fetch(s.Context(), "http://"+s.address+"/active/"+chain, &a))
	return a
}

// awaitSource waits until a source rules.
func (s *stack) awaitSource(source string) {
	s.Helper()
	node.Await(s, source+" to rule", func(ctx context.Context) error {
		c, err := s.askChain(ctx, "ltc")
		if err == nil && c.Evaluator.Source != source {
			err = fmt.Errorf("%s does since %s", c.Evaluator.Source, c.Evaluator.Since)
		}
		return err
	})
}

// awaitFacts waits until what counts against a provider are these alerts, as a
// source tells.
func (s *stack) awaitFacts(chain, provider, source string, alerts ...string) {
	s.Helper()
	want := map[string]string{}
	for _, a := range alerts {
		want[a] = source
	}
	node.Await(s, fmt.Sprintf("%v to count against %s/%s", want, chain, provider), func(ctx context.Context) error {
		c, err := s.askChain(ctx, chain)
		if err != nil {
			return err
		}
		if got := counting(c, provider); fmt.Sprint(got) != fmt.Sprint(want) {
			return fmt.Errorf("%v do", got)
		}
		return nil
	})
}

// counting are the alerts that count against a provider, and by which source.
func counting(c wire.Chain, provider string) map[string]string {
	found := map[string]string{}
	for _, a := range providerOf(c, provider).Alerts {
		if a.Counts && a.Evidence {
			found[a.Name] = strings.TrimSpace(found[a.Name] + " " + a.Source)
		}
	}
	return found
}

// providerOf is one of a chain's providers.
func providerOf(c wire.Chain, name string) wire.Provider {
	i := slices.IndexFunc(c.Providers, func(p wire.Provider) bool { return p.Name == name })
	return c.Providers[i]
}

// chain is all that the controller knows of a chain now.
func (s *stack) chain(name string) wire.Chain {
	s.Helper()
	c, err := s.askChain(s.Context(), name)
	require.NoError(s, err)
	return c
}

func (s *stack) askChain(ctx context.Context, name string) (c wire.Chain, err error) {
	return c, fetch(ctx, "http://"+s.address+"/thorchain/providers/"+name, &c)
}

// switches are those of a chain, the newest first.
func (s *stack) switches(chain string) []wire.Event {
	s.Helper()
	var found []wire.Event
	for _, e := range s.chain(chain).Events {
		if e.Kind == "failover" || e.Kind == "failback" || e.Kind == "start" || e.Kind == "switchover" {
			found = append(found, e)
		}
	}
	return found
}

// metric is the sum over the series of one of the controller's metrics that have
// a label.
func (s *stack) metric(name string, label ...string) float64 {
	s.Helper()
	request, err := http.NewRequestWithContext(s.Context(), http.MethodGet, "http://"+s.address+"/metrics", nil)
	require.NoError(s, err)
	request.Close = true
	response, err := http.DefaultClient.Do(request)
	require.NoError(s, err)
	defer func() { _ = response.Body.Close() }()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(response.Body)
	require.NoError(s, err)
	require.Contains(s, families, name)
	sum := 0.0
	for _, m := range families[name].Metric {
		has := len(label) == 0
		for _, pair := range m.Label {
			has = has || pair.GetName() == label[0] && pair.GetValue() == label[1]
		}
		if has {
			sum += m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	return sum
}

// query asks Prometheus and gives the providers in its answer.
func (s *stack) query(ctx context.Context, expression string) ([]string, error) {
	var answer struct {
		Data struct {
			Result []struct{ Metric map[string]string }
		}
	}
	page := *s.prometheus.URL.JoinPath("api", "v1", "query")
	page.RawQuery = "query=" + strings.NewReplacer("+", "%2B", " ", "+").Replace(expression)
	if err := fetch(ctx, page.String(), &answer); err != nil {
		return nil, err
	}
	var providers []string
	for _, r := range answer.Data.Result {
		providers = append(providers, r.Metric[rules.LabelProvider])
	}
	return providers, nil
}

// awaitFiring waits until Prometheus has told Alertmanager of an alert about a
// chain.
func (s *stack) awaitFiring(alert, chain string) {
	s.Helper()
	node.Await(s, alert+" of "+chain, func(ctx context.Context) error {
		var alerts []struct{ Labels map[string]string }
		if err := fetch(ctx, s.alertmanager.URL.JoinPath("api", "v2", "alerts").String(), &alerts); err != nil {
			return err
		}
		for _, a := range alerts {
			if a.Labels[rules.LabelAlert] == alert && a.Labels[rules.LabelChain] == chain {
				return nil
			}
		}
		return errors.New("it does not fire")
	})
}
