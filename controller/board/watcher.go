package board

// Watcher follows the board. It misses no change, but may see several as one:
// it holds the newest sheet only, whatever its owner's pace.
type Watcher struct {
	board *Board
	// newest holds one sheet at most.
	newest chan *Sheet
}

// Watch makes a watcher, which begins with the sheet of now. Close ends it.
func (b *Board) Watch() *Watcher {
	w := &Watcher{board: b, newest: make(chan *Sheet, 1)}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.watchers[w] = struct{}{}
	w.newest <- b.current.Load()
	return w
}

// Changes yields the newest sheet each time there is a newer one.
func (w *Watcher) Changes() <-chan *Sheet { return w.newest }

// Close ends the watcher. The channel stays open and yields nothing more.
func (w *Watcher) Close() {
	w.board.mu.Lock()
	defer w.board.mu.Unlock()
	delete(w.board.watchers, w)
}

// tell replaces what was not taken yet. The board's lock is held, so that
// nobody else puts anything in.
func (w *Watcher) tell(s *Sheet) {
	select {
	case <-w.newest:
	default:
	}
	w.newest <- s
}
