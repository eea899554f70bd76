package main

import "strconv"

// counted is a number with what it counts, as people write it: "1 mistake", "0
// mistakes".
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
