//go:build compose

package deploy_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/node"
)

// standIn is an image made of what this machine has, for where no registry can be
// reached.
type standIn struct {
	name string
	// files gathers what goes where, by where it goes: a folder goes with everything
	// in it, a program with its libraries. Nil if nothing can stand in.
	files func(*testing.T) map[string]string
	// texts are files, by where they go.
	texts map[string]string
	// state is the folder that the program writes to, and user the one who does.
	state string
	user  int
	// changes are instructions as in a Dockerfile.
	changes []string
}

// standInLabel marks the images that are not what their name says, and what is
// built from them.
const standInLabel = "understudy.stand-in"

// noSuchImage is what a registry answers that can be reached. Then the name is
// wrong, and nothing stands in.
var noSuchImage = regexp.MustCompile(`manifest unknown|manifest for \S+ not found|access denied|invalid reference`)

// registry is where an image is pulled from.
func (s standIn) registry() string {
	host, _, found := strings.Cut(s.name, "/")
	if found && strings.Contains(host, ".") {
		return host
	}
	return "docker.io"
}

// provide sees to an image of that name, and says whether it is the real one. A
// registry that could not be reached is not tried again.
func (s standIn) provide(t *testing.T, unreachable map[string]bool) bool {
	t.Helper()
	if label, err := exec.CommandContext(t.Context(), "docker", "image", "inspect", "--format",
		`{{index .Config.Labels "`+standInLabel+`"}}`, s.name).Output(); err == nil && len(label) <= 1 {
		return true
	}
	if !unreachable[s.registry()] {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		output, err := exec.CommandContext(ctx, "docker", "pull", "--quiet", s.name).CombinedOutput()
		if err == nil {
			return true
		}
		require.NotRegexpf(t, noSuchImage, string(output), "%s is no image", s.name)
		t.Logf("no images of %s, what this machine has stands in: %s", s.registry(), output)
		unreachable[s.registry()] = true
	}
	if s.files != nil {
		s.make(t)
	}
	return false
}

// make imports the image.
func (s standIn) make(t *testing.T) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "layer.tar")
	l := newLayer(t, path)
	l.folder("tmp", 0, 0o1777)
	if s.state != "" {
		l.folder(s.state, s.user, 0o755)
	}
	for to, text := range s.texts {
		l.text(to, text)
	}
	for to, from := range s.files(t) {
		l.add(to, from)
	}
	l.close()
	args := []string{"import", "--change", "LABEL " + standInLabel + "=true", "--change", "USER " + strconv.Itoa(s.user)}
	for _, change := range s.changes {
		args = append(args, "--change", change)
	}
	output, err := exec.CommandContext(t.Context(), "docker", append(args, path, s.name)...).CombinedOutput()
	require.NoErrorf(t, err, "%s: %s", s.name, output)
	require.NoError(t, os.Remove(path))
	t.Cleanup(func() { _ = exec.Command("docker", "image", "rm", "--force", s.name).Run() })
}

// monitors are the images of Prometheus and Alertmanager, of Debian's builds of
// them, and of Grafana, which no Debian package has.
func monitors(t *testing.T) []standIn {
	t.Helper()
	services := compose(t).Services
	return []standIn{
		{
			name: services["prometheus"].Image, state: "prometheus", user: 65534,
			files: func(t *testing.T) map[string]string {
				return map[string]string{"bin/prometheus": node.Binary(t, "prometheus"), "bin/promtool": node.Binary(t, "promtool")}
			},
			changes: []string{"ENV PATH=/bin", `ENTRYPOINT ["/bin/prometheus"]`},
		},
		{
			name: services["alertmanager"].Image, state: "alertmanager", user: 65534,
			files: func(t *testing.T) map[string]string {
				// Debian's build looks for them in no other place.
				const templates = "/usr/share/prometheus/alertmanager"
				return map[string]string{
					"bin/alertmanager": node.Binary(t, "prometheus-alertmanager"), "bin/amtool": node.Binary(t, "amtool"),
					templates: templates,
				}
			},
			changes: []string{"ENV PATH=/bin", `ENTRYPOINT ["/bin/alertmanager"]`},
		},
		{name: services["grafana"].Image},
	}
}
