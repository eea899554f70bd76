//go:build compose

package deploy_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// stack is the running compose file, without Grafana and with providers that fail
// only when they are made to.
type stack struct {
	*testing.T
	project, override, address string
	environ                    []string
}

// started are the services of the test.
var started = []string{"exporter", "controller", "prometheus", "alertmanager", "eth-own-node", "eth-vendor-a", "eth-vendor-b"}

func TestTheComposeFileRunsAndTheRightProviderServes(t *testing.T) {
	daemon(t)
	s := &stack{T: t, project: "understudytest" + strconv.Itoa(os.Getpid())}
	s.up()
	for _, step := range []struct {
		name      string
		hurt      func()
		serves    string
		heal      func()
		evaluator string
	}{
		{"a provider hangs", s.docker("pause", "eth-own-node"), "vendor-a", s.docker("unpause", "eth-own-node"), "alertmanager"},
		{"a provider refuses connections", s.docker("stop", "eth-own-node"), "vendor-a", s.docker("start", "eth-own-node"), "alertmanager"},
		{"a provider is cut off", s.cut("eth-own-node"), "vendor-a", s.join("eth-own-node"), "alertmanager"},
		{"Alertmanager hangs while a provider is down", s.both("pause", "alertmanager", "stop", "eth-own-node"), "vendor-a", s.both("unpause", "alertmanager", "start", "eth-own-node"), "local"},
		{"Prometheus hangs while a provider is down", s.both("pause", "prometheus", "stop", "eth-own-node"), "vendor-a", s.both("unpause", "prometheus", "start", "eth-own-node"), "local"},
	} {
		begin := time.Now()
		step.hurt()
		s.serves(step.serves, step.evaluator)
		after := time.Since(begin)
		step.heal()
		s.serves("own-node", "alertmanager")
		t.Logf("%s: another provider serves after %.0f s, the first one again after %.0f s", step.name, after.Seconds(), time.Since(begin).Seconds())
	}
	s.survivesACrash()
}

// survivesACrash kills the controller while a spare serves: it knows what it
// decided.
func (s *stack) survivesACrash() {
	s.docker("stop", "eth-own-node")()
	s.serves("vendor-a", "alertmanager")
	before := s.active()
	s.docker("kill", "controller")()
	s.docker("start", "controller")()
	require.Eventually(s, func() bool { return s.active().Provider != "" }, time.Minute, 100*time.Millisecond)
	after := s.active()
	require.Equal(s, before.Provider, after.Provider)
	require.GreaterOrEqual(s, after.Generation, before.Generation)
	require.GreaterOrEqual(s, after.Index, before.Index)
	s.docker("start", "eth-own-node")()
	s.serves("own-node", "alertmanager")
}

// up makes the images and starts the services.
func (s *stack) up() {
	for _, image := range standIns(s.T, s.project) {
		image.make(s.T)
	}
	s.environ = append(os.Environ(), "UNDERSTUDY_VERSION="+s.project, "COMPOSE_PROJECT_NAME="+s.project)
	for _, port := range []string{"UNDERSTUDY_PORT", "UNDERSTUDY_EXPORTER_PORT", "PROMETHEUS_PORT", "ALERTMANAGER_PORT", "GRAFANA_PORT"} {
		address := free(s.T)
		if port == "UNDERSTUDY_PORT" {
			s.address = address
		}
		_, number, err := net.SplitHostPort(address)
		require.NoError(s, err)
		s.environ = append(s.environ, port+"="+number)
	}
	// The script's faults would come on top of the test's own.
	s.override = filepath.Join(s.TempDir(), "override.yml")
	text := "services:\n"
	for _, name := range started[4:] {
		text += "  " + name + ": {environment: {UNDERSTUDY_PLAY: \"false\"}}\n"
	}
	require.NoError(s, os.WriteFile(s.override, []byte(text), 0o600))
	s.Cleanup(func() {
		if s.Failed() {
			s.Log(s.say(context.Background(), "logs", "--no-color", "--tail=40"))
		}
		s.say(context.Background(), "down", "--volumes", "--timeout", "2")
	})
	s.say(s.Context(), append([]string{"up", "--detach", "--no-build"}, started...)...)
	s.serves("own-node", "alertmanager")
}

