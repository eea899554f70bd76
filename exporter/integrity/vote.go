package integrity

import "slices"

// vote is what one provider says; its operator is who votes.
type vote struct {
	operator, value string
}

// tally is a count of votes by operator.
type tally struct {
	// words are the different values that each operator's providers say.
	words map[string][]string
	// support is how many undivided operators say a value, voters their number.
	support map[string]int
	voters  int
	// divided are the operators whose providers disagree.
	divided []string
}

// count counts votes. Empty values are none.
func count(votes []vote) tally {
	t := tally{words: map[string][]string{}, support: map[string]int{}}
	for _, v := range votes {
		if v.value != "" && !slices.Contains(t.words[v.operator], v.value) {
			t.words[v.operator] = append(t.words[v.operator], v.value)
		}
	}
	for operator, values := range t.words {
		if len(values) > 1 {
			t.divided = append(t.divided, operator)
			continue
		}
		t.support[values[0]]++
		t.voters++
	}
	return t
}

// elect finds the value that a strict majority of operators says.
func elect(votes []vote) (string, bool) { return count(votes).winner(nil) }

// winner is the value that a strict majority of operators says, leaving out one
// operator if asked to. An operator votes if its providers agree with each
// other. One whose providers disagree abstains where one of them says the value,
// and is one against it otherwise, so that a single operator is no majority
// against one that is of two minds about something else.
func (t tally) winner(without *string) (string, bool) {
	var out []string
	if without != nil {
		out = t.words[*without]
	}
	voters := t.voters
	if len(out) == 1 {
		voters--
	}
	for value, support := range t.support {
		if len(out) == 1 && out[0] == value {
			support--
		}
		against := voters - support
		for _, operator := range t.divided {
			if (without == nil || operator != *without) && !slices.Contains(t.words[operator], value) {
				against++
			}
		}
		// At most one value can pass: it has more than half of the voters.
		if support > against {
			return value, true
		}
	}
	return "", false
}
