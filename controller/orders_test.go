package controller_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/api"
	"github.com/understudy-rpc/understudy/controller/wire"
)

func TestADrainEndsByItself(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := begin(t, three)
		require.NoError(t, w.c.Drain(t.Context(), "eth", "a", api.Order{Reason: "disk swap", For: time.Minute}))
		a := w.serves("b", wire.StateOK)
		require.Equal(t, []string{"c"}, a.Fallbacks, "who is drained is no fallback")
		require.Contains(t, a.Reason, "switchover: ")
		require.Equal(t, "disk swap", w.status("a").Drained.Reason)
		w.pass(58 * time.Second)
		w.serves("b", wire.StateOK)
		// The end comes without a probe, a webhook or an evaluation.
		time.Sleep(2 * time.Second)
		w.serves("a", wire.StateOK)
		require.Nil(t, w.status("a").Drained)
	})
}

func TestAnUndrainPutsBackAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := begin(t, three)
		require.NoError(t, w.c.Drain(t.Context(), "eth", "a", api.Order{}))
		w.serves("b", wire.StateOK)
		require.NoError(t, w.c.Undrain(t.Context(), "eth", "a"))
		w.serves("a", wire.StateOK)
	})
}

func TestAPinHoldsUntilItsEnd(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := begin(t, three)
		require.NoError(t, w.c.Pin(t.Context(), "eth", "c", api.Order{Reason: "test", For: time.Minute}))
		w.serves("c", wire.StateOK)
		w.fail("c", "timeout")
		w.look()
		w.serves("a", wire.StateOK)
		w.well("c")
		w.pass(25 * time.Second)
		w.serves("c", wire.StateOK)
		w.pass(36 * time.Second)
		w.serves("a", wire.StateOK)
		require.Nil(t, w.chain().Pinned)

		require.NoError(t, w.c.Pin(t.Context(), "eth", "b", api.Order{}))
		w.serves("b", wire.StateOK)
		require.NoError(t, w.c.Unpin(t.Context(), "eth"))
		w.serves("a", wire.StateOK)
	})
}

func TestAFailbackAwaitsTheOperatorWhereThePolicySaysSo(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := begin(t, with("min_recovery_checks: 2", "min_recovery_checks: 2, failback: manual"))
		require.ErrorIs(t, w.c.Failback(t.Context(), "eth"), api.ErrNothingAwaits)
		w.fail("a", "timeout")
		w.look()
		w.well("a")
		w.pass(40 * time.Second)
		w.serves("b", wire.StateOK)
		require.NoError(t, w.c.Failback(t.Context(), "eth"))
		w.serves("a", wire.StateOK)
	})
}

func TestOrdersThatCannotBeCarriedOut(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := begin(t, three)
		index := w.c.Overview().Index()
		ctx := t.Context()
		require.ErrorIs(t, w.c.Drain(ctx, "doge", "a", api.Order{}), api.ErrUnknownChain)
		require.ErrorIs(t, w.c.Drain(ctx, "eth", "z", api.Order{}), api.ErrUnknownProvider)
		require.ErrorIs(t, w.c.Undrain(ctx, "eth", "z"), api.ErrUnknownProvider)
		require.ErrorIs(t, w.c.Pin(ctx, "eth", "z", api.Order{}), api.ErrUnknownProvider)
		require.ErrorIs(t, w.c.Unpin(ctx, "doge"), api.ErrUnknownChain)
		require.NoError(t, w.c.Unpin(ctx, "eth"), "there is no pin, which is what was wanted")
		require.Equal(t, index, w.c.Overview().Index(), "nothing was decided")
		require.NoError(t, w.stop())
		require.ErrorContains(t, w.c.Unpin(ctx, "eth"), "stopping")
	})
}

func TestAnOrderBeforeTheStartWaitsForIt(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := open(t, t.TempDir(), three)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, w.c.Drain(ctx, "eth", "a", api.Order{}), context.DeadlineExceeded)
		w.run()
		require.NoError(t, w.c.Drain(t.Context(), "eth", "a", api.Order{}))
		w.look()
		w.serves("b", wire.StateOK)
	})
}
