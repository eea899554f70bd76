package config

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRequestsPerMonth(t *testing.T) {
	t.Parallel()
	off := Chain{BlockTime: 10 * time.Minute}
	hashes, each := off, off
	hashes.Failover.Integrity = Integrity{Enabled: true, Interval: time.Minute}
	each.Failover.Integrity = Integrity{Enabled: true, Interval: time.Minute, Transactions: true}
	p := Provider{HealthCheckInterval: 10 * time.Second}
	all := Cost{Cycle: 1, NewBlock: 2, Identity: 1, Hints: 2, Capabilities: 3, Block: 1, BlockTransactions: 4}
	const cycles, minutes, hours, blocks = 259_200, 43_200, 720, 4_320
	require.Equal(t, cycles, p.RequestsPerMonth(Cost{Cycle: 1}, off))
	require.Equal(t, cycles+2*blocks, p.RequestsPerMonth(Cost{Cycle: 1, NewBlock: 2}, off))
	require.Equal(t, cycles, p.RequestsPerMonth(Cost{Cycle: 1, Block: 1}, off), "blocks that are not compared cost nothing")
	require.Equal(t, cycles+minutes, p.RequestsPerMonth(Cost{Cycle: 1, Block: 1, BlockTransactions: 4}, hashes))
	require.Equal(t, cycles+5*minutes, p.RequestsPerMonth(Cost{Cycle: 1, Block: 1, BlockTransactions: 4}, each))
	require.Equal(t, cycles+hours, p.RequestsPerMonth(Cost{Cycle: 1, Identity: 1}, off))
	require.Equal(t, cycles+minutes, p.RequestsPerMonth(Cost{Cycle: 1, Identity: 1}, hashes), "proven before each comparison")
	require.Equal(t, cycles+2*blocks+minutes+2*hours+3*hours+5*minutes, p.RequestsPerMonth(all, each))
	p.HealthCheckInterval = 2 * time.Hour
	require.Equal(t, 360*(1+2+1+2+3), p.RequestsPerMonth(all, off), "what is due is asked with each probe")
	require.Equal(t, 360*(1+5), p.RequestsPerMonth(Cost{Cycle: 1, Block: 1, BlockTransactions: 4}, each), "blocks are asked for no more often than the provider is probed")
	p.HealthCheckInterval = 7 * time.Hour
	require.Equal(t, int(math.Ceil(30*24/7.0)), p.RequestsPerMonth(Cost{Cycle: 1}, off))
	require.Zero(t, Provider{}.RequestsPerMonth(all, each))
}
