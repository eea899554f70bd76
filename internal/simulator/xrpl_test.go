package simulator_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

// xrplResult asks in rippled's own form and decodes the result.
func xrplResult[T any](t *testing.T, p http.Handler, method, params string) T {
	t.Helper()
	var out struct {
		Result T `json:"result"`
	}
	got := postTo(p, "/", `{"method":"`+method+`","params":[`+params+`]}`)
	require.Equal(t, http.StatusOK, got.status)
	got.decode(t, &out)
	return out.Result
}

type serverInfo struct {
	Status string `json:"status"`
	Info   struct {
		State     string  `json:"server_state"`
		Complete  string  `json:"complete_ledgers"`
		Peers     *int    `json:"peers"`
		NetworkID *uint64 `json:"network_id"`
		Validated *struct {
			Seq  uint64 `json:"seq"`
			Hash string `json:"hash"`
			Age  int64  `json:"age"`
		} `json:"validated_ledger"`
	} `json:"info"`
}

func TestXRPLServerInfo(t *testing.T) {
	t.Parallel()
	p := newProvider(config.XRPLRPC, simulator.Behaviour{})
	got := xrplResult[serverInfo](t, p, "server_info", `{}`)
	require.Equal(t, "success", got.Status)
	require.Equal(t, "full", got.Info.State)
	require.Equal(t, "0-1000", got.Info.Complete)
	require.Equal(t, uint64(1000), got.Info.Validated.Seq)
	require.Equal(t, p.Chain().Hash(1000).Upper(), got.Info.Validated.Hash)
	require.Zero(t, got.Info.Validated.Age)
	require.Equal(t, 21, *got.Info.Peers)
	require.Zero(t, *got.Info.NetworkID)

	p.SetBehaviour(simulator.Behaviour{Lag: 10, Syncing: true, Peers: -1, PrunedBelow: 600, Identity: simulator.Identity{Network: "1"}})
	got = xrplResult[serverInfo](t, p, "server_info", `{}`)
	require.Equal(t, "syncing", got.Info.State)
	require.Equal(t, "600-990", got.Info.Complete)
	require.Equal(t, int64(10), got.Info.Validated.Age)
	require.Nil(t, got.Info.Peers)
	require.Equal(t, uint64(1), *got.Info.NetworkID)

	p.SetBehaviour(simulator.Behaviour{Starting: true})
	got = xrplResult[serverInfo](t, p, "server_info", `{}`)
	require.Equal(t, "disconnected", got.Info.State)
	require.Nil(t, got.Info.Validated)
}

func TestXRPLLedger(t *testing.T) {
	t.Parallel()
	type ledger struct {
		Hash      string `json:"ledger_hash"`
		Index     uint64 `json:"ledger_index"`
		Validated bool   `json:"validated"`
		Ledger    struct {
			CloseTime    int64    `json:"close_time"`
			ParentHash   string   `json:"parent_hash"`
			Index        string   `json:"ledger_index"`
			Transactions []string `json:"transactions"`
		} `json:"ledger"`
	}
	p := newProvider(config.XRPLRPC, simulator.Behaviour{})
	c := p.Chain()
	got := xrplResult[ledger](t, p, "ledger", `{"ledger_index":"validated","transactions":true}`)
	require.Equal(t, c.Hash(1000).Upper(), got.Hash)
	require.Equal(t, uint64(1000), got.Index)
	require.Equal(t, "1000", got.Ledger.Index)
	require.Equal(t, started.Unix()-946684800, got.Ledger.CloseTime)
	require.Equal(t, c.Hash(999).Upper(), got.Ledger.ParentHash)
	require.Len(t, got.Ledger.Transactions, len(c.Block(1000).Transactions))
	require.True(t, got.Validated)
	require.Equal(t, c.Hash(900).Upper(), xrplResult[ledger](t, p, "ledger", `{"ledger_index":900}`).Hash)
	require.Equal(t, c.Hash(900).Upper(), xrplResult[ledger](t, p, "ledger", `{"ledger_index":"900"}`).Hash)
	require.Equal(t, uint64(900), xrplResult[ledger](t, p, "ledger", `{"ledger_hash":"`+c.Hash(900).Upper()+`"}`).Index)
	require.Empty(t, xrplResult[ledger](t, p, "ledger", `{"ledger_index":900}`).Ledger.Transactions)
}

func TestXRPLErrorsByVersionOfTheEnvelope(t *testing.T) {
	t.Parallel()
	p := newProvider(config.XRPLRPC, simulator.Behaviour{})
	cases := []struct {
		name, body string
		status     int
		want       string
	}{
		{"plain: an error is a result", `{"method":"ledger","params":[{"ledger_index":1001}]}`, 200,
			`{"result":{"error":"lgrNotFound","error_code":21,"error_message":"ledgerNotFound","status":"error","request":{"command":"ledger","ledger_index":1001}}}`},
		{"2.0: an error is an error", `{"method":"ledger","params":[{"ledger_index":1001,"ripplerpc":"2.0"}]}`, 200,
			`{"error":{"error":"lgrNotFound","error_code":21,"code":21,"message":"ledgerNotFound","status":"error"},"ripplerpc":"2.0"}`},
		{"3.0: and an HTTP status", `{"method":"ledger","params":[{"ledger_index":1001,"ripplerpc":"3.0"}]}`, 404,
			`{"error":{"error":"lgrNotFound","error_code":21,"code":21,"message":"ledgerNotFound","status":"error"},"ripplerpc":"3.0"}`},
		{"an unknown method", `{"method":"nosuch","params":[{}]}`, 200,
			`{"result":{"error":"unknownCmd","error_code":32,"error_message":"Unknown method.","status":"error","request":{"command":"nosuch"}}}`},
		{"an id within the parameters comes back, one beside them does not", `{"id":5,"method":"ping","params":[{"id":6}]}`, 200,
			`{"result":{"status":"success"},"id":6}`},
	}
	for _, c := range cases {
		got := postTo(p, "/", c.body)
		require.Equal(t, c.status, got.status, c.name)
		require.JSONEq(t, c.want, got.body, c.name)
	}
	require.Equal(t, "params unparseable\r\n", postTo(p, "/", `{"method":"ping","params":["x"]}`).body)
	require.Equal(t, "Null method\r\n", postTo(p, "/", `{}`).body)
	require.Equal(t, http.StatusBadRequest, postTo(p, "/", `xx`).status)
}
