package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/wire"
	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

// The matrix is a tenth of the defaults: blocks every 12 s, probes every 10 s, a
// comparison of blocks every minute.
const (
	matrixBlockTime = 1200 * time.Millisecond
	matrixPolicy    = "{health_check_interval: 1s, suspect_check_interval: 200ms, request_timeout: 1s, max_block_lag: 3, " +
		"error_threshold: 3, error_window: 20s, recovery_check_interval: 4s, integrity: {interval: 6s}}"
	matrixLag = 3
	// matrixAttempt is how long one attempt may take.
	matrixAttempt = time.Second
	// matrixFault is how long a fault lasts.
	matrixFault = 16 * time.Second
)

// fault is a row of the matrix: what the first of three providers does.
type fault struct {
	name      string
	behaviour simulator.Behaviour
	// everybody does it.
	everybody bool
	// foreign: old blocks are another chain's, which nobody can know until the
	// provider was caught at something newer.
	foreign bool
}

func responds(status int, body string) simulator.Behaviour {
	return simulator.Behaviour{Respond: &simulator.Answer{Status: status, Body: body, Header: map[string]string{"Content-Type": "text/html"}}}
}

func respondsRPC(object string) simulator.Behaviour {
	return simulator.Behaviour{Respond: &simulator.Answer{Body: `{"jsonrpc":"2.0","id":"$id","error":` + object + `}`}}
}

// matrix are the faults.
var matrix = []fault{
	{name: "200 with -32005", behaviour: respondsRPC(`{"code":-32005,"message":"limit exceeded"}`)},
	{name: "200 with -32000 header not found", behaviour: respondsRPC(`{"code":-32000,"message":"header not found"}`)},
	{name: "200 with HTML", behaviour: responds(200, "<html><title>Welcome</title></html>")},
	{name: "200, empty", behaviour: responds(200, "")},
	{name: "401", behaviour: responds(401, "")},
	{name: "403", behaviour: responds(403, "")},
	{name: "429", behaviour: responds(429, "")},
	{name: "500", behaviour: responds(500, "")},
	{name: "502 with HTML", behaviour: responds(502, "<html><title>502 Bad Gateway</title></html>")},
	{name: "hangs", behaviour: simulator.Behaviour{Mode: simulator.ModeHang}},
	{name: "refuses connections", behaviour: simulator.Behaviour{Mode: simulator.ModeRefuse}},
	{name: "resets connections", behaviour: simulator.Behaviour{Mode: simulator.ModeReset}},
	{name: "half a body", behaviour: simulator.Behaviour{Mode: simulator.ModeTruncate}},
	{name: "head frozen", behaviour: simulator.Behaviour{Freeze: true}},
	{name: "30 blocks behind", behaviour: simulator.Behaviour{Lag: 30}},
	{name: "50,000,000 blocks ahead", behaviour: simulator.Behaviour{Lag: -50_000_000}},
	{name: "same heights, another chain", behaviour: simulator.Behaviour{Fork: simulator.Fork{Name: "other", From: 1}}, foreign: true},
	{name: "chain id changed", behaviour: simulator.Behaviour{Identity: simulator.Identity{Network: "5"}}, foreign: true},
	{name: "heights with a leading zero", behaviour: simulator.Behaviour{Heights: simulator.NumberLeadingZero}},
	{name: "all down", behaviour: simulator.Behaviour{Mode: simulator.ModeRefuse}, everybody: true},
}

// matrixRow is a chain of its own under its own load, while its fault lasts.
type matrixRow struct {
	fault
	chain     *simulator.Chain
	providers []*simulator.Provider
	address   string

	mu sync.Mutex
	// injected and ended are when the fault began and ended; left is when somebody else
	// was first seen to serve. Zero before.
	injected, ended, left time.Time
	// told is what the program said that the chain had reached when it was last asked,
	// tip what it had said the time before: the gateway may be a moment behind what
	// is shown.
	told, tip uint64
	matrixCount
	lies []string
}

