package chain

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-rpc/understudy/internal/config"
)

// rippleEpoch is the Unix time of 2000-01-01, from which the XRP Ledger counts
// its seconds.
const rippleEpoch = 946684800

// xrpl speaks the JSON-RPC of rippled and Clio. One server_info tells the newest
// validated ledger, the network and the server's own state.
type xrpl struct {
	// provenElsewhere says that the network need not be told by the server: a
	// checkpoint proves it, or any network will do.
	provenElsewhere bool
}

func newXRPL(c config.Chain, _ config.Provider) Dialect {
	return xrpl{provenElsewhere: c.Checkpoint != nil || c.Network.Any}
}

// xrplInfo is the part of server_info that counts. Clio, which is no peer of the
// network, tells neither state nor peers.
type xrplInfo struct {
	State            string   `json:"server_state"`
	Peers            *Decimal `json:"peers"`
	NetworkID        *Decimal `json:"network_id"`
	AmendmentBlocked bool     `json:"amendment_blocked"`
	Validated        *struct {
		Sequence *Decimal `json:"seq"`
		Hash     string   `json:"hash"`
		// Age is in whole seconds; rippled writes 0 for more than 11 days
		// (NetworkOPs.cpp, a million seconds).
		Age       *Decimal `json:"age"`
		CloseTime *Decimal `json:"close_time"`
	} `json:"validated_ledger"`
}

func (xrpl) Cost() config.Cost { return config.Cost{Cycle: 1, Block: 1} }

func (d xrpl) Tip(ctx context.Context, s *Session, previous Tip) (Tip, error) {
	info, err := d.info(ctx, s)
	if err != nil {
		return Tip{}, err
	}
	ledger := info.Validated
	if ledger == nil {
		return Tip{}, s.rejectAs(info.unready(), fmt.Sprintf("no validated ledger, server state %.20q", info.State))
	}
	hash, ok := hexHash(ledger.Hash, 32)
	if !ok || ledger.Sequence == nil || *ledger.Sequence == 0 {
		return Tip{}, s.Reject("a validated ledger without sequence and hash")
	}
	tip := Tip{Height: uint64(*ledger.Sequence), Hash: hash, Hints: info.hints()}
	if info.NetworkID != nil {
		tip.Network = strconv.FormatUint(uint64(*info.NetworkID), 10)
	}
	switch {
	case ledger.CloseTime != nil:
		tip.Time = unixTime(uint64(*ledger.CloseTime) + rippleEpoch)
	case previous.Hash == hash && !previous.Time.IsZero():
		tip.Time = previous.Time
	case ledger.Age != nil && *ledger.Age == 0 && tip.Hints.Syncing.Value:
		// A server that is not in step may well mean 11 days.
	case ledger.Age != nil:
		tip.Time = agedBy(time.Now(), uint64(*ledger.Age))
	}
	return tip, nil
}

// unready is why a server has no validated ledger. disconnected and connected
// come before the first ledger, syncing and tracking before the newest.
func (i xrplInfo) unready() Reason {
	if i.State == "" || i.State == "disconnected" || i.State == "connected" {
		return Starting
	}
	return Syncing
}

// hints are the self-reports. A server that is blocked by an amendment has
// stopped to follow the network until somebody updates it, which it calls by no
// state of its own: it counts as syncing.
func (i xrplInfo) hints() Hints {
	var h Hints
	if i.State != "" {
		h.Syncing = Some(!slices.Contains([]string{"full", "validating", "proposing"}, i.State))
	}
	if i.AmendmentBlocked {
		h.Syncing = Some(true)
	}
	if i.Peers != nil {
		h.Peers = Some(int(*i.Peers))
	}
	return h
}

// Identity is the network id in decimal. rippled tells it only if its
// configuration names it. "" without an error says that the checkpoint has to
// prove the network.
func (d xrpl) Identity(ctx context.Context, s *Session, _ string) (string, error) {
	info, err := d.info(ctx, s)
	switch {
	case err != nil:
		return "", err
	case info.NetworkID != nil:
		return strconv.FormatUint(uint64(*info.NetworkID), 10), nil
	case d.provenElsewhere:
		return "", nil
	}
	return "", s.Reject("the server does not tell its network_id: configure a checkpoint, or network: any")
}

