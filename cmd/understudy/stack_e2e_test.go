//go:build e2e

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/wire"
	"github.com/understudy-rpc/understudy/internal/node"
)

// The chains of a stack and their providers, the preferred one first. Litecoin has
// two nodes that are each other's peers. Bitcoin has one: btcd is of another
// network, so it can't stand in for litecoind, and alone it shows what becomes of
// a chain that nobody else serves. Ethereum has three, as a fork takes two to be
// outvoted.
const stackConfig = `chains:
  ltc:
    network: 530827f38f93b43ed12af0b3ad25a288dc02ed74d6d7857862df51fc56c416f9
    failover: %[1]s
    providers:
      - {name: own, type: bitcoin-rpc, priority: 1, rpc_host: %[2]q}
      - {name: spare, type: bitcoin-rpc, priority: 2, rpc_host: %[3]q}
  btc:
    network: 0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206
    failover: %[1]s
    providers:
      - {name: single, type: bitcoin-rpc, rpc_host: %[4]q}
  eth:
    network: 31337
    block_time: 1s
    failover: %[1]s
    providers:
      - {name: first, type: evm-rpc, priority: 1, rpc_host: %[5]q}
      - {name: second, type: evm-rpc, priority: 2, rpc_host: %[6]q}
      - {name: third, type: evm-rpc, priority: 3, rpc_host: %[7]q}
`

// tempo is how fast a stack is.
type tempo struct {
	// policy is the failover policy of every chain.
	policy string
	// rules, prometheus and alertmanager are texts to be replaced in the files that
	// assets writes, each with what it becomes.
	rules, prometheus, alertmanager []string
	// flags are Prometheus's, own are the controller's.
	flags, own []string
}

// hurried takes seconds for what the shipped files take a minute for.
var hurried = tempo{
	policy: "{health_check_interval: 1s, suspect_check_interval: 250ms, request_timeout: 900ms, error_threshold: 3, error_window: 10s, " +
		"max_block_lag: 5, recovery_check_interval: 1s, min_recovery_checks: 2, flap_penalty: false, integrity: {interval: 1s}}",
	rules: []string{"interval: 5s", "interval: 1s"},
	prometheus: []string{
		"scrape_interval: 15s", "scrape_interval: 1s", "scrape_interval: 5s", "scrape_interval: 1s",
		"scrape_timeout: 4s", "scrape_timeout: 1s", "evaluation_interval: 5s", "evaluation_interval: 1s",
	},
	alertmanager: []string{
		"group_interval: 10s", "group_interval: 1s", "group_interval: 5s", "group_interval: 1s",
		"repeat_interval: 30s", "repeat_interval: 1s", "repeat_interval: 1m", "repeat_interval: 5s",
	},
	// An Alertmanager that hears nothing takes alerts for over after four delays.
	flags: []string{"--rules.alert.resend-delay=4s"},
	own:   []string{"--alertmanager.watchdog-limit=8s", "--alertmanager.resend-limit=6s", "--rules.interval=1s"},
}

// stack is everything there is: nodes, exporter, Prometheus, Alertmanager and
// controller, each a process of its own.
type stack struct {
	*testing.T
	began    time.Time
	ltc      [2]*node.LitecoinNode
	btc      *node.BtcdNode
	eth      *node.AnvilChain
	exporter *node.Process
	// controller is that of address, with its journal in a folder, and remembers is
	// what it answered first in its present life.
	controller   *node.Process
	address      string
	journal      string
	remembers    wire.ActiveList
	prometheus   *node.PrometheusNode
	alertmanager *node.AlertmanagerNode
	witness      *witness
}

