package simulator_test

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

type sorobanLedger struct {
	ID        string `json:"id"`
	Hash      string `json:"hash"`
	Sequence  uint64 `json:"sequence"`
	CloseTime string `json:"closeTime"`
	Closed    string `json:"ledgerCloseTime"`
	Header    string `json:"headerXdr"`
	Metadata  string `json:"metadataXdr"`
}

type horizonLedger struct {
	Hash       string `json:"hash"`
	Previous   string `json:"prev_hash"`
	Sequence   uint64 `json:"sequence"`
	ClosedAt   string `json:"closed_at"`
	Successful int    `json:"successful_transaction_count"`
}

func TestStellarDialectsAgree(t *testing.T) {
	t.Parallel()
	c := newChain(config.Stellar)
	rpc := simulator.NewProvider(c, simulator.ProviderOptions{Name: "a", Type: config.SorobanRPC})
	rest := simulator.NewProvider(c, simulator.ProviderOptions{Name: "b", Type: config.HorizonREST})
	latest := result[sorobanLedger](t, rpc, "getLatestLedger", `{}`)
	require.Equal(t, c.HashText(1000), latest.ID)
	require.Equal(t, uint64(1000), latest.Sequence)
	require.Equal(t, fmt.Sprint(started.Unix()), latest.CloseTime)
	for _, height := range []uint64{2, 900, 1000} {
		page := result[struct {
			Ledgers []sorobanLedger `json:"ledgers"`
			Latest  uint64          `json:"latestLedger"`
		}](t, rpc, "getLedgers", fmt.Sprintf(`{"startLedger":%d,"pagination":{"limit":1}}`, height))
		require.Len(t, page.Ledgers, 1)
		require.Equal(t, uint64(1000), page.Latest)
		require.Equal(t, height, page.Ledgers[0].Sequence)
		var ledger horizonLedger
		get(rest, fmt.Sprintf("/ledgers/%d", height)).decode(t, &ledger)
		require.Equal(t, page.Ledgers[0].Hash, ledger.Hash)
		require.Equal(t, c.HashText(height), ledger.Hash)
		require.Equal(t, c.HashText(height-1), ledger.Previous)
		require.Equal(t, height, ledger.Sequence)
		require.Equal(t, len(c.Block(height).Transactions), ledger.Successful)
	}
}

// The XDR that the clients decode: a header has 324 bytes when it has no
// upgrades, the place of the number is fixed, and the history entry wraps it.
func TestSorobanXDR(t *testing.T) {
	t.Parallel()
	p := newProvider(config.SorobanRPC, simulator.Behaviour{})
	latest := result[sorobanLedger](t, p, "getLatestLedger", `{}`)
	header, err := base64.StdEncoding.DecodeString(latest.Header)
	require.NoError(t, err)
	require.Len(t, header, 324)
	require.Equal(t, uint64(started.Unix()), binary.BigEndian.Uint64(header[68:]), "close time")
	require.Equal(t, uint32(1000), binary.BigEndian.Uint32(header[148:]), "sequence")
	meta, err := base64.StdEncoding.DecodeString(latest.Metadata)
	require.NoError(t, err)
	require.Len(t, meta, 4+32+324+4+32+16)
	require.Equal(t, latest.ID, fmt.Sprintf("%x", meta[4:36]))
	require.Equal(t, header, meta[36:360])

	key := base64.StdEncoding.EncodeToString(append(make([]byte, 8), strings.Repeat("k", 32)...))
	entries := result[struct {
		Entries []struct {
			Key string `json:"key"`
			XDR string `json:"xdr"`
		} `json:"entries"`
	}](t, p, "getLedgerEntries", `{"keys":["`+key+`","AAAA"]}`)
	require.Len(t, entries.Entries, 1, "only accounts are there")
	account, err := base64.StdEncoding.DecodeString(entries.Entries[0].XDR)
	require.NoError(t, err)
	require.Len(t, account, 84)
}

