package chain

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

// callWith asks a method of a scripted provider that answers with a body.
func callWith(tb testing.TB, body string) (json.RawMessage, *Session, error) {
	tb.Helper()
	c, p := scriptedChain(tb, config.EVM, config.EVMRPC)
	s := newScripted(tb, c, p, func(question) given { return given{Body: body} }).session()
	raw, err := s.CallRaw(tb.Context(), "eth_chainId", nil)
	return raw, s, err
}

func TestCallAcceptsAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, body, want string }{
		{"2.0", `{"jsonrpc":"2.0","id":"$id","result":"0x1"}`, `"0x1"`},
		{"1.0, as bitcoind does", `{"result":"0x1","error":null,"id":"$id"}`, `"0x1"`},
		{"no version", `{"id":"$id","result":"0x1"}`, `"0x1"`},
		{"another version", `{"jsonrpc":"3.0","id":"$id","result":"0x1"}`, `"0x1"`},
		{"more members", `{"jsonrpc":"2.0","id":"$id","result":"0x1","took":3}`, `"0x1"`},
		{"white space", " {\n \"id\" : \"$id\" ,\n \"result\" : \"0x1\" } \n", `"0x1"`},
		{"null", `{"jsonrpc":"2.0","id":"$id","result":null}`, ``},
		{"false", `{"jsonrpc":"2.0","id":"$id","result":false}`, `false`},
		{"a number of any size, as it came", `{"jsonrpc":"2.0","id":"$id","result":1e99999}`, `1e99999`},
		{"the last of two ids", `{"id":1,"jsonrpc":"2.0","id":"$id","result":"0x1"}`, `"0x1"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			raw, s, err := callWith(t, c.body)
			require.NoError(t, err)
			require.Equal(t, c.want, string(raw))
			require.Equal(t, "eth_chainId", s.last().Request)
			require.Empty(t, s.last().Reason)
			require.Equal(t, 200, s.last().Status)
			require.Positive(t, s.last().Bytes)
		})
	}
}

func TestCallRefusesAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body string
		want       Reason
	}{
		{"the id of another request", `{"jsonrpc":"2.0","id":1,"result":"0x1"}`, BadResponse},
		{"the id with a fraction", `{"jsonrpc":"2.0","id":"$id".0,"result":"0x1"}`, BadResponse},
		{"the id with an exponent", `{"jsonrpc":"2.0","id":"$id"e0,"result":"0x1"}`, BadResponse},
		{"no id", `{"jsonrpc":"2.0","result":"0x1"}`, BadResponse},
		{"null as id", `{"jsonrpc":"2.0","id":null,"result":"0x1"}`, BadResponse},
		{"an object as id", `{"jsonrpc":"2.0","id":{},"result":"0x1"}`, BadResponse},
		{"null as id of a null", `{"jsonrpc":"2.0","id":null,"result":null}`, BadResponse},
		{"another id last", `{"id":"$id","id":1,"result":"0x1"}`, BadResponse},
		{"neither result nor error", `{"jsonrpc":"2.0","id":"$id"}`, BadResponse},
		{"no result beside a null error", `{"jsonrpc":"2.0","id":"$id","error":null}`, BadResponse},
		{"both result and error", `{"jsonrpc":"2.0","id":"$id","result":"0x1","error":{"code":-32000,"message":"no"}}`, RPCError},
		{"a null id beside an error", `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no"}}`, RPCError},
		{"no id beside an error", `{"error":{"code":-32000,"message":"no"}}`, RPCError},
		{"trailing garbage", `{"jsonrpc":"2.0","id":"$id","result":"0x1"}x`, BadResponse},
		{"two answers", `{"jsonrpc":"2.0","id":"$id","result":"0x1"}{"jsonrpc":"2.0","id":"$id","result":"0x2"}`, BadResponse},
		{"the answer to a batch", `[{"jsonrpc":"2.0","id":"$id","result":"0x1"}]`, BadResponse},
		{"an empty batch", `[]`, BadResponse},
		{"a text", `"0x1"`, BadResponse},
		{"a number", `1`, BadResponse},
		{"null", `null`, BadResponse},
		{"half an answer", `{"jsonrpc":"2.0","id":"$id","result":"0x`, BadResponse},
		{"a byte order mark", "\ufeff" + `{"jsonrpc":"2.0","id":"$id","result":"0x1"}`, BadResponse},
		{"too deep", `{"jsonrpc":"2.0","id":"$id","result":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`, BadResponse},
		{"too deep an error", `{"jsonrpc":"2.0","id":"$id","error":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`, BadResponse},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			raw, s, err := callWith(t, c.body)
			requireFailure(t, err, c.want)
			require.Nil(t, raw)
			require.Equal(t, c.want, s.last().Reason)
			require.LessOrEqual(t, len(s.last().Text), textLimit+len("…"))
		})
	}
}

