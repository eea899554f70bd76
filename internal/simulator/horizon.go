package simulator

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// horizonREST is horizon-rest.
type horizonREST struct{}

// horizonHeights are the fields that hold a height.
var horizonHeights = map[string]bool{
	"history_latest_ledger": true, "ingest_latest_ledger": true, "core_latest_ledger": true, "sequence": true,
}

// horizonProblem is an error: problem+json with a type of Horizon's own.
func horizonProblem(status int, kind, title, detail string) reply {
	out := jsonReply(status, map[string]any{
		"type": "https://stellar.org/horizon-errors/" + kind, "title": title, "status": status, "detail": detail,
	})
	out.contentType = "application/problem+json; charset=utf-8"
	return out
}

func horizonNotFound() reply {
	return horizonProblem(http.StatusNotFound, "not_found", "Resource Missing",
		"The resource at the url requested was not found.  This usually occurs for one of two reasons:  The url requested is not valid, or no data in our database could be found with the parameters provided.")
}

func (h horizonREST) answer(v *view, r *request) reply {
	path := "/" + strings.Trim(r.path, "/")
	if slices.Contains(v.Unsupported, path) {
		return horizonNotFound()
	}
	switch {
	case path == "/health":
		return h.health(v)
	case path == "/":
		return h.root(v)
	case v.Starting:
		return horizonProblem(http.StatusServiceUnavailable, "still_ingesting", "Still Ingesting",
			"Data cannot be presented because it's still being ingested. Please wait for several minutes before trying again.")
	case path == "/transactions" && r.verb == http.MethodPost:
		return h.submit(v, r)
	case path == "/ledgers":
		return h.ledgers(v, r)
	}
	parts := strings.Split(path[1:], "/")
	if parts[0] != "ledgers" || len(parts) < 2 || len(parts) > 3 {
		return horizonNotFound()
	}
	height, err := strconv.ParseUint(parts[1], 10, 32)
	switch {
	case err != nil:
		return horizonProblem(http.StatusBadRequest, "bad_request", "Bad Request", "The request you sent was invalid in some way.")
	case v.pruned(height):
		return horizonProblem(http.StatusGone, "before_history", "Data Requested Is Before Recorded History",
			"This horizon instance is configured to only track a portion of the stellar network's latest history. This request is asking for results prior to the recorded history known to this horizon instance.")
	case !v.has(height) || height == 0:
		return horizonNotFound()
	case len(parts) == 2:
		return h.hal(v, h.ledger(v, height))
	case parts[2] == "transactions":
		return h.transactions(v, height)
	}
	return horizonNotFound()
}

// hal is an answer that is no problem.
func (horizonREST) hal(v *view, value any) reply {
	out := v.json(value, horizonHeights)
	out.contentType = "application/hal+json; charset=utf-8"
	return out
}

// health has the same body at both statuses, as a text.
func (horizonREST) health(v *view) reply {
	synced := v.Health == HealthGood || (v.Health == HealthHonest && !v.Syncing && !v.Starting)
	out := v.json(map[string]bool{"database_connected": true, "core_up": true, "core_synced": synced}, horizonHeights)
	out.contentType = "text/plain; charset=utf-8"
	if !synced {
		out.status = http.StatusServiceUnavailable
	}
	return out
}

// root tells how far the database is, and how far the node behind it: one that
// lags is slow to ingest.
func (h horizonREST) root(v *view) reply {
	return h.hal(v, map[string]any{
		"_links": map[string]any{"self": map[string]string{"href": "https://horizon.example/"}}, "horizon_version": "23.0.0", "core_version": "v23.0.1",
		"ingest_latest_ledger": v.tip, "history_latest_ledger": v.tip, "history_latest_ledger_closed_at": stellarTime(v.time(v.tip)),
		"history_elder_ledger": max(2, v.lowest()), "core_latest_ledger": max(v.tip, v.chainTip), "network_passphrase": v.identity.Network,
		"current_protocol_version": stellarProtocol, "supported_protocol_version": stellarProtocol, "core_supported_protocol_version": stellarProtocol,
	})
}

func (horizonREST) ledger(v *view, height uint64) map[string]any {
	b := v.block(height)
	return map[string]any{
		"id": b.Hash.Hex(), "paging_token": strconv.FormatUint(height<<32, 10), "hash": b.Hash.Hex(), "prev_hash": b.Parent.Hex(), "sequence": height,
		"successful_transaction_count": len(b.Transactions), "failed_transaction_count": 0, "operation_count": len(b.Transactions),
		"tx_set_operation_count": v.whole(b), "closed_at": stellarTime(b.Time), "total_coins": "105443902087.3472865", "fee_pool": "0.0001000",
		"base_fee_in_stroops": 100, "base_reserve_in_stroops": 5_000_000, "max_tx_set_size": 100, "protocol_version": stellarProtocol,
		"header_xdr": stellarHeader(b).base64(),
	}
}

// embedded is a page of records.
func (h horizonREST) embedded(v *view, records []map[string]any) reply {
	return h.hal(v, map[string]any{
		"_links": map[string]any{"self": map[string]string{"href": "https://horizon.example/"}}, "_embedded": map[string]any{"records": records},
	})
}

func (h horizonREST) ledgers(v *view, r *request) reply {
	query, err := url.ParseQuery(r.query)
	limit := uint64(10)
	if text := query.Get("limit"); text != "" && err == nil {
		limit, err = strconv.ParseUint(text, 10, 8)
	}
	if err != nil || limit == 0 || limit > 200 {
		return horizonProblem(http.StatusBadRequest, "bad_request", "Bad Request", "The request you sent was invalid in some way.")
	}
	records, lowest := []map[string]any{}, max(1, v.lowest())
	for i := uint64(0); i < limit && lowest+i <= v.tip; i++ {
		height := lowest + i
		if query.Get("order") == "desc" {
			height = v.tip - i
		}
		if v.has(height) {
			records = append(records, h.ledger(v, height))
		}
	}
	return h.embedded(v, records)
}

func (h horizonREST) transactions(v *view, height uint64) reply {
	b := v.block(height)
	records := make([]map[string]any, len(b.Transactions))
	for i, id := range b.Transactions {
		records[i] = map[string]any{
			"id": id.Hex(), "hash": id.Hex(), "paging_token": strconv.FormatUint(height<<32|uint64(i+1)<<12, 10), "successful": true, "ledger": height,
			"created_at": stellarTime(b.Time), "operation_count": 1, "fee_charged": "100", "memo_type": "none",
		}
	}
	return h.embedded(v, records)
}

// submit accepts any transaction and answers when it is in the next ledger.
func (h horizonREST) submit(v *view, r *request) reply {
	form, err := url.ParseQuery(string(r.body))
	if err != nil || form.Get("tx") == "" {
		return horizonProblem(http.StatusBadRequest, "transaction_malformed", "Transaction Malformed", "Horizon could not decode the transaction envelope in this request.")
	}
	id := v.chain.submit(form.Get("tx"), v.tip).Hex()
	return h.hal(v, map[string]any{"id": id, "hash": id, "successful": true, "ledger": v.tip + 1, "envelope_xdr": form.Get("tx")})
}
