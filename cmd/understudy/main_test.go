package main

import (
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/alecthomas/kingpin/v2"
	"github.com/prometheus/common/promslog"
	"github.com/stretchr/testify/require"
)

func TestHelpAndVersionEndWell(t *testing.T) {
	t.Parallel()
	help := call(nil, "--help")
	require.Equal(t, exitOK, help.status)
	require.Contains(t, help.stdout, "check config")
	require.Equal(t, exitOK, call(nil, "--version").status)
	bad := call(nil, "exporter", "--no-such-flag")
	require.Equal(t, exitUsage, bad.status)
	require.Contains(t, bad.stderr, "no-such-flag")
}

func TestEveryFlagHasItsTwin(t *testing.T) {
	t.Parallel()
	app := kingpin.New("understudy", "")
	p := &program{stdout: io.Discard, stderr: io.Discard, log: &promslog.Config{}}
	p.commands(app)
	for _, name := range flagNames(app.Model().FlagGroupModel, app.Model().Commands) {
		variable := variableOf(name)
		value := map[string]string{"UNDERSTUDY_TIMEOUT": "3s", "UNDERSTUDY_WEB_ENABLE_PPROF": "true", "UNDERSTUDY_WEB_SYSTEMD_SOCKET": "true", "UNDERSTUDY_FATAL_WARNINGS": "true", "UNDERSTUDY_FORCE": "true", "UNDERSTUDY_FAST": "true", "UNDERSTUDY_ONCE": "true", "UNDERSTUDY_QUIET": "true", "UNDERSTUDY_PLAY": "false", "UNDERSTUDY_READY": "true", "UNDERSTUDY_WATCH": "true", "UNDERSTUDY_RULES_BUNDLED": "false"}[variable]
		if value == "" {
			value = "x"
		}
		require.NoError(t, twins(app, []string{variable + "=" + value}))
		for _, clause := range flagsNamed(app, name) {
			require.Equalf(t, []string{value}, clause.Model().Default, "%s is not the twin of --%s", variable, name)
		}
	}
}

// flagNames are the names of all flags but help and version.
func flagNames(own *kingpin.FlagGroupModel, commands []*kingpin.CmdModel) []string {
	var names []string
	for _, f := range own.Flags {
		if f.Name != "help" && f.Name != "version" && !strings.HasPrefix(f.Name, "help-") && !strings.HasPrefix(f.Name, "completion-") {
			names = append(names, f.Name)
		}
	}
	for _, c := range commands {
		names = append(names, flagNames(c.FlagGroupModel, c.Commands)...)
	}
	return names
}

func TestFlagComesBeforeItsTwin(t *testing.T) {
	t.Parallel()
	good, _ := ethereum(t, "a", "b")
	twin := []string{"UNDERSTUDY_CONFIG_FILE=" + file(t, "bad.yml", "chains: 7\n")}
	require.Equal(t, exitFailed, call(twin, "check", "config").status)
	require.Equal(t, exitOK, call(twin, "check", "config", "--config.file="+good).status)
	wrong := call([]string{"UNDERSTUDY_TIMEOUT=soon"}, "check", "config")
	require.Equal(t, exitUsage, wrong.status)
	require.Contains(t, wrong.stderr, "Timeout")
}

func TestExporterStopsOnSIGTERMAndReloadsOnSIGHUP(t *testing.T) {
	t.Parallel()
	path, _ := ethereum(t, "a", "b")
	p := start(t, nil, "--config.file="+path)
	p.ready()
	_, page := p.get("/metrics")
	require.Contains(t, page, `bifrost_provider_block_height{chain="eth",provider="a"} 1000`)

	text, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines[:len(lines)-1], "\n")+"\n"), 0o600))
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGHUP))
	p.eventually(func() bool {
		_, page := p.get("/metrics")
		return !strings.Contains(page, `provider="b"`) && strings.Contains(page, `provider="a"`)
	}, "the removed provider is gone")

	require.Equal(t, 0, p.stop(syscall.SIGTERM))
	require.Contains(t, p.log.String(), "Stopped")
}

func TestAReloadThatHangsDoesNotKeepTheStopWaiting(t *testing.T) {
	t.Parallel()
	path, _ := ethereum(t, "a")
	p := start(t, nil, "--config.file="+path)
	p.ready()
	// A file that never ends, as on a network that is gone.
	require.NoError(t, os.Remove(path))
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGHUP))
	endless, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	defer func() { _ = endless.Close() }()
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGHUP))
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	p.eventually(func() bool { return strings.Contains(p.log.String(), "Stopped") }, "it stops")
}

func TestExporterRefusesABadConfigurationAtStart(t *testing.T) {
	t.Parallel()
	bad := file(t, "bad.yml", "chains:\n  eth:\n    providers:\n      - {name: a, type: evm-rpc, rpc_host: \"ftp://x\"}\n")
	r := call(nil, "exporter", "--config.file="+bad)
	require.Equal(t, exitFailed, r.status)
	require.Contains(t, r.stderr, "chains.eth.providers[0].rpc_host")
}

func TestListeningBeyondLoopbackIsWarnedOfAndRefusesActions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, address, web string
		trusted            bool
	}{
		{"loopback", "127.0.0.1:9478", "", true},
		{"loopback of IPv6", "[::1]:9478", "", true},
		{"localhost", "localhost:9478", "", true},
		{"every address", ":9478", "", false},
		{"a private address", "10.0.0.1:9478", "", false},
		{"a name", "node.example:9478", "", false},
		{"every address with users", ":9478", "basic_auth_users: {alice: $2y$10$abc}\n", true},
		{"every address with client certificates", ":9478", "tls_server_config: {client_auth_type: RequireAndVerifyClientCert}\n", true},
		{"every address with TLS alone", ":9478", "tls_server_config: {cert_file: x, key_file: y}\n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			web := ""
			if c.web != "" {
				web = file(t, "web.yml", c.web)
			}
			e, err := exposureOf([]string{c.address}, false, web)
			require.NoError(t, err)
			require.Equal(t, c.trusted, e.trusted())
		})
	}
	e, err := exposureOf(nil, true, "")
	require.NoError(t, err)
	require.False(t, e.trusted(), "a socket of systemd may be anywhere")
	_, err = exposureOf(nil, false, "no-such-file.yml")
	require.ErrorContains(t, err, "--web.config.file")
}
