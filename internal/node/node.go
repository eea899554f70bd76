// Package node starts real blockchain nodes on loopback for the end-to-end
// tests: btcd and litecoind in regtest mode, anvil, and CometBFT with its
// key-value application; and Prometheus and Alertmanager. It stands for what the simulator
// cannot prove: that we understand what real software answers, also while it
// lags, forks, hangs, starts or is gone.
//
// Invariants: a node listens on 127.0.0.1 only, on ports of its own, with its
// files in the test's temporary folder, so that tests run in parallel; it
// lives at most as long as its test, and dies with the test program whatever
// becomes of that; it is stopped by process id; a program that is not there
// fails the test, and never skips it. Only test files with the build tag e2e
// import this package; it is no part of the product.
package node

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// settleTimeout bounds how long a real process may take to start or to reach
// a state. It is far above what a quiet machine needs (a few seconds), as it
// only has to end a test that would wait for ever.
const settleTimeout = 90 * time.Second

// pollPause is the pause between two looks at a real process.
const pollPause = 50 * time.Millisecond

// Binary returns the path of the program that set-up installed under
// .cache/bin of the repository, or else of the one on the machine's PATH.
// With neither, the test fails and says what to type. An absolute path is what
// it is.
func Binary(tb testing.TB, name string) string {
	tb.Helper()
	if filepath.IsAbs(name) {
		return name
	}
	if root, err := repository(); err == nil {
		path := filepath.Join(root, ".cache", "bin", name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		tb.Fatalf("program %q is neither in .cache/bin nor on the PATH: run make setup", name)
	}
	return path
}

// repository finds the folder that holds go.mod, upwards from the working
// folder, which in a test is the folder of the package.
func repository() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("no go.mod above the working folder")
		}
		dir = parent
	}
}

// Await looks again and again until look returns nil. When that takes too long
// the test fails with what was waited for and the last error. A real process
// gives no signal to wait on, hence the polling.
func Await(tb testing.TB, what string, look func(ctx context.Context) error) {
	tb.Helper()
	if err := poll(tb.Context(), nil, look); err != nil {
		tb.Fatalf("waiting for %s: %v", what, err)
	}
}

// poll calls look until it returns nil, gone is closed or time is up.
func poll(ctx context.Context, gone <-chan struct{}, look func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	ticker := time.NewTicker(pollPause)
	defer ticker.Stop()
	for {
		err := look(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-gone:
			return fmt.Errorf("the process has ended; before that: %w", err)
		case <-ctx.Done():
			return fmt.Errorf("not within %s: %w", settleTimeout, err)
		case <-ticker.C:
		}
	}
}
