package evaluator

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/common/expfmt"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

// secret is in the address of every exporter here, and must not get out.
const secret = "s3cr3t"

// serve is an exporter, and a source that scrapes it.
func serve(t *testing.T, limits ScrapeLimits, handler http.HandlerFunc) Source {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return sourceOf(t, server.URL, limits)
}

func sourceOf(t *testing.T, address string, limits ScrapeLimits) Source {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	u.User = url.UserPassword("user", secret)
	u.Path, u.RawQuery = "/metrics/"+secret, "key="+secret
	exporter, err := config.ParseURL(u.String())
	require.NoError(t, err)
	transport := &http.Transport{DisableKeepAlives: true}
	t.Cleanup(transport.CloseIdleConnections)
	return FromURL("understudy", exporter, &http.Client{Transport: transport}, limits)
}

func TestAnExporterIsScrapedInEitherFormat(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	height := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "height", Help: "Height."}, []string{"chain"})
	registry.MustRegister(height)
	height.WithLabelValues("btc").Set(7)
	whole := promhttp.HandlerFor(registry, promhttp.HandlerOpts{EnableOpenMetrics: true})
	for name, change := range map[string]func(*http.Request){
		"binary and compressed": func(*http.Request) {},
		"text":                  func(r *http.Request) { r.Header.Set("Accept", "text/plain") },
		"not compressed":        func(r *http.Request) { r.Header.Del("Accept-Encoding") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := serve(t, ScrapeLimits{}, func(w http.ResponseWriter, r *http.Request) {
				require.NotEmpty(t, r.Header.Get("X-Prometheus-Scrape-Timeout-Seconds"))
				user, password, _ := r.BasicAuth()
				require.Equal(t, "user "+secret, user+" "+password)
				change(r)
				whole.ServeHTTP(w, r)
			})
			families, err := source.Collect(t.Context(), eachFamily)
			require.NoError(t, err)
			require.Len(t, families, 1)
			require.InDelta(t, 7, families[0].Metric[0].GetGauge().GetValue(), 0)
			require.Regexp(t, `^127\.0\.0\.1:\d+$`, source.Target().Instance)
			require.Equal(t, "understudy", source.Target().Job)
		})
	}
}

func TestScrapesThatFail(t *testing.T) {
	t.Parallel()
	answer := func(header, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			name, value, _ := strings.Cut(header, ": ")
			w.Header().Set(name, value)
			_, _ = io.WriteString(w, body)
		}
	}
	const text = "Content-Type: text/plain; version=0.0.4"
	const protobuf = "Content-Type: application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited"
	for name, c := range map[string]struct {
		reason, want string
		handler      http.HandlerFunc
	}{
		"a page":                      {reasonMalformed, `it answers with "text/html", which is no exposition of metrics`, answer("Content-Type: text/html", "<html>")},
		"a page that says it is text": {reasonMalformed, `text format parsing error in line 1`, answer(text, "<html>\n")},
		"a page of no type":           {reasonMalformed, `text format parsing error in line 1`, answer("Content-Type: ", "<html>\n")},
		"OpenMetrics":                 {reasonMalformed, `it answers with "application/openmetrics-text", which is no`, answer("Content-Type: application/openmetrics-text; version=1.0.0", "# EOF\n")},
		"an error page":               {reasonHTTP, "it answers 503 Service Unavailable", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusServiceUnavailable) }},
		"half a text":                 {reasonMalformed, "text format parsing error in line 2", answer(text, "height 1\nheight{chain=")},
		"a text that breaks off": {reasonMalformed, "unexpected EOF", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, "height 1\n")
		}},
		"text for protobuf":       {reasonMalformed, "", answer(protobuf, "height 1\n")},
		"half a message":          {reasonMalformed, "the answer breaks off: unexpected EOF", answer(protobuf, "\x10\x0a\x03abc")},
		"half a length":           {reasonMalformed, "EOF", answer(protobuf, "\x80")},
		"a message of no end":     {reasonTooLarge, "a family of metrics has 1099511627776 bytes", answer(protobuf, string(binary.AppendUvarint(nil, 1<<40)))},
		"a length of no end":      {reasonMalformed, "overflow", answer(protobuf, strings.Repeat("\xff", 20))},
		"a body of no end":        {reasonTooLarge, "it answers with more than 10000 bytes", answer(text, strings.Repeat("# nothing\n", 2000))},
		"too many series":         {reasonTooManySeries, "it answers with more than 100 series", answer(text, strings.Repeat("height 1\n", 101))},
		"an unknown coding":       {reasonMalformed, `it answers in the coding "br", which was not asked for`, answer("Content-Encoding: br", "x")},
		"a coding that is a lie":  {reasonMalformed, "gzip: ", answer("Content-Encoding: gzip", "height 1\nheight 1\n")},
		"a bomb":                  {reasonTooLarge, "it answers with more than 10000 bytes", answer("Content-Encoding: gzip", zipped(strings.Repeat("# nothing\n", 2000)))},
		"a bomb of empty members": {reasonTooLarge, "it answers with more than 10000 bytes", answer("Content-Encoding: gzip", strings.Repeat(zipped(""), 2000))},
		"another host": {reasonConnection, "it redirects to another host", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://localhost:1/"+secret, http.StatusFound)
		}},
		"a circle": {reasonConnection, "it redirects in circles", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.String(), http.StatusFound)
		}},
		"hangs before the answer": {reasonTimeout, "no whole answer within 300ms", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
		"hangs in the answer": {reasonTimeout, "no whole answer within 300ms", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "height 1\n")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}},
		"hangs up": {reasonConnection, "EOF", func(w http.ResponseWriter, _ *http.Request) {
			connection, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_ = connection.Close()
			}
		}},
		"a label twice":     {reasonMalformed, "duplicate label names", answer(text, `height{a="1",a="2"} 1`+"\n")},
		"bytes of no text":  {reasonMalformed, "invalid label value", answer(text, "height{a=\"\xff\"} 1\n")},
		"two kinds of one":  {reasonMalformed, "second TYPE line", answer(text, "# TYPE a gauge\na 1\n# TYPE a counter\na 1\n")},
		"a number of words": {reasonMalformed, "expected float", answer(text, "height seven\n")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// Only what is to take too long may do so on a busy machine.
			timeout := time.Minute
			if c.reason == reasonTimeout {
				timeout = 300 * time.Millisecond
			}
			source := serve(t, ScrapeLimits{Timeout: timeout, MaxBody: 10_000, MaxSeries: 100}, c.handler)
			families, err := source.Collect(t.Context(), eachFamily)
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, "scrape http://127.0.0.1:")
			require.Equal(t, c.reason, reasonOf(err))
			require.Empty(t, families)
			require.NotContains(t, fmt.Sprintf("%v %+v %#v", err, err, err.Error()), secret)
		})
	}
}

