package controller_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller"
	"github.com/understudy-rpc/understudy/controller/facts"
	"github.com/understudy-rpc/understudy/controller/wire"
)

func TestARestartAnswersAtOnceWhatWasDecidedBefore(t *testing.T) {
	for name, crash := range map[string]bool{"after a stop": false, "after a crash": true} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				w := begin(t, three)
				w.fail("a", "timeout")
				w.look()
				require.NoError(t, w.c.Drain(t.Context(), "eth", "c", order("disk swap")))
				before := w.serves("b", wire.StateOK)
				dir := w.copied()
				require.NoError(t, w.stop())
				if !crash {
					dir = w.copied()
				}

				again := open(t, dir, three)
				again.fleet = w.fleet
				first := again.serves("b", wire.StateOK)
				require.Equal(t, before.Generation, first.Generation)
				require.Equal(t, before.Index, first.Index)
				require.Equal(t, before.Reason, first.Reason)
				require.Equal(t, before.Since.UTC(), first.Since.UTC())
				require.True(t, first.Stale, "nobody has been heard since")
				require.Equal(t, wire.StatusUnhealthy, again.status("a").Status)
				require.Equal(t, "disk swap", again.status("c").Drained.Reason)
				require.Equal(t, w.chain().Events[0], again.chain().Events[0])

				again.run()
				again.look()
				again.serves("b", wire.StateOK)
				require.NoError(t, again.c.Undrain(t.Context(), "eth", "c"))
				require.NoError(t, again.c.Pin(t.Context(), "eth", "c", order("")))
				after := again.serves("c", wire.StateOK)
				require.Greater(t, after.Index, before.Index)
				if crash {
					require.Greater(t, after.Generation, before.Generation)
				} else {
					require.Equal(t, before.Generation+1, after.Generation, "after a proper stop nothing may have been used")
				}
				require.NoError(t, again.stop())
			})
		})
	}
}

func TestRecoveryGoesOnAfterARestart(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := begin(t, three)
		w.fail("a", "timeout")
		w.look()
		w.well("a")
		w.pass(13 * time.Second)
		require.Equal(t, 1, w.status("a").Recovery.Passed)
		again := restart(w, three)
		require.Equal(t, 1, again.status("a").Recovery.Passed)
		again.run()
		again.pass(12 * time.Second)
		again.serves("a", wire.StateOK)
	})
}

// restart opens a controller on what a crash of another would leave behind.
func restart(w *world, text string, change ...func(*controller.Options)) *world {
	again := open(w.t, w.copied(), text, change...)
	require.NoError(w.t, w.stop())
	return again
}

func TestAFactOfBeforeTheRestartStillStands(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		always := func(o *controller.Options) { o.Mode = facts.ModeAlways }
		w := begin(t, three, always)
		w.post("firing", against("a", "Hearsay", "errors"), time.Now())
		w.serves("b", wire.StateOK)
		require.NoError(t, w.stop())
		again := open(t, w.dir, three, always).run()
		again.look()
		again.serves("b", wire.StateOK)
		require.Equal(t, []string{"Hearsay alertmanager true"}, alertsOf(again.status("a")))
		again.pass(facts.DefaultTTL)
		require.Empty(t, again.status("a").Alerts)
	})
}

func TestWhoIsAnotherEndpointByNowIsNotServedAfterARestart(t *testing.T) {
	for name, text := range map[string]string{
		"another address": with("a.example", "elsewhere.example"),
		"another key":     with("PATHSECRET?key=QUERYSECRET", "PATHSECRET?key=ANOTHER"),
		"another name":    with("name: a,", "name: z,"),
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				w := begin(t, three)
				before := w.serves("a", wire.StateOK)
				again := restart(w, text)
				_, known := again.c.Overview().Active("eth", "")
				require.False(t, known, "nothing is shown before it is decided")
				again.run()
				a := again.serves("b", wire.StateOK)
				require.Greater(t, a.Index, before.Index)
				require.Greater(t, a.Generation, before.Generation)
			})
		})
	}
}

func TestAFallbackThatIsAnotherEndpointByNowIsNotShownAfterARestart(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		status string
	}{
		"another address": {with("b.example", "elsewhere.example"), wire.StatusUnknown},
		"another name":    {with("name: b,", "name: z,"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				w := begin(t, three)
				require.Equal(t, []string{"b", "c"}, w.serves("a", wire.StateOK).Fallbacks)
				again := restart(w, c.text)
				require.Equal(t, []string{"c"}, again.serves("a", wire.StateOK).Fallbacks)
				route, known := again.c.Route("eth")
				require.True(t, known)
				require.Len(t, route.Endpoints, 2, "the gateway asks neither")
				capable, _ := again.c.Overview().Active("eth", "receipts")
				require.Nil(t, capable.Provider, "nobody is known to have what only b had")
				if c.status != "" {
					require.Equal(t, c.status, again.status("b").Status)
				}
			})
		})
	}
}

func TestAChainThatWasGoneAtTheRestartIsStillRemembered(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := begin(t, three+bitcoin)
		w.fail("a", "timeout")
		w.look()
		before := w.serves("b", wire.StateOK)
		again := restart(w, "chains:\n"+bitcoin).run()
		again.look()
		require.Len(t, again.c.Overview().Actives().Chains, 1)
		last := restart(again, three+bitcoin).run()
		last.look()
		require.GreaterOrEqual(t, last.active().Generation, before.Generation)
		require.Equal(t, wire.StatusUnhealthy, last.status("a").Status)
	})
}

func TestAStopBeforeTheFirstLookForgetsNoChain(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		// Whether a chain is still looked at when the stop comes at once is a matter of
		// chance, so there are several.
		names := []string{"a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"}
		text := "chains:\n"
		for _, name := range names {
			text += replaced(bitcoin, "btc:", name+":")
		}
		w := begin(t, text)
		for _, name := range names {
			require.NoError(t, w.c.Pin(t.Context(), name, "own", order("the only one")))
		}
		require.NoError(t, w.stop())

		moved := replaced(text, "8332", "18332")
		short := open(t, w.dir, moved)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.NoError(t, short.c.Run(ctx))
		short.stop = func() error { return nil }

		again := open(t, w.dir, moved).run()
		for _, name := range names {
			c, known := again.c.Overview().Chain(name)
			require.True(t, known)
			require.NotNil(t, c.Pinned, name)
		}
	})
}

func TestTwoControllersDoNotShareAJournal(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := begin(t, three)
		_, err := controller.New(controller.Options{Config: parse(t, three), Exporters: sourcesOf(w.fleet), StoragePath: w.dir})
		require.ErrorContains(t, err, "--storage.path")
		require.ErrorContains(t, err, "another controller")
	})
}
