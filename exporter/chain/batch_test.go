package chain

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// batchOf sends two calls to a provider that answers a batch like this.
func batchOf(t *testing.T, answer given) ([]json.RawMessage, error) {
	t.Helper()
	s := evmGiving(t, answers{"batch": answer})
	session := s.session()
	results, err := session.Batch(t.Context(), rpcCall{Method: "a", Params: []any{}}, rpcCall{Method: "b", Params: []any{1}})
	require.Len(t, session.exchanges, 1)
	require.Equal(t, "[a, b]", session.exchanges[0].Request)
	return results, err
}

func TestBatchPutsAnswersInTheirPlaces(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"in order":       `[{"id":"$id1","result":"0x1"},{"id":"$id2","result":null}]`,
		"in other order": `[{"id":"$id2","result":null},{"id":"$id1","result":"0x1"}]`,
		"null errors":    `[{"id":"$id1","result":"0x1","error":null},{"id":"$id2","result":null,"error":null}]`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			results, err := batchOf(t, given{Body: body})
			require.NoError(t, err)
			require.Equal(t, []json.RawMessage{json.RawMessage(`"0x1"`), nil}, results)
		})
	}
}

func TestBatchFailures(t *testing.T) {
	t.Parallel()
	const one, two = `{"id":"$id1","result":"0x1"}`, `{"id":"$id2","result":"0x2"}`
	for _, tc := range []struct {
		name   string
		answer given
		want   Reason
	}{
		{"answered in part", given{Body: `[` + one + `]`}, BadResponse},
		{"answered twice", given{Body: `[` + one + `,` + one + `]`}, BadResponse},
		{"one of them answered twice", given{Body: `[` + one + `,` + two + `,` + two + `]`}, BadResponse},
		{"one answer too many", given{Body: `[` + one + `,` + two + `,{"id":1,"result":"0x3"}]`}, BadResponse},
		{"with the id of another request", given{Body: `[` + one + `,{"id":7,"result":"0x3"}]`}, BadResponse},
		{"without an id", given{Body: `[` + one + `,{"result":"0x3"}]`}, BadResponse},
		{"neither result nor error", given{Body: `[` + one + `,{"id":"$id2"}]`}, BadResponse},
		{"an empty array", given{Body: `[]`}, BadResponse},
		{"an array of nulls", given{Body: `[null,null]`}, BadResponse},
		{"an array of numbers", given{Body: `[1,2]`}, BadResponse},
		{"an object with an answer", given{Body: one}, BadResponse},
		{"an object with an error", given{Body: `{"id":null,"error":{"code":-32600,"message":"batch too large"}}`}, RPCError},
		{"an error that is a text", given{Body: `{"error":"batches are not supported here"}`}, RPCError},
		{"HTML", given{Body: "<html></html>"}, BadResponse},
		{"nothing", given{}, BadResponse},
		{"an error in one item", given{Body: `[` + one + `,{"id":"$id2","error":{"code":-32601,"message":"no"}}]`}, MethodUnsupported},
		{"a limit in one item, Alchemy", given{Body: `[{"id":"$id1","error":{"code":429,"message":"Your app has exceeded its compute units per second capacity."}},` + two + `]`}, RateLimited},
		{"a limit in one item, QuickNode", given{Body: `[` + one + `,{"id":"$id2","error":{"code":-32012,"message":"credits limited to 6000/sec"}}]`}, RateLimited},
		{"a limit for all", given{Status: 429, Body: "slow down"}, RateLimited},
		{"a good array beside a bad status", given{Status: 500, Body: `[` + one + `,` + two + `]`}, HTTP5xx},
		{"a good object beside a bad status", given{Status: 502, Body: one}, HTTP5xx},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			results, err := batchOf(t, tc.answer)
			requireFailure(t, err, tc.want)
			require.Nil(t, results)
		})
	}
}
