package facts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/understudy-rpc/understudy/rules"
)

const (
	// DefaultReadTimeout bounds a reading of Alertmanager's API.
	DefaultReadTimeout = 10 * time.Second
	// DefaultSettle is for how long after its start Alertmanager may not have been
	// told of everything again.
	DefaultSettle = DefaultResendLimit
	// maxAnswer bounds an answer of Alertmanager's, in bytes.
	maxAnswer = 16 << 20
)

// ClientOptions say where Alertmanager is.
type ClientOptions struct {
	// URL is that of Alertmanager, with its path prefix and without /api. Required.
	URL *url.URL
	// HTTP carries out the requests, with whatever TLS and authentication it
	// takes; nil: the default client. Redirects are never followed.
	HTTP *http.Client
	// Timeout bounds a whole reading; zero: DefaultReadTimeout.
	Timeout time.Duration
	// Settle is how long after its start Alertmanager's silence about an alert
	// means nothing; zero: DefaultSettle.
	Settle time.Duration
}

// Client reads Alertmanager's API, version 2.
type Client struct {
	base    *url.URL
	http    http.Client
	timeout time.Duration
	settle  time.Duration
}

// NewClient makes a client; it connects to nobody yet.
func NewClient(o ClientOptions) (*Client, error) {
	if o.URL == nil || o.URL.Host == "" || (o.URL.Scheme != "http" && o.URL.Scheme != "https") {
		return nil, errors.New("the URL of Alertmanager has to begin with http:// or https:// and to name a host")
	}
	c := &Client{base: o.URL, timeout: o.Timeout, settle: o.Settle}
	if o.HTTP != nil {
		c.http = *o.HTTP
	}
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if c.timeout == 0 {
		c.timeout = DefaultReadTimeout
	}
	if c.settle == 0 {
		c.settle = DefaultSettle
	}
	return c, nil
}

// gettableAlert is what matters of an alert in Alertmanager's API.
type gettableAlert struct {
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	StartsAt    time.Time         `json:"startsAt"`
	UpdatedAt   time.Time         `json:"updatedAt"`
	Status      *struct {
		State       string   `json:"state"`
		SilencedBy  []string `json:"silencedBy"`
		InhibitedBy []string `json:"inhibitedBy"`
	} `json:"status"`
}

// acts says whether the alert is delivered. One that is not processed yet, which
// is a matter of moments, is.
func (a gettableAlert) acts() bool {
	return a.Status.State != "suppressed" && len(a.Status.SilencedBy) == 0 && len(a.Status.InhibitedBy) == 0
}

// Read reads which alerts fire. The errors name Alertmanager by scheme and host
// only.
func (c *Client) Read(ctx context.Context) (Reading, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.timeout, fmt.Errorf("no answer within %s", c.timeout))
	defer cancel()
	reading := Reading{Began: time.Now()}
	var about, watchdogs []gettableAlert
	// The status comes last: if Alertmanager started anew in between, it says so.
	var status struct {
		Uptime time.Time `json:"uptime"`
	}
	if _, err := c.get(ctx, "alerts", rules.LabelChain+`=~".+"`, &about); err != nil {
		return Reading{}, err
	}
	told, err := c.get(ctx, "alerts", rules.LabelAlert+`="`+rules.AlertWatchdog+`"`, &watchdogs)
	if err != nil {
		return Reading{}, err
	}
	now, err := c.get(ctx, "status", "", &status)
	if err != nil {
		return Reading{}, err
	}
	if status.Uptime.IsZero() {
		return Reading{}, c.wrong("status", errors.New("it does not say since when it runs"))
	}
	reading.Complete = now.Sub(status.Uptime) >= c.settle
	if reading.Alerts, err = acting(about); err != nil {
		return Reading{}, c.wrong("alerts", err)
	}
	if _, err = acting(watchdogs); err != nil {
		return Reading{}, c.wrong("alerts", err)
	}
	for _, w := range watchdogs {
		if age := max(0, told.Sub(w.UpdatedAt)); w.acts() && (!reading.Watchdog || age < reading.WatchdogAge) {
			reading.Watchdog, reading.WatchdogAge = true, age
		}
	}
	return reading, nil
}

// acting are the alerts that are delivered. One that is not whole spoils all: an
// alert that is left out would be one that is over.
func acting(all []gettableAlert) ([]Alert, error) {
	var acting []Alert
	for _, a := range all {
		if a.Labels[rules.LabelAlert] == "" || a.StartsAt.IsZero() || a.UpdatedAt.IsZero() || a.Status == nil {
			return nil, errors.New("an alert without alertname, startsAt, updatedAt or status")
		}
		if a.acts() {
			acting = append(acting, Alert{Labels: a.Labels, Annotations: a.Annotations, StartsAt: a.StartsAt, Firing: true})
		}
	}
	return acting, nil
}

// get asks one question, and returns what time it was where the answer was
// given.
func (c *Client) get(ctx context.Context, what, filter string, into any) (time.Time, error) {
	u := c.base.JoinPath("api", "v2", what)
	if filter != "" {
		u.RawQuery = url.Values{
			"active": {"true"}, "silenced": {"false"}, "inhibited": {"false"}, "filter": {filter},
		}.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return time.Time{}, c.wrong(what, errors.New("the URL can't be asked"))
	}
	request.Header.Set("Accept", "application/json")
	response, err := c.http.Do(request)
	if err != nil {
		return time.Time{}, c.wrong(what, bare(ctx, err))
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return time.Time{}, c.wrong(what, bare(ctx, err))
	case response.StatusCode != http.StatusOK:
		return time.Time{}, c.wrong(what, fmt.Errorf("status %d", response.StatusCode))
	case len(body) > maxAnswer:
		return time.Time{}, c.wrong(what, fmt.Errorf("an answer of more than %d bytes", maxAnswer))
	}
	if err := json.Unmarshal(body, into); err != nil {
		return time.Time{}, c.wrong(what, decodeError(err))
	}
	at, err := http.ParseTime(response.Header.Get("Date"))
	if err != nil {
		at = time.Now()
	}
	return at, nil
}

// wrong says which question to whom went wrong. A URL can hold secrets beyond
// its host.
func (c *Client) wrong(what string, err error) error {
	return fmt.Errorf("read %s of Alertmanager at %s://%s: %w", what, c.base.Scheme, c.base.Host, err)
}

// bare takes the URL out of an error, and puts in why the context ended.
func bare(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}
