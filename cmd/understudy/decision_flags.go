package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/alecthomas/kingpin/v2"
	"github.com/prometheus/client_golang/prometheus"
	commoncfg "github.com/prometheus/common/config"

	"github.com/understudy-rpc/understudy/controller"
	"github.com/understudy-rpc/understudy/controller/facts"
	"github.com/understudy-rpc/understudy/internal/config"
)

// decisionFlags are the flags of every command that decides.
type decisionFlags struct {
	storage, evaluator             *string
	alertmanager, alertmanagerHTTP *string
	webhookToken, adminToken       *string
	watchdogLimit, resendLimit     *time.Duration
	evaluationInterval             *time.Duration
	ruleFiles                      *[]string
	bundled                        *bool
	maxWatchers                    *int
	entrances                      *[]string
}

// addDecisionFlags adds them to a command.
func addDecisionFlags(c *kingpin.CmdClause) decisionFlags {
	return decisionFlags{
		storage:            c.Flag("storage.path", "Folder of the journal, in which decisions are kept across restarts.").Default("data/").String(),
		evaluator:          c.Flag("evaluator", "Whose facts count: fallback (Alertmanager's, and the local evaluator's while its watchdog is silent), always (both), local.").Default(facts.ModeFallback.String()).Enum("fallback", "always", "local"),
		alertmanager:       c.Flag("alertmanager.url", "Address of Alertmanager, whose API is read. Without it the local evaluator rules.").PlaceHolder("URL").String(),
		alertmanagerHTTP:   c.Flag("alertmanager.http-config-file", "File with Prometheus's HTTP client configuration for Alertmanager.").PlaceHolder("FILE").String(),
		watchdogLimit:      c.Flag("alertmanager.watchdog-limit", "Longest silence of the watchdog before the local evaluator rules.").Default(facts.DefaultWatchdogLimit.String()).Duration(),
		resendLimit:        c.Flag("alertmanager.resend-limit", "Longest time in which Prometheus tells Alertmanager again of an alert that fires: its --rules.alert.resend-delay, the next evaluation, and some time to spare. Alertmanager is believed that nothing else fires once it has run for so long.").Default(facts.DefaultResendLimit.String()).Duration(),
		evaluationInterval: c.Flag("rules.interval", "Time between two evaluations of the rules when no probe asks for one.").Default("5s").Duration(),
		webhookToken:       c.Flag("web.webhook-token-file", "File with the bearer token that Alertmanager presents.").PlaceHolder("FILE").String(),
		adminToken:         c.Flag("web.admin-token-file", "File with the bearer token for drain, pin and the like, and for whole addresses of providers.").PlaceHolder("FILE").String(),
		ruleFiles:          c.Flag("rules.file", "Further rule files, a glob; repeatable.").PlaceHolder("GLOB").Strings(),
		bundled:            c.Flag("rules.bundled", "Evaluate the bundled rules.").Default("true").Bool(),
		maxWatchers:        c.Flag("web.max-watchers", "How many long polls and event streams may wait at the same time.").Default("10000").Int(),
		entrances:          c.Flag("gateway.listen-address", "Address of a chain's own, as CHAIN=ADDRESS, whose root is that of /rpc/CHAIN, for clients that cannot be given a path; repeatable.").PlaceHolder("CHAIN=ADDRESS").Strings(),
	}
}

// defaultDecisions are the flags of a command that leaves no choice.
func defaultDecisions(storage string) decisionFlags {
	app := kingpin.New("", "")
	f := addDecisionFlags(app.Command("defaults", ""))
	if _, err := app.Parse([]string{"defaults", "--storage.path=" + storage}); err != nil {
		panic(fmt.Sprintf("the defaults of the flags are wrong: %v", err))
	}
	return f
}

// options are the controller's, but for its sources.
func (f decisionFlags) options(cfg config.Config, s *service, r prometheus.Registerer) (controller.Options, error) {
	o := controller.Options{
		Config: cfg, Bundled: *f.bundled, RuleFiles: *f.ruleFiles, ExternalURL: *s.flags.externalURL,
		Interval: *f.evaluationInterval, WatchdogLimit: *f.watchdogLimit, ResendLimit: *f.resendLimit, StoragePath: *f.storage,
		Registerer: r, Logger: s.logger,
	}
	var err error
	if o.Mode, err = facts.ParseMode(*f.evaluator); err != nil {
		return o, fmt.Errorf("--evaluator: %w", err)
	}
	if o.WebhookToken, err = tokenIn(*f.webhookToken); err != nil {
		return o, fmt.Errorf("--web.webhook-token-file: %w", err)
	}
	if *f.alertmanager == "" {
		return o, nil
	}
	o.Alertmanager, err = f.client()
	return o, err
}

// client asks Alertmanager.
func (f decisionFlags) client() (*facts.Client, error) {
	u, err := config.ParseURL(*f.alertmanager)
	if err != nil {
		return nil, fmt.Errorf("--alertmanager.url: %w", err)
	}
	client, err := clientOf(*f.alertmanagerHTTP, "alertmanager")
	if err != nil {
		return nil, fmt.Errorf("--alertmanager.http-config-file: %w", err)
	}
	return facts.NewClient(facts.ClientOptions{URL: u.Reveal(), HTTP: client, Settle: *f.resendLimit})
}

// clientOf is an HTTP client by a file with Prometheus's configuration of one.
func clientOf(file, name string) (*http.Client, error) {
	cfg := &commoncfg.DefaultHTTPClientConfig
	if file != "" {
		loaded, _, err := commoncfg.LoadHTTPConfigFile(file)
		if err != nil {
			return nil, err
		}
		cfg = loaded
	}
	return commoncfg.NewClientFromConfig(*cfg, name)
}

// tokenIn is the token in a file; "" without a file. An empty one is a mistake:
// it would open what is meant to be closed.
func tokenIn(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	if token == "" {
		return "", fmt.Errorf("%s: %w", file, errors.New("the token is empty"))
	}
	return token, nil
}
