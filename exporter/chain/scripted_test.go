package chain

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

// question is one request as the provider's side of a test sees it.
type question struct {
	// Name is the JSON-RPC method, "batch", or verb and path with the query
	// ("GET /stats?limit=0").
	Name string
	// Params are those of a JSON-RPC call, as they came: [0].
	Params string
	// IDs are those of the JSON-RPC calls, in order.
	IDs    []string
	Header http.Header
	Body   []byte
}

// given is one answer. "$id" in the body, quotes included, stands for the id of
// the call; "$id1" and "$id2" for those of a batch.
type given struct {
	Status int
	Header map[string]string
	Body   string
	// Err is a fault of the transport, in place of an answer.
	Err error
}

// scripted is a provider whose requests are answered by a function, without
// sockets. It notes what it was asked.
type scripted struct {
	*Provider
	answer func(question) given
	asked  []string
}

// newScripted makes a scripted provider of a chain.
func newScripted(tb testing.TB, c config.Chain, p config.Provider, answer func(question) given) *scripted {
	tb.Helper()
	provider, err := New(c, p)
	require.NoError(tb, err)
	s := &scripted{Provider: provider, answer: answer}
	answeredBy(provider, s)
	return s
}

// answeredBy makes all talks of a provider go over a transport.
func answeredBy(p *Provider, transport http.RoundTripper) {
	p.http.own = &http.Client{Transport: transport, CheckRedirect: p.http.redirect}
}

// scriptedChain is a chain of a family with one provider of a type below
// https://provider.test.
func scriptedChain(tb testing.TB, kind config.Kind, typ config.Type, capabilities ...string) (config.Chain, config.Provider) {
	tb.Helper()
	address, err := config.ParseURL("https://provider.test")
	require.NoError(tb, err)
	p := config.Provider{Name: "p", Type: typ, RPCHost: address, HealthCheckInterval: 10 * time.Second, Capabilities: capabilities}
	c := config.Chain{Name: "test", Kind: kind, BlockTime: time.Minute, Providers: []config.Provider{p}}
	c.Failover.RequestTimeout = 5 * time.Second
	c.Failover.MaxBlockLead = 30
	return c, p
}

// RoundTrip answers one request.
func (s *scripted) RoundTrip(r *http.Request) (*http.Response, error) {
	q := readQuestion(r)
	name := q.Name
	if q.Params != "" && q.Params != "[]" {
		name += " " + q.Params
	}
	s.asked = append(s.asked, name)
	a := s.answer(q)
	if a.Err != nil {
		return nil, a.Err
	}
	body := a.Body
	for i, id := range q.IDs {
		if i == 0 {
			body = strings.ReplaceAll(body, `"$id"`, id)
		}
		body = strings.ReplaceAll(body, `"$id`+string(rune('1'+i))+`"`, id)
	}
	res := &http.Response{
		StatusCode: a.Status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}
	if a.Status == 0 {
		res.StatusCode = http.StatusOK
	}
	for name, value := range a.Header {
		res.Header.Set(name, value)
	}
	return res, nil
}

// readQuestion reads a request of any dialect.
func readQuestion(r *http.Request) question {
	q := question{Name: r.Method + " " + r.URL.RequestURI(), Header: r.Header}
	if r.Body != nil {
		q.Body, _ = io.ReadAll(r.Body)
	}
	type call struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	var one call
	var many []call
	switch body := bytes.TrimSpace(q.Body); {
	case json.Unmarshal(body, &many) == nil && len(many) > 0:
		q.Name = "batch"
	case json.Unmarshal(body, &one) == nil && one.Method != "":
		q.Name, q.Params = one.Method, string(one.Params)
		many = []call{one}
	}
	for _, c := range many {
		q.IDs = append(q.IDs, string(c.ID))
	}
	return q
}

// answers are set answers by the name of the question, with its parameters
// ("getblockhash [0]") or without.
type answers map[string]given

