package simulator

import (
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/understudy-rpc/understudy/internal/config"
)

// RateLimit is a number of requests per time.
type RateLimit struct {
	// Requests is how many are answered within Per; 0 is 1 s.
	Requests int           `json:"requests"`
	Per      time.Duration `json:"per,omitempty"`
	// Items counts the calls of a batch instead of the requests.
	Items bool `json:"items,omitempty"`
	// Suspend refuses everything for so long once there was too much, in
	// place of the rest of Per. With Extend each request meanwhile begins it
	// anew.
	Suspend time.Duration `json:"suspend,omitempty"`
	Extend  bool          `json:"extend,omitempty"`
	// Answer is the refusal; its zero value is a plain 429.
	Answer Answer `json:"answer,omitzero"`
	// Retry says how the time that is left is told.
	Retry Retry `json:"retry,omitempty"`
}

// Retry is the form of a Retry-After header.
type Retry string

// No header, seconds, or an HTTP date.
const (
	RetryUntold  Retry = ""
	RetrySeconds Retry = "seconds"
	RetryDate    Retry = "date"
)

// limiter counts for one RateLimit at a time; another one begins at 0.
type limiter struct {
	mu     sync.Mutex
	limit  *RateLimit
	window time.Time
	used   int
	// until is the end of a refusal; zero when there is none.
	until time.Time
}

// refuse counts the request and is its refusal, or nil.
func (l *limiter) refuse(limit *RateLimit, r *request, now time.Time) *reply {
	if limit == nil {
		return nil
	}
	left, refused := l.left(limit, r, now)
	if !refused {
		return nil
	}
	answer := *limit.Answer.resolved()
	if answer.Status == 0 && answer.Body == "" {
		answer = Answer{Status: http.StatusTooManyRequests, Body: "Too Many Requests"}
	}
	if limit.Retry != RetryUntold {
		answer.RetryAfter, answer.RetryAfterDate = left, limit.Retry == RetryDate
	}
	out := answer.reply(r, now)
	return &out
}

// left counts the request and says for how long it and what follows is
// refused.
func (l *limiter) left(limit *RateLimit, r *request, now time.Time) (left time.Duration, refused bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	per := limit.Per
	if per <= 0 {
		per = time.Second
	}
	if l.limit != limit || now.Sub(l.window) >= per {
		if l.limit != limit {
			l.until = time.Time{}
		}
		l.limit, l.window, l.used = limit, now, 0
	}
	if now.Before(l.until) {
		if limit.Extend {
			l.until = now.Add(limit.Suspend)
		}
		return l.until.Sub(now), true
	}
	weight := 1
	if limit.Items {
		weight = max(1, len(r.calls))
	}
	if l.used+weight <= limit.Requests {
		l.used += weight
		return 0, false
	}
	l.until = l.window.Add(per)
	if limit.Suspend > 0 {
		l.until = now.Add(limit.Suspend)
	}
	return l.until.Sub(now), true
}

// Auth is what a caller has to send. The zero value admits nobody.
type Auth struct {
	// Username and Password are those of HTTP Basic authentication.
	Username string `json:"username,omitempty"`
	Password string `json:"password,omitempty"`
	// Header is a header field and its value, such as Authorization and
	// "Bearer t", or api-key and the key. It is looked at when it has a name.
	Header string `json:"header,omitempty"`
	Value  string `json:"value,omitempty"`
	// Answer is the refusal; its zero value is the dialect's own.
	Answer Answer `json:"answer,omitzero"`
}

// admits says whether the header holds the credentials.
func (a *Auth) admits(header http.Header) bool {
	if a.Header != "" {
		return header.Get(a.Header) == a.Value
	}
	user, password, ok := (&http.Request{Header: header}).BasicAuth()
	return ok && a.Username != "" && user == a.Username && password == a.Password
}

// refusal is a 401. Bitcoin Core's is empty, btcd's has a text; both name their
// realm.
func (a *Auth) refusal(o ProviderOptions) reply {
	if answer := a.Answer.resolved(); answer.Status != 0 || answer.Body != "" {
		return answer.reply(&request{}, time.Time{})
	}
	challenge := `Basic realm="` + string(o.Type) + `"`
	body := "401 Unauthorized.\n"
	switch {
	case o.Type == config.BitcoinRPC && o.Software == SoftwareBtcd:
		challenge = `Basic realm="btcd RPC"`
	case o.Type == config.BitcoinRPC:
		challenge, body = `Basic realm="jsonrpc"`, ""
	case strings.EqualFold(a.Header, "Authorization"):
		challenge = "Bearer"
	}
	out := textReply(http.StatusUnauthorized, body)
	out.header = http.Header{"Www-Authenticate": {challenge}}
	return out
}
