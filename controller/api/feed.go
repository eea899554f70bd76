package api

import (
	"context"
	"sync"
)

// feeds follows the View on behalf of all streams, as long as there is one. The
// zero value with a view is ready.
type feeds struct {
	view View
	// mu guards the feed that runs, nil if there is none, its readers, and whether
	// there will be no further one.
	mu      sync.Mutex
	current *feed
	closed  bool
	running sync.WaitGroup
}

// feed is one goroutine that looks at the View when something has changed, and
// the list of what it found.
type feed struct {
	view    View
	readers int
	cancel  context.CancelFunc
	// mu guards what follows.
	mu  sync.Mutex
	now *situation
	// next is where the next events will stand.
	next *entry
}

// entry is a place in the list. Readers go along it at their own pace; what all
// have read is garbage.
type entry struct {
	// ready is closed when events and next are there.
	ready  chan struct{}
	events []*event
	next   *entry
}

func newEntry() *entry { return &entry{ready: make(chan struct{})} }

// join is a reader's beginning: the situation, and the place of what comes after
// it. It is false once the feeds are closed. The context bounds the feed; leave
// must follow.
func (f *feeds) join(ctx context.Context) (*feed, *situation, *entry, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, nil, nil, false
	}
	if f.current == nil {
		f.current = f.start(ctx)
	}
	f.current.readers++
	now, next := f.current.position()
	return f.current, now, next, true
}

// start begins a feed. It watches before it looks, so that nothing falls between.
func (f *feeds) start(ctx context.Context) *feed {
	ctx, cancel := context.WithCancel(ctx)
	changed, end := f.view.Watch()
	started := &feed{view: f.view, cancel: cancel, now: look(f.view), next: newEntry()}
	f.running.Go(func() {
		defer end()
		started.run(ctx, changed)
	})
	return started
}

// leave ends a reader, and its feed with the last one.
func (f *feeds) leave(left *feed) {
	f.mu.Lock()
	defer f.mu.Unlock()
	left.readers--
	if left.readers == 0 {
		left.cancel()
		f.current = nil
	}
}

// close lets nobody join any more and returns when nothing runs. The context of
// join must have ended.
func (f *feeds) close() {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.running.Wait()
}

// position is the situation and what comes after it.
func (f *feed) position() (*situation, *entry) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now, f.next
}

// run looks each time something has changed.
func (f *feed) run(ctx context.Context, changed <-chan struct{}) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-changed:
			f.take(look(f.view))
		}
	}
}

// take tells the readers what led to a situation.
func (f *feed) take(s *situation) {
	f.mu.Lock()
	defer f.mu.Unlock()
	events := s.since(f.now)
	f.now = s
	if len(events) == 0 {
		return
	}
	filled := f.next
	filled.events, filled.next = events, newEntry()
	f.next = filled.next
	close(filled.ready)
}