func TestAnExporterThatIsNotThere(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	source := sourceOf(t, "http://"+address, ScrapeLimits{})
	_, err = source.Collect(t.Context(), eachFamily)
	require.ErrorContains(t, err, "connection refused")
	require.Equal(t, reasonConnection, reasonOf(err))
	require.NotContains(t, err.Error(), secret)

	s, err := New(Options{Sources: []Source{source}}, groupsOf(t, rulesOf(`- {alert: Down, expr: up == 0}`)))
	require.NoError(t, err)
	for i := range graceTries {
		_, err = s.Evaluate(t.Context(), start.Add(time.Duration(i)*time.Second))
		require.NoError(t, err)
	}
	require.Len(t, s.Alerts(), 1)
	require.NotContains(t, s.Alerts()[0].Labels.String(), secret)
}

func TestARedirectOnTheSameHostIsFollowed(t *testing.T) {
	t.Parallel()
	source := serve(t, ScrapeLimits{}, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/there" {
			http.Redirect(w, r, "/there", http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, "height 1\n")
	})
	families, err := source.Collect(t.Context(), eachFamily)
	require.NoError(t, err)
	require.Len(t, families, 1)
}

func TestACancelledScrape(t *testing.T) {
	t.Parallel()
	source := serve(t, ScrapeLimits{}, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := source.Collect(ctx, eachFamily)
	require.ErrorIs(t, err, context.Canceled)
}

// TestAMillionSeriesAreTooMany is about the limits as they are: the answer is
// broken off long before it could fill the memory.
func TestAMillionSeriesAreTooMany(t *testing.T) {
	t.Parallel()
	block := strings.Repeat("height 1\n", 10_000)
	source := serve(t, ScrapeLimits{Timeout: time.Minute}, func(w http.ResponseWriter, _ *http.Request) {
		for range 100 {
			if _, err := io.WriteString(w, block); err != nil {
				return
			}
		}
	})
	_, err := source.Collect(t.Context(), eachFamily)
	require.ErrorContains(t, err, "it answers with more than 900000 series")
	require.Equal(t, reasonTooManySeries, reasonOf(err))
}

func zipped(text string) string {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, _ = io.WriteString(z, text)
	_ = z.Close()
	return out.String()
}

func FuzzExposition(f *testing.F) {
	f.Add([]byte("# TYPE height gauge\nheight{chain=\"btc\"} 1 1000\n"), false)
	f.Add([]byte("# TYPE h histogram\nh_bucket{le=\"1\"} 1\nh_bucket{le=\"+Inf\"} 2\nh_sum 3\nh_count 2\n"), false)
	f.Add([]byte("# TYPE s summary\ns{quantile=\"0.5\"} NaN\ns_sum 1\ns_count 1\n"), false)
	var binary bytes.Buffer
	encoder := expfmt.NewEncoder(&binary, expfmt.NewFormat(expfmt.TypeProtoDelim))
	for _, family := range newFleet(2, start).families {
		require.NoError(f, encoder.Encode(family))
	}
	f.Add(binary.Bytes(), true)
	f.Add([]byte("\xff\xff\xff\xff\x0f"), true)
	groups := groupsOf(f, rulesOf(everything))
	f.Fuzz(func(t *testing.T, body []byte, isBinary bool) {
		header := http.Header{"Content-Type": {"text/plain; version=0.0.4"}}
		if isBinary {
			header.Set("Content-Type", "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited")
		}
		families, err := decode(bytes.NewReader(body), header, 1000)
		source := &oneShot{next: &fleet{families: families}}
		e, fault := New(Options{Sources: []Source{source}}, groups)
		require.NoError(t, fault)
		if err != nil {
			require.NotEmpty(t, reasonOf(err))
			return
		}
		r, err := e.Evaluate(t.Context(), start)
		require.NoError(t, err)
		require.Empty(t, r.Failures)
		source.next = &fleet{families: families}
		again, err := e.Evaluate(t.Context(), start.Add(time.Second))
		require.NoError(t, err)
		require.Equal(t, r.Sources, again.Sources)
		require.LessOrEqual(t, e.memory.count, 3+r.Sources[0].Samples)
	})
}

// eachFamily wants everything.
func eachFamily(string) bool { return true }
