package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOneIsOneAndNotSeveral(t *testing.T) {
	t.Parallel()
	require.Equal(t, "0 mistakes", counted(0, "mistake", "mistakes"))
	require.Equal(t, "1 mistake", counted(1, "mistake", "mistakes"))
	require.Equal(t, "2 entries", counted(2, "entry", "entries"))
	require.Equal(t, "21 entries", counted(21, "entry", "entries"))
}
