package node

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestALimitAnswersInTheNodesPlaceUntilItEnds(t *testing.T) {
	t.Parallel()
	place := RPC{address: FreeAddress(t)}
	end := LimitRate(t, place)
	err := place.Call(t.Context(), nil, "getblockcount")
	var refusal *RPCError
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, http.StatusTooManyRequests, refusal.Status)
	require.Equal(t, -32005, refusal.Code)
	end()
	end()
	require.NoError(t, tryListen(place.address), "the address is free again")
}
