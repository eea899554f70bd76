package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/understudy-rpc/understudy/controller/facts"
	"github.com/understudy-rpc/understudy/controller/wire"
)

// elsewhere are the routes of the document that others serve.
var elsewhere = []string{
	"GET /", "GET /metrics", "GET /rpc/{chain}/{path}", "POST /-/reload", "POST /rpc/{chain}", "POST /rpc/{chain}/{path}",
	"PUT /-/reload", "PUT /chains/{chain}/observed-height",
}

// shapes are the Go types of the schemas.
var shapes = map[string]any{
	"Active": wire.Active{}, "ActiveList": wire.ActiveList{}, "Alert": wire.Alert{}, "AlertChange": AlertChange{}, "Chain": wire.Chain{}, "ChainList": wire.ChainList{},
	"Drain": wire.Drain{}, "DrainRequest": wire.DrainRequest{}, "Evaluator": wire.Evaluator{}, "Event": wire.Event{}, "Failover": wire.Failover{}, "FailoverEndpoint": wire.FailoverEndpoint{}, "Health": wire.Health{}, "Metrics": wire.Metrics{}, "Pin": wire.Pin{},
	"PinRequest": wire.PinRequest{}, "ProbeError": wire.ProbeError{}, "Problem": wire.Problem{}, "Provider": wire.Provider{}, "Recovery": wire.Recovery{},
	"StatusChange": StatusChange{}, "Tip": wire.Tip{},
}

// words are schemas that are single words.
var words = []string{"State", "Status"}

// document is the OpenAPI document.
type document struct {
	t    *testing.T
	root map[string]any
	// compiler knows the document under this name.
	compiler *jsonschema.Compiler
}

func readDocument(t *testing.T) *document {
	t.Helper()
	d := &document{t: t}
	var parsed any
	require.NoError(t, yaml.Unmarshal(get(newAPI(t, newFakeView(), Options{}), "/openapi.yaml").Body.Bytes(), &parsed))
	text, err := json.Marshal(parsed)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &d.root))
	again, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	d.compiler = jsonschema.NewCompiler()
	d.compiler.AssertFormat()
	require.NoError(t, d.compiler.AddResource("understudy.json", again))
	return d
}

// at follows a path of members and all references.
func (d *document) at(from any, path ...string) any {
	d.t.Helper()
	for {
		m, _ := from.(map[string]any)
		if reference, ok := m["$ref"].(string); ok {
			from = d.at(d.root, strings.Split(strings.TrimPrefix(reference, "#/"), "/")...)
			continue
		}
		if len(path) == 0 {
			return from
		}
		next, ok := m[path[0]]
		require.True(d.t, ok, "there is no %s", path[0])
		from, path = next, path[1:]
	}
}

// members are the members of an object, references followed.
func (d *document) members(from any, path ...string) map[string]any {
	d.t.Helper()
	m, ok := d.at(from, path...).(map[string]any)
	require.True(d.t, ok, "%v is no object", path)
	return m
}

// operations are the operations by method and path.
func (d *document) operations() map[string]map[string]any {
	found := map[string]map[string]any{}
	for path, item := range d.members(d.root, "paths") {
		for method, operation := range d.members(item) {
			if method != "parameters" {
				found[strings.ToUpper(method)+" "+path] = d.members(operation)
			}
		}
	}
	return found
}

// requireValid holds that JSON is valid against a named schema and, decoded
// strictly and encoded again, the same.
func (d *document) requireValid(name string, text []byte) {
	d.t.Helper()
	schema, err := d.compiler.Compile("understudy.json#/components/schemas/" + name)
	require.NoError(d.t, err)
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(d.t, err)
	require.NoError(d.t, schema.Validate(value), "%s: %s", name, text)
	shape, ok := shapes[name]
	require.True(d.t, ok, "the schema %s has no shape", name)
	target := reflect.New(reflect.TypeOf(shape))
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	require.NoError(d.t, decoder.Decode(target.Interface()), name)
	again, err := json.Marshal(target.Interface())
	require.NoError(d.t, err)
	require.JSONEq(d.t, string(text), string(again))
}

// schemaName is the schema that a content refers to; "" if it is written in
// place.
func schemaName(content map[string]any) string {
	schema, _ := content["schema"].(map[string]any)
	reference, _ := schema["$ref"].(string)
	return strings.TrimPrefix(reference, "#/components/schemas/")
}

func TestEveryRouteIsDescribedAndTheOtherWayRound(t *testing.T) {
	t.Parallel()
	d := readDocument(t)
	routes := slices.Clone(elsewhere)
	a := newAPI(t, newFakeView(), Options{Webhook: http.NotFoundHandler()})
	require.NoError(t, chi.Walk(a.router, func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		if method != http.MethodHead {
			routes = append(routes, method+" "+route)
		}
		return nil
	}))
	require.ElementsMatch(t, routes, slices.Collect(maps.Keys(d.operations())))
	ids := map[any]bool{}
	for route, operation := range d.operations() {
		require.NotEmpty(t, operation["summary"], route)
		require.False(t, ids[operation["operationId"]], route)
		ids[operation["operationId"]] = true
		for name := range strings.SplitSeq(route, "{") {
			if name, _, parameter := strings.Cut(name, "}"); parameter {
				require.Contains(t, d.pathParameters(route), name, route)
			}
		}
	}
}

