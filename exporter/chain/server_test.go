package chain

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

// patience is how long a test waits for what must come at once; it only ends a
// test that fails.
const patience = 30 * time.Second

// provider makes a provider of a type at an address, with changes to its
// configuration.
func provider(tb testing.TB, kind config.Kind, typ config.Type, address string, changes ...func(*config.Chain, *config.Provider)) *Provider {
	tb.Helper()
	c, p := scriptedChain(tb, kind, typ)
	var err error
	p.RPCHost, err = config.ParseURL(address)
	require.NoError(tb, err)
	c.Failover.RequestTimeout = patience
	for _, change := range changes {
		change(&c, &p)
	}
	made, err := New(c, p)
	require.NoError(tb, err)
	return made
}

// talk begins a talk with a provider that ends with the test.
func talk(tb testing.TB, p *Provider) *Session {
	tb.Helper()
	s := p.session()
	tb.Cleanup(s.end)
	return s
}

// evmAt makes an evm-rpc provider at an address.
func evmAt(tb testing.TB, address string, changes ...func(*config.Chain, *config.Provider)) *Provider {
	tb.Helper()
	return provider(tb, config.EVM, config.EVMRPC, address, changes...)
}

// within sets the time for a request.
func within(d time.Duration) func(*config.Chain, *config.Provider) {
	return func(c *config.Chain, _ *config.Provider) { c.Failover.RequestTimeout = d }
}

// serve starts a server on loopback.
func serve(tb testing.TB, handler http.HandlerFunc) string {
	tb.Helper()
	server := httptest.NewServer(handler)
	tb.Cleanup(server.Close)
	return server.URL
}

// goodBlock is a block of an EVM chain, as an answer to any method: "$id" is the
// id of the request.
const goodBlock = `{"jsonrpc":"2.0","id":"$id","result":{"number":"0x10","timestamp":"0x65920080",` +
	`"hash":"0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3",` +
	`"parentHash":"0x88e96d4537bea4d9c05d12549907b32561d3bf31f45aae734cdc119f13406cb6","transactions":[]}}`

// say answers with a status, header fields and a body, in which "$id" is the id
// of the request.
func say(status int, header map[string]string, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for name, value := range header {
			w.Header().Set(name, value)
		}
		text := body
		if q := readQuestion(r); len(q.IDs) > 0 {
			text = strings.ReplaceAll(text, `"$id"`, q.IDs[0])
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text))
	}
}

// askOnce asks a provider what its protocol allows, in the way in which dialects
// do it, and returns how that failed.
func askOnce(ctx context.Context, p *Provider) error {
	s := p.session()
	defer s.end()
	var answer struct {
		Height *Decimal `json:"height"`
	}
	var err error
	switch p.typ {
	case config.EVMRPC:
		_, err = p.Observe(ctx, Ask{})
		return err
	case config.EsploraREST:
		var text string
		if text, err = s.GetText(ctx, "blocks/tip/height"); err == nil {
			if _, bad := parseDecimal(text); bad != nil {
				err = s.Reject(bad.Error())
			}
		}
		return err
	case config.BlockchairREST, config.CosmosREST, config.HorizonREST, config.CometBFTRPC:
		err = s.GetJSON(ctx, "latest", nil, &answer)
	case config.TronHTTP, config.XRPLRPC:
		err = s.PostJSON(ctx, "wallet/getnowblock", struct{}{}, &answer)
	default:
		err = s.Call(ctx, "getblock", nil, &answer)
	}
	if err == nil && answer.Height == nil {
		err = s.Reject("no height")
	}
	return err
}
