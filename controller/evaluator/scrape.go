package evaluator

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/understudy-rpc/understudy/internal/config"
)

// ScrapeLimits bound one scrape. A zero value is the default.
type ScrapeLimits struct {
	// Timeout is for the whole scrape; default 5s.
	Timeout time.Duration
	// MaxBody is for the body, compressed and not, in bytes; default 256 MiB.
	MaxBody int64
	// MaxSeries is for all series of the body, also those that nobody reads;
	// default 900,000, which is enough for 10,000 providers.
	MaxSeries int
}

// The defaults of ScrapeLimits.
const (
	defaultScrapeTimeout   = 5 * time.Second
	defaultScrapeMaxBody   = 256 << 20
	defaultScrapeMaxSeries = 900_000
)

// accepted are the formats asked for, the cheapest first.
const accepted = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.6," +
	"text/plain;version=0.0.4;q=0.5,*/*;q=0.1"

// FromURL is a source that scrapes an exporter over HTTP. The instance is the
// host of the URL. The client says how to authenticate; its redirects are only
// followed on the same host. Errors show scheme and host, and no more.
func FromURL(job string, exporter config.URL, client *http.Client, limits ScrapeLimits) Source {
	if limits.Timeout == 0 {
		limits.Timeout = defaultScrapeTimeout
	}
	if limits.MaxBody == 0 {
		limits.MaxBody = defaultScrapeMaxBody
	}
	if limits.MaxSeries == 0 {
		limits.MaxSeries = defaultScrapeMaxSeries
	}
	own := http.Client{}
	if client != nil {
		own = *client
	}
	own.CheckRedirect = sameHost
	return &scraper{target: Target{job, exporter.Host()}, url: exporter, client: &own, limits: limits}
}

// scraper reads an exporter over HTTP.
type scraper struct {
	target Target
	url    config.URL
	client *http.Client
	limits ScrapeLimits
}

// errRedirect is an answer that leads to another host.
var errRedirect = errors.New("it redirects to another host")

func sameHost(next *http.Request, before []*http.Request) error {
	switch {
	case next.URL.Host != before[0].URL.Host || next.URL.Scheme != before[0].URL.Scheme:
		return errRedirect
	case len(before) >= 5:
		return errors.New("it redirects in circles")
	}
	return nil
}

// Target is where the samples are from.
func (s *scraper) Target() Target { return s.target }

// Collect scrapes once.
func (s *scraper) Collect(ctx context.Context, _ Wanted) ([]*dto.MetricFamily, error) {
	ctx, cancel := context.WithTimeout(ctx, s.limits.Timeout)
	defer cancel()
	families, err := s.scrape(ctx)
	if err != nil {
		return nil, s.describe(ctx, err)
	}
	return families, nil
}

// describe names the exporter, and takes out what the client says of the URL.
func (s *scraper) describe(ctx context.Context, err error) error {
	reason := reasonConnection
	if inner, ok := errors.AsType[*url.Error](err); ok {
		err = inner.Err
	}
	if known, ok := errors.AsType[*scrapeError](err); ok {
		reason = known.reason
	}
	if ctx.Err() != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		reason, err = reasonTimeout, fmt.Errorf("no whole answer within %s", s.limits.Timeout)
	}
	return &scrapeError{reason, fmt.Errorf("scrape %s: %w", s.url, err)}
}

func (s *scraper) scrape(ctx context.Context) ([]*dto.MetricFamily, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url.Reveal().String(), nil)
	if err != nil {
		return nil, errors.New("the address cannot be requested")
	}
	request.Header.Set("Accept", accepted)
	request.Header.Set("Accept-Encoding", "gzip")
	request.Header.Set("User-Agent", "Understudy")
	request.Header.Set("X-Prometheus-Scrape-Timeout-Seconds", fmt.Sprint(s.limits.Timeout.Seconds()))
	response, err := s.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, &scrapeError{reasonHTTP, fmt.Errorf("it answers %s", response.Status)}
	}
	body, err := s.body(response)
	if err != nil {
		return nil, err
	}
	return decode(body, response.Header, s.limits.MaxSeries)
}

// body is the answer, decompressed and within its bound.
func (s *scraper) body(response *http.Response) (io.Reader, error) {
	raw := &bounded{reader: response.Body, left: s.limits.MaxBody, limit: s.limits.MaxBody}
	switch coding := strings.ToLower(response.Header.Get("Content-Encoding")); coding {
	case "", "identity":
		return raw, nil
	case "gzip":
		unzipped, err := gzip.NewReader(raw)
		if err != nil {
			return nil, &scrapeError{reasonMalformed, fmt.Errorf("gzip: %w", err)}
		}
		return &bounded{reader: unzipped, left: s.limits.MaxBody, limit: s.limits.MaxBody}, nil
	default:
		return nil, &scrapeError{reasonMalformed, fmt.Errorf("it answers in the coding %.20q, which was not asked for", coding)}
	}
}

// bounded reads up to a limit, beyond which it fails.
type bounded struct {
	reader      io.Reader
	left, limit int64
}

// Read reads what is within the limit.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.reader.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, &scrapeError{reasonTooLarge, fmt.Errorf("it answers with more than %d bytes", b.limit)}
	}
	return n, err
}