func (d xrpl) Block(ctx context.Context, s *Session, height uint64, transactions bool) (Block, error) {
	var answer struct {
		Hash      string   `json:"ledger_hash"`
		Sequence  *Decimal `json:"ledger_index"`
		Validated *bool    `json:"validated"`
		Ledger    struct {
			Parent       string   `json:"parent_hash"`
			CloseTime    *Decimal `json:"close_time"`
			Root         string   `json:"transaction_hash"`
			Transactions []string `json:"transactions"`
		} `json:"ledger"`
	}
	params := map[string]any{"ledger_index": height, "transactions": transactions}
	if err := d.call(ctx, s, "ledger", params, &answer); err != nil {
		return Block{}, err
	}
	hash, ok := hexHash(answer.Hash, 32)
	switch {
	case !ok || answer.Sequence == nil:
		return Block{}, s.Reject("a ledger without sequence and hash")
	case uint64(*answer.Sequence) != height:
		return Block{}, s.Reject("another ledger than the one asked for")
	case answer.Validated != nil && !*answer.Validated:
		return Block{}, s.RejectMissing("the ledger is not validated")
	}
	parent, _ := hexHash(answer.Ledger.Parent, 32)
	block := Block{Height: height, Hash: hash, Parent: parent}
	if answer.Ledger.CloseTime != nil {
		block.Time = unixTime(uint64(*answer.Ledger.CloseTime) + rippleEpoch)
	}
	if transactions && answer.Ledger.Transactions != nil {
		root, _ := hexHash(answer.Ledger.Root, 32)
		block.Transactions = Some(Transactions{Count: len(answer.Ledger.Transactions), Digest: root})
	}
	return block, nil
}

// info asks server_info.
func (d xrpl) info(ctx context.Context, s *Session) (xrplInfo, error) {
	var answer struct {
		Info *xrplInfo `json:"info"`
	}
	if err := d.call(ctx, s, "server_info", map[string]any{}, &answer); err != nil {
		return xrplInfo{}, err
	}
	if answer.Info == nil {
		return xrplInfo{}, s.Reject("no info")
	}
	return *answer.Info, nil
}

// xrplRequest is a call. rippled repeats the id that stands in the parameters,
// Clio the one beside them; older versions repeat none.
type xrplRequest struct {
	rpcRequest
	Params [1]map[string]any `json:"params"`
}

// call asks one method and decodes the result, in which an error stands as well:
// without the member ripplerpc in the request the HTTP status is always 200.
func (xrpl) call(ctx context.Context, s *Session, method string, params map[string]any, result any) error {
	id := s.provider.nextID()
	params["id"] = id
	request := xrplRequest{rpcRequest{Version: "2.0", ID: id, Method: method}, [1]map[string]any{params}}
	body, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("encode %s: %w", method, err)
	}
	s.begin(method)
	r, err := s.send(ctx, http.MethodPost, "", nil, body)
	if err != nil {
		return err
	}
	var answer rpcResponse
	if err := json.Unmarshal(r.body, &answer); err != nil {
		return s.misshapen(r, err)
	}
	if !isNull(answer.Error) {
		code, text := readRPCError(answer.Error)
		return s.refuseAs(r, RPCError, code, text)
	}
	if code, text, failed := readXRPLError(answer.Result); failed {
		return s.refuseAs(r, RPCError, code, text)
	}
	switch {
	case r.status >= 300:
		return s.refuse(r, Optional[int64]{}, "")
	case !isNull(answer.ID) && string(answer.ID) != strconv.FormatUint(id, 10):
		return s.Reject("the answer has the id of another request")
	case isNull(answer.Result):
		return s.Reject("no result")
	}
	if err := json.Unmarshal(answer.Result, result); err != nil {
		return s.Reject("a malformed result: " + err.Error())
	}
	return nil
}

// readXRPLError takes code and words out of a result that is an error: its token
// (slowDown, lgrNotFound) first, by which the tables know it.
func readXRPLError(result json.RawMessage) (Optional[int64], string, bool) {
	var e struct {
		Status  string          `json:"status"`
		Token   string          `json:"error"`
		Code    json.RawMessage `json:"error_code"`
		Message string          `json:"error_message"`
	}
	if err := json.Unmarshal(result, &e); err != nil || (e.Token == "" && e.Status != "error") {
		return Optional[int64]{}, "", false
	}
	text := strings.TrimSpace(e.Token + " " + e.Message)
	if code, err := json.Number(e.Code).Int64(); err == nil {
		return Some(code), text, true
	}
	return Optional[int64]{}, text, true
}