// readAnswers reads testdata/NAME.json: an object of answers, each with status,
// header and body. A body that is a string is sent as that text, any other as
// the JSON that it is, without white space.
func readAnswers(tb testing.TB, name string) answers {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)+".json"))
	require.NoError(tb, err)
	var file map[string]struct {
		Status int               `json:"status"`
		Header map[string]string `json:"header"`
		Body   json.RawMessage   `json:"body"`
	}
	require.NoError(tb, json.Unmarshal(data, &file))
	all := answers{}
	for question, a := range file {
		var text string
		if json.Unmarshal(a.Body, &text) != nil {
			var compact bytes.Buffer
			require.NoError(tb, json.Compact(&compact, a.Body))
			text = compact.String()
		}
		all[question] = given{Status: a.Status, Header: a.Header, Body: text}
	}
	return all
}

// to is the answer to a question; one that is not foreseen fails the test.
func (all answers) to(tb testing.TB) func(question) given {
	return func(q question) given {
		if a, ok := all[q.Name+" "+q.Params]; ok {
			return a
		}
		a, ok := all[q.Name]
		if !ok {
			tb.Errorf("an unforeseen question: %s %s", q.Name, q.Params)
		}
		return a
	}
}

// with is the answers with one of them replaced.
func (all answers) with(question string, a given) answers {
	changed := answers{}
	for name, kept := range all {
		changed[name] = kept
	}
	changed[question] = a
	return changed
}

// changed is the answers with a piece of one of them replaced.
func changed(tb testing.TB, all answers, question, old, new string) answers {
	tb.Helper()
	a := all[question]
	require.Contains(tb, a.Body, old)
	a.Body = strings.Replace(a.Body, old, new, 1)
	return all.with(question, a)
}

// badBodies are answers, all with 200, that no protocol of ours allows. "$id"
// is the right id.
var badBodies = map[string]string{
	"empty":                          "",
	"blank":                          " \n",
	"null":                           "null",
	"an HTML page":                   "<!DOCTYPE html><html><body>Welcome</body></html>",
	"bare text":                      "invalid host specified",
	"a quoted text":                  `"ok"`,
	"a number in brackets":           "[1]",
	"an empty array":                 "[]",
	"an empty object":                "{}",
	"an array in place of an object": `[{"jsonrpc":"2.0","id":"$id","result":{}}]`,
	"half a body":                    `{"jsonrpc":"2.0","id":"$id","result":{"blocks":`,
	"two bodies":                     `{"jsonrpc":"2.0","id":"$id","result":null}{}`,
	"broken UTF-8":                   "{\"result\":\"\xff\xfe\"}",
}

// badNumbers are ways to write a height that no protocol of ours allows where a
// plain JSON number is due.
var badNumbers = map[string]string{
	"a string":        `"884213"`,
	"hexadecimal":     `"0xd7df5"`,
	"a fraction":      "884213.5",
	"an exponent":     "8e5",
	"negative":        "-4",
	"2^63":            "9223372036854775808",
	"2^64":            "18446744073709551616",
	"a leading zero":  "0884213",
	"null":            "null",
	"a boolean":       "true",
	"an object":       "{}",
	"more than 2^53":  "9007199254740993",
	"a list":          "[884213]",
	"an empty string": `""`,
}

// requireFailure asserts that an error is a failure of the provider with one of
// the reasons.
func requireFailure(tb testing.TB, err error, reasons ...Reason) *Failure {
	tb.Helper()
	require.Error(tb, err)
	var f *Failure
	require.ErrorAs(tb, err, &f)
	require.Contains(tb, reasons, f.Reason, "%v", err)
	return f
}

// askAll runs every question that a dialect can be asked and hands each outcome to
// look, with the question's name.
func (s *scripted) askAll(ctx context.Context, previous Tip, look func(what string, err error)) (Tip, Block) {
	d, declared := s.dialect, s.declared
	tip, err := d.Tip(ctx, s.session(), previous)
	look("tip", err)
	for _, want := range []string{"", strings.Repeat("0", 64)} {
		_, err = d.Identity(ctx, s.session(), want)
		look("identity", err)
	}
	block, err := d.Block(ctx, s.session(), 3, true)
	look("block", err)
	if h, ok := d.(Hinter); ok {
		_, err = h.Hints(ctx, s.session(), tip)
		look("hints", err)
	}
	if v, ok := d.(CapabilityProber); ok {
		_, err = v.Capabilities(ctx, s.session(), tip, declared)
		look("capabilities", err)
	}
	return tip, block
}
