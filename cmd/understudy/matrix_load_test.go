package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-rpc/understudy/internal/simulator"
)

// matrixQuestion is a kind of request in the load of the matrix.
type matrixQuestion struct {
	// calls are its calls, %s standing for a height; several are a batch.
	calls []string
	// below is how far below the tip the height is.
	below func(n int) uint64
	old   bool
}

const (
	askHeight  = `"method":"eth_blockNumber","params":[]`
	askLatest  = `"method":"eth_getBlockByNumber","params":["latest",false]`
	askBlock   = `"method":"eth_getBlockByNumber","params":["%s",false]`
	askChain   = `"method":"eth_chainId","params":[]`
	askBalance = `"method":"eth_getBalance","params":["0x0000000000000000000000000000000000000001","latest"]`
)

// matrixQuestions are the load, one after the other: what follows the head of the
// chain, and now and then an old block.
var matrixQuestions = []matrixQuestion{
	{calls: []string{askHeight}},
	{calls: []string{askBlock}, below: func(n int) uint64 { return uint64(n % 3) }},
	{calls: []string{askLatest}},
	{calls: []string{askChain}},
	{calls: []string{askBalance}},
	{calls: []string{askHeight, askChain, askLatest, askBalance}},
	{calls: []string{askBlock}, below: func(n int) uint64 { return 1000 + uint64(n) }, old: true},
}

// chainMoment is the chain when a question was asked, and when it was answered.
// tip is what the program had told of it before.
type chainMoment struct{ before, after, height, tip uint64 }

// ask makes a request and judges what comes back by what the chain really is.
func (r *matrixRow) ask(client *http.Client, q matrixQuestion, n int) {
	m := chainMoment{before: r.chain.Height(), tip: r.toldTip()}
	m.height = m.before
	if q.below != nil {
		m.height -= q.below(n)
	}
	calls := make([]string, len(q.calls))
	for i, c := range q.calls {
		if strings.Contains(c, "%s") {
			c = fmt.Sprintf(c, "0x"+strconv.FormatUint(m.height, 16))
		}
		calls[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, i, c)
	}
	body := calls[0]
	if len(calls) > 1 {
		body = "[" + strings.Join(calls, ",") + "]"
	}
	begin := time.Now()
	answers, err := post(client, "http://"+r.address+r.path(), body, len(calls) > 1)
	m.after = r.chain.Height()
	wrong := ""
	for i := 0; err == nil && i < len(calls); i++ {
		if i >= len(answers) {
			err = fmt.Errorf("%d answers to %d calls", len(answers), len(calls))
			break
		}
		switch a := answers[i]; {
		case len(a.Error) > 0 || string(a.Result) == "null" || len(a.Result) == 0:
			err = fmt.Errorf("%s: %s%s", q.calls[i], a.Error, a.Result)
		default:
			wrong += m.wrong(r.providers[1], q.calls[i], a.Result)
		}
	}
	r.note(begin, q.old, wrong, err)
}

// rpcAnswer is one JSON-RPC answer.
type rpcAnswer struct {
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// post makes a request. What is no answer at all is an error.
func post(client *http.Client, url, body string, batch bool) ([]rpcAnswer, error) {
	response, err := client.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("HTTP %d: %.200s", response.StatusCode, text)
	}
	answers := make([]rpcAnswer, 1)
	if batch {
		err = json.Unmarshal(text, &answers)
	} else {
		err = json.Unmarshal(text, &answers[0])
	}
	return answers, err
}

// wrong says what is wrong with a result; "" if nothing is. A height may be as far
// behind the tip that the program knew as the policy allows.
func (m chainMoment) wrong(honest *simulator.Provider, call string, result json.RawMessage) string {
	switch call {
	case askHeight:
		var height string
		if json.Unmarshal(result, &height) != nil {
			return "no height: " + string(result)
		}
		return m.wrongHeight(height)
	case askChain:
		if string(result) != `"0x1"` {
			return "chain id " + string(result)
		}
	case askBalance:
		if string(result) != `"0xde0b6b3a7640000"` {
			return "balance " + string(result)
		}
	case askLatest, askBlock:
		var block struct{ Number, Hash string }
		if json.Unmarshal(result, &block) != nil {
			return "no block: " + string(result)
		}
		if call == askLatest {
			if wrong := m.wrongHeight(block.Number); wrong != "" {
				return wrong
			}
		} else if block.Number != "0x"+strconv.FormatUint(m.height, 16) {
			return fmt.Sprintf("block %s instead of %d", block.Number, m.height)
		}
		height, err := strconv.ParseUint(strings.TrimPrefix(block.Number, "0x"), 16, 64)
		if err != nil {
			return "no number: " + block.Number
		}
		if want := honest.Hash(height).Prefixed(); block.Hash != want {
			return fmt.Sprintf("block %d of another chain", height)
		}
	}
	return ""
}

func (m chainMoment) wrongHeight(text string) string {
	height, err := strconv.ParseUint(strings.TrimPrefix(text, "0x"), 16, 64)
	switch {
	case err != nil || strings.HasPrefix(text, "0x0"):
		return "no height: " + text
	case height > m.after:
		return fmt.Sprintf("height %d where the chain has %d", height, m.after)
	case height+matrixLag < m.tip:
		return fmt.Sprintf("height %d is older than allowed, the chain is known to have %d", height, m.tip)
	}
	return ""
}
