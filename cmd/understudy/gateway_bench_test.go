package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

// asNode makes the test binary be a node that answers at once, and asProxy a bare
// reverse proxy before the URL that it is set to, to compare with. Both listen on
// the address in asListener.
const (
	asNode     = "UNDERSTUDY_TEST_AS_NODE"
	asProxy    = "UNDERSTUDY_TEST_AS_PROXY"
	asListener = "UNDERSTUDY_TEST_LISTEN"
)

// longBody is the length of a long answer.
const longBody = 20 << 20

// fastNode answers eth_getBalance at once and eth_getLogs with a long body, and
// everything else as a simulated provider does.
func fastNode() http.Handler {
	chain := simulator.NewChain(simulator.ChainOptions{Name: "eth", Kind: config.EVM, BlockTime: 12 * time.Second})
	other := simulator.NewProvider(chain, simulator.ProviderOptions{Name: "a", Type: config.EVMRPC, Remember: -1})
	piece := bytes.Repeat([]byte("0123456789abcdef"), 2<<10)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		_, id, _ := bytes.Cut(body, []byte(`"id":`))
		id, _, _ = bytes.Cut(id, []byte(","))
		w.Header().Set("Content-Type", "application/json")
		switch {
		case bytes.Contains(body, []byte("eth_getBalance")):
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":"0x1b1ae4d6e2ef500000"}`, id)
		case bytes.Contains(body, []byte("eth_getLogs")):
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":"`, id)
			for range longBody / len(piece) {
				if _, err := w.Write(piece); err != nil {
					return
				}
			}
			_, _ = io.WriteString(w, `"}`)
		default:
			r.Body = io.NopCloser(bytes.NewReader(body))
			other.ServeHTTP(w, r)
		}
	})
}

// serveAside is what the binary does as a node or a proxy.
func serveAside() error {
	handler := fastNode()
	if to := os.Getenv(asProxy); to != "" {
		u, err := url.Parse(to)
		if err != nil {
			return err
		}
		handler = &httputil.ReverseProxy{
			Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(u) },
			Transport: &http.Transport{MaxIdleConnsPerHost: 256},
		}
	}
	on, err := net.Listen("tcp", os.Getenv(asListener))
	if err != nil {
		return err
	}
	return http.Serve(on, handler)
}

// aside starts a node or a proxy as a process and returns its URL and its number.
func aside(b *testing.B, what, value string) (string, int) {
	b.Helper()
	address := freeAddress(b)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), what+"="+value, asListener+"="+address)
	require.NoError(b, cmd.Start())
	b.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	require.Eventually(b, func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	}, 10*time.Second, 10*time.Millisecond)
	return "http://" + address, cmd.Process.Pid
}

// BenchmarkGateway measures understudy run as a gateway against the same load sent
// directly, both in turn, with load, gateway and node in processes of their own on
// the same processors. A bare httputil.ReverseProxy is measured beside it, so that
// figures of different machines can be compared.
func BenchmarkGateway(b *testing.B) {
	node, _ := aside(b, asNode, "yes")
	proxy, proxyProcess := aside(b, asProxy, node)
	text := "chains:\n  eth:\n    network: \"1\"\n    providers:\n"
	for _, n := range []string{"a", "b", "c"} {
		text += fmt.Sprintf("      - {name: %s, type: evm-rpc, operator: o%s, rpc_host: %q}\n", n, n, node)
	}
	p := startCommand(b, "run", nil, "--config.file="+file(b, "understudy.yml", text), "--log.level=error", "--web.enable-pprof")
	p.ready()
	p.eventually(func() bool { status, _ := p.get("/active/eth"); return status == http.StatusOK }, "somebody serves")
	b.Run("speed", func(b *testing.B) { benchmarkSpeed(b, p, node, proxy, proxyProcess) })
	b.Run("long", func(b *testing.B) { benchmarkLong(b, p) })
}

// Each round is so many requests.
const (
	manyClients   = 16
	roundOfMany   = 3000
	roundOfSingle = 400
)

