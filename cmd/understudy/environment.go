package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kingpin/v2"
	"github.com/caarlos0/env/v11"
)

// environment has the twin of every flag. A flag on the command line comes
// first, then its twin, then its default. A twin that is set but empty counts as
// not set.
type environment struct {
	AlertmanagerHTTP string        `env:"ALERTMANAGER_HTTP_CONFIG_FILE"`
	AlertmanagerURL  string        `env:"ALERTMANAGER_URL"`
	ResendLimit      string        `env:"ALERTMANAGER_RESEND_LIMIT"`
	WatchdogLimit    string        `env:"ALERTMANAGER_WATCHDOG_LIMIT"`
	Evaluator        string        `env:"EVALUATOR"`
	ExporterHTTP     string        `env:"EXPORTER_HTTP_CONFIG_FILE"`
	ExporterURL      []string      `env:"EXPORTER_URL" envSeparator:","`
	GatewayListen    []string      `env:"GATEWAY_LISTEN_ADDRESS" envSeparator:","`
	Once             bool          `env:"ONCE"`
	Play             *bool         `env:"PLAY"`
	Quiet            bool          `env:"QUIET"`
	RulesInterval    string        `env:"RULES_INTERVAL"`
	Scenario         string        `env:"SCENARIO"`
	StoragePath      string        `env:"STORAGE_PATH"`
	WebAdminToken    string        `env:"WEB_ADMIN_TOKEN_FILE"`
	WebMaxWatchers   string        `env:"WEB_MAX_WATCHERS"`
	WebWebhookToken  string        `env:"WEB_WEBHOOK_TOKEN_FILE"`
	ConfigFile       string        `env:"CONFIG_FILE"`
	ControllerHTTP   string        `env:"CONTROLLER_HTTP_CONFIG_FILE"`
	ControllerToken  string        `env:"CONTROLLER_TOKEN_FILE"`
	ControllerURL    string        `env:"CONTROLLER_URL"`
	Fast             bool          `env:"FAST"`
	FatalWarnings    bool          `env:"FATAL_WARNINGS"`
	For              string        `env:"FOR"`
	Force            bool          `env:"FORCE"`
	Format           string        `env:"FORMAT"`
	LogFormat        string        `env:"LOG_FORMAT"`
	LogLevel         string        `env:"LOG_LEVEL"`
	Ready            bool          `env:"READY"`
	Reason           string        `env:"REASON"`
	RulesBundled     *bool         `env:"RULES_BUNDLED"`
	RulesFile        []string      `env:"RULES_FILE" envSeparator:","`
	Timeout          time.Duration `env:"TIMEOUT"`
	Watch            bool          `env:"WATCH"`
	WebConfigFile    string        `env:"WEB_CONFIG_FILE"`
	WebEnablePprof   bool          `env:"WEB_ENABLE_PPROF"`
	WebExternalURL   string        `env:"WEB_EXTERNAL_URL"`
	WebListenAddress []string      `env:"WEB_LISTEN_ADDRESS" envSeparator:","`
	WebRoutePrefix   string        `env:"WEB_ROUTE_PREFIX"`
	WebSystemdSocket bool          `env:"WEB_SYSTEMD_SOCKET"`
	WebTelemetryPath string        `env:"WEB_TELEMETRY_PATH"`
}

// environmentPrefix stands before the name of each twin.
const environmentPrefix = "UNDERSTUDY_"

// values are the twins that are set, by the name of the flag.
func (e environment) values() map[string][]string {
	set := map[string][]string{}
	word := func(flag, value string) {
		if value != "" {
			set[flag] = []string{value}
		}
	}
	yes := func(flag string, value bool) {
		if value {
			set[flag] = []string{strconv.FormatBool(value)}
		}
	}
	word("alertmanager.http-config-file", e.AlertmanagerHTTP)
	word("alertmanager.url", e.AlertmanagerURL)
	word("alertmanager.resend-limit", e.ResendLimit)
	word("alertmanager.watchdog-limit", e.WatchdogLimit)
	word("evaluator", e.Evaluator)
	word("exporter.http-config-file", e.ExporterHTTP)
	if len(e.ExporterURL) > 0 {
		set["exporter.url"] = e.ExporterURL
	}
	if len(e.GatewayListen) > 0 {
		set["gateway.listen-address"] = e.GatewayListen
	}
	yes("quiet", e.Quiet)
	word("rules.interval", e.RulesInterval)
	word("storage.path", e.StoragePath)
	word("web.admin-token-file", e.WebAdminToken)
	word("web.max-watchers", e.WebMaxWatchers)
	word("web.webhook-token-file", e.WebWebhookToken)
	word("config.file", e.ConfigFile)
	word("controller.http-config-file", e.ControllerHTTP)
	word("controller.token-file", e.ControllerToken)
	word("controller.url", e.ControllerURL)
	yes("fast", e.Fast)
	yes("once", e.Once)
	word("scenario", e.Scenario)
	yes("fatal-warnings", e.FatalWarnings)
	word("for", e.For)
	yes("force", e.Force)
	word("format", e.Format)
	word("log.format", e.LogFormat)
	word("log.level", e.LogLevel)
	yes("ready", e.Ready)
	word("reason", e.Reason)
	if e.Play != nil {
		set["play"] = []string{strconv.FormatBool(*e.Play)}
	}
	if e.RulesBundled != nil {
		set["rules.bundled"] = []string{strconv.FormatBool(*e.RulesBundled)}
	}
	if len(e.RulesFile) > 0 {
		set["rules.file"] = e.RulesFile
	}
	if e.Timeout != 0 {
		word("timeout", e.Timeout.String())
	}
	yes("watch", e.Watch)
	word("web.config.file", e.WebConfigFile)
	yes("web.enable-pprof", e.WebEnablePprof)
	word("web.external-url", e.WebExternalURL)
	if len(e.WebListenAddress) > 0 {
		set["web.listen-address"] = e.WebListenAddress
	}
	word("web.route-prefix", e.WebRoutePrefix)
	yes("web.systemd-socket", e.WebSystemdSocket)
	word("web.telemetry-path", e.WebTelemetryPath)
	return set
}

// twins gives every flag of the program the value of its twin as default. The
// error names the variable.
func twins(app *kingpin.Application, environ []string) error {
	var e environment
	options := env.Options{Prefix: environmentPrefix, Environment: toMap(environ)}
	if err := env.ParseWithOptions(&e, options); err != nil {
		return fmt.Errorf("environment: %w", err)
	}
	for flag, values := range e.values() {
		for _, clause := range flagsNamed(app, flag) {
			clause.Default(values...)
		}
	}
	return nil
}

// flagsNamed are the flags of that name, of the program and of its subcommands.
func flagsNamed(app *kingpin.Application, name string) []*kingpin.FlagClause {
	found := []*kingpin.FlagClause{app.GetFlag(name)}
	for _, c := range app.Model().Commands {
		found = append(found, flagOf(app.GetCommand(c.Name), name)...)
	}
	return slices.DeleteFunc(found, func(f *kingpin.FlagClause) bool { return f == nil })
}

// flagOf is the flag of a subcommand and of those below it.
func flagOf(c *kingpin.CmdClause, name string) []*kingpin.FlagClause {
	found := []*kingpin.FlagClause{c.GetFlag(name)}
	for _, below := range c.Model().Commands {
		found = append(found, flagOf(c.GetCommand(below.Name), name)...)
	}
	return found
}

// variableOf is the name of a flag's twin.
func variableOf(flag string) string {
	return environmentPrefix + strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(flag))
}

// toMap is the environment by name.
func toMap(environ []string) map[string]string { return env.ToMap(environ) }