// matrixCount is what came of the requests of a row.
type matrixCount struct {
	answers, wrong, failed int
	// old counts the wrong answers about old blocks, until is when the last came.
	old   int
	until time.Duration
	// first is the time to the first good answer, where nobody could give one from
	// when they could again; longest the longest that anybody
	// waited for one.
	first, longest time.Duration
}

func (r *matrixRow) path() string { return "/rpc/" + r.chain.Name() }

// inject begins the fault.
func (r *matrixRow) inject() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, p := range r.providers {
		if i == 0 || r.everybody {
			p.SetBehaviour(r.behaviour)
		}
	}
	r.injected = time.Now()
}

// restore ends it.
func (r *matrixRow) restore() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.providers {
		p.SetBehaviour(simulator.Behaviour{})
	}
	r.ended = time.Now()
}

// watch takes in what the program tells of the chain.
func (r *matrixRow) watch(c wire.Chain) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.Tip.Height != nil {
		r.told, r.tip = *c.Tip.Height, r.told
	}
	if r.left.IsZero() && !r.injected.IsZero() && (c.Active == nil || *c.Active != "a") {
		r.left = time.Now()
	}
}

// toldTip is the last that the program told.
func (r *matrixRow) toldTip() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tip
}

// abandoned says whether the faulty provider was left.
func (r *matrixRow) abandoned() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.left.IsZero()
}

// recovered is what to wait for: somebody can answer, and does.
func (r *matrixRow) recovered() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.first > 0
}

// TestTheMatrix injects every fault into the active one of three providers, each
// under load on a chain of its own, and counts what clients see of it. With -v it
// prints the table of docs/performance.md.
func TestTheMatrix(t *testing.T) {
	// Not beside other tests: the clients' patience is measured.
	var server simulator.Server
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	var text strings.Builder
	text.WriteString("chains:\n")
	rows := make([]*matrixRow, len(matrix))
	for i, f := range matrix {
		rows[i] = newMatrixRow(t, &server, fmt.Sprintf("eth%d", i), f, &text)
	}
	p := startCommand(t, "run", nil, "--config.file="+file(t, "understudy.yml", text.String()), "--log.level=error")
	p.ready()
	for _, r := range rows {
		r.address = p.address
		p.await(time.Minute, r.name+": the first one serves", func() bool {
			_, a := getJSON[wire.Active](p, "/active/"+r.chain.Name())
			return a.Provider != nil && *a.Provider == "a" && len(a.Fallbacks) == 2
		})
	}
	stop := make(chan struct{})
	var load sync.WaitGroup
	for _, r := range rows {
		for worker := range 2 {
			load.Go(func() { r.load(stop, worker) })
		}
	}
	load.Go(func() { watchMatrix(p, rows, stop) })
	// A few blocks, as any gateway has seen before a fault.
	time.Sleep(5 * matrixBlockTime)
	for _, r := range rows {
		r.inject()
	}
	time.Sleep(matrixFault)
	left := make([]string, len(rows))
	for i, r := range rows {
		p.await(time.Minute, r.name+": the faulty provider is left", r.abandoned)
		left[i] = leftBy(p, r)
	}
	for _, r := range rows {
		r.restore()
	}
	for _, r := range rows {
		p.await(time.Minute, r.name+": a good answer", r.recovered)
	}
	time.Sleep(matrixBlockTime)
	close(stop)
	load.Wait()
	t.Log("\n" + matrixTable(rows, left))
	for _, r := range rows {
		r.judge(t)
	}
}

// newMatrixRow makes a chain with three providers and describes it.
func newMatrixRow(t *testing.T, server *simulator.Server, name string, f fault, text *strings.Builder) *matrixRow {
	t.Helper()
	r := &matrixRow{fault: f, chain: simulator.NewChain(simulator.ChainOptions{
		Name: name, Kind: config.EVM, BaseHeight: 100_000, BlockTime: matrixBlockTime,
	})}
	fmt.Fprintf(text, "  %s:\n    network: \"1\"\n    block_time: %s\n    failover: %s\n    gateway: {attempt_timeout: %s}\n    providers:\n", name, matrixBlockTime, matrixPolicy, matrixAttempt)
	for _, n := range []string{"a", "b", "c"} {
		p := simulator.NewProvider(r.chain, simulator.ProviderOptions{Name: n, Type: config.EVMRPC, Remember: -1})
		url, err := server.Listen(p)
		require.NoError(t, err)
		r.providers = append(r.providers, p)
		fmt.Fprintf(text, "      - {name: %s, type: evm-rpc, operator: operator-%s, rpc_host: %q}\n", n, n, url)
	}
	return r
}

