package simulator_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

func TestEsplora(t *testing.T) {
	t.Parallel()
	p := newProvider(config.EsploraREST, simulator.Behaviour{})
	c := p.Chain()
	text := func(path string) string {
		got := get(p, path)
		require.Equal(t, http.StatusOK, got.status, path)
		require.Equal(t, "text/plain", got.header.Get("Content-Type"))
		return got.body
	}
	require.Equal(t, "1000", text("/blocks/tip/height"))
	require.Equal(t, c.HashText(1000), text("/blocks/tip/hash"))
	require.Equal(t, c.Identity().Network, text("/block-height/0"))
	hash := text("/block-height/990")
	require.Equal(t, c.HashText(990), hash)

	type block struct {
		ID         string  `json:"id"`
		Height     uint64  `json:"height"`
		Timestamp  int64   `json:"timestamp"`
		MedianTime int64   `json:"mediantime"`
		TxCount    int     `json:"tx_count"`
		Previous   *string `json:"previousblockhash"`
	}
	parent, count := c.HashText(989), len(c.Block(990).Transactions)
	want := block{
		ID: hash, Height: 990, Timestamp: started.Add(-10 * time.Second).Unix(), MedianTime: started.Add(-15 * time.Second).Unix(),
		TxCount: count, Previous: &parent,
	}
	var got block
	get(p, "/block/"+hash).decode(t, &got)
	require.Equal(t, want, got)
	var blocks []block
	get(p, "/blocks/990").decode(t, &blocks)
	require.Len(t, blocks, 10)
	require.Equal(t, want, blocks[0])
	var ids []string
	get(p, "/block/"+hash+"/txids").decode(t, &ids)
	require.Len(t, ids, count)
	var tx struct {
		Status struct {
			BlockHash string `json:"block_hash"`
		} `json:"status"`
	}
	get(p, "/tx/"+ids[0]).decode(t, &tx)
	require.Equal(t, hash, tx.Status.BlockHash)

	for path, status := range map[string]int{
		"/block-height/1001": 404, "/block/" + strings.Repeat("1", 64): 404, "/block/zz": 400, "/tx/" + hash: 404, "/nosuch": 404,
	} {
		require.Equal(t, status, get(p, path).status, path)
	}
	require.Equal(t, "Block not found", get(p, "/block-height/1001").body)

	p.SetBehaviour(simulator.Behaviour{DropTransactions: 1})
	get(p, "/block/"+hash).decode(t, &got)
	require.Equal(t, count-1, got.TxCount)
}

func TestEsploraAgreesWithTheNode(t *testing.T) {
	t.Parallel()
	c := newChain(config.Bitcoin)
	node := simulator.NewProvider(c, simulator.ProviderOptions{Name: "a", Type: config.BitcoinRPC})
	rest := simulator.NewProvider(c, simulator.ProviderOptions{Name: "b", Type: config.EsploraREST})
	hash := result[string](t, node, "getblockhash", `[900]`)
	require.Equal(t, hash, get(rest, "/block-height/900").body)
	var ids []string
	get(rest, "/block/"+hash+"/txids").decode(t, &ids)
	require.Equal(t, result[struct {
		Tx []string `json:"tx"`
	}](t, node, "getblock", `["`+hash+`",1]`).Tx, ids)
}

// blockchairStats is what a client reads of the statistics.
type blockchairStats struct {
	Data struct {
		Height       uint64 `json:"best_block_height"`
		Hash         string `json:"best_block_hash"`
		Time         string `json:"best_block_time"`
		LedgerHeight uint64 `json:"best_ledger_height"`
	} `json:"data"`
	Context struct {
		Code  int    `json:"code"`
		Error string `json:"error"`
		State uint64 `json:"state"`
		Cache struct {
			Live  bool   `json:"live"`
			Until string `json:"until"`
		} `json:"cache"`
	} `json:"context"`
}

func TestBlockchair(t *testing.T) {
	t.Parallel()
	p := newProvider(config.BlockchairREST, simulator.Behaviour{})
	c := p.Chain()
	var stats blockchairStats
	get(p, "/bitcoin/stats?key=K").decode(t, &stats)
	require.Equal(t, uint64(1000), stats.Data.Height)
	require.Equal(t, c.HashText(1000), stats.Data.Hash)
	require.Equal(t, "2026-03-01 12:00:00", stats.Data.Time)
	require.Equal(t, 200, stats.Context.Code)
	require.Equal(t, uint64(1000), stats.Context.State)
	require.True(t, stats.Context.Cache.Live)

	var block struct {
		Data map[string]struct {
			Block struct {
				ID    uint64 `json:"id"`
				Hash  string `json:"hash"`
				Time  string `json:"time"`
				Count int    `json:"transaction_count"`
			} `json:"block"`
		} `json:"data"`
	}
	get(p, "/bitcoin/dashboards/block/990").decode(t, &block)
	require.Equal(t, c.HashText(990), block.Data["990"].Block.Hash)
	require.Equal(t, "2026-03-01 11:59:50", block.Data["990"].Block.Time)
	require.Equal(t, len(c.Block(990).Transactions), block.Data["990"].Block.Count)
	get(p, "/bitcoin/dashboards/block/0").decode(t, &block)
	require.Equal(t, c.Identity().Network, block.Data["0"].Block.Hash)
	beyond := get(p, "/bitcoin/dashboards/block/1001")
	require.Equal(t, http.StatusNotFound, beyond.status)
	require.Contains(t, beyond.body, `"data":null`)

	for kind, check := range map[config.Kind]func(blockchairStats){
		config.EVM:     func(s blockchairStats) { require.Equal(t, newChain(config.EVM).HashText(1000), s.Data.Hash) },
		config.XRPL:    func(s blockchairStats) { require.Equal(t, uint64(1000), s.Data.LedgerHeight) },
		config.Stellar: func(s blockchairStats) { require.Equal(t, uint64(1000), s.Data.LedgerHeight) },
	} {
		var other blockchairStats
		get(simulator.NewProvider(newChain(kind), simulator.ProviderOptions{Type: config.BlockchairREST}), "/chain/stats").decode(t, &other)
		check(other)
	}
}

func TestBlockchairServesFromACache(t *testing.T) {
	t.Parallel()
	c, clock := ticking(config.Bitcoin)
	p := simulator.NewProvider(c, simulator.ProviderOptions{
		Name: "a", Type: config.BlockchairREST, Behaviour: simulator.Behaviour{Cache: time.Minute},
	})
	heights := map[time.Duration]uint64{0: 1000, 59 * time.Second: 1000, 60 * time.Second: 1030, 119 * time.Second: 1030, 120 * time.Second: 1060}
	for after, height := range heights {
		*clock = started.Add(after)
		var stats blockchairStats
		get(p, "/bitcoin/stats").decode(t, &stats)
		require.Equal(t, height, stats.Data.Height, after)
		require.False(t, stats.Context.Cache.Live)
		require.Equal(t, started.Add(after.Truncate(time.Minute)+time.Minute).Format(time.DateTime), stats.Context.Cache.Until)
	}
}
