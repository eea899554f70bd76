package chain

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/understudy-rpc/understudy/internal/config"
)

// cometBFT speaks the RPC of CometBFT, and of Tendermint before it, by GET: one
// /status tells height, hash, time, network and whether the node is catching
// up. catching_up stays false on a halted chain.
type cometBFT struct{}

func newCometBFT(config.Chain, config.Provider) Dialect { return cometBFT{} }

// cometStatus is the part of /status that counts. Its numbers are strings.
type cometStatus struct {
	NodeInfo struct {
		Network string `json:"network"`
	} `json:"node_info"`
	SyncInfo struct {
		Hash       string    `json:"latest_block_hash"`
		Height     *Quoted   `json:"latest_block_height"`
		Time       time.Time `json:"latest_block_time"`
		CatchingUp *bool     `json:"catching_up"`
	} `json:"sync_info"`
}

func (cometBFT) Cost() config.Cost { return config.Cost{Cycle: 1, Hints: 1, Block: 1} }

// Tip asks /status. A node at height 0 has no block yet: it has just begun, or
// waits for a snapshot.
func (d cometBFT) Tip(ctx context.Context, s *Session, _ Tip) (Tip, error) {
	var status cometStatus
	if err := d.get(ctx, s, "status", nil, &status); err != nil {
		return Tip{}, err
	}
	sync := status.SyncInfo
	if sync.Height == nil {
		return Tip{}, s.Reject("no latest_block_height")
	}
	if *sync.Height == 0 {
		return Tip{}, s.rejectAs(Starting, "no block yet")
	}
	hash, ok := hexHash(sync.Hash, 32)
	if !ok {
		return Tip{}, s.Reject("latest_block_hash is not a hash")
	}
	tip := Tip{Height: uint64(*sync.Height), Hash: hash, Time: writtenTime(sync.Time), Network: status.NodeInfo.Network}
	if sync.CatchingUp != nil {
		tip.Hints.Syncing = Some(*sync.CatchingUp)
	}
	return tip, nil
}

// Identity is the chain id.
func (d cometBFT) Identity(ctx context.Context, s *Session, _ string) (string, error) {
	var status cometStatus
	if err := d.get(ctx, s, "status", nil, &status); err != nil {
		return "", err
	}
	if status.NodeInfo.Network == "" {
		return "", s.Reject("no network in node_info")
	}
	return status.NodeInfo.Network, nil
}

// Hints asks /net_info, which public gateways often close.
func (d cometBFT) Hints(ctx context.Context, s *Session, _ Tip) (Hints, error) {
	var h Hints
	if s.Unsupported("net_info") {
		return h, nil
	}
	var info struct {
		Peers *Quoted `json:"n_peers"`
	}
	err := d.get(ctx, s, "net_info", nil, &info)
	switch {
	case notOffered(err):
		s.NoteUnsupported("net_info")
		return h, nil
	case err != nil:
		return h, err
	case info.Peers != nil:
		h.Peers = Some(int(*info.Peers))
	}
	return h, nil
}

func (d cometBFT) Block(ctx context.Context, s *Session, height uint64, transactions bool) (Block, error) {
	var b cosmosBlock
	query := url.Values{"height": {strconv.FormatUint(height, 10)}}
	if err := d.get(ctx, s, "block", query, &b); err != nil {
		return Block{}, s.gap(err)
	}
	return b.at(s, height, transactions, func(text string) (string, bool) { return hexHash(text, 32) })
}

// get asks one method by its path and decodes the result. The id of an answer
// to a GET is always -1, so that it proves nothing and is not looked at.
func (cometBFT) get(ctx context.Context, s *Session, path string, query url.Values, result any) error {
	r, err := s.do(ctx, http.MethodGet, path, query, nil)
	if err != nil {
		return err
	}
	var answer struct {
		Version string          `json:"jsonrpc"`
		Result  json.RawMessage `json:"result"`
		Error   json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(r.body, &answer); err != nil {
		return s.misshapen(r, err)
	}
	if !isNull(answer.Error) {
		code, text := readRPCError(answer.Error)
		return s.refuseAs(r, RPCError, code, text)
	}
	switch {
	case r.status >= 300:
		return s.refuse(r, Optional[int64]{}, "")
	case answer.Version != "" && answer.Version != "2.0":
		return s.Reject("not an answer of JSON-RPC 2.0")
	case isNull(answer.Result):
		return s.Reject("no result")
	}
	if err := json.Unmarshal(answer.Result, result); err != nil {
		return s.Reject("a malformed result: " + err.Error())
	}
	return nil
}
