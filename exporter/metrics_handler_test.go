package exporter

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/understudy-rpc/understudy/internal/config"
)

// manyProviders is an exporter that has not probed anything yet.
func manyProviders(t testing.TB, n int) *Exporter {
	t.Helper()
	var b strings.Builder
	b.WriteString("chains:\n  eth:\n    providers:\n")
	for i := range n {
		fmt.Fprintf(&b, "      - {name: p%d, type: evm-rpc, rpc_host: \"http://127.0.0.1:%d\"}\n", i, 10000+i)
	}
	e, err := New(Options{Load: func() (config.Config, error) {
		return config.Parse("test.yml", []byte(b.String()), func(string) (string, bool) { return "", false })
	}})
	require.NoError(t, err)
	return e
}

// scrape asks for a page with the given headers.
func scrape(e *Exporter, accept, encoding string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	r.Header.Set("Accept", accept)
	r.Header.Set("Accept-Encoding", encoding)
	w := httptest.NewRecorder()
	newMetricsHandler(e).ServeHTTP(w, r)
	return w
}

func TestFamilyInPiecesReadsLikeAWholeOne(t *testing.T) {
	t.Parallel()
	// The family by reason has 21 series per provider, so that this takes pieces.
	e := manyProviders(t, 120)
	page := scrape(e, "text/plain", "").Body.String()
	require.Equal(t, 1, strings.Count(page, "# TYPE bifrost_provider_failures_total counter\n"))
	require.Equal(t, 120*21, strings.Count(page, "\nbifrost_provider_failures_total{"))

	parser := expfmt.NewTextParser(model.LegacyValidation)
	read, err := parser.TextToMetricFamilies(strings.NewReader(page))
	require.NoError(t, err)
	gathered, err := e.Gather()
	require.NoError(t, err)
	for _, f := range gathered {
		require.Len(t, read[f.GetName()].GetMetric(), len(f.Metric), f.GetName())
	}
}

func TestScrapeInEveryFormat(t *testing.T) {
	t.Parallel()
	e := manyProviders(t, 60)
	for _, c := range []struct{ name, accept, want string }{
		{"text", "text/plain;version=0.0.4", "text/plain"},
		{"OpenMetrics", "application/openmetrics-text;version=1.0.0", "application/openmetrics-text"},
		{"protocol buffers", "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited", "application/vnd.google.protobuf"},
	} {
		for _, encoding := range []string{"", "gzip"} {
			t.Run(c.name+" "+encoding, func(t *testing.T) {
				t.Parallel()
				w := scrape(e, c.accept, encoding)
				require.True(t, strings.HasPrefix(w.Header().Get("Content-Type"), c.want))
				require.Equal(t, encoding, w.Header().Get("Content-Encoding"))
				var body io.Reader = w.Body
				if encoding != "" {
					zip, err := gzip.NewReader(body)
					require.NoError(t, err)
					body = zip
				}
				page, err := io.ReadAll(body)
				require.NoError(t, err)
				requireUp(t, c.want, page)
			})
		}
	}
}

// requireUp reads a page and looks for all 60 providers.
func requireUp(t *testing.T, format string, page []byte) {
	t.Helper()
	switch format {
	case "application/openmetrics-text":
		require.True(t, bytes.HasSuffix(page, []byte("# EOF\n")))
		fallthrough
	case "text/plain":
		require.Equal(t, 60, bytes.Count(page, []byte("\nbifrost_provider_up{")))
	default:
		decoder := expfmt.NewDecoder(bytes.NewReader(page), expfmt.NewFormat(expfmt.TypeProtoDelim))
		var f dto.MetricFamily
		for f.GetName() != "bifrost_provider_up" {
			f.Reset()
			require.NoError(t, decoder.Decode(&f))
		}
		require.Len(t, f.Metric, 60)
	}
}

// brokenAfter is a client that goes away after so many bytes.
type brokenAfter int

func (b *brokenAfter) Write(p []byte) (int, error) {
	*b -= brokenAfter(len(p))
	if *b < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

func TestClientThatGoesAwayEndsThePage(t *testing.T) {
	t.Parallel()
	e := manyProviders(t, 300)
	for _, bytes := range []int{0, 1, 100_000, 500_000, 1_000_000} {
		client := brokenAfter(bytes)
		require.ErrorIs(t, e.writeMetrics(&client, expfmt.NewFormat(expfmt.TypeTextPlain)), io.ErrClosedPipe, bytes)
	}
}

func TestClientWithoutGzipGetsNone(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]bool{"": false, "gzip": true, "br, gzip;q=0.5": true, "gzip;q=0": false, "gzip;q=0.000": false, "deflate": false} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Accept-Encoding", header)
		require.Equal(t, want, acceptsGzip(r), header)
	}
}

func TestCommentsAreDroppedHoweverTheWritesAreCut(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOf(rapid.SampledFrom([]string{"# HELP x y\n", "# TYPE x gauge\n", "x{a=\"#\"} 1\n", "y 2\n", "\n"})).Draw(t, "lines")
		text := strings.Join(lines, "")
		var want strings.Builder
		for _, line := range lines {
			if !strings.HasPrefix(line, "#") {
				want.WriteString(line)
			}
		}
		var got bytes.Buffer
		w := &withoutComments{w: &got}
		for len(text) > 0 {
			n := rapid.IntRange(1, len(text)).Draw(t, "n")
			written, err := w.Write([]byte(text[:n]))
			require.NoError(t, err)
			require.Equal(t, n, written)
			text = text[n:]
		}
		require.Equal(t, want.String(), got.String())
	})
}

func BenchmarkScrape(b *testing.B) {
	for _, n := range []int{10, 1000, 10000} {
		e := manyProviders(b, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, e.writeMetrics(io.Discard, expfmt.NewFormat(expfmt.TypeTextPlain)))
			}
		})
	}
}

// BenchmarkReload is one reload; goroutines and heap after all of them tell
// whether anything stays behind.
func BenchmarkReload(b *testing.B) {
	e := manyProviders(b, 1000)
	e.prober.Apply(e.fleet.Load().targets())
	before := runtime.NumGoroutine()
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, e.Reload())
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(runtime.NumGoroutine()-before), "goroutines-left")
	b.ReportMetric(float64(m.HeapAlloc)/1e6, "MB-heap")
}
