package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kingpin/v2"
	"github.com/prometheus/common/promslog"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/demo"
)

// accepts fails if a command line, without the program's name, is none of ours.
// Nothing is run.
func accepts(t *testing.T, where string, args []string) {
	t.Helper()
	require.NotEmpty(t, args, where)
	app := kingpin.New("understudy", "").Terminate(nil)
	app.UsageWriter(io.Discard)
	p := &program{stdout: io.Discard, stderr: io.Discard, log: &promslog.Config{}}
	p.commands(app)
	_, err := app.Parse(args)
	require.NoErrorf(t, err, "%s: understudy %q", where, args)
}

// composed are the services of the compose file that run our program.
func composed(t *testing.T) map[string]composedService {
	t.Helper()
	text, err := os.ReadFile("../../docker-compose.yml")
	require.NoError(t, err)
	var file struct {
		Services map[string]composedService `yaml:"services"`
	}
	require.NoError(t, yaml.Unmarshal(text, &file))
	ours := map[string]composedService{}
	for name, s := range file.Services {
		if strings.HasPrefix(s.Image, "understudy:") {
			ours[name] = s
		}
	}
	require.Greater(t, len(ours), 2)
	return ours
}

type composedService struct {
	Image       string   `yaml:"image"`
	Command     []string `yaml:"command"`
	Profiles    []string `yaml:"profiles"`
	HealthCheck struct {
		Test []string `yaml:"test"`
	} `yaml:"healthcheck"`
}

// listensOn is the port of a service.
func (s composedService) listensOn(t *testing.T) string {
	t.Helper()
	for _, arg := range s.Command {
		if address, ok := strings.CutPrefix(arg, "--web.listen-address="); ok {
			_, port, err := net.SplitHostPort(address)
			require.NoError(t, err)
			return port
		}
	}
	require.Fail(t, "it listens nowhere", "%q", s.Command)
	return ""
}

func TestTheComposeFileUsesFlagsThatThereAre(t *testing.T) {
	t.Parallel()
	for name, s := range composed(t) {
		accepts(t, name, s.Command)
		check := s.HealthCheck.Test
		require.Equal(t, []string{"CMD", "/usr/bin/understudy", "healthcheck"}, check[:3], name)
		accepts(t, name, check[2:])
		require.Contains(t, check, "--controller.url=http://127.0.0.1:"+s.listensOn(t), "%s asks itself", name)
	}
}

func TestTheComposedProgramsAskEachOther(t *testing.T) {
	t.Parallel()
	services := composed(t)
	require.Contains(t, services["controller"].Command, "--exporter.url=http://exporter:"+services["exporter"].listensOn(t))
	require.Contains(t, services["controller"].Command, "--alertmanager.url=http://alertmanager:9093")
}

func TestTheComposedDemonstrationWatchesTheProvidersThatItStarts(t *testing.T) {
	t.Parallel()
	const path = "../../deploy/compose/demo.yml"
	require.Equal(t, exitOK, call(nil, "check", "config", path).status)
	cfg, err := config.Load(path, nil)
	require.NoError(t, err)
	require.Empty(t, cfg.Warnings)
	scenario, err := demo.Default()
	require.NoError(t, err)
	services := composed(t)
	watched := map[string]bool{}
	for _, chain := range cfg.Chains {
		at := slices.IndexFunc(scenario.Chains, func(c demo.Chain) bool { return c.Name == chain.Name })
		require.GreaterOrEqual(t, at, 0, chain.Name)
		for _, p := range chain.Providers {
			require.Contains(t, scenario.Chains[at].Providers, demo.Provider{Name: p.Name, Type: p.Type})
			u := p.RPCHost.Reveal()
			s, ok := services[u.Hostname()]
			require.Truef(t, ok, "no service %s", u.Hostname())
			require.Equal(t, []string{"demo"}, s.Profiles)
			require.Equal(t, []string{"simulate", chain.Name + "/" + p.Name}, s.Command[:2])
			require.Equal(t, u.Port(), s.listensOn(t))
			watched[u.Hostname()] = true
		}
	}
	for name, s := range services {
		require.Equal(t, s.Profiles != nil, watched[name], name)
	}
}

func TestTheImageStartsWithFlagsThatThereAre(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../Dockerfile")
	require.NoError(t, err)
	m := regexp.MustCompile(`(?m)^CMD (\[.*\])$`).FindSubmatch(text)
	require.Len(t, m, 2)
	var args []string
	require.NoError(t, json.Unmarshal(m[1], &args))
	accepts(t, "Dockerfile", args)
}

func TestUnitsUseFlagsThatThereAre(t *testing.T) {
	t.Parallel()
	units, err := filepath.Glob("../../deploy/systemd/*.service")
	require.NoError(t, err)
	require.Len(t, units, 3)
	for _, unit := range units {
		text, err := os.ReadFile(unit)
		require.NoError(t, err)
		m := regexp.MustCompile(`(?m)^ExecStart=/usr/bin/understudy (.*)$`).FindSubmatch(text)
		require.Len(t, m, 2, unit)
		accepts(t, unit, strings.Fields(string(m[1])))
	}
}

func TestTheChartUsesFlagsThatThereAre(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, name := range []string{"all.yaml", "split.yaml"} {
		text, err := os.ReadFile("../../deploy/kubernetes/rendered/" + name)
		require.NoError(t, err)
		decoder := yaml.NewDecoder(bytes.NewReader(text))
		for {
			var doc struct {
				Kind string
				Spec struct {
					Template struct {
						Spec struct {
							Containers []struct{ Args []string }
						}
					}
				}
			}
			err := decoder.Decode(&doc)
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			for _, c := range doc.Spec.Template.Spec.Containers {
				accepts(t, name, c.Args)
				seen++
			}
		}
	}
	require.Equal(t, 3, seen)
}

func TestDeploymentsSetVariablesThatAreTwinsOfFlags(t *testing.T) {
	t.Parallel()
	app := kingpin.New("understudy", "")
	p := &program{stdout: io.Discard, stderr: io.Discard, log: &promslog.Config{}}
	p.commands(app)
	var twins []string
	for _, name := range flagNames(app.Model().FlagGroupModel, app.Model().Commands) {
		twins = append(twins, variableOf(name))
	}
	// These are the compose file's own.
	twins = append(twins, "UNDERSTUDY_VERSION", "UNDERSTUDY_CONFIG", "UNDERSTUDY_TOKEN", "UNDERSTUDY_PORT", "UNDERSTUDY_EXPORTER_PORT")
	for _, path := range []string{
		"Dockerfile", "docker-compose.yml", "deploy/compose/demo.env", "deploy/systemd/understudy.service", "deploy/systemd/understudy-controller.service",
		"deploy/kubernetes/understudy/values.yaml",
	} {
		text, err := os.ReadFile("../../" + path)
		require.NoError(t, err)
		found := regexp.MustCompile(`\bUNDERSTUDY_[A-Z_]+\b`).FindAllString(string(text), -1)
		require.NotEmpty(t, found, path)
		for _, name := range found {
			require.Contains(t, twins, name, path)
		}
	}
}
