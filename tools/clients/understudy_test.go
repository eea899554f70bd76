//go:build e2e

// Package clients has no code but tests: the clients that programs use, sent
// through the gateway while real nodes fail. It is a module of its own, so that
// Understudy does not depend on them.
package clients

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/node"
	"github.com/understudy-rpc/understudy/rules"
)

// program is the path of the built program.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "understudy")
	if err == nil {
		program = filepath.Join(dir, "understudy")
		build := exec.Command("go", "build", "-o", program, "./cmd/understudy")
		build.Dir = filepath.Join("..", "..")
		build.Stderr = os.Stderr
		err = build.Run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "build understudy:", err)
		os.Exit(1)
	}
	status := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(status)
}

// hasty is the failover policy of tests that wait for what probes find.
const hasty = "{health_check_interval: 1s, suspect_check_interval: 200ms, request_timeout: 900ms, error_threshold: 3, error_window: 10s, " +
	"recovery_check_interval: 500ms, min_recovery_checks: 2, flap_penalty: false, integrity: {interval: 1s}%s}"

// understudy is the program running by itself.
type understudy struct {
	t       *testing.T
	address string
	chain   string
}

// start runs understudy and waits until so many providers of the chain may be
// asked. The configuration is in a file, or else in the environment.
func start(t *testing.T, chain string, providers int, configuration string, environ []string, args ...string) *understudy {
	t.Helper()
	u := &understudy{t, node.FreeAddress(t), chain}
	args = append([]string{
		"run", "--web.listen-address=" + u.address, "--storage.path=" + t.TempDir(),
		"--no-rules.bundled", "--rules.file=" + filepath.Join(hastyRules(t), "*.yml"),
	}, args...)
	if configuration != "" {
		file := filepath.Join(t.TempDir(), "understudy.yml")
		require.NoError(t, os.WriteFile(file, []byte(configuration), 0o600))
		args = append(args, "--config.file="+file)
	}
	node.Start(t, node.Spec{
		Name: "understudy", Binary: program, Args: args, Env: environ,
		Ready: func(ctx context.Context) error {
			f, err := u.failover(ctx)
			if err == nil && f.HealthyEndpoints != providers {
				err = fmt.Errorf("%d of %d providers may be asked", f.HealthyEndpoints, providers)
			}
			return err
		},
	})
	return u
}

// hastyRules is a folder with the bundled rules, whose alerts end with what they
// are about instead of half a minute later.
func hastyRules(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range rules.FileNames() {
		text, err := rules.Files.ReadFile(name)
		require.NoError(t, err)
		text = bytes.ReplaceAll(text, []byte("keep_firing_for: 30s"), []byte("keep_firing_for: 1s"))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	return dir
}

// endpoints is what the gateway knows of a chain.
type endpoints struct {
	ActiveIndex, HealthyEndpoints int
	Endpoints                     []struct{ TotalFailures uint64 }
}

// failover asks for it.
func (u *understudy) failover(ctx context.Context) (endpoints, error) {
	var health struct{ Failover *endpoints }
	if _, err := u.ask(ctx, http.MethodGet, "/health?chain="+u.chain, "", &health); err != nil {
		return endpoints{}, err
	}
	if health.Failover == nil {
		return endpoints{}, errors.New("nothing is forwarded yet")
	}
	return *health.Failover, nil
}

// ask asks for JSON, and gives the header of the answer.
func (u *understudy) ask(ctx context.Context, method, path, body string, into any) (http.Header, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+u.address+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	return res.Header, json.NewDecoder(res.Body).Decode(into)
}

// active is whom the controller names.
func (u *understudy) active(ctx context.Context) (string, error) {
	var a struct{ Provider string }
	_, err := u.ask(ctx, http.MethodGet, "/active/"+u.chain, "", &a)
	return a.Provider, err
}

// awaitServes waits until the controller names a provider and the gateway has its
// answers from it.
func (u *understudy) awaitServes(provider, call string) {
	u.t.Helper()
	node.Await(u.t, provider+" to serve", func(ctx context.Context) error {
		named, err := u.active(ctx)
		if err != nil {
			return err
		}
		var answer any
		header, err := u.ask(ctx, http.MethodPost, "/rpc/"+u.chain, call, &answer)
		if err == nil && (named != provider || header.Get("X-Understudy-Provider") != provider) {
			err = fmt.Errorf("the controller names %q, and %q answers", named, header.Get("X-Understudy-Provider"))
		}
		return err
	})
}

// awaitLeft waits until the controller names somebody else.
func (u *understudy) awaitLeft(provider string) {
	u.t.Helper()
	node.Await(u.t, "another one than "+provider+" to serve", func(ctx context.Context) error {
		named, err := u.active(ctx)
		if err == nil && (named == provider || named == "") {
			err = fmt.Errorf("the controller names %q", named)
		}
		return err
	})
}

// awaitHeights waits until providers were probed at a height: the named ones, or
// all.
func (u *understudy) awaitHeights(height int64, names ...string) {
	u.t.Helper()
	node.Await(u.t, fmt.Sprintf("providers to be seen at height %d: %v", height, names), func(ctx context.Context) error {
		var chain struct {
			Providers []struct {
				Name   string
				Height int64 `json:"block_height"`
			}
		}
		_, err := u.ask(ctx, http.MethodGet, "/thorchain/providers/"+u.chain, "", &chain)
		for _, p := range chain.Providers {
			if named := len(names) == 0 || slices.Contains(names, p.Name); err == nil && named && p.Height != height {
				err = fmt.Errorf("%s is at %d", p.Name, p.Height)
			}
		}
		return err
	})
}

// awaitFact waits until an alert counts against a provider.
func (u *understudy) awaitFact(provider, alert string) {
	u.t.Helper()
	node.Await(u.t, alert+" to count against "+provider, func(ctx context.Context) error {
		var chain struct {
			Providers []struct {
				Name   string
				Alerts []struct {
					Name   string
					Counts bool
				}
			}
		}
		_, err := u.ask(ctx, http.MethodGet, "/thorchain/providers/"+u.chain, "", &chain)
		if err != nil {
			return err
		}
		for _, p := range chain.Providers {
			for _, a := range p.Alerts {
				if p.Name == provider && a.Name == alert && a.Counts {
					return nil
				}
			}
		}
		return fmt.Errorf("%+v do", chain.Providers)
	})
}
