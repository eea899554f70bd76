//go:build e2e

package clients

import (
	"strings"
	"sync"
	"time"

	"github.com/stretchr/testify/require"
)

// client goes through its calls round after round.
type client interface {
	// more waits for further rounds to end.
	more(rounds int, what string)
	// quiet ends the client, which must have seen no error and no wrong answer.
	quiet()
}

// course is what befalls the provider that serves first while clients go on.
type course struct {
	*understudy
	// first is the name of that provider, call a call that it can answer.
	first, call string
	clients     []client
	// seen are the blocks that the clients were told of, right gives the hash that a
	// block has to have.
	seen  *sightings
	right func(height int64) string
}

// sightings are blocks as clients were told of them.
type sightings struct {
	mu     sync.Mutex
	blocks map[block]bool
}

// block is a block that a client was told of.
type block struct {
	Height int64
	Hash   string
}

func (s *sightings) add(height int64, hash string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.blocks == nil {
		s.blocks = map[block]bool{}
	}
	s.blocks[block{height, hash}] = true
}

// take are the blocks since the last time.
func (s *sightings) take() map[block]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	blocks := s.blocks
	s.blocks = nil
	return blocks
}

// fails lets the first provider fail in one way, and then be well again: until it
// serves, as in the beginning.
func (c *course) fails(how string, fault, cure func()) {
	c.t.Helper()
	begin := time.Now()
	fault()
	c.more(4, how)
	failed := time.Since(begin)
	cure()
	c.serves()
	c.more(2, "after it: "+how)
	c.t.Logf("%s: %.1f s, and %.1f s until all was well", how, failed.Seconds(), (time.Since(begin) - failed).Seconds())
}

// serves waits until the first provider serves.
func (c *course) serves() {
	c.t.Helper()
	c.awaitServes(c.first, c.call)
}

// more waits for further rounds of every client.
func (c *course) more(rounds int, what string) {
	c.t.Helper()
	for _, one := range c.clients {
		one.more(rounds, what)
	}
}

// quiet ends every client, and checks that the faults were seen by the gateway.
func (c *course) quiet() {
	c.t.Helper()
	for _, one := range c.clients {
		one.quiet()
	}
	f, err := c.failover(c.t.Context())
	require.NoError(c.t, err)
	c.wasRight()
	require.Zero(c.t, f.ActiveIndex)
	require.Positive(c.t, f.Endpoints[0].TotalFailures, "the first one did fail")
}

// wasRight checks the blocks that clients were told of since the last time.
func (c *course) wasRight() {
	c.t.Helper()
	blocks := c.seen.take()
	require.NotEmpty(c.t, blocks)
	for b := range blocks {
		require.True(c.t, strings.EqualFold(c.right(b.Height), b.Hash), "block %d is %s, and clients were told %s", b.Height, c.right(b.Height), b.Hash)
	}
}
