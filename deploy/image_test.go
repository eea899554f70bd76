package deploy_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/dashboards"
	"github.com/understudy-rpc/understudy/rules"
)

// stages are the images that the two stages of the Dockerfile begin with.
func stages(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../Dockerfile")
	require.NoError(t, err)
	var images []string
	for _, m := range regexp.MustCompile(`(?m)^FROM (\S+)`).FindAllStringSubmatch(string(text), -1) {
		images = append(images, m[1])
	}
	require.Len(t, images, 2)
	return images
}

func TestTheImageIsSmallPinnedAndNotRoot(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../Dockerfile")
	require.NoError(t, err)
	images := stages(t)
	require.Regexp(t, `^golang:\d+\.\d+\.\d+-\w+$`, images[0])
	require.Regexp(t, `^gcr\.io/distroless/static-debian\d+:nonroot$`, images[1])
	last := string(text)[strings.LastIndex(string(text), "\nFROM "):]
	require.Contains(t, last, "\nUSER nonroot\n")
	require.Contains(t, last, "\nENTRYPOINT [\"/usr/bin/understudy\"]\n")
	require.NotContains(t, last, "\nRUN ", "there is no shell to run it")
	for _, label := range []string{"title", "description", "source", "licenses", "version", "revision"} {
		require.Contains(t, last, "org.opencontainers.image."+label)
	}
}

func TestTheImageIsBuiltWithTheGoThatTheModuleDemands(t *testing.T) {
	t.Parallel()
	docker, err := os.ReadFile("../Dockerfile")
	require.NoError(t, err)
	module, err := os.ReadFile("../go.mod")
	require.NoError(t, err)
	has := regexp.MustCompile(`golang:(\d+\.\d+)\.(\d+)`).FindSubmatch(docker)
	needs := regexp.MustCompile(`(?m)^go (\d+\.\d+)\.(\d+)$`).FindSubmatch(module)
	require.Len(t, has, 3)
	require.Len(t, needs, 3)
	require.Equal(t, string(needs[1]), string(has[1]))
	require.GreaterOrEqual(t, string(has[2]), string(needs[2]))
}

func TestTheImageIsBuiltFromEveryFolderWithCode(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../.dockerignore")
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	require.Equal(t, "*", lines[0], "what is not named stays out")
	entries, err := os.ReadDir("..")
	require.NoError(t, err)
	for _, e := range entries {
		name := e.Name()
		if !e.IsDir() || strings.HasPrefix(name, ".") || name == "tools" {
			continue
		}
		product := false
		require.NoError(t, filepath.WalkDir(filepath.Join("..", name), func(path string, _ os.DirEntry, err error) error {
			product = product || strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go")
			return err
		}))
		require.Equalf(t, product, slices.Contains(lines, "!"+name), "folder %s", name)
	}
}

func TestTheChartCarriesTheRulesAndTheDashboards(t *testing.T) {
	t.Parallel()
	for folder, names := range map[string][]string{"rules": rules.FileNames(), "dashboards": dashboards.FileNames()} {
		copies, err := os.ReadDir(filepath.Join("kubernetes", "understudy", "files", folder))
		require.NoError(t, err)
		require.Len(t, copies, len(names))
		for _, name := range names {
			want, err := os.ReadFile(filepath.Join("..", folder, name))
			require.NoError(t, err)
			got, err := os.ReadFile(filepath.Join("kubernetes", "understudy", "files", folder, name))
			require.NoError(t, err)
			require.Equalf(t, string(want), string(got), "%s of the chart is an old one; run make generate", name)
		}
	}
}

// hardening are the settings that every unit has.
var hardening = []string{
	"DynamicUser=yes", "NoNewPrivileges=yes", "CapabilityBoundingSet=", "ProtectSystem=strict", "ProtectHome=yes", "PrivateTmp=yes",
	"PrivateDevices=yes", "ProtectKernelTunables=yes", "ProtectKernelModules=yes", "ProtectControlGroups=yes", "RestrictNamespaces=yes",
	"RestrictSUIDSGID=yes", "LockPersonality=yes", "MemoryDenyWriteExecute=yes", "SystemCallArchitectures=native", "SystemCallFilter=@system-service",
	"RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX", "UMask=0077", "Restart=always", "ExecReload=/bin/kill -HUP $MAINPID",
}

func TestUnitsAreHardened(t *testing.T) {
	t.Parallel()
	units, err := filepath.Glob("systemd/*.service")
	require.NoError(t, err)
	require.Len(t, units, 3)
	for _, unit := range units {
		text, err := os.ReadFile(unit)
		require.NoError(t, err)
		lines := strings.Split(string(text), "\n")
		for _, setting := range hardening {
			require.Contains(t, lines, setting, unit)
		}
		keeps := strings.Contains(string(text), "--storage.path=/var/lib/understudy")
		require.Equal(t, keeps, slices.Contains(lines, "StateDirectory=understudy"), unit)
		require.Equal(t, unit != "systemd/understudy-exporter.service", keeps, unit)
	}
}

// A flag comes before its twin, so that the file with the variables could not change
// what stands in the command line. Where the others are, each machine says for itself.
func TestTheEnvironmentOfAUnitCanSayWhereTheOthersAre(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("systemd/understudy-controller.service")
	require.NoError(t, err)
	own, file := strings.Index(string(text), "\nEnvironment="), strings.Index(string(text), "\nEnvironmentFile=")
	require.Less(t, 0, own, "the addresses are variables")
	require.Less(t, own, file)
	for _, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, "ExecStart=") {
			require.NotContains(t, line, ".url=")
		}
	}
	for _, address := range []string{"UNDERSTUDY_EXPORTER_URL=http://127.0.0.1:9478", "UNDERSTUDY_ALERTMANAGER_URL=http://127.0.0.1:9093"} {
		require.Contains(t, string(text), address)
	}
}