// pathParameters are the names of the parameters of a path.
func (d *document) pathParameters(route string) []string {
	_, path, _ := strings.Cut(route, " ")
	var names []string
	parameters, _ := d.members(d.root, "paths", path)["parameters"].([]any)
	for _, p := range parameters {
		names = append(names, fmt.Sprint(d.members(p)["name"]))
	}
	return names
}

func TestSchemasAreTheShapes(t *testing.T) {
	t.Parallel()
	d := readDocument(t)
	schemas := d.members(d.root, "components", "schemas")
	require.ElementsMatch(t, slices.Concat(slices.Collect(maps.Keys(shapes)), words), slices.Collect(maps.Keys(schemas)))
	for name, shape := range shapes {
		var all, required []string
		for field := range reflect.TypeOf(shape).Fields() {
			member, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			all = append(all, member)
			if options == "" {
				required = append(required, member)
			}
		}
		require.ElementsMatch(t, all, slices.Collect(maps.Keys(d.members(schemas, name, "properties"))), name)
		var said []string
		list, _ := d.members(schemas, name)["required"].([]any)
		for _, member := range list {
			said = append(said, fmt.Sprint(member))
		}
		require.ElementsMatch(t, required, said, name)
	}
}

func TestExamplesAreValid(t *testing.T) {
	t.Parallel()
	d := readDocument(t)
	count := map[string]int{}
	check := func(where string, from any) {
		contents, _ := d.members(from)["content"].(map[string]any)
		for kind, content := range contents {
			content := d.members(content)
			examples, _ := content["examples"].(map[string]any)
			for name, example := range examples {
				value := d.at(example, "value")
				switch {
				case schemaName(content) != "":
					text, err := json.Marshal(value)
					require.NoError(t, err)
					d.requireValid(schemaName(content), text)
				case kind == "text/event-stream":
					d.checkStream(value)
				case strings.HasPrefix(kind, "text/"):
					require.IsType(t, "", value, "%s %s", where, name)
				}
				count[schemaName(content)]++
			}
		}
	}
	for route, operation := range d.operations() {
		if body, ok := operation["requestBody"]; ok {
			check(route, body)
		}
		for status, response := range d.members(operation, "responses") {
			check(route+" "+status, response)
		}
	}
	for _, name := range []string{"Active", "ActiveList", "Chain", "ChainList", "DrainRequest", "PinRequest", "Problem", "Health", "Metrics"} {
		require.Positive(t, count[name], "there is no example of %s", name)
	}
}

// checkStream checks the data of an example of events.
func (d *document) checkStream(value any) {
	d.t.Helper()
	stream := &listener{}
	text, ok := value.(string)
	require.True(d.t, ok)
	stream.text.WriteString(strings.ReplaceAll(text, ": still here\n\n", ""))
	names := map[string]string{EventActive: "Active", EventStatus: "StatusChange", EventAlert: "AlertChange"}
	seen := map[string]bool{}
	for _, e := range stream.parsed(d.t, stream.text.String()) {
		seen[e.kind] = true
		if name, ok := names[e.kind]; ok {
			d.requireValid(name, []byte(e.data))
		}
	}
	require.Len(d.t, seen, 4, "every kind has an example")
}

// produce makes an answer of a route with a status.
type produce func(*testing.T) *httptest.ResponseRecorder

