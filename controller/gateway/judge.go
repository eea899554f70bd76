package gateway

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/understudy-rpc/understudy/internal/config"
)

// question is what the judgement of an answer needs to know of the request.
type question struct {
	kind config.Kind
	typ  config.Type
	risk risk
	// rpc says that the answer has to be JSON-RPC; batch, that it has to be a list.
	rpc, batch bool
	// method is a JSON-RPC method, or a path.
	method string
	// id is the id as the client wrote it; nil: it gave none.
	id []byte
}

// judgement is what an answer is worth, and what has been seen of it.
type judgement struct {
	outcome Outcome
	code    int64
	coded   bool
	// id is where the answer's id stands in its beginning; nil: it was not seen.
	id []byte
	// misnamed says that the id is not the request's, though the answer is to it.
	misnamed bool
	// foreign says that no client may get it: it is no JSON-RPC, though it should be,
	// or it shows a key.
	foreign bool
}

// wordsLimit is how much of a text is searched. What a provider has to say stands
// at the beginning; further on it would be found in data by chance.
const wordsLimit = 1000

// judge says what an answer is worth by its status and its beginning; whole says
// that there is no more.
func judge(q question, status int, body []byte, whole bool) judgement {
	switch {
	case status < 200 || status >= 300 && status < 400 || status > 599:
		// No such status can be given to a client as that of an answer.
		return judgement{outcome: BadResponse}
	case q.batch && status < 300:
		return judgeBatch(q, status, body, whole)
	case q.rpc:
		j := judgeRPC(q, status, body, whole)
		if j.foreign && j.outcome.final() {
			// Whatever it says, it cannot be given to a client of JSON-RPC. A status of the
			// 400s may be the client's fault or a wrong address.
			j.outcome = BadResponse
			if status >= 400 {
				j.outcome = Unsupported
			}
		}
		return j
	}
	return judgeREST(q, status, body, whole)
}

// reply is a JSON-RPC answer as far as it was seen.
type reply struct {
	id, result, err        []byte
	hasResult, resultWhole bool
}

func readReply(body []byte) (r reply, object, whole bool) {
	object, whole = members(body, func(key, value []byte, whole bool) bool {
		switch string(key) {
		case "id":
			if whole {
				r.id = value
			}
		case "result":
			r.result, r.hasResult, r.resultWhole = value, true, whole
		case "error":
			r.err = value
		}
		return true
	})
	return r, object, whole
}

// judgeRPC looks into the body whatever the status says.
func judgeRPC(q question, status int, body []byte, whole bool) judgement {
	trimmed := body[space(body, 0):]
	if len(trimmed) == 0 && whole && status < 300 && q.id == nil && q.kind != config.XRPL {
		// A notification has no answer.
		return judgement{outcome: OK}
	}
	r, object, ended := readReply(trimmed)
	switch {
	case !object || whole && (!ended || !json.Valid(trimmed)):
		return judgeText(q, status, trimmed)
	case !isNull(r.err):
		return judgeError(q, status, r)
	case !r.hasResult:
		// No JSON-RPC, but maybe an error in the shape of REST.
		if ended || status >= 300 {
			return judgeREST(q, status, trimmed, whole)
		}
		return judgement{outcome: BadResponse}
	case status >= 500:
		return judgement{outcome: ServerError}
	case status >= 300:
		return judgeText(q, status, nil)
	}
	j := judgement{outcome: OK, id: r.id}
	if r.id != nil && q.id != nil && !bytes.Equal(r.id, q.id) {
		if !sameID(r.id, q.id) {
			return judgement{outcome: BadResponse}
		}
		j.misnamed = true
	}
	if q.kind == config.XRPL {
		return judgeXRPL(q, status, r, j)
	}
	if lacks(q, r) {
		j.outcome = Missing
	}
	return j
}

// judgeError judges an error member of any shape.
func judgeError(q question, status int, r reply) judgement {
	code, coded, text := readError(r.err)
	j := judgement{code: code, coded: coded, id: r.id, misnamed: q.id != nil && !bytes.Equal(r.id, q.id)}
	j.outcome = weigh(q, status, code, coded, text)
	return j
}

