package chain

import "time"

// milliTime is a time stamp in milliseconds; 0 is no time.
func milliTime(ms uint64) time.Time {
	t := unixTime(ms / 1000)
	if t.IsZero() {
		return t
	}
	return t.Add(time.Duration(ms%1000) * time.Millisecond)
}

// agedBy is the time so many seconds before another one, or zero if that would
// be before 1970.
func agedBy(now time.Time, seconds uint64) time.Time {
	if unix := uint64(max(now.Unix(), 0)); seconds < unix {
		return unixTime(unix - seconds)
	}
	return time.Time{}
}

// writtenTime is a time stamp that a protocol writes as RFC 3339. What unixTime
// would not take for the time of a block, such as the year 1 that Go and 1970
// that CometBFT write for none, is zero.
func writtenTime(t time.Time) time.Time {
	if t.Unix() < 0 || unixTime(uint64(t.Unix())).IsZero() {
		return time.Time{}
	}
	return t.UTC()
}
