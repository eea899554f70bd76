package api

import (
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
)

var (
	curlLine   = regexp.MustCompile(`(?m)^curl .*$`)
	curlMethod = regexp.MustCompile(`-X ([A-Z]+)`)
	curlURL    = regexp.MustCompile(`https?://[^/ ']+(/[^ ']*)`)
	curlBody   = regexp.MustCompile(`-d '([^']*)'`)
	curlHeader = regexp.MustCompile(`-H '([A-Za-z-]+): ([^']*)'`)
)

func TestTheDocumentedRequestsWork(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/api.md")
	require.NoError(t, err)
	lines := curlLine.FindAllString(string(text), -1)
	require.GreaterOrEqual(t, len(lines), 15)
	for _, line := range lines {
		method := http.MethodGet
		if m := curlMethod.FindStringSubmatch(line); m != nil {
			method = m[1]
		}
		u, err := url.Parse(curlURL.FindStringSubmatch(line)[1])
		require.NoError(t, err, line)
		// What waits has its own tests; here nobody does.
		values := u.Query()
		if values.Has("wait") {
			values.Set("wait", "0")
		}
		u.RawQuery = values.Encode()
		if u.Path == "/events" {
			method = http.MethodHead
		}
		body := ""
		if m := curlBody.FindStringSubmatch(line); m != nil {
			body = m[1]
		}
		var headers []string
		for _, m := range curlHeader.FindAllStringSubmatch(line, -1) {
			headers = append(headers, m[1], m[2])
		}
		w := request(newAPI(t, newFakeView(), Options{}), method, u.String(), body, headers...)
		require.Contains(t, []int{http.StatusOK, http.StatusNotModified}, w.Code, "%s: %s", line, w.Body)
	}
}

func TestEveryRouteAndMetricIsDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/api.md")
	require.NoError(t, err)
	registry := prometheus.NewRegistry()
	a := newAPI(t, newFakeView(), Options{Registerer: registry, Webhook: http.NotFoundHandler()})
	require.NoError(t, chi.Walk(a.router, func(_, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		require.Contains(t, string(text), route)
		return nil
	}))
	var documented []string
	for _, m := range regexp.MustCompile("`(understudy_http_[a-z_]+)`").FindAllStringSubmatch(string(text), -1) {
		documented = append(documented, m[1])
	}
	var published []string
	for _, f := range gathered(t, registry) {
		published = append(published, f.GetName())
	}
	slices.Sort(documented)
	require.Equal(t, strings.Join(published, " "), strings.Join(documented, " "))
}