// weigh finds the outcome of an error by the tables, or else by its status.
func weigh(q question, status int, code int64, coded bool, text string) Outcome {
	text = strings.ToLower(text[:min(len(text), wordsLimit)])
	s := said{kind: q.kind, typ: q.typ, risk: q.risk, status: status, code: code, coded: coded, text: text, method: q.method}
	if o, ok := find(s, rpcTables...); ok {
		return o
	}
	rpc := q.rpc && coded
	switch {
	case rpc && status == 500 && (q.kind == config.Bitcoin || q.kind == config.Cosmos):
		// This is how bitcoind and CometBFT answer a call with an error.
		return Refused
	case status >= 500:
		return ServerError
	case rpc && (code == codeInvalidRequest || code == codeParse):
		return Invalid
	case rpc:
		return Refused
	case status == 404 || status == 410:
		return Missing
	case status >= 400:
		return Invalid
	case status >= 300:
		return BadResponse
	}
	return Refused
}

// readError takes code and words out of an error member.
func readError(raw []byte) (code int64, coded bool, text string) {
	var e struct {
		Code    json.RawMessage `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	// A message of another type leaves the rest to be read.
	_ = json.Unmarshal(raw, &e)
	text = e.Message
	if !isNull(e.Data) {
		text += " " + string(e.Data[:min(len(e.Data), wordsLimit)])
	}
	if text == "" {
		text = string(raw[:min(len(raw), wordsLimit)])
	}
	code, err := strconv.ParseInt(string(e.Code), 10, 64)
	return code, err == nil, text
}

// judgeXRPL looks for the error that stands in the result of an answer.
func judgeXRPL(q question, status int, r reply, j judgement) judgement {
	var token, message, state string
	_, _ = members(r.result, func(key, value []byte, whole bool) bool {
		switch {
		case !whole:
		case string(key) == "error":
			_ = plainString(value, &token)
		case string(key) == "error_message":
			_ = plainString(value, &message)
		case string(key) == "status":
			_ = plainString(value, &state)
		}
		return true
	})
	if token == "" && state != "error" {
		return j
	}
	j.outcome = weigh(q, status, 0, false, token+" "+message)
	return j
}

// nullMeansMissing are the methods whose answer is null when the node has not got
// what was asked for, though another node may. The same words in the answers of
// others are as good as an answer.
var nullMeansMissing = map[config.Kind]map[string]bool{
	config.EVM: {
		"eth_getBlockByNumber": true, "eth_getBlockByHash": true, "eth_getBlockReceipts": true,
		"eth_getTransactionByHash": true, "eth_getTransactionReceipt": true, "eth_getHeaderByNumber": true,
		"eth_getHeaderByHash": true, "eth_getBlockTransactionCountByNumber": true,
		"eth_getBlockTransactionCountByHash": true, "eth_getTransactionByBlockHashAndIndex": true,
		"eth_getTransactionByBlockNumberAndIndex": true,
	},
	config.Bitcoin: {"getblock": true, "getblockhash": true, "getblockheader": true, "getrawtransaction": true},
	config.Solana:  {"getBlock": true, "getTransaction": true, "getBlockTime": true},
}

// notFoundLimit is how long a result is that may be nothing but "not found".
const notFoundLimit = 2048

// lacks says whether a result says that there is none.
func lacks(q question, r reply) bool {
	switch {
	case !r.resultWhole:
		return false
	case isNull(r.result):
		return nullMeansMissing[q.kind][q.method]
	case q.kind == config.Stellar && q.method == "getTransaction" && len(r.result) < notFoundLimit:
		return bytes.Contains(r.result, []byte(`"NOT_FOUND"`))
	}
	return false
}

// judgeBatch judges the answer to a batch as a whole; its items are judged one by
// one. One error in place of the list means that the batch was refused.
func judgeBatch(q question, status int, body []byte, whole bool) judgement {
	i := space(body, 0)
	if i < len(body) && body[i] == '[' {
		return judgement{outcome: OK}
	}
	r, object, ended := readReply(body)
	if object && ended && !isNull(r.err) {
		j := judgeError(q, status, r)
		if j.outcome.verdict() != failed {
			j.outcome = Unsupported
		}
		return j
	}
	return judgeText(q, status, body[i:])
}
