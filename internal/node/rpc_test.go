package node

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDecodeTellsResultsFromRefusals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		status int
		body   string
		want   int64
		err    *RPCError
	}{
		{name: "a result", status: 200, body: `{"result":7,"error":null,"id":1}`, want: 7},
		{
			name: "an error with a status of its own", status: 500,
			body: `{"result":null,"error":{"code":-8,"message":"Block height out of range"},"id":1}`,
			err:  &RPCError{Status: 500, Code: -8, Message: "Block height out of range"},
		},
		{
			name: "an error at status 200, with details", status: 200,
			body: `{"error":{"code":-32603,"message":"Internal error","data":"height 9 must be less"}}`,
			err:  &RPCError{Status: 200, Code: -32603, Message: "Internal error: height 9 must be less"},
		},
		{
			name: "a refusal that is plain text", status: 500, body: "Work queue depth exceeded\n",
			err: &RPCError{Status: 500, Message: "Work queue depth exceeded"},
		},
		{
			name: "a result under a status that is none", status: 503, body: `{"result":7}`,
			err: &RPCError{Status: 503, Message: `{"result":7}`},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got int64
			err := decode(tt.status, []byte(tt.body), &got)
			if tt.err == nil {
				require.NoError(t, err)
				require.Equal(t, tt.want, got)
				return
			}
			require.Equal(t, tt.err, err)
		})
	}
	require.Error(t, decode(200, []byte(`{"id":1}`), new(int64)), "neither a result nor an error")
}

func TestCallSendsMethodParametersAndPassword(t *testing.T) {
	t.Parallel()
	type question struct {
		Method string `json:"method"`
		Params []any  `json:"params"`
		User   string
		Secret string
	}
	var got question
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Errorf("question: %v", err)
		}
		got.User, got.Secret, _ = r.BasicAuth()
		_, _ = w.Write([]byte(`{"result":"0xa"}`))
	}))
	t.Cleanup(server.Close)
	endpoint := RPC{address: strings.TrimPrefix(server.URL, "http://"), user: "u", password: "p"}

	var result string
	require.NoError(t, endpoint.Call(t.Context(), &result, "eth_call", "0x1", false))
	require.Equal(t, "0xa", result)
	require.Equal(t, question{Method: "eth_call", Params: []any{"0x1", false}, User: "u", Secret: "p"}, got)

	require.NoError(t, endpoint.WithPassword("guess").Call(t.Context(), nil, "getblockcount"))
	require.Equal(t, question{Method: "getblockcount", Params: []any{}, User: "u", Secret: "guess"}, got)
}

func TestURLShowsThePasswordOnlyWhenAskedTo(t *testing.T) {
	t.Parallel()
	secured := RPC{address: "127.0.0.1:1", user: "u", password: "p w"}
	require.Equal(t, "http://127.0.0.1:1", secured.URL())
	require.Equal(t, "http://u:p%20w@127.0.0.1:1", secured.SecretURL())
	require.Equal(t, "http://127.0.0.1:1", RPC{address: "127.0.0.1:1"}.SecretURL())
}