// judge holds a row against what the gateway is for.
func (r *matrixRow) judge(t *testing.T) {
	t.Helper()
	require.Zero(t, r.wrong, "%s: wrong answers: %v", r.name, r.lies)
	require.Positive(t, r.answers, r.name)
	if r.everybody {
		require.Positive(t, r.failed, "%s: nobody can answer", r.name)
		return
	}
	require.Zero(t, r.failed, "%s: errors: %v", r.name, r.lies)
	if !r.foreign {
		require.Zero(t, r.old, "%s: wrong old blocks", r.name)
	}
	require.Less(t, r.first, 5*matrixAttempt, "%s: one attempt, and room for a busy machine", r.name)
}

// watchMatrix reads again and again what the program tells, until it is told to stop.
func watchMatrix(p *process, rows []*matrixRow, stop <-chan struct{}) {
	byName := map[string]*matrixRow{}
	for _, r := range rows {
		byName[r.chain.Name()] = r
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		_, all := getJSON[wire.ChainList](p, "/thorchain/providers")
		for _, c := range all.Chains {
			byName[c.Chain].watch(c)
		}
		select {
		case <-stop:
			return
		case <-tick.C:
		}
	}
}

// leftBy says who has left the faulty provider.
func leftBy(p *process, r *matrixRow) string {
	_, a := getJSON[wire.Active](p, "/active/"+r.chain.Name())
	return a.Reason
}

// matrixTable is the table for people.
func matrixTable(rows []*matrixRow, left []string) string {
	var b strings.Builder
	b.WriteString("| fault | answers | wrong | errors | wrong old blocks | first good answer | longest wait | left by |\n|---|---|---|---|---|---|---|---|\n")
	for i, r := range rows {
		old := fmt.Sprint(r.old)
		if r.old > 0 {
			old += fmt.Sprintf(", for %d ms", r.until.Milliseconds())
		}
		first := fmt.Sprintf("%d ms", r.first.Milliseconds())
		if r.first == 0 {
			first = "none"
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %s | %s | %d ms | %s |\n", r.name, r.answers, r.wrong, r.failed, old, first, r.longest.Milliseconds(), left[i])
	}
	return b.String()
}

// load asks until it is told to stop, about twenty times a second.
func (r *matrixRow) load(stop <-chan struct{}, worker int) {
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for n := worker * 3; ; n++ {
		r.ask(client, matrixQuestions[n%len(matrixQuestions)], n)
		select {
		case <-stop:
			return
		case <-tick.C:
		}
	}
}

// note counts an answer.
func (r *matrixRow) note(begin time.Time, old bool, wrong string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.injected.IsZero() {
		if err != nil || wrong != "" {
			r.wrong++
			r.lies = append(r.lies, fmt.Sprint("before the fault: ", wrong, err))
		}
		return
	}
	r.answers++
	from := r.injected
	if r.everybody && !r.ended.IsZero() {
		// As long as nobody can answer, there is nothing to wait for.
		from = r.ended
	}
	since := time.Since(from)
	r.longest = max(r.longest, time.Since(begin))
	switch {
	case err != nil:
		r.failed++
		r.lies = append(r.lies, err.Error())
	case wrong != "" && old && (r.left.IsZero() || begin.Before(r.left)):
		r.old++
		r.until = max(r.until, since)
	case wrong != "":
		r.wrong++
		r.lies = append(r.lies, fmt.Sprintf("%s after the fault: %s", since.Round(time.Millisecond), wrong))
	case r.first == 0 && !begin.Before(from):
		r.first = since
	}
	r.lies = slices.Clip(r.lies[:min(len(r.lies), 5)])
}
