package overview

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"sync"
	"time"

	"github.com/understudy-rpc/understudy/controller/observation"
	"github.com/understudy-rpc/understudy/internal/config"
)

// The bounds of asking an exporter for its heads.
const (
	headsInterval = 5 * time.Second
	headsTimeout  = 5 * time.Second
	maxHeads      = 16 << 20
)

// Heads asks exporters for what is no metric: the hash of the newest block of a
// provider and the words of its last error. It is for people, consumers and the
// gateway; nothing is decided by it.
type Heads struct {
	exporters []config.URL
	client    *http.Client
	logger    *slog.Logger
	tell      func(Head) bool
	// told are the heads by exporter as they were told last. Only Run uses it.
	told map[string]map[observation.Key]Head

	mu      sync.RWMutex
	details map[observation.Key]Detail
}

// Head is the newest block of a provider as an exporter's last probe found it.
type Head struct {
	Chain    string `json:"chain"`
	Provider string `json:"provider"`
	Height   uint64 `json:"height"`
	Hash     string `json:"hash"`
	// Parent is the hash of the block before; empty if it is unknown.
	Parent string `json:"parent"`
}

// NewHeads knows nothing before Run. The exporters are given by the addresses of
// their metrics, beside which the heads are. tell, if not nil, is told of every
// head with a hash that is another one than its exporter told before; again, if it
// says that it could not make use of it.
func NewHeads(metrics []config.URL, client *http.Client, logger *slog.Logger, tell func(Head) bool) *Heads {
	return &Heads{
		exporters: metrics, client: client, logger: logger, tell: tell,
		told: map[string]map[observation.Key]Head{}, details: map[observation.Key]Detail{},
	}
}

// Detail is what the exporter that knows the provider last told.
func (h *Heads) Detail(chain, provider string) (Detail, bool) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	d, ok := h.details[observation.Key{Chain: chain, Provider: provider}]
	return d, ok
}

// Run asks again and again until the context ends.
func (h *Heads) Run(ctx context.Context) error {
	tick := time.NewTicker(headsInterval)
	defer tick.Stop()
	for {
		h.ask(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// ask asks every exporter once. Of several that know a provider the first counts.
func (h *Heads) ask(ctx context.Context) {
	found := map[observation.Key]Detail{}
	for _, exporter := range h.exporters {
		heads, err := h.read(ctx, exporter)
		if err != nil {
			h.logger.Debug("An exporter did not tell its heads", "exporter", exporter, "err", err)
			continue
		}
		h.pass(exporter.Reveal().String(), heads)
		for _, one := range heads {
			key := observation.Key{Chain: one.Chain, Provider: one.Provider}
			if _, known := found[key]; !known {
				found[key] = Detail{Hash: one.Hash, LastError: one.LastError}
			}
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.details = found
}

// pass tells of what an exporter has not told before. What it tells again may be
// older than what was learnt of the provider meanwhile.
func (h *Heads) pass(exporter string, heads []head) {
	if h.tell == nil {
		return
	}
	before, now := h.told[exporter], make(map[observation.Key]Head, len(heads))
	for _, one := range heads {
		key := observation.Key{Chain: one.Chain, Provider: one.Provider}
		if one.Hash == "" || one.Head == before[key] || h.tell(one.Head) {
			now[key] = one.Head
		}
	}
	h.told[exporter] = now
}

// head is a provider's head as an exporter writes it.
type head struct {
	Head
	LastError *ProbeError `json:"last_error"`
}

// read asks one exporter.
func (h *Heads) read(ctx context.Context, exporter config.URL) ([]head, error) {
	ctx, cancel := context.WithTimeout(ctx, headsTimeout)
	defer cancel()
	u := exporter.Reveal()
	u.Path = path.Join(path.Dir(u.Path), "heads")
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, errors.New("its address cannot be asked")
	}
	response, err := h.client.Do(request)
	if err != nil {
		// The error of a request holds the whole address.
		if wrapped, ok := errors.AsType[*url.Error](err); ok {
			err = wrapped.Err
		}
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("HTTP status %d", response.StatusCode)
	}
	var answer struct {
		Heads []head `json:"heads"`
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, maxHeads)).Decode(&answer); err != nil {
		return nil, fmt.Errorf("the answer cannot be read: %w", err)
	}
	return answer.Heads, nil
}
