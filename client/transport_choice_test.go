package client_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/client"
)

func TestOnlyTypesThatTheCallerSpeaksAreUsed(t *testing.T) {
	t.Parallel()
	rest := serves(2, 2, "rest", "b")
	rest.Type = "blockchair-rest"
	alone := serves(3, 3, "rest")
	alone.Type = "blockchair-rest"
	providers := known("a", "b", "rest")
	providers[2].Type = "blockchair-rest"
	synctest.Test(t, func(t *testing.T) {
		f := newFakeController(serves(1, 1, "a", "rest", "b"), providers...)
		speaks, p, c := following(t, f, client.TransportOptions{Types: []string{"bitcoin-rpc"}})
		synctest.Wait()
		p.set("a", refuses)
		text, err := ask(t.Context(), speaks)
		require.NoError(t, err)
		require.Equal(t, "b", text)
		require.Equal(t, []string{"a", "b"}, p.hosts(), "a REST API is no fallback for a daemon")
		p.set("a", nil)

		f.say(rest)
		time.Sleep(time.Second)
		text, err = ask(t.Context(), speaks)
		require.NoError(t, err)
		require.Equal(t, "b", text, "the first fallback that speaks it")

		f.say(alone)
		time.Sleep(time.Second)
		late := c.Transport("btc", client.TransportOptions{Base: p, Types: []string{"bitcoin-rpc"}})
		for _, transport := range []*client.Transport{speaks, late} {
			_, err = ask(t.Context(), transport)
			var none *client.NoProviderError
			require.ErrorAs(t, err, &none, "who is not named any more may have been left for wrong data")
			require.ErrorContains(t, err, "can talk to")
		}

		again := serves(4, 4, "rest", "b")
		again.Type = "blockchair-rest"
		f.say(again)
		time.Sleep(time.Second)
		text, err = ask(t.Context(), speaks)
		require.NoError(t, err)
		require.Equal(t, "b", text)
		require.NoError(t, c.Close())
	})
}

func TestAManualTransportMovesBetweenBlocksOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeController(serves(1, 1, "a", "b"), known("a", "b", "c")...)
		rt, p, c := following(t, f, client.TransportOptions{Manual: true})
		synctest.Wait()
		goesTo := func(want string) {
			t.Helper()
			text, err := post(t.Context(), rt, "call")
			require.NoError(t, err)
			require.Equal(t, want, text)
		}
		goesTo("a")
		f.say(serves(2, 2, "c", "a"))
		time.Sleep(time.Minute)
		goesTo("a")
		require.Equal(t, "c", rt.Advance())
		goesTo("c")
		p.set("c", refuses)
		goesTo("a")
		p.set("c", nil)
		time.Sleep(time.Hour)
		goesTo("a")
		require.Equal(t, "c", rt.Advance())
		goesTo("c")
		require.NoError(t, c.Close())
	})
}

func TestAFallbackIsUsedOnceItsAddressIsKnown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeController(serves(1, 1, "a", "b"))
		rt, p, c := following(t, f, client.TransportOptions{})
		synctest.Wait()
		p.set("a", refuses)
		_, err := ask(t.Context(), rt)
		require.ErrorContains(t, err, "connection refused")
		f.mu.Lock()
		f.providers = known("a", "b")
		f.mu.Unlock()
		time.Sleep(11 * time.Second)
		text, err := ask(t.Context(), rt)
		require.NoError(t, err)
		require.Equal(t, "b", text)
		require.NoError(t, c.Close())
	})
}
