package deploy_test

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// composition is what of docker-compose.yml is under test.
type composition struct {
	Services map[string]service `yaml:"services"`
	Networks map[string]any     `yaml:"networks"`
	Volumes  map[string]any     `yaml:"volumes"`
}

type service struct {
	Image       string                       `yaml:"image"`
	PullPolicy  string                       `yaml:"pull_policy"`
	Build       any                          `yaml:"build"`
	Profiles    []string                     `yaml:"profiles"`
	Command     []string                     `yaml:"command"`
	Environment map[string]string            `yaml:"environment"`
	Volumes     []string                     `yaml:"volumes"`
	Ports       []string                     `yaml:"ports"`
	Networks    []string                     `yaml:"networks"`
	DependsOn   map[string]map[string]string `yaml:"depends_on"`
	ReadOnly    bool                         `yaml:"read_only"`
	CapDrop     []string                     `yaml:"cap_drop"`
	SecurityOpt []string                     `yaml:"security_opt"`
	MemLimit    string                       `yaml:"mem_limit"`
	Restart     string                       `yaml:"restart"`
	User        string                       `yaml:"user"`
	HealthCheck struct {
		Test        []string `yaml:"test"`
		StartPeriod string   `yaml:"start_period"`
	} `yaml:"healthcheck"`
}

// choice is a variable with the value it has by default.
var choice = regexp.MustCompile(`\$\{(\w+):-([^}]*)\}`)

// compose is docker-compose.yml with no variable set.
func compose(t *testing.T) composition {
	t.Helper()
	return composeWith(t, nil)
}

// composeWith is docker-compose.yml with variables.
func composeWith(t *testing.T, variables map[string]string) composition {
	t.Helper()
	text, err := os.ReadFile("../docker-compose.yml")
	require.NoError(t, err)
	expanded := choice.ReplaceAllStringFunc(string(text), func(s string) string {
		m := choice.FindStringSubmatch(s)
		return cmp.Or(variables[m[1]], m[2])
	})
	var c composition
	require.NoError(t, yaml.Unmarshal([]byte(expanded), &c))
	require.NotEmpty(t, c.Services)
	return c
}

