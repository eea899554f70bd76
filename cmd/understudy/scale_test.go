package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

// asSimulator makes the test binary serve that many simulated providers, so
// that what they cost is not counted as the exporter's.
const asSimulator = "UNDERSTUDY_TEST_AS_SIMULATOR"

// perChain is how many providers a simulated chain has.
const perChain = 4

// simulate prints a configuration of providers that it serves until told to
// stop.
func simulate(count string) {
	n, err := strconv.Atoi(count)
	if err != nil {
		panic(err)
	}
	var server simulator.Server
	var chain *simulator.Chain
	var b strings.Builder
	b.WriteString("chains:\n")
	for i := range n {
		if i%perChain == 0 {
			chain = simulator.NewChain(simulator.ChainOptions{Name: fmt.Sprint("chain", i/perChain), Kind: config.EVM, BlockTime: 12 * time.Second})
			fmt.Fprintf(&b, "  %s:\n    network: \"1\"\n    providers:\n", chain.Name())
		}
		p := simulator.NewProvider(chain, simulator.ProviderOptions{Name: fmt.Sprint("p", i%perChain), Type: config.EVMRPC, Remember: -1})
		url, err := server.Mount(p)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(&b, "      - {name: %s, type: evm-rpc, operator: o%d, rpc_host: %q}\n", p.Name(), i%perChain, url)
	}
	fmt.Print(b.String(), "# end\n")
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	<-signals
	_ = server.Close()
}

// simulated starts providers in a process of their own and returns the file
// that describes them.
func simulated(b *testing.B, n int) string {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asSimulator+"="+strconv.Itoa(n))
	out, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	b.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	var text strings.Builder
	chunk := make([]byte, 64<<10)
	for !strings.HasSuffix(text.String(), "# end\n") {
		k, err := out.Read(chunk)
		require.NoError(b, err)
		text.Write(chunk[:k])
	}
	return file(b, "understudy.yml", text.String())
}

// figures are what the process says of itself, and what reading it took.
type figures struct {
	cpu, rss, goroutines float64
	scrape               time.Duration
	bytes                int
}

// scrapeOf reads the metrics of a process once, as text.
func scrapeOf(b *testing.B, p *process, encoding string) figures {
	b.Helper()
	req, err := http.NewRequest(http.MethodGet, "http://"+p.address+"/metrics", nil)
	require.NoError(b, err)
	req.Header.Set("Accept-Encoding", encoding)
	began := time.Now()
	res, err := http.DefaultClient.Do(req)
	require.NoError(b, err)
	// Room beforehand, so that growing it is not counted as the exporter's time.
	room := bytes.NewBuffer(make([]byte, 0, 64<<20))
	_, err = room.ReadFrom(res.Body)
	require.NoError(b, err)
	page := room.Bytes()
	f := figures{scrape: time.Since(began), bytes: len(page)}
	require.NoError(b, res.Body.Close())
	if encoding != "identity" {
		return f
	}
	// Only the end of a page is about the process.
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(page[bytes.Index(page, []byte("# HELP go_gc")):]))
	require.NoError(b, err)
	f.cpu = families["process_cpu_seconds_total"].Metric[0].GetCounter().GetValue()
	f.rss = families["process_resident_memory_bytes"].Metric[0].GetGauge().GetValue()
	f.goroutines = families["go_goroutines"].Metric[0].GetGauge().GetValue()
	return f
}

// medianOf is the figures of five scrapes, a second apart, with the median of
// their times.
func medianOf(b *testing.B, p *process, encoding string) figures {
	b.Helper()
	var times []time.Duration
	var f figures
	for range 5 {
		f = scrapeOf(b, p, encoding)
		times = append(times, f.scrape)
		time.Sleep(time.Second)
	}
	slices.Sort(times)
	f.scrape = times[len(times)/2]
	return f
}

// BenchmarkExporter watches providers at the default interval for a while. The
// processor's share is that of one core, without scrapes.
func BenchmarkExporter(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			p := start(b, nil, "--config.file="+simulated(b, n), "--log.level=error")
			p.await(2*time.Minute, "every provider is probed", func() bool {
				status, _ := p.get("/-/ready")
				return status == http.StatusOK
			})
			// The first minute is unlike those that follow: connections are
			// opened and buffers grow.
			time.Sleep(time.Minute)
			before, began := scrapeOf(b, p, "identity"), time.Now()
			for b.Loop() {
				time.Sleep(time.Minute)
			}
			elapsed, ended := time.Since(began), scrapeOf(b, p, "identity")
			after, zipped := medianOf(b, p, "identity"), medianOf(b, p, "gzip")
			b.ReportMetric(100*(ended.cpu-before.cpu)/elapsed.Seconds(), "%core")
			b.ReportMetric(1e6*(ended.cpu-before.cpu)/elapsed.Seconds()/float64(n)*10, "µs-cpu/probe")
			b.ReportMetric(after.rss/1e6, "MB-rss")
			b.ReportMetric(after.goroutines, "goroutines")
			b.ReportMetric(float64(after.scrape.Milliseconds()), "ms-scrape")
			b.ReportMetric(float64(zipped.scrape.Milliseconds()), "ms-scrape-gzip")
			b.ReportMetric(float64(after.bytes)/1e6, "MB-page")
			b.ReportMetric(0, "ns/op")
		})
	}
}
