package evaluator

// milliseconds of Unix time, as the engine counts. It is an alias, so that a
// method with one is still the engine's.
type milliseconds = int64

// point is a sample.
type point struct {
	t milliseconds
	v float64
}

// ring holds the latest points of one series, oldest first, with strictly
// growing times. The zero value is empty.
type ring struct {
	buf     []point
	head, n int32
}

func (r *ring) len() int { return int(r.n) }

// at is the i-th point, from 0, the oldest.
func (r *ring) at(i int) *point {
	i += int(r.head)
	if i >= len(r.buf) {
		i -= len(r.buf)
	}
	return &r.buf[i]
}

// newest is the last point; the ring must not be empty.
func (r *ring) newest() *point { return r.at(int(r.n) - 1) }

// push appends a point.
func (r *ring) push(p point) {
	if int(r.n) == len(r.buf) {
		r.grow()
	}
	r.n++
	*r.newest() = p
}

// grow makes room by a half, as a series of a steady rate soon has the size that
// it keeps: two points, if only the newest is read.
func (r *ring) grow() {
	grown := make([]point, max(2, (len(r.buf)*3+1)/2))
	for i := range r.len() {
		grown[i] = *r.at(i)
	}
	r.buf, r.head = grown, 0
}

// dropUntil forgets the points at or before t, but never the newest: it says
// when the series was last written to.
func (r *ring) dropUntil(t int64) {
	for r.n > 1 && r.at(0).t <= t {
		r.head++
		if int(r.head) == len(r.buf) {
			r.head = 0
		}
		r.n--
	}
}

// search is the index of the first point at or after t.
func (r *ring) search(t int64) int {
	low, high := 0, r.len()
	for low < high {
		if middle := int(uint(low+high) >> 1); r.at(middle).t < t {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}