// demonstration are the variables of the demonstration.
func demonstration(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("compose/demo.env")
	require.NoError(t, err)
	variables := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^(\w+)=(\S+)$`).FindAllStringSubmatch(string(text), -1) {
		variables[m[1]] = m[2]
	}
	return variables
}

// mount is what a container sees of the outside.
type mount struct {
	from, to string
	readOnly bool
}

func mountsOf(t *testing.T, s service) []mount {
	t.Helper()
	var all []mount
	for _, v := range s.Volumes {
		parts := strings.Split(v, ":")
		require.GreaterOrEqual(t, len(parts), 2, v)
		all = append(all, mount{parts[0], parts[1], len(parts) == 3 && parts[2] == "ro"})
	}
	return all
}

func TestEveryMountedFileIsThereAndReadOnly(t *testing.T) {
	t.Parallel()
	for name, variables := range map[string]map[string]string{"nothing is set": nil, "the demonstration": demonstration(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := composeWith(t, variables)
			used := map[string]bool{}
			for name, s := range c.Services {
				for _, m := range mountsOf(t, s) {
					if !strings.HasPrefix(m.from, ".") {
						require.Containsf(t, c.Volumes, m.from, "%s: no such volume", name)
						used[m.from] = true
						continue
					}
					info, err := os.Stat(filepath.Join("..", m.from))
					require.NoErrorf(t, err, name)
					require.Equalf(t, filepath.Ext(m.to) == "", info.IsDir(), "%s: %s", name, m.from)
					require.Truef(t, m.readOnly, "%s can write to %s", name, m.from)
				}
			}
			require.Len(t, used, len(c.Volumes), "a volume that nobody mounts")
		})
	}
}

func TestExporterAndControllerHaveTheSameConfiguration(t *testing.T) {
	t.Parallel()
	for want, variables := range map[string]map[string]string{
		"./internal/config/example.yml": nil,
		"./deploy/compose/demo.yml":     demonstration(t),
		"./mine.yml":                    {"UNDERSTUDY_CONFIG": "./mine.yml"},
	} {
		for _, name := range []string{"exporter", "controller"} {
			s := composeWith(t, variables).Services[name]
			require.Contains(t, mountsOf(t, s), mount{want, "/etc/understudy/understudy.yml", true}, name)
			require.Contains(t, s.Command, "--config.file=/etc/understudy/understudy.yml", name)
		}
	}
	require.Equal(t, "demo", demonstration(t)["COMPOSE_PROFILES"])
}

func TestOneServiceBuildsTheImageOfAll(t *testing.T) {
	t.Parallel()
	for name, s := range compose(t).Services {
		ours := strings.HasPrefix(s.Image, "understudy:")
		require.Equal(t, name == "exporter", s.Build != nil, name)
		require.Equal(t, ours && s.Build == nil, s.PullPolicy == "never", "%s: no registry has it", name)
	}
}

func TestContainersAreContained(t *testing.T) {
	t.Parallel()
	for name, s := range compose(t).Services {
		require.True(t, s.ReadOnly, name)
		require.Equal(t, []string{"ALL"}, s.CapDrop, name)
		require.Equal(t, []string{"no-new-privileges:true"}, s.SecurityOpt, name)
		require.NotEmpty(t, s.MemLimit, name)
		require.Equal(t, "unless-stopped", s.Restart, name)
		require.Equal(t, []string{"understudy"}, s.Networks, name)
		require.NotEqual(t, "root", s.User, name)
		require.NotEmpty(t, s.HealthCheck.StartPeriod, name)
		require.Equal(t, "CMD", s.HealthCheck.Test[0], "%s: there is no shell", name)
	}
}

func TestImagesArePinned(t *testing.T) {
	t.Parallel()
	for name, s := range compose(t).Services {
		_, tag, ok := strings.Cut(s.Image, ":")
		require.Truef(t, ok && tag != "latest", "%s: %s", name, s.Image)
		if !strings.HasPrefix(s.Image, "understudy:") {
			require.Regexp(t, `^v?\d+\.\d+\.\d+$`, tag, name)
		}
	}
}

func TestPortsArePublishedOnLoopbackAndAreThoseThatAreListenedOn(t *testing.T) {
	t.Parallel()
	others := map[string]string{"prometheus": "9090", "alertmanager": "9093", "grafana": "3000"}
	published := map[string]bool{}
	for name, s := range compose(t).Services {
		for _, p := range s.Ports {
			parts := strings.Split(p, ":")
			require.Lenf(t, parts, 3, "%s: %s", name, p)
			require.Equal(t, "127.0.0.1", parts[0], name)
			require.Falsef(t, published[parts[1]], "%s is published twice", parts[1])
			published[parts[1]] = true
			if want, ok := others[name]; ok {
				require.Equal(t, want, parts[2], name)
				continue
			}
			require.Contains(t, s.Command, "--web.listen-address=0.0.0.0:"+parts[2], name)
		}
	}
	require.Len(t, published, 5)
}

func TestServicesWaitForServicesThatTellOfTheirHealth(t *testing.T) {
	t.Parallel()
	c := compose(t)
	for name, s := range c.Services {
		for other, how := range s.DependsOn {
			require.Equal(t, "service_healthy", how["condition"], name)
			require.NotEmpty(t, c.Services[other].HealthCheck.Test, other)
		}
	}
}

// addresses are what other programs are called by in the compose file, in place of
// loopback. Beyond loopback, the controller demands a token of Alertmanager.
var addresses = map[string]*strings.Replacer{
	"prometheus/prometheus.yml":     strings.NewReplacer("127.0.0.1:9093", "alertmanager:9093", "127.0.0.1:9478", "exporter:9478", "127.0.0.1:9477", "controller:9477"),
	"alertmanager/alertmanager.yml": strings.NewReplacer("127.0.0.1:9477", "controller:9477", "#   http_config:", "http_config:"),
}

func TestTheConfigurationsAreTheShippedOnesButForTheAddresses(t *testing.T) {
	t.Parallel()
	c := compose(t)
	for path, replacer := range addresses {
		shipped, err := os.ReadFile(path)
		require.NoError(t, err)
		composed, err := os.ReadFile(filepath.Join("compose", filepath.Base(path)))
		require.NoError(t, err)
		require.Equal(t, replacer.Replace(string(shipped)), string(composed), path)
		for _, m := range regexp.MustCompile(`\b([a-z]+):\d{4}\b`).FindAllStringSubmatch(string(composed), -1) {
			require.Contains(t, c.Services, m[1], path)
		}
	}
}

// Prometheus drops the classic buckets of a histogram that it takes as a native one,
// unless it is told otherwise, and the dashboards read the buckets.
func TestNativeHistogramsLeaveTheBucketsThatDashboardsRead(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"prometheus/prometheus.yml", "compose/prometheus.yml", "../docs/metrics.md"} {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Contains(t, string(text), "scrape_native_histograms: true", path)
		require.Contains(t, string(text), "always_scrape_classic_histograms: true", path)
	}
}

func TestGrafanaFindsDataSourceAndDashboards(t *testing.T) {
	t.Parallel()
	c := compose(t)
	seen := map[string]string{}
	for _, m := range mountsOf(t, c.Services["grafana"]) {
		seen[m.to] = m.from
	}
	require.Equal(t, "./deploy/grafana/provisioning", seen["/etc/grafana/provisioning"])
	var providers struct {
		APIVersion int `yaml:"apiVersion"`
		Providers  []struct {
			Type    string
			Options struct{ Path string }
		}
	}
	read(t, "grafana/provisioning/dashboards/understudy.yml", &providers)
	require.Equal(t, 1, providers.APIVersion)
	require.Len(t, providers.Providers, 1)
	folder := providers.Providers[0].Options.Path
	require.Equal(t, "file", providers.Providers[0].Type)
	require.Equal(t, "./dashboards", seen[folder])
	home := c.Services["grafana"].Environment["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
	require.FileExists(t, filepath.Join("..", "dashboards", strings.TrimPrefix(home, folder)))
	var sources struct {
		APIVersion  int                                             `yaml:"apiVersion"`
		DataSources []struct{ Name, UID, Type, Access, URL string } `yaml:"datasources"`
	}
	read(t, "grafana/provisioning/datasources/prometheus.yml", &sources)
	require.Equal(t, 1, sources.APIVersion)
	require.Len(t, sources.DataSources, 1)
	require.Equal(t, "prometheus", sources.DataSources[0].Type)
	require.Equal(t, "http://prometheus:9090", sources.DataSources[0].URL)
	require.NotEmpty(t, sources.DataSources[0].UID)
}

func read(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, into))
}
