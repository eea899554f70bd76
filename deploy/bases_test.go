//go:build compose

package deploy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// bundle is where Debian and its kin have the certificates of authorities.
const bundle = "/etc/ssl/certs/ca-certificates.crt"

// bases are the images that the Dockerfile begins with: one with this machine's Go
// and a shell, and one with users and certificates alone.
func bases(t *testing.T) []standIn {
	t.Helper()
	names := stages(t)
	return []standIn{
		{
			name: names[0], files: toolchain, state: "go",
			changes: []string{
				"ENV PATH=/usr/local/go/bin:/bin", "ENV HOME=/go", "ENV GOPATH=/go", "ENV GOTOOLCHAIN=local",
				"ENV GOPROXY=file:///modules", "ENV GOCACHE=/builds",
			},
		},
		{
			name: names[1], state: "home/nonroot", user: 65532,
			texts: map[string]string{
				"etc/passwd": "root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n",
				"etc/group":  "root:x:0:\nnonroot:x:65532:\n",
			},
			files: func(*testing.T) map[string]string {
				if _, err := os.Stat(bundle); err != nil {
					return nil
				}
				return map[string]string{bundle: bundle}
			},
			changes: []string{"ENV PATH=/usr/bin", "ENV SSL_CERT_FILE=" + bundle},
		},
	}
}

// toolchain is Go with what it needs to build the image, and a shell.
func toolchain(t *testing.T) map[string]string {
	t.Helper()
	modules, builds := seeds(t)
	files := map[string]string{"bin/sh": program(t, "sh"), "bin/mkdir": program(t, "mkdir"), "modules": modules, "builds": builds}
	for _, part := range []string{"bin", "pkg", "src", "lib", "VERSION", "go.env"} {
		files["usr/local/go/"+part] = filepath.Join(goSays(t, nil, "env", "GOROOT"), part)
	}
	return files
}

// seeds has Go gather the modules and compile the packages of the program beside
// the repository's own, so that the image is built without a network and does not
// compile for minutes. Both stay in .cache for the next time.
func seeds(t *testing.T) (modules, builds string) {
	t.Helper()
	cache, err := filepath.Abs("../.cache/image")
	require.NoError(t, err)
	have := "file://" + filepath.ToSlash(filepath.Join(goSays(t, nil, "env", "GOMODCACHE"), "cache", "download"))
	goSays(t, []string{
		"GOMODCACHE=" + filepath.Join(cache, "modules"), "GOFLAGS=-modcacherw", "GOPROXY=" + have + "," + goSays(t, nil, "env", "GOPROXY"),
	}, "mod", "download")
	goSays(t, []string{"GOCACHE=" + filepath.Join(cache, "builds"), "CGO_ENABLED=0"},
		"build", "-trimpath", "-buildvcs=false", "-o", filepath.Join(t.TempDir(), "understudy"), "./cmd/understudy")
	return filepath.Join(cache, "modules", "cache", "download"), filepath.Join(cache, "builds")
}

// goSays is what Go prints in the repository's first folder.
func goSays(t *testing.T, environ []string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir, cmd.Env = "..", append(os.Environ(), environ...)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	output, err := cmd.Output()
	require.NoErrorf(t, err, "go %q: %s", args, complaint.String())
	return strings.TrimSpace(string(output))
}

// program is where the machine has a program.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	require.NoError(t, err)
	return path
}
