package journal

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// Names of the files with entries: the newest one, and those before it by the
// number of their first line.
const (
	currentName   = "journal.jsonl"
	segmentPrefix = "journal-"
	segmentSuffix = ".jsonl"
)

// segment is one of the older files.
type segment struct {
	name string
	// first is the number of its first line, and copy tells files with the same
	// one apart.
	first uint64
	copy  int
	size  int64
}

// compare puts the older one first.
func (s segment) compare(other segment) int {
	return cmp.Or(cmp.Compare(s.first, other.first), cmp.Compare(s.copy, other.copy))
}

// segmentName is a name that sorts by the first line.
func segmentName(first uint64, copied int) string {
	if copied == 0 {
		return fmt.Sprintf("%s%020d%s", segmentPrefix, first, segmentSuffix)
	}
	return fmt.Sprintf("%s%020d-%d%s", segmentPrefix, first, copied, segmentSuffix)
}

// parseSegment knows the names that segmentName makes.
func parseSegment(name string) (segment, bool) {
	middle, ok := strings.CutPrefix(name, segmentPrefix)
	if !ok {
		return segment{}, false
	}
	number, copied, _ := strings.Cut(strings.TrimSuffix(middle, segmentSuffix), "-")
	first, err := strconv.ParseUint(number, 10, 64)
	if err != nil {
		return segment{}, false
	}
	s := segment{name: name, first: first}
	if copied != "" {
		if s.copy, err = strconv.Atoi(copied); err != nil {
			return segment{}, false
		}
	}
	return s, segmentName(s.first, s.copy) == name
}

// segmentsOf lists the older files of a directory, oldest first. A directory
// that is not there has none.
func segmentsOf(d disk, dir string) ([]segment, error) {
	infos, err := d.ReadDirectory(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var found []segment
	for _, info := range infos {
		if s, ok := parseSegment(info.Name()); ok && info.Mode().IsRegular() {
			s.size = info.Size()
			found = append(found, s)
		}
	}
	slices.SortFunc(found, segment.compare)
	return found, nil
}