// startStack starts a stack, which ends with its test.
func startStack(t *testing.T, at tempo) *stack {
	t.Helper()
	s := &stack{T: t, began: time.Now(), address: node.FreeAddress(t), journal: t.TempDir()}
	exporter, prometheus, alertmanager := node.FreeAddress(t), node.FreeAddress(t), node.FreeAddress(t)
	config := s.startNodes(at.policy)
	dir := written(t)
	place := []string{exporterAddress, exporter, runAddress, s.address, "127.0.0.1:9093", alertmanager}
	files, err := filepath.Glob(filepath.Join(dir, "rules", "*.yml"))
	require.NoError(t, err)
	for _, f := range files {
		edit(t, f, at.rules...)
	}
	edit(t, filepath.Join(dir, "prometheus.yml"), append(place, at.prometheus...)...)
	token := filepath.Join(dir, "understudy.token")
	require.NoError(t, os.WriteFile(token, []byte("s3cret\n"), 0o600))
	// The token is put in as the file itself says.
	edit(t, filepath.Join(dir, "alertmanager.yml"), append([]string{
		runAddress, s.address, "        #   http_config: {auth", "        http_config: {auth",
	}, at.alertmanager...)...)

	s.exporter = s.startProgram("exporter", exporter, nil, "--config.file="+config)
	s.controller = s.startProgram("controller", s.address, s.listen, append([]string{
		"--config.file=" + config, "--exporter.url=http://" + exporter, "--alertmanager.url=http://" + alertmanager,
		"--storage.path=" + s.journal, "--web.webhook-token-file=" + token,
	}, at.own...)...)
	s.alertmanager = node.AlertmanagerAt(t, alertmanager, filepath.Join(dir, "alertmanager.yml"))
	s.prometheus = node.PrometheusAt(t, prometheus, filepath.Join(dir, "prometheus.yml"), at.flags...)
	s.witness = startWitness(t, s.address)
	return s
}

// startNodes starts the nodes, each with some blocks, and describes them in a
// file.
func (s *stack) startNodes(policy string) string {
	s.Helper()
	s.ltc = [2]*node.LitecoinNode{node.Litecoind(s, "-disablewallet"), node.Litecoind(s, "-disablewallet")}
	s.ltc[1].Connect(s.ltc[0])
	s.ltc[1].AwaitHash(5, s.ltc[0].Mine(5)[4])
	s.btc = node.Btcd(s)
	s.btc.Mine(5)
	s.eth = node.Anvils(s, 31337, 3)
	s.eth.MineEvery(time.Second)
	return file(s, "understudy.yml", fmt.Sprintf(stackConfig, policy, s.ltc[0].SecretURL(), s.ltc[1].SecretURL(),
		s.btc.SecretURL(), s.eth.Node(0).URL(), s.eth.Node(1).URL(), s.eth.Node(2).URL()))
}

// startProgram starts this program as a process that listens on an address. It
// is ready when ready, or else its health page, says so.
func (s *stack) startProgram(command, address string, ready func(context.Context) error, args ...string) *node.Process {
	s.Helper()
	self, err := os.Executable()
	require.NoError(s, err)
	if ready == nil {
		ready = func(ctx context.Context) error { return fetch(ctx, "http://"+address+"/-/healthy", nil) }
	}
	return node.Start(s, node.Spec{
		Name: command, Binary: self, Env: []string{asProgram + "=yes"},
		Args:  append([]string{command, "--web.listen-address=" + address}, args...),
		Ready: ready,
	})
}

// listen takes down the first answer of a controller that has just started.
func (s *stack) listen(ctx context.Context) error {
	s.remembers = wire.ActiveList{}
	return fetch(ctx, "http://"+s.address+"/active", &s.remembers)
}

// edit replaces texts in a file. Every text has to be there.
func edit(t *testing.T, path string, pairs ...string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for i := 0; i < len(pairs); i += 2 {
		require.Contains(t, string(text), pairs[i], path)
	}
	require.NoError(t, os.WriteFile(path, []byte(strings.NewReplacer(pairs...).Replace(string(text))), 0o600))
}

// fetch gets a page as JSON, or throws it away if into is nil. A status other
// than 200 is an error, but for the 503 with which /active tells that nobody
// serves a chain.
func fetch(ctx context.Context, page string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return err
	}
	// A connection that is kept could be one to a process that was killed.
	request.Close = true
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	none := response.StatusCode == http.StatusServiceUnavailable && strings.HasPrefix(response.Header.Get("Content-Type"), "application/json")
	if response.StatusCode != http.StatusOK && !none {
		return fmt.Errorf("%s: %s: %.200s", page, response.Status, body)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(body, into)
}
