package chain

import (
	"net/http"
	"slices"
	"strings"

	"github.com/understudy-rpc/understudy/internal/config"
)

// answer is what the tables judge: an answer that is not a good one.
type answer struct {
	kind config.Kind
	typ  config.Type
	// status is the HTTP status.
	status int
	// code is the error code in the body, if it has one.
	code Optional[int64]
	// text is the error's message with its data, or the body.
	text string
}

// rule is one row of a table of failures. Every field that is set must match;
// of a list, one entry must.
type rule struct {
	kinds    []config.Kind
	types    []config.Type
	statuses []int
	codes    []int64
	// coded restricts the row to answers with an error code of any value.
	coded bool
	// texts are looked for in lower case.
	texts  []string
	reason Reason
}

// matches says whether the row is about this answer. text is the answer's in
// lower case.
func (r rule) matches(a answer, text string) bool {
	return (r.kinds == nil || slices.Contains(r.kinds, a.kind)) &&
		(r.types == nil || slices.Contains(r.types, a.typ)) &&
		(r.statuses == nil || slices.Contains(r.statuses, a.status)) &&
		(r.codes == nil || (a.code.Known && slices.Contains(r.codes, a.code.Value))) &&
		(!r.coded || a.code.Known) &&
		(r.texts == nil || slices.ContainsFunc(r.texts, func(t string) bool { return strings.Contains(text, t) }))
}

// wordsLimit is how much of a text is searched. What a provider has to say
// stands at the beginning; further on it would be found in data by chance.
const wordsLimit = 1000

// classify finds the class of an answer: the first row of the tables that
// matches, or what the status says.
func classify(a answer) *Failure {
	text := strings.ToLower(a.text[:min(len(a.text), wordsLimit)])
	f := &Failure{Status: a.status, Code: a.code, Text: a.text, Reason: fallback(a)}
	for _, table := range tables {
		for _, r := range table {
			if r.matches(a, text) {
				f.Reason = r.reason
				return f
			}
		}
	}
	return f
}

// restTypes speak no JSON-RPC: a code in the body only refines the status.
var restTypes = []config.Type{
	config.BlockchairREST, config.EsploraREST, config.CosmosREST, config.TronHTTP, config.HorizonREST,
}

// fallback is the class of an answer that no table knows. 500 with a code is how
// bitcoind and CometBFT answer a call with an error; elsewhere, and with every
// other 5xx, it is the server or what stands before it that failed.
func fallback(a answer) Reason {
	rpc := a.code.Known && !slices.Contains(restTypes, a.typ)
	switch {
	case rpc && a.status == http.StatusInternalServerError && (a.kind == config.Bitcoin || a.kind == config.Cosmos):
		return RPCError
	case a.status >= 500:
		return HTTP5xx
	case rpc:
		return RPCError
	case a.status >= 400:
		return HTTP4xx
	case a.status >= 300:
		return Redirect
	}
	return BadResponse
}
