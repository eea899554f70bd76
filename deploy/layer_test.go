//go:build compose

package deploy_test

import (
	"archive/tar"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// layer is the file system of a stand-in while it is written.
type layer struct {
	*testing.T
	file *os.File
	tar  *tar.Writer
	has  map[string]bool
	// now is the time of every file. Go touches what it has not used for an hour, and
	// a touched file is copied.
	now time.Time
}

func newLayer(t *testing.T, path string) *layer {
	t.Helper()
	f, err := os.Create(path)
	require.NoError(t, err)
	return &layer{T: t, file: f, tar: tar.NewWriter(f), has: map[string]bool{}, now: time.Now()}
}

func (l *layer) close() {
	require.NoError(l, l.tar.Close())
	require.NoError(l, l.file.Close())
}

// folder adds one with those above it, which belong to root.
func (l *layer) folder(name string, user int, mode int64) {
	l.Helper()
	name = strings.Trim(name, "/")
	if name == "." || name == "" || l.has[name] {
		return
	}
	l.folder(path.Dir(name), 0, 0o755)
	l.has[name] = true
	require.NoError(l, l.tar.WriteHeader(&tar.Header{Name: name + "/", Typeflag: tar.TypeDir, Mode: mode, Uid: user, Gid: user, ModTime: l.now}))
}

// write adds a file, unless it is there.
func (l *layer) write(name string, mode, size int64, content io.Reader) {
	l.Helper()
	name = strings.Trim(name, "/")
	if l.has[name] {
		return
	}
	l.folder(path.Dir(name), 0, 0o755)
	l.has[name] = true
	require.NoError(l, l.tar.WriteHeader(&tar.Header{Name: name, Mode: mode, Size: size, ModTime: l.now}))
	_, err := io.CopyN(l.tar, content, size)
	require.NoErrorf(l, err, name)
}

func (l *layer) text(to, text string) {
	l.Helper()
	l.write(to, 0o644, int64(len(text)), strings.NewReader(text))
}

// add copies a file or a folder, and the libraries of programs.
func (l *layer) add(to, from string) {
	l.Helper()
	info, err := os.Stat(from)
	require.NoError(l, err)
	if !info.IsDir() {
		l.copy(to, from, info)
		for _, library := range libraries(l.T, from) {
			at, err := os.Stat(library)
			require.NoError(l, err)
			l.copy(library, library, at)
		}
		return
	}
	require.NoError(l, filepath.WalkDir(from, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == "testdata":
			return fs.SkipDir
		case !entry.Type().IsRegular() || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		l.copy(path.Join(to, filepath.ToSlash(strings.TrimPrefix(name, from))), name, info)
		return nil
	}))
}

func (l *layer) copy(to, from string, info fs.FileInfo) {
	l.Helper()
	f, err := os.Open(from)
	require.NoError(l, err)
	defer func() { _ = f.Close() }()
	mode := int64(0o644)
	if info.Mode()&0o111 != 0 {
		mode = 0o755
	}
	l.write(to, mode, info.Size(), f)
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