func benchmarkSpeed(b *testing.B, p *process, node, proxy string, proxyProcess int) {
	own := "http://" + p.address + "/rpc/eth"
	if to := os.Getenv("UNDERSTUDY_TEST_PROFILE"); to != "" {
		go profile(b, p, to)
	}
	ask(b, own, manyClients, roundOfMany)
	var ratio, bare, direct, added, addedBare, cpu, cpuBare []float64
	process := p.cmd.Process.Pid
	for b.Loop() {
		d, _ := ask(b, node, manyClients, roundOfMany)
		before := cpuOf(b, process)
		g, _ := ask(b, own, manyClients, roundOfMany)
		cpu = append(cpu, 1000*(cpuOf(b, process)-before)/roundOfMany)
		before = cpuOf(b, proxyProcess)
		r, _ := ask(b, proxy, manyClients, roundOfMany)
		cpuBare = append(cpuBare, 1000*(cpuOf(b, proxyProcess)-before)/roundOfMany)
		ratio, bare, direct = append(ratio, g/d), append(bare, r/d), append(direct, d)
		_, dm := ask(b, node, 1, roundOfSingle)
		_, gm := ask(b, own, 1, roundOfSingle)
		_, rm := ask(b, proxy, 1, roundOfSingle)
		added, addedBare = append(added, gm-dm), append(addedBare, rm-dm)
	}
	b.ReportMetric(median(direct), "direct-requests/s")
	b.ReportMetric(median(ratio), "ratio")
	b.ReportMetric(median(bare), "reverse-proxy-ratio")
	b.ReportMetric(median(added), "added-ms-median")
	b.ReportMetric(median(addedBare), "reverse-proxy-added-ms")
	b.ReportMetric(median(cpu), "cpu-ms/request")
	b.ReportMetric(median(cpuBare), "reverse-proxy-cpu-ms")
	b.ReportMetric(float64(memoryOf(b, p, "VmRSS:"))/(1<<20), "rss-MB")
	b.ReportMetric(float64(memoryOf(b, p, "RssAnon:"))/(1<<20), "rss-anon-MB")
	b.ReportMetric(0, "ns/op")
}

// profile writes a profile of the process to a file.
func profile(b *testing.B, p *process, to string) {
	_, text := p.get("/debug/pprof/" + os.Getenv("UNDERSTUDY_TEST_PROFILE_KIND") + "?seconds=8")
	if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
		b.Error(err)
	}
}

// benchmarkLong is what answers of 20 MB cost in memory.
func benchmarkLong(b *testing.B, p *process) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":[{}]}`
	// This makes Linux count the peak anew.
	require.NoError(b, os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.cmd.Process.Pid), []byte("5"), 0))
	before := memoryOf(b, p, peak)
	for b.Loop() {
		response, err := http.Post("http://"+p.address+"/rpc/eth", "application/json", strings.NewReader(call))
		require.NoError(b, err)
		n, err := io.Copy(io.Discard, response.Body)
		require.NoError(b, err)
		require.NoError(b, response.Body.Close())
		require.Greater(b, n, int64(longBody))
	}
	b.SetBytes(longBody)
	b.ReportMetric(float64(memoryOf(b, p, peak)-before)/(1<<20), "peak-MB-more")
}

// ask makes requests whose parameters differ, and returns how many it made in a
// second, and the median of the times that they took in milliseconds.
func ask(b *testing.B, url string, clients, requests int) (rate, middle float64) {
	b.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: 256}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	var next, bad atomic.Int64
	took := make([]float64, requests)
	var all sync.WaitGroup
	begin := time.Now()
	for range clients {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(requests); i = next.Add(1) - 1 {
				body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"eth_getBalance","params":["0x%040x","latest"]}`, i, i)
				sent := time.Now()
				response, err := client.Post(url, "application/json", strings.NewReader(body))
				if err != nil {
					bad.Add(1)
					continue
				}
				if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK {
					bad.Add(1)
				}
				_ = response.Body.Close()
				took[i] = float64(time.Since(sent).Nanoseconds()) / 1e6
			}
		})
	}
	all.Wait()
	require.Zero(b, bad.Load())
	return float64(requests) / time.Since(begin).Seconds(), median(took)
}

func median(of []float64) float64 {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[len(sorted)/2]
}

// cpuOf is the processor time that a process has had, in seconds.
func cpuOf(b *testing.B, process int) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
	if err != nil {
		b.Skip("this system does not tell a process's time: ", err)
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	user, err := strconv.ParseFloat(fields[11], 64)
	require.NoError(b, err)
	system, err := strconv.ParseFloat(fields[12], 64)
	require.NoError(b, err)
	// Linux counts in hundredths.
	return (user + system) / 100
}

// peak is the most memory that a process has had.
const peak = "VmHWM:"

// memoryOf is a figure of a process's memory, in bytes.
func memoryOf(b *testing.B, p *process, what string) int {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		b.Skip("this system does not tell a process's memory: ", err)
	}
	_, after, _ := strings.Cut(string(text), what)
	number, _, _ := strings.Cut(strings.TrimSpace(after), " ")
	kilobytes, err := strconv.Atoi(number)
	require.NoError(b, err)
	return kilobytes << 10
}
