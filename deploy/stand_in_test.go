//go:build compose

package deploy_test

import (
	"archive/tar"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/node"
)

// standIn is an image made of programs of this machine, for where no registry can
// be reached.
type standIn struct {
	name string
	// programs are where each goes, by where it is.
	programs map[string]string
	// files are copied as they are, with what they need.
	files []string
	// state is the folder that the program writes to, and user the one who does.
	state string
	user  int
	entry string
}

// make builds the image, unless there is one of that name already.
func (s standIn) make(t *testing.T) {
	t.Helper()
	if exec.CommandContext(t.Context(), "docker", "image", "inspect", s.name).Run() == nil {
		return
	}
	var layer bytes.Buffer
	w := tar.NewWriter(&layer)
	for _, dir := range []string{"bin", "usr/bin", "lib64", "tmp", "etc", "etc/understudy", "etc/prometheus", "etc/alertmanager"} {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: dir + "/", Typeflag: tar.TypeDir, Mode: 0o755}))
	}
	state := strings.TrimPrefix(s.state, "/") + "/"
	require.NoError(t, w.WriteHeader(&tar.Header{Name: state, Typeflag: tar.TypeDir, Mode: 0o755, Uid: s.user, Gid: s.user}))
	needed := map[string]string{}
	for from, to := range s.programs {
		needed[to] = from
		for _, library := range libraries(t, from) {
			needed[library] = library
		}
	}
	for _, f := range s.files {
		needed[f] = f
	}
	for to, from := range needed {
		text, err := os.ReadFile(from)
		require.NoError(t, err)
		require.NoError(t, w.WriteHeader(&tar.Header{Name: strings.TrimPrefix(to, "/"), Mode: 0o755, Size: int64(len(text))}))
		_, err = w.Write(text)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	cmd := exec.CommandContext(t.Context(), "docker", "import",
		"--change", `ENTRYPOINT ["`+s.entry+`"]`, "--change", "ENV PATH=/bin:/usr/bin", "--change", "WORKDIR /etc/understudy",
		"--change", "USER "+strconv.Itoa(s.user), "-", s.name)
	cmd.Stdin = &layer
	output, err := cmd.CombinedOutput()
	require.NoErrorf(t, err, "%s: %s", s.name, output)
	t.Cleanup(func() { _ = exec.Command("docker", "image", "rm", "--force", s.name).Run() })
}

// library is a line of ldd that names a file.
var library = regexp.MustCompile(`(/\S+) \(0x`)

// libraries are what a program is linked with while it starts; none for a static
// one.
func libraries(t *testing.T, program string) []string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "ldd", program).CombinedOutput()
	if err != nil {
		return nil
	}
	var all []string
	for _, m := range library.FindAllStringSubmatch(string(output), -1) {
		all = append(all, m[1])
	}
	return all
}

// standIns are the images of the compose file but for Grafana's: of the others, no
// Debian package has that.
func standIns(t *testing.T, version string) []standIn {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "understudy")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", binary, "../cmd/understudy")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	output, err := build.CombinedOutput()
	require.NoErrorf(t, err, "%s", output)
	templates, err := filepath.Glob("/usr/share/prometheus/alertmanager/*.tmpl")
	require.NoError(t, err)
	services := compose(t).Services
	return []standIn{
		{
			name: "understudy:" + version, programs: map[string]string{binary: "/usr/bin/understudy"},
			state: "/var/lib/understudy", user: 65532, entry: "/usr/bin/understudy",
		},
		{
			name: services["prometheus"].Image, state: "/prometheus", user: 65534, entry: "/bin/prometheus",
			programs: map[string]string{node.Binary(t, "prometheus"): "/bin/prometheus", node.Binary(t, "promtool"): "/bin/promtool"},
		},
		{
			name: services["alertmanager"].Image, state: "/alertmanager", user: 65534, entry: "/bin/alertmanager", files: templates,
			programs: map[string]string{node.Binary(t, "prometheus-alertmanager"): "/bin/alertmanager", node.Binary(t, "amtool"): "/bin/amtool"},
		},
	}
}
