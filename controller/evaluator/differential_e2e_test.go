//go:build e2e

package evaluator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/node"
	"github.com/understudy-rpc/understudy/rules"
)

const (
	// hurry is how much faster than life these tests are: an hour of the rules
	// takes a minute.
	hurry = 60
	// scrapeEvery is the time between two evaluations and between two scrapes.
	scrapeEvery = 250 * time.Millisecond
)

// twins are a real Prometheus and an evaluator of ours, with the same rules and
// the same exporters.
type twins struct {
	t          *testing.T
	prometheus string // Its address.
	ours       *Evaluator
}

// startTwins starts both and stops them with the test. Sources are how ours sees
// the exporters whose addresses Prometheus gets.
func startTwins(t *testing.T, exporters []string, sources []Source, extraRules string) *twins {
	t.Helper()
	dir := t.TempDir()
	var files []string
	for _, name := range rules.FileNames() {
		text, err := rules.Files.ReadFile(name)
		require.NoError(t, err)
		files = append(files, hurried(t, dir, name, string(text)))
	}
	if extraRules != "" {
		files = append(files, hurried(t, dir, "extra.yml", extraRules))
	}
	w := &twins{t: t, prometheus: freeAddress(t)}
	w.startPrometheus(dir, exporters, files)
	w.startOurs(sources, files)
	return w
}

// lengths are the lengths of time in a rule file: of for, keep_firing_for and
// interval, and of ranges.
var lengths = regexp.MustCompile(`(for: |interval: |\[)([0-9]+[smh])\b`)

// hurried writes a rule file in which everything takes less time.
func hurried(t *testing.T, dir, name, text string) string {
	t.Helper()
	text = lengths.ReplaceAllStringFunc(text, func(found string) string {
		parts := lengths.FindStringSubmatch(found)
		length, err := model.ParseDuration(parts[2])
		require.NoError(t, err)
		return parts[1] + model.Duration(max(scrapeEvery, time.Duration(length)/hurry)).String()
	})
	path := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func (w *twins) startPrometheus(dir string, exporters, files []string) {
	w.t.Helper()
	file := filepath.Join(dir, "prometheus.yml")
	text := fmt.Sprintf("global: {scrape_interval: %[1]s, scrape_timeout: %[1]s, evaluation_interval: %[1]s}\n"+
		"rule_files: [%[2]s]\nscrape_configs:\n- job_name: understudy\n  static_configs: [{targets: [%[3]s]}]\n",
		model.Duration(scrapeEvery), strings.Join(files, ", "), strings.Join(exporters, ", "))
	require.NoError(w.t, os.WriteFile(file, []byte(text), 0o600))
	node.Start(w.t, node.Spec{
		Name: "prometheus", Binary: "prometheus",
		Args: []string{
			"--config.file=" + file, "--storage.tsdb.path=" + filepath.Join(dir, "data"),
			"--web.listen-address=" + w.prometheus, "--log.level=error",
		},
		Ready: func(ctx context.Context) error {
			return getJSON(ctx, "http://"+w.prometheus+"/api/v1/alerts", &struct{}{})
		},
	})
}

// scraped are sources that scrape the exporters.
func scraped(t *testing.T, exporters []string) []Source {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	var sources []Source
	for _, e := range exporters {
		address, err := config.ParseURL("http://" + e + "/metrics")
		require.NoError(t, err)
		sources = append(sources, FromURL("understudy", address, &http.Client{Transport: transport}, ScrapeLimits{Timeout: scrapeEvery}))
	}
	return sources
}

func (w *twins) startOurs(sources []Source, files []string) {
	w.t.Helper()
	groups, err := LoadGroups(false, files)
	require.NoError(w.t, err)
	w.ours, err = New(Options{Sources: sources, Interval: scrapeEvery}, groups)
	require.NoError(w.t, err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.t.Context()))
	done := make(chan error, 1)
	go func() { done <- w.ours.Run(ctx) }()
	w.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			w.t.Errorf("the evaluator ended: %v", err)
		}
	})
}

// agree waits until both have the same alerts firing, labels, texts and all,
// and among them those named, but none of the others named.
func (w *twins) agree(step string, firing, quiet []string) {
	w.t.Helper()
	var ours, theirs []string
	defer func() {
		if w.t.Failed() {
			w.t.Logf("%s: ours:\n  %s\nPrometheus's:\n  %s", step, strings.Join(ours, "\n  "), strings.Join(theirs, "\n  "))
		}
	}()
	node.Await(w.t, step, func(ctx context.Context) error {
		found, err := w.theirAlerts(ctx)
		if err != nil {
			return err
		}
		theirs, ours = found, ourAlerts(w.ours.Alerts())
		if !slices.Equal(ours, theirs) {
			return errors.New("other alerts fire here than in Prometheus")
		}
		for _, name := range firing {
			if !fires(ours, name) {
				return fmt.Errorf("%s does not fire", name)
			}
		}
		for _, name := range quiet {
			if fires(ours, name) {
				return fmt.Errorf("%s fires", name)
			}
		}
		return nil
	})
}

func fires(alerts []string, name string) bool {
	return slices.ContainsFunc(alerts, func(a string) bool { return strings.Contains(a, fmt.Sprintf("alertname=%q", name)) })
}

// numbers differ from one evaluation to the next; the words do not.
var numbers = regexp.MustCompile(`\b[0-9]+(\.[0-9]+)?(ms|[smhd])?\b( [0-9.]+(ms|[smhd])\b)*`)

func described(ls, annotations labels.Labels) string {
	return fmt.Sprintf("%s %s", ls, numbers.ReplaceAllString(annotations.String(), "N"))
}

func ourAlerts(all []Alert) []string {
	var firing []string
	for _, a := range all {
		if a.State == Firing {
			firing = append(firing, described(a.Labels, a.Annotations))
		}
	}
	slices.Sort(firing)
	return firing
}

func (w *twins) theirAlerts(ctx context.Context) ([]string, error) {
	var answer struct {
		Data struct {
			Alerts []struct {
				Labels, Annotations map[string]string
				State               string
			}
		}
	}
	if err := getJSON(ctx, "http://"+w.prometheus+"/api/v1/alerts", &answer); err != nil {
		return nil, err
	}
	var firing []string
	for _, a := range answer.Data.Alerts {
		if a.State == "firing" {
			firing = append(firing, described(labels.FromMap(a.Labels), labels.FromMap(a.Annotations)))
		}
	}
	slices.Sort(firing)
	return firing, nil
}

func getJSON(ctx context.Context, address string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	request.Close = true
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	return json.NewDecoder(response.Body).Decode(into)
}

// freeAddress is a loopback address that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, listener.Close()) }()
	return listener.Addr().String()
}
