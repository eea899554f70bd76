package simulator

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// sorobanRPC is soroban-rpc as stellar-rpc speaks it. The XDR in its answers is
// what the network's own client libraries decode.
var sorobanRPC = &rpcService{
	methods: map[string]rpcMethod{
		"getHealth":           sorobanHealth,
		"getLatestLedger":     sorobanLatest,
		"getNetwork":          sorobanNetwork,
		"getVersionInfo":      sorobanVersion,
		"getFeeStats":         sorobanFees,
		"getLedgers":          sorobanLedgers,
		"getLedgerEntries":    sorobanEntries,
		"simulateTransaction": sorobanSimulate,
		"sendTransaction":     sorobanSend,
		"getTransaction":      sorobanTransaction,
		"getEvents":           sorobanEvents,
	},
	unknown: func(method string) *rpcError {
		return &rpcError{Code: -32601, Message: fmt.Sprintf("no such method %q", method)}
	},
	before: func(v *view, method string) *rpcError {
		if v.Starting && method != "getNetwork" && method != "getVersionInfo" {
			return &rpcError{Code: -32603, Message: "data stores are not initialized"}
		}
		return nil
	},
	heights: map[string]bool{"latestLedger": true, "oldestLedger": true, "sequence": true},
}

// sorobanWindow is how many ledgers are kept: a week.
const sorobanWindow = 120960

// sorobanStale is the age of the newest ledger above which stellar-rpc calls
// itself unhealthy; its max-healthy-ledger-latency.
const sorobanStale = 30 * time.Second

// sorobanOldest is the oldest ledger that is kept; the first one has number 2
// in a database, since 1 is the genesis.
func sorobanOldest(v *view) uint64 {
	return max(2, v.lowest(), v.below(sorobanWindow-1))
}

// sorobanTimes are the close times of both ends, as text.
func sorobanTimes(v *view) (latest, oldest string) {
	return strconv.FormatInt(v.time(v.tip).Unix(), 10), strconv.FormatInt(v.time(sorobanOldest(v)).Unix(), 10)
}

func sorobanHealth(v *view, _ args) (any, *rpcError) {
	stale := v.Health == HealthHonest && v.age() > sorobanStale
	if stale || v.Health == HealthBad {
		age := max(v.age(), sorobanStale+time.Second).Round(time.Second)
		return nil, &rpcError{Code: -32603, Message: fmt.Sprintf("latency (%s) since last known ledger closed is too high (>%s)", age, sorobanStale)}
	}
	latest, oldest := sorobanTimes(v)
	return map[string]any{
		"status": "healthy", "latestLedger": v.tip, "latestLedgerCloseTime": latest, "oldestLedger": sorobanOldest(v),
		"oldestLedgerCloseTime": oldest, "ledgerRetentionWindow": sorobanWindow,
	}, nil
}

func sorobanLatest(v *view, _ args) (any, *rpcError) {
	b := v.block(v.tip)
	return map[string]any{
		"id": b.Hash.Hex(), "protocolVersion": stellarProtocol, "sequence": v.tip, "closeTime": strconv.FormatInt(b.Time.Unix(), 10),
		"headerXdr": stellarHeader(b).base64(), "metadataXdr": stellarMeta(b).base64(),
	}, nil
}

func sorobanNetwork(v *view, _ args) (any, *rpcError) {
	out := map[string]any{"passphrase": v.identity.Network, "protocolVersion": stellarProtocol}
	if strings.HasPrefix(v.identity.Network, "Test SDF") {
		out["friendbotUrl"] = "https://friendbot.stellar.org/"
	}
	return out, nil
}

func sorobanVersion(*view, args) (any, *rpcError) {
	return map[string]any{
		"version": "23.0.4", "commitHash": strings.Repeat("0", 40), "buildTimestamp": "2025-09-01T00:00:00",
		"captiveCoreVersion": "stellar-core 23.0.1", "protocolVersion": stellarProtocol,
	}, nil
}

func sorobanFees(v *view, _ args) (any, *rpcError) {
	fees := map[string]string{"max": "100", "min": "100", "mode": "100", "p50": "100", "p99": "100", "transactionCount": "10", "ledgerCount": "50"}
	return map[string]any{"sorobanInclusionFee": fees, "inclusionFee": fees, "latestLedger": v.tip}, nil
}

// sorobanPage is the part of a request that pages have.
type sorobanPage struct {
	StartLedger uint64 `json:"startLedger"`
	Pagination  struct {
		Cursor string `json:"cursor"`
		Limit  uint64 `json:"limit"`
	} `json:"pagination"`
}

// page reads named parameters.
func (a args) page() (p sorobanPage, err error) {
	raw, err := json.Marshal(a.named)
	if err != nil {
		return p, err
	}
	return p, json.Unmarshal(raw, &p)
}