// say runs docker-compose, as whichever of its two forms is there.
func (s *stack) say(ctx context.Context, args ...string) string {
	s.Helper()
	name, first := "docker-compose", []string{}
	if _, err := exec.LookPath(name); err != nil {
		name, first = "docker", []string{"compose"}
	}
	args = append(append(first, "--profile", "demo", "--file", "../docker-compose.yml", "--file", s.override), args...)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = s.environ
	output, err := cmd.CombinedOutput()
	require.NoErrorf(s, err, "%q: %s", args, output)
	return string(output)
}

// container is the id of a service's container, running or not.
func (s *stack) container(service string) string {
	s.Helper()
	output, err := exec.CommandContext(s.Context(), "docker", "ps", "--all", "--quiet",
		"--filter", "label=com.docker.compose.project="+s.project, "--filter", "label=com.docker.compose.service="+service).Output()
	require.NoError(s, err)
	id := strings.TrimSpace(string(output))
	require.NotEmpty(s, id, service)
	return id
}

// docker does something to a service's container, when it is called.
func (s *stack) docker(verb, service string) func() {
	return func() { s.run(verb, s.container(service)) }
}

func (s *stack) both(verb, service, otherVerb, other string) func() {
	return func() { s.docker(verb, service)(); s.docker(otherVerb, other)() }
}

// cut takes a service off the network, and join puts it back under its name.
func (s *stack) cut(service string) func() {
	return func() { s.run("network", "disconnect", s.project+"_understudy", s.container(service)) }
}

func (s *stack) join(service string) func() {
	return func() {
		s.run("network", "connect", "--alias", service, s.project+"_understudy", s.container(service))
	}
}

func (s *stack) run(args ...string) {
	s.Helper()
	output, err := exec.CommandContext(s.Context(), "docker", args...).CombinedOutput()
	require.NoErrorf(s, err, "docker %q: %s", args, output)
}

// answer is what the controller says of who serves.
type answer struct {
	Provider          string
	Generation, Index uint64
}

// active is who serves; the zero answer if nobody tells.
func (s *stack) active() answer {
	var a answer
	s.get("/active/eth", &a)
	return a
}

// serves waits until a provider serves, by the facts of one evaluator.
func (s *stack) serves(provider, evaluator string) {
	s.Helper()
	require.Eventuallyf(s, func() bool {
		var chain struct {
			Active    string
			Evaluator struct{ Source string }
		}
		s.get("/thorchain/providers/eth", &chain)
		return chain.Active == provider && chain.Evaluator.Source == evaluator && s.active().Provider == provider
	}, 4*time.Minute, 200*time.Millisecond, "%s serves by what comes from %s", provider, evaluator)
}

func (s *stack) get(path string, into any) {
	ctx, cancel := context.WithTimeout(s.Context(), 3*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.address+path, nil)
	require.NoError(s, err)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return
	}
	defer func() { _ = response.Body.Close() }()
	_ = json.NewDecoder(response.Body).Decode(into)
}

// daemon starts one if none answers.
func daemon(t *testing.T) {
	t.Helper()
	if exec.CommandContext(t.Context(), "docker", "info").Run() == nil {
		return
	}
	if _, err := exec.LookPath("dockerd"); err != nil || os.Geteuid() != 0 {
		require.FailNow(t, "no Docker daemon answers, and none can be started: that takes dockerd and root")
	}
	dir := t.TempDir()
	cmd := exec.Command("dockerd", "--data-root", dir+"/data", "--exec-root", dir+"/exec", "--pidfile", dir+"/pid")
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	require.Eventually(t, func() bool { return exec.CommandContext(t.Context(), "docker", "info").Run() == nil },
		time.Minute, 200*time.Millisecond, "dockerd answers")
}

// free is a loopback address that nobody listens on.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}
