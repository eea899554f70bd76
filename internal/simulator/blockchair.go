package simulator

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-rpc/understudy/internal/config"
)

// blockchairREST is blockchair-rest, version 2.0.95 of its API. The first part
// of a path is the name of the chain, which is not looked at.
type blockchairREST struct{}

// blockchairHeights are the fields that hold a height.
var blockchairHeights = map[string]bool{"best_block_height": true, "best_ledger_height": true, "state": true, "id": true}

// blockchairTime is a time in UTC that does not say so.
func blockchairTime(t time.Time) string { return t.UTC().Format(time.DateTime) }

func (b blockchairREST) answer(v *view, r *request) reply {
	parts := strings.Split(strings.Trim(r.path, "/"), "/")
	unsupported := slices.Contains(v.Unsupported, r.path)
	switch {
	case unsupported || r.verb != http.MethodGet:
	case len(parts) == 2 && parts[1] == "stats":
		return b.stats(v)
	case len(parts) == 4 && parts[1] == "dashboards" && parts[2] == "block":
		return b.block(v, parts[3])
	}
	return b.failure(v, http.StatusNotFound, "We couldn't find your API request. Please check out our documentation: https://blockchair.com/api/docs")
}

// failure has the HTTP status in its context, too.
func (b blockchairREST) failure(v *view, status int, text string) reply {
	context := b.context(v, status)
	context["error"] = text
	out := v.json(map[string]any{"data": nil, "context": context}, blockchairHeights)
	out.status = status
	return out
}

// context is what stands beside every answer. Its state is the newest block
// that is known.
func (blockchairREST) context(v *view, code int) map[string]any {
	cache := map[string]any{"live": true, "duration": 60, "since": blockchairTime(v.now), "until": blockchairTime(v.now.Add(time.Minute)), "time": nil}
	if v.Cache > 0 {
		cache["live"], cache["duration"] = false, int(v.Cache.Seconds())
		cache["since"], cache["until"] = blockchairTime(v.filled), blockchairTime(v.filled.Add(v.Cache))
	}
	return map[string]any{
		"code": code, "source": "A", "state": v.tip, "market_price_usd": 9900, "cache": cache,
		"api": map[string]any{
			"version": "2.0.95-ie", "last_major_update": "2022-11-07 02:00:00", "next_major_update": nil,
			"documentation": "https://blockchair.com/api/docs", "notice": ":)",
		},
		"servers": "API4,BTC3", "time": 0.01, "render_time": 0.001, "full_time": 0.011, "request_cost": 1,
	}
}

func (b blockchairREST) stats(v *view) reply {
	kind, tip := v.chain.Kind(), v.block(v.tip)
	data := map[string]any{"nodes": 9000, "market_price_usd": 9900, "transactions": 5 * v.tip}
	word := "block"
	if kind == config.XRPL || kind == config.Stellar {
		word = "ledger"
	}
	data["best_"+word+"_height"] = v.tip
	data["best_"+word+"_time"] = blockchairTime(tip.Time)
	data["best_"+word+"_hash"] = blockchairHash(kind, tip.Hash)
	switch kind {
	case config.EVM:
		// Uncles count among Ethereum's blocks.
		data["blocks"] = v.tip + v.tip/13
	default:
		data[word+"s"] = v.tip + 1
	}
	if kind == config.Bitcoin {
		data["difficulty"], data["mempool_transactions"], data["suggested_transaction_fee_per_byte_sat"] = 1, 0, 12
	}
	return v.json(map[string]any{"data": data, "context": b.context(v, http.StatusOK)}, blockchairHeights)
}

// blockchairHash is without 0x on all chains; the XRP Ledger's is in upper
// case.
func blockchairHash(kind config.Kind, h Hash) string {
	if kind == config.XRPL {
		return h.Upper()
	}
	return h.Hex()
}

// block answers for a height or a hash.
func (b blockchairREST) block(v *view, text string) reply {
	kind := v.chain.Kind()
	height, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		h, ok := parseHash(text)
		if !ok {
			return b.failure(v, http.StatusBadRequest, "Invalid block id or hash")
		}
		var found bool
		if height, found = v.find(h); !found {
			height = v.tip + 1
		}
	}
	context := b.context(v, http.StatusOK)
	context["results"] = 1
	if (kind != config.Bitcoin && kind != config.EVM) || !v.has(height) {
		context["code"], context["results"] = http.StatusNotFound, 0
		out := v.json(map[string]any{"data": nil, "context": context}, blockchairHeights)
		out.status = http.StatusNotFound
		return out
	}
	found := v.block(height)
	ids := make([]string, len(found.Transactions))
	for i, id := range found.Transactions {
		ids[i] = blockchairHash(kind, id)
	}
	block := map[string]any{
		"id": height, "hash": blockchairHash(kind, found.Hash), "date": found.Time.UTC().Format(time.DateOnly), "time": blockchairTime(found.Time),
		"size": 285 + 250*v.whole(found), "transaction_count": len(ids),
	}
	if kind == config.Bitcoin {
		block["median_time"] = blockchairTime(time.Unix(bitcoinMedian(v, height), 0))
		block["version"], block["merkle_root"], block["nonce"], block["bits"] = 0x20000000, derived("merkle", found.Hash).Hex(), 0, 0x1d00ffff
	}
	data := map[string]any{text: map[string]any{"block": block, "transactions": ids}}
	return v.json(map[string]any{"data": data, "context": context}, blockchairHeights)
}