// producers are requests for every status code that the document has.
func producers() map[string]produce {
	made := map[string]produce{}
	type world struct {
		v *fakeView
		o *fakeOperator
		Options
	}
	add := func(key, path, body string, change func(*world), headers ...string) {
		made[key] = func(t *testing.T) *httptest.ResponseRecorder {
			w := world{v: newFakeView(), o: &fakeOperator{}, Options: Options{MaxWatchers: -1}}
			if change != nil {
				change(&w)
			}
			w.Operator = w.o
			method, _, _ := strings.Cut(key, " ")
			return request(newAPI(t, w.v, w.Options), method, path, body, headers...)
		}
	}
	for route, path := range map[string]string{"/active": "/active", "/active/{chain}": "/active/btc"} {
		add("GET "+route+" 200", path, "", nil)
		add("GET "+route+" 304", path, "", nil, "If-None-Match", "*")
		add("GET "+route+" 400", path+"?wait=x", "", nil)
		add("GET "+route+" 503", path+"?index=42&wait=1s", "", nil)
	}
	add("GET /active/{chain} 404", "/active/btx", "", nil)
	add("GET /events 400", "/events?index=x", "", nil)
	add("GET /events 404", "/events?chain=btx", "", nil)
	add("GET /events 503", "/events", "", nil)
	made["GET /events 200"] = func(t *testing.T) *httptest.ResponseRecorder {
		return request(newAPI(t, newFakeView(), Options{}), http.MethodHead, "/events", "")
	}
	for route, path := range map[string]string{"/thorchain/providers": "/thorchain/providers", "/thorchain/providers/{chain}": "/thorchain/providers/btc"} {
		add("GET "+route+" 200", path, "", nil)
		add("GET "+route+" 400", path+"?status=x", "", nil)
	}
	add("GET /thorchain/providers/{chain} 404", "/thorchain/providers/btx", "", nil)
	for route, path := range map[string]string{"PUT " + routeDrain: drainPath, "DELETE " + routeDrain: drainPath, "PUT " + routePin: pinPath, "DELETE " + routePin: pinPath, "POST " + routeFailback: "/thorchain/providers/btc/failback"} {
		body := `{"provider":"quicknode"}`
		if strings.HasSuffix(route, "/drain") {
			body = ""
		}
		add(route+" 200", path, body, nil, "Content-Type", jsonType)
		add(route+" 401", path, body, func(w *world) { w.AdminToken = "t" }, "Content-Type", jsonType)
		add(route+" 403", path, body, func(w *world) { w.Trusted = nobodyTrusted }, "Content-Type", jsonType)
		add(route+" 404", path, body, func(w *world) { w.o.err = ErrUnknownChain }, "Content-Type", jsonType)
		add(route+" 503", path, body, func(w *world) { w.o.err = context.DeadlineExceeded }, "Content-Type", jsonType)
		if strings.HasPrefix(route, "PUT") {
			add(route+" 400", path, "{", nil, "Content-Type", jsonType)
			add(route+" 413", path, strings.Repeat(" ", maxBody+1), nil, "Content-Type", jsonType)
			add(route+" 415", path, "{}", nil)
		}
	}
	add("POST "+routeFailback+" 409", "/thorchain/providers/btc/failback", "", func(w *world) { w.o.err = ErrNothingAwaits })
	add("GET /health 200", "/health?chain=btc", "", func(w *world) { w.Failover = oneEndpoint })
	add("GET /health 404", "/health?chain=btx", "", nil)
	add("GET /health 503", "/health", "", func(w *world) { w.v.set(nobody("btc")) })
	add("GET /-/healthy 200", "/-/healthy", "", nil)
	add("GET /-/ready 200", "/-/ready", "", nil)
	add("GET /-/ready 503", "/-/ready", "", func(w *world) { w.v.missing = []error{io.EOF} })
	add("GET /openapi.yaml 200", "/openapi.yaml", "", nil)
	for status, o := range map[int]facts.WebhookOptions{200: {}, 400: {}, 401: {Token: "t"}, 403: {}, 408: {}, 413: {}, 415: {}, 503: {Ready: func() bool { return false }}} {
		body, headers := `{"version":"4","groupKey":"k","status":"firing","receiver":"r","alerts":[]}`, []string{"Content-Type", jsonType}
		switch status {
		case 400:
			body = "{"
		case 413:
			body = strings.Repeat(" ", facts.MaxBody+1)
		case 415:
			headers = nil
		}
		o.Table = facts.New(facts.Options{}, time.Time{})
		add("POST "+routeWebhook+" "+strconv.Itoa(status), routeWebhook, body, func(w *world) {
			w.Webhook = facts.NewWebhook(o)
			if status == 403 {
				w.Trusted = nobodyTrusted
			}
		}, headers...)
	}
	made["POST "+routeWebhook+" 408"] = func(t *testing.T) *httptest.ResponseRecorder {
		a := newAPI(t, newFakeView(), Options{Webhook: facts.NewWebhook(facts.WebhookOptions{Table: facts.New(facts.Options{}, time.Time{})})})
		r := httptest.NewRequest(http.MethodPost, routeWebhook, iotest.ErrReader(io.ErrUnexpectedEOF))
		r.Host = "localhost"
		r.Header.Set("Content-Type", jsonType)
		w := httptest.NewRecorder()
		a.ServeHTTP(w, r)
		return w
	}
	return made
}

func TestEveryStatusOfTheDocumentIsGivenAsDescribed(t *testing.T) {
	t.Parallel()
	d := readDocument(t)
	made := producers()
	described := map[string]map[string]any{}
	for route, operation := range d.operations() {
		if slices.Contains(elsewhere, route) {
			continue
		}
		for status, response := range d.members(operation, "responses") {
			described[route+" "+status] = d.members(response)
		}
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(described)), slices.Collect(maps.Keys(made)))
	for key, p := range made {
		t.Run(key, func(t *testing.T) {
			d.t = t
			w := p(t)
			require.True(t, strings.HasSuffix(key, " "+strconv.Itoa(w.Code)), "%d %s", w.Code, w.Body)
			contents, _ := described[key]["content"].(map[string]any)
			if len(contents) == 0 {
				require.Empty(t, w.Body.String())
				return
			}
			kind, _, err := mime.ParseMediaType(w.Header().Get("Content-Type"))
			require.NoError(t, err)
			require.Contains(t, contents, kind)
			if name := schemaName(d.members(contents[kind])); name != "" {
				d.requireValid(name, w.Body.Bytes())
			}
			headers, _ := described[key]["headers"].(map[string]any)
			for name := range headers {
				if name != "Retry-After" || kind == "application/problem+json" {
					require.NotEmpty(t, w.Header().Get(name), name)
				}
			}
		})
	}
}
