package chain

import "sync"

// unsupported remembers the methods that a provider refuses.
type unsupported struct {
	mu      sync.Mutex
	methods map[string]bool
}

func (u *unsupported) has(method string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.methods[method]
}

func (u *unsupported) add(method string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.methods == nil {
		u.methods = map[string]bool{}
	}
	u.methods[method] = true
}

func (u *unsupported) clear() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.methods = nil
}
