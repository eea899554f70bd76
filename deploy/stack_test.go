//go:build compose

package deploy_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// stack is the running compose file: the demonstration, with providers that fail
// only when they are made to.
type stack struct {
	*testing.T
	project, override, address string
	environ                    []string
	// grafana says whether there is an image to start it from.
	grafana bool
}

// newStack provides the images and chooses names and ports that nobody else has.
func newStack(t *testing.T) *stack {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "docker", "info").CombinedOutput()
	require.NoErrorf(t, err, "no Docker daemon answers; run tools/setup compose: %s", output)
	s := &stack{T: t, project: "understudytest" + strconv.Itoa(os.Getpid())}
	unreachable := map[string]bool{}
	for _, image := range append(bases(t), monitors(t)...) {
		itself := image.provide(t, unreachable)
		s.grafana = s.grafana || itself && image.name == compose(t).Services["grafana"].Image
	}
	// What is set here would come before what the file of the demonstration sets.
	s.environ = slices.DeleteFunc(os.Environ(), func(e string) bool {
		return strings.HasPrefix(e, "UNDERSTUDY_") || strings.HasPrefix(e, "COMPOSE_")
	})
	// The classic builder takes the images that are there, and asks no registry.
	s.environ = append(s.environ, "COMPOSE_PROJECT_NAME="+s.project, "UNDERSTUDY_VERSION="+s.project, "DOCKER_BUILDKIT=0", "COMPOSE_DOCKER_CLI_BUILD=0")
	for _, port := range []string{"UNDERSTUDY_PORT", "UNDERSTUDY_EXPORTER_PORT", "PROMETHEUS_PORT", "ALERTMANAGER_PORT", "GRAFANA_PORT"} {
		address := free(t)
		if port == "UNDERSTUDY_PORT" {
			s.address = address
		}
		_, number, err := net.SplitHostPort(address)
		require.NoError(t, err)
		s.environ = append(s.environ, port+"="+number)
	}
	s.override = hurried(t)
	return s
}

// up builds the image and starts the services, as users do.
func (s *stack) up() {
	s.Cleanup(s.down)
	s.Cleanup(s.tell)
	// In one, with "up --build", only as of version 2.
	begin := time.Now()
	s.say(s.Context(), "build")
	s.Logf("the image is built after %.0f s", time.Since(begin).Seconds())
	args := []string{"up", "--detach"}
	for name := range compose(s.T).Services {
		if s.grafana || name != "grafana" {
			args = append(args, name)
		}
	}
	s.say(s.Context(), args...)
}

// tell shows what the services say if the test has failed.
func (s *stack) tell() {
	if s.Failed() {
		s.Log(s.say(context.Background(), "logs", "--no-color", "--tail=40"))
	}
}

// down removes everything, and fails if anything is left.
func (s *stack) down() {
	// One after the other: a daemon that removes many at once can lose count of who is
	// on a network, and then keeps the network for ever.
	if ids := s.left("ps", "--all"); len(ids) > 0 {
		output, err := exec.Command("docker", append([]string{"rm", "--force"}, ids...)...).CombinedOutput()
		require.NoErrorf(s, err, "%s", output)
	}
	s.say(context.Background(), "down", "--volumes", "--remove-orphans")
	require.Empty(s, s.left("ps", "--all"))
	require.Empty(s, s.left("network", "ls"))
	require.Empty(s, s.left("volume", "ls"))
	_ = exec.Command("docker", "image", "rm", "--force", "understudy:"+s.project).Run()
	_ = exec.Command("docker", "image", "prune", "--force", "--filter", "label="+standInLabel).Run()
}

// left are the ids of what a list of Docker's has of this stack.
func (s *stack) left(list ...string) []string {
	s.Helper()
	output, err := exec.Command("docker", append(list, "--quiet", "--filter", "label=com.docker.compose.project="+s.project)...).Output()
	require.NoError(s, err)
	return strings.Fields(string(output))
}

// say runs docker-compose, as whichever of its two forms is there.
func (s *stack) say(ctx context.Context, args ...string) string {
	s.Helper()
	name, first := "docker-compose", []string{}
	if _, err := exec.LookPath(name); err != nil {
		name, first = "docker", []string{"compose"}
	}
	args = append(append(first, "--env-file", "deploy/compose/demo.env", "--file", "docker-compose.yml", "--file", s.override), args...)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = "..", s.environ
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

// healthy waits until every container finds itself well, by its own check.
func (s *stack) healthy() {
	s.Helper()
	ids := s.left("ps", "--all")
	require.NotEmpty(s, ids)
	args := append([]string{"inspect", "--format", "{{.Name}} {{.State.Health.Status}}"}, ids...)
	require.Eventually(s, func() bool {
		output, err := exec.CommandContext(s.Context(), "docker", args...).CombinedOutput()
		return err == nil && strings.Count(string(output), " healthy\n") == len(ids)
	}, 2*time.Minute, time.Second, "everybody is well")
}

// docker does something to a service's container, when it is called.
func (s *stack) docker(verb, service string) func() {
	return func() { s.run(verb, s.container(service)) }
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

// active is who serves a chain; the zero answer if nobody tells.
func (s *stack) active(chain string) answer {
	var a answer
	s.get("/active/"+chain, &a)
	return a
}

// serves waits until a provider serves eth, by the facts of one evaluator.
func (s *stack) serves(provider, evaluator string) {
	s.Helper()
	require.Eventuallyf(s, func() bool {
		var chain struct {
			Active    string
			Evaluator struct{ Source string }
		}
		s.get("/thorchain/providers/eth", &chain)
		return chain.Active == provider && chain.Evaluator.Source == evaluator && s.active("eth").Provider == provider
	}, 2*time.Minute, 200*time.Millisecond, "%s serves by what comes from %s", provider, evaluator)
}

// get reads an answer of the controller, if there is one.
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

// free is a loopback address that nobody listens on.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}