// An id that looks right as text is that of a server which does not keep types,
// and may be anybody's.
func TestTheIDAsTextIsRefused(t *testing.T) {
	t.Parallel()
	c, p := scriptedChain(t, config.EVM, config.EVMRPC)
	s := newScripted(t, c, p, nil)
	s.answer = func(q question) given { return given{Body: `{"id":"` + q.IDs[0] + `","result":"0x1"}`} }
	_, err := s.session().CallRaw(t.Context(), "eth_chainId", nil)
	require.Contains(t, requireFailure(t, err, BadResponse).Text, "id of another request")
}

func TestCallDecodesTheResult(t *testing.T) {
	t.Parallel()
	c, p := scriptedChain(t, config.EVM, config.EVMRPC)
	body := `"0x10"`
	s := newScripted(t, c, p, func(question) given { return given{Body: `{"id":"$id","result":` + body + `}`} }).session()
	n := Quantity(7)
	require.NoError(t, s.Call(t.Context(), "eth_chainId", nil, &n))
	require.EqualValues(t, 16, n)

	body = `null`
	require.NoError(t, s.Call(t.Context(), "eth_chainId", nil, &n))
	require.EqualValues(t, 16, n, "null leaves the result as it was")

	pointer := &n
	require.NoError(t, s.Call(t.Context(), "eth_chainId", nil, &pointer))
	require.Nil(t, pointer, "or is nil")

	for _, body = range []string{`"0x010"`, `16`, `{}`, `"0x20000000000001"`, `-1`, `1.5`} {
		requireFailure(t, s.Call(t.Context(), "eth_chainId", nil, &n), BadResponse)
	}
	require.Len(t, s.exchanges, 9)
}

func TestEveryCallHasItsOwnID(t *testing.T) {
	t.Parallel()
	c, p := scriptedChain(t, config.EVM, config.EVMRPC)
	seen := map[string]bool{}
	s := newScripted(t, c, p, func(q question) given {
		require.False(t, seen[q.IDs[0]], "an answer out of a cache would pass")
		seen[q.IDs[0]] = true
		require.Equal(t, "no-cache", q.Header.Get("Cache-Control"))
		return given{Body: `{"id":"$id","result":true}`}
	})
	for range 3 {
		_, err := s.session().CallRaw(t.Context(), "eth_syncing", nil)
		require.NoError(t, err)
	}
	require.Len(t, seen, 3)
}

func TestRESTErrorsInEveryShape(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body string
		want       restError
	}{
		{"CometBFT", `{"error":{"code":-32603,"message":"Internal error","data":"height 9"}}`, restError{true, Some[int64](-32603), "Internal error height 9"}},
		{"the Cosmos gateway", `{"code":12,"message":"Not Implemented","details":[]}`, restError{true, Some[int64](12), "Not Implemented"}},
		{"TronGrid", `{"Error":"suspended"}`, restError{found: true, text: "suspended"}},
		{"Blockchair", `{"data":null,"context":{"code":430,"error":"Blocked"}}`, restError{true, Some[int64](430), "Blocked"}},
		{"Blockchair's success", `{"data":{"best_block_height":1},"context":{"code":200}}`, restError{text: `{"data":{"best_block_height":1},"context":{"code":200}}`}},
		{"Horizon", `{"type":"https://stellar.org/horizon-errors/not_found","title":"Resource Missing","detail":"none"}`, restError{found: true, text: "Resource Missing none https://stellar.org/horizon-errors/not_found"}},
		{"a message beside members of other types", `{"code":{},"message":"no","type":7,"title":[]}`, restError{found: true, text: "no"}},
		{"a null error", `{"error":null,"height":1}`, restError{text: `{"error":null,"height":1}`}},
		{"an empty message", `{"message":"","height":1}`, restError{text: `{"message":"","height":1}`}},
		{"an array", `[1]`, restError{text: `[1]`}},
		{"no JSON", `Too busy`, restError{text: "Too busy"}},
		{"nothing", ``, restError{text: "empty body"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, readRESTError([]byte(c.body)))
		})
	}
}