func sorobanLedgers(v *view, a args) (any, *rpcError) {
	p, err := a.page()
	if err != nil {
		return nil, &rpcError{Code: -32602, Message: "invalid parameters"}
	}
	start := p.StartLedger
	if p.Pagination.Cursor != "" {
		after, err := strconv.ParseUint(p.Pagination.Cursor, 10, 32)
		if err != nil {
			return nil, &rpcError{Code: -32602, Message: "invalid cursor"}
		}
		start = after + 1
	}
	if start < sorobanOldest(v) || !v.has(start) {
		return nil, &rpcError{Code: -32600, Message: fmt.Sprintf("start ledger (%d) must be between the oldest ledger: %d and the latest ledger: %d for this rpc instance", start, sorobanOldest(v), v.tip)}
	}
	limit := p.Pagination.Limit
	if limit == 0 {
		limit = 50
	}
	ledgers := []map[string]any{}
	for height := start; height <= v.tip && height-start < min(limit, 200); height++ {
		b := v.block(height)
		ledgers = append(ledgers, map[string]any{
			"hash": b.Hash.Hex(), "sequence": height, "ledgerCloseTime": strconv.FormatInt(b.Time.Unix(), 10),
			"headerXdr": stellarHistoryEntry(b).base64(), "metadataXdr": stellarMeta(b).base64(),
		})
	}
	return map[string]any{
		"ledgers": ledgers, "latestLedger": v.tip, "latestLedgerCloseTime": v.time(v.tip).Unix(),
		"oldestLedger": sorobanOldest(v), "oldestLedgerCloseTime": v.time(sorobanOldest(v)).Unix(),
		"cursor": strconv.FormatUint(start+uint64(len(ledgers))-1, 10),
	}, nil
}

// sorobanEntries has an account for everybody, and nothing else.
func sorobanEntries(v *view, a args) (any, *rpcError) {
	var keys []string
	if json.Unmarshal(a.raw(0, "keys"), &keys) != nil {
		return nil, &rpcError{Code: -32602, Message: "invalid parameters"}
	}
	entries := []map[string]any{}
	for _, key := range keys {
		raw, err := base64.StdEncoding.DecodeString(key)
		if err != nil {
			return nil, &rpcError{Code: -32602, Message: "cannot unmarshal key value " + key}
		}
		if entry, ok := stellarAccount(raw); ok {
			entries = append(entries, map[string]any{"key": key, "xdr": entry.base64(), "lastModifiedLedgerSeq": sorobanOldest(v)})
		}
	}
	return map[string]any{"entries": entries, "latestLedger": v.tip}, nil
}

func sorobanSimulate(v *view, a args) (any, *rpcError) {
	if _, ok := a.text(0, "transaction"); !ok {
		return nil, &rpcError{Code: -32602, Message: "invalid parameters"}
	}
	return map[string]any{
		"transactionData": stellarResources().base64(), "minResourceFee": "100", "events": []string{},
		"results": []map[string]any{{"auth": []string{}, "xdr": stellarVoid().base64()}}, "latestLedger": v.tip,
	}, nil
}

// sorobanSend accepts any transaction, which is in the next ledger.
func sorobanSend(v *view, a args) (any, *rpcError) {
	raw, ok := a.text(0, "transaction")
	if !ok {
		return nil, &rpcError{Code: -32602, Message: "invalid parameters"}
	}
	latest, _ := sorobanTimes(v)
	return map[string]any{
		"status": "PENDING", "hash": v.chain.submit(raw, v.tip).Hex(), "latestLedger": v.tip, "latestLedgerCloseTime": latest,
	}, nil
}

// sorobanTransaction knows what was sent to any provider of the chain, once
// this one has the ledger.
func sorobanTransaction(v *view, a args) (any, *rpcError) {
	id, ok := a.text(0, "hash")
	if !ok || len(id) != 64 {
		return nil, &rpcError{Code: -32602, Message: "unexpected hash length (" + strconv.Itoa(len(id)) + ")"}
	}
	latest, oldest := sorobanTimes(v)
	out := map[string]any{
		"status": "NOT_FOUND", "latestLedger": v.tip, "latestLedgerCloseTime": latest, "oldestLedger": sorobanOldest(v),
		"oldestLedgerCloseTime": oldest, "ledger": 0, "createdAt": "0", "applicationOrder": 0, "feeBump": false, "txHash": id,
	}
	sent, known := v.chain.submission(id)
	if known && sent.at < v.tip {
		out["status"], out["ledger"], out["applicationOrder"] = "SUCCESS", sent.at+1, 1
		out["createdAt"] = strconv.FormatInt(v.time(sent.at+1).Unix(), 10)
		out["envelopeXdr"], out["resultXdr"], out["resultMetaXdr"] = sent.raw, stellarSuccess().base64(), stellarNoChange().base64()
	}
	return out, nil
}

// sorobanEvents has none, but keeps the range.
func sorobanEvents(v *view, a args) (any, *rpcError) {
	p, err := a.page()
	if err != nil {
		return nil, &rpcError{Code: -32602, Message: "invalid parameters"}
	}
	if p.Pagination.Cursor == "" && (p.StartLedger < sorobanOldest(v) || p.StartLedger > v.tip) {
		return nil, &rpcError{Code: -32600, Message: fmt.Sprintf("startLedger must be within the ledger range: %d - %d", sorobanOldest(v), v.tip)}
	}
	latest, oldest := sorobanTimes(v)
	return map[string]any{
		"events": []string{}, "latestLedger": v.tip, "latestLedgerCloseTime": latest, "oldestLedger": sorobanOldest(v), "oldestLedgerCloseTime": oldest,
		"cursor": fmt.Sprintf("%019d-4294967295", v.tip<<32),
	}, nil
}
