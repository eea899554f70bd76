package main

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

func TestTheLastReloadIsTheOneThatCounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		written, inForce := "old", ""
		slow := make(chan struct{})
		reload := inTurn(func() error {
			read := written
			if read == "old" {
				<-slow
			}
			inForce = read
			return nil
		})
		go func() { _ = reload() }()
		synctest.Wait()
		written = "new"
		go func() { _ = reload() }()
		synctest.Wait()
		close(slow)
		synctest.Wait()
		require.Equal(t, "new", inForce)
	})
}
