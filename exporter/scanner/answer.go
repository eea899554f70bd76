package scanner

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/understudy-rpc/understudy/internal/config"
)

// maxHeight is the largest height that is believed to be one: beyond it
// float64, in which metrics live, loses whole numbers.
const maxHeight = 1 << 53

// answer is a decoded answer, which may tell the heights of several chains.
type answer interface {
	// height is that of one chain; metric says which series where that matters.
	height(chain string, metric *config.MetricSource) (uint64, *Failure)
}

// statusAnswer is Bifrost's /status/scanner (cmd/bifrost/health.go): entries by
// chain, in which −1 stands for what could not be read.
type statusAnswer map[string]statusEntry

type statusEntry struct {
	Height json.RawMessage `json:"block_scanner_height"`
}

func parseStatus(body []byte) (answer, *Failure) {
	var a statusAnswer
	if json.Unmarshal(body, &a) != nil || a == nil {
		return nil, fail(Malformed, "the answer is not a JSON object of chains")
	}
	return a, nil
}

// height finds the chain's entry by its name as it is, or else in any case, the
// first in order.
func (a statusAnswer) height(chain string, _ *config.MetricSource) (uint64, *Failure) {
	entry, ok := a[chain]
	if !ok {
		for _, name := range slices.Sorted(maps.Keys(a)) {
			if strings.EqualFold(name, chain) {
				entry, ok = a[name], true
				break
			}
		}
	}
	if !ok {
		return 0, fail(Absent, "the scanner has no chain %s", strings.ToUpper(chain))
	}
	if string(bytes.TrimSpace(entry.Height)) == "-1" {
		return 0, fail(Unknown, "the scanner does not know its height")
	}
	return parseHeight(entry.Height, "block_scanner_height")
}

// lastBlockAnswer is THORNode's /thorchain/lastblock/{CHAIN} (openapi.yaml,
// LastBlock).
type lastBlockAnswer []lastBlockEntry

type lastBlockEntry struct {
	Chain  string          `json:"chain"`
	Height json.RawMessage `json:"last_observed_in"`
}

func parseLastBlock(body []byte) (answer, *Failure) {
	var a lastBlockAnswer
	if json.Unmarshal(body, &a) != nil || a == nil {
		return nil, fail(Malformed, "the answer is not a JSON array of chains")
	}
	return a, nil
}

func (a lastBlockAnswer) height(chain string, _ *config.MetricSource) (uint64, *Failure) {
	for _, entry := range a {
		if strings.EqualFold(entry.Chain, chain) {
			return parseHeight(entry.Height, "last_observed_in")
		}
	}
	return 0, fail(Absent, "the node has no chain %s", strings.ToUpper(chain))
}

// metricsAnswer is an exposition in the Prometheus text format.
type metricsAnswer map[string]*dto.MetricFamily

func parseMetrics(body []byte) (answer, *Failure) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(body))
	if err != nil {
		line := 0
		if p, ok := errors.AsType[expfmt.ParseError](err); ok {
			line = p.Line
		}
		return nil, fail(Malformed, "line %d of the answer is not in the Prometheus text format", line)
	}
	return metricsAnswer(families), nil
}

// height is the value of the first series that has all the labels.
func (a metricsAnswer) height(_ string, metric *config.MetricSource) (uint64, *Failure) {
	family := a[metric.Name]
	if family == nil {
		return 0, fail(Absent, "there is no metric %s", metric.Name)
	}
	for _, series := range family.GetMetric() {
		if hasLabels(series, metric.Labels) {
			return seriesHeight(series, metric.Name)
		}
	}
	return 0, fail(Absent, "no series of %s has all the labels", metric.Name)
}

// hasLabels says whether a series has all labels with these values. As in a
// selector, an empty value is that of a label that is not there.
func hasLabels(series *dto.Metric, labels map[string]string) bool {
	have := map[string]string{}
	for _, pair := range series.GetLabel() {
		have[pair.GetName()] = pair.GetValue()
	}
	for name, value := range labels {
		if have[name] != value {
			return false
		}
	}
	return true
}

// seriesHeight is the value of a gauge, a counter or a series without a type.
func seriesHeight(series *dto.Metric, name string) (uint64, *Failure) {
	var value float64
	switch {
	case series.GetGauge() != nil:
		value = series.GetGauge().GetValue()
	case series.GetCounter() != nil:
		value = series.GetCounter().GetValue()
	case series.GetUntyped() != nil:
		value = series.GetUntyped().GetValue()
	default:
		return 0, fail(Malformed, "%s is a histogram or a summary, which has no height", name)
	}
	// NaN fails every comparison.
	if !(value >= 0 && value <= maxHeight) || value != math.Trunc(value) {
		return 0, fail(BadHeight, "the value of %s is no height", name)
	}
	return uint64(value), nil
}

// parseHeight reads plain digits, as a JSON number or, as some gateways write
// 64-bit numbers, in quotes.
func parseHeight(raw json.RawMessage, field string) (uint64, *Failure) {
	if raw == nil {
		return 0, fail(Malformed, "the answer has no %s", field)
	}
	text := string(bytes.TrimSpace(raw))
	if unquoted, err := strconv.Unquote(text); err == nil && strings.HasPrefix(text, `"`) {
		text = unquoted
	}
	if text == "" || (len(text) > 1 && text[0] == '0') || strings.Trim(text, "0123456789") != "" {
		return 0, fail(BadHeight, "%s is no plain number", field)
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n > maxHeight {
		return 0, fail(BadHeight, "%s is more than any height can be", field)
	}
	return n, nil
}