func TestSorobanNode(t *testing.T) {
	t.Parallel()
	c, clock := ticking(config.Stellar)
	p := simulator.NewProvider(c, simulator.ProviderOptions{Name: "a", Type: config.SorobanRPC})
	health := result[map[string]any](t, p, "getHealth", `{}`)
	require.Equal(t, "healthy", health["status"])
	require.EqualValues(t, 1000, health["latestLedger"])
	require.EqualValues(t, 2, health["oldestLedger"])
	require.Equal(t, "Public Global Stellar Network ; September 2015", result[map[string]any](t, p, "getNetwork", `{}`)["passphrase"])
	require.NotEmpty(t, result[map[string]any](t, p, "getVersionInfo", `{}`)["version"])
	require.EqualValues(t, 1000, result[map[string]any](t, p, "simulateTransaction", `{"transaction":"AAAA"}`)["latestLedger"])

	code, message := failure(t, p, "getLedgers", `{"startLedger":1001,"pagination":{"limit":1}}`)
	require.Equal(t, -32600, code)
	require.Equal(t, "start ledger (1001) must be between the oldest ledger: 2 and the latest ledger: 1000 for this rpc instance", message)
	_, message = failure(t, p, "getEvents", `{"startLedger":1,"filters":[],"pagination":{"limit":1}}`)
	require.Equal(t, "startLedger must be within the ledger range: 2 - 1000", message)

	p.SetBehaviour(simulator.Behaviour{Freeze: true})
	*clock = clock.Add(33 * time.Second)
	code, message = failure(t, p, "getHealth", `{}`)
	require.Equal(t, -32603, code)
	require.Equal(t, "latency (33s) since last known ledger closed is too high (>30s)", message)
	p.SetBehaviour(simulator.Behaviour{FreezeAt: 1000, Health: simulator.HealthGood})
	require.EqualValues(t, 1000, result[map[string]any](t, p, "getHealth", `{}`)["latestLedger"], "stale, and says it is not")
	p.SetBehaviour(simulator.Behaviour{Starting: true})
	_, message = failure(t, p, "getHealth", `{}`)
	require.Equal(t, "data stores are not initialized", message)
}

func TestSorobanTransactionsAreTheChains(t *testing.T) {
	t.Parallel()
	c := newChain(config.Stellar)
	sender := simulator.NewProvider(c, simulator.ProviderOptions{Name: "a", Type: config.SorobanRPC})
	other := simulator.NewProvider(c, simulator.ProviderOptions{Name: "b", Type: config.SorobanRPC, Behaviour: simulator.Behaviour{Lag: 1}})
	type transaction struct {
		Status string `json:"status"`
		Hash   string `json:"hash"`
		Ledger uint64 `json:"ledger"`
	}
	sent := result[transaction](t, sender, "sendTransaction", `{"transaction":"AAAA"}`)
	require.Equal(t, "PENDING", sent.Status)
	status := func(p http.Handler) transaction {
		return result[transaction](t, p, "getTransaction", `{"hash":"`+sent.Hash+`"}`)
	}
	require.Equal(t, "NOT_FOUND", status(sender).Status)
	c.Advance(1)
	require.Equal(t, transaction{Status: "SUCCESS", Ledger: 1001}, status(sender))
	require.Equal(t, "NOT_FOUND", status(other).Status, "the other one does not have the ledger yet")
	c.Advance(1)
	require.Equal(t, "SUCCESS", status(other).Status)
}

func TestHorizon(t *testing.T) {
	t.Parallel()
	p := newProvider(config.HorizonREST, simulator.Behaviour{})
	type root struct {
		Latest     uint64 `json:"history_latest_ledger"`
		Closed     string `json:"history_latest_ledger_closed_at"`
		Elder      uint64 `json:"history_elder_ledger"`
		Core       uint64 `json:"core_latest_ledger"`
		Passphrase string `json:"network_passphrase"`
	}
	var got root
	get(p, "/").decode(t, &got)
	require.Equal(t, root{Latest: 1000, Closed: "2026-03-01T12:00:00Z", Elder: 2, Core: 1000, Passphrase: "Public Global Stellar Network ; September 2015"}, got)
	var page struct {
		Embedded struct {
			Records []horizonLedger `json:"records"`
		} `json:"_embedded"`
	}
	get(p, "/ledgers?order=desc&limit=1").decode(t, &page)
	require.Equal(t, p.Chain().HashText(1000), page.Embedded.Records[0].Hash)
	require.Equal(t, "application/hal+json; charset=utf-8", get(p, "/").header.Get("Content-Type"))
	require.Equal(t, http.StatusOK, get(p, "/health").status)

	p.SetBehaviour(simulator.Behaviour{Lag: 10, PrunedBelow: 900, Health: simulator.HealthBad})
	get(p, "/").decode(t, &got)
	require.Equal(t, uint64(990), got.Latest)
	require.Equal(t, uint64(1000), got.Core, "the node is not behind, its database is")
	health := get(p, "/health")
	require.Equal(t, http.StatusServiceUnavailable, health.status)
	require.JSONEq(t, `{"database_connected":true,"core_up":true,"core_synced":false}`, health.body)

	for path, want := range map[string]string{"/ledgers/5": "410 before_history", "/ledgers/991": "404 not_found", "/nosuch": "404 not_found"} {
		var problem struct {
			Type   string `json:"type"`
			Status int    `json:"status"`
		}
		a := get(p, path)
		a.decode(t, &problem)
		require.Equal(t, a.status, problem.Status)
		require.Equal(t, want, fmt.Sprintf("%d %s", a.status, strings.TrimPrefix(problem.Type, "https://stellar.org/horizon-errors/")))
		require.Equal(t, "application/problem+json; charset=utf-8", a.header.Get("Content-Type"))
	}
}
