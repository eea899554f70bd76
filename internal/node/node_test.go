package node

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// fakeTB records how a test would have failed.
type fakeTB struct {
	testing.TB
	message string
}

func (f *fakeTB) Helper() {}

func (f *fakeTB) Fatalf(format string, args ...any) {
	f.message = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func TestBinaryThatIsMissingFailsTheTestAndSaysWhatToType(t *testing.T) {
	t.Parallel()
	fake := &fakeTB{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		Binary(fake, "no-such-node")
	}()
	<-done
	require.Equal(t, `program "no-such-node" is neither in .cache/bin nor on the PATH: run make setup`, fake.message)
}

func TestBinaryOfTheRepositoryComesBeforeThatOfTheMachine(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), nil, 0o600))
	installed := filepath.Join(root, ".cache", "bin", "sh")
	require.NoError(t, os.MkdirAll(filepath.Dir(installed), 0o700))
	below := filepath.Join(root, "some", "package")
	require.NoError(t, os.MkdirAll(below, 0o700))
	t.Chdir(below)

	require.Equal(t, "sh", filepath.Base(Binary(t, "sh")))
	require.NotEqual(t, installed, Binary(t, "sh"), "it is not installed there yet")
	require.NoError(t, os.WriteFile(installed, nil, 0o700))
	require.Equal(t, installed, Binary(t, "sh"))
}

func TestFreeAddressesAreDifferentAndOfLoopback(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 50 {
		address := FreeAddress(t)
		require.False(t, seen[address], "given twice: %s", address)
		require.Regexp(t, `^127\.0\.0\.1:\d{5}$`, address)
		seen[address] = true
	}
}

func TestTailKeepsTheEndAndSaysWhatItLeftOut(t *testing.T) {
	t.Parallel()
	require.Equal(t, "one\ntwo", tail("one\ntwo\n"))
	long := ""
	for i := range tailLines + 2 {
		long += fmt.Sprintf("line %d\n", i)
	}
	got := tail(long)
	require.Contains(t, got, "(2 lines before)\nline 2\n")
	require.NotContains(t, got, "line 1\n")
	require.Contains(t, got, fmt.Sprintf("line %d", tailLines+1))
}
