package exporter

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/understudy-rpc/understudy/exporter/chain"
	"github.com/understudy-rpc/understudy/exporter/integrity"
	"github.com/understudy-rpc/understudy/exporter/prober"
	"github.com/understudy-rpc/understudy/exporter/scanner"
	"github.com/understudy-rpc/understudy/internal/config"
)

// view is everything that one page of metrics tells, taken at one moment. It
// does not change any more.
type view struct {
	now       time.Time
	providers []providerView
	chains    []chainView
}

// providerView is one provider at that moment.
type providerView struct {
	*member
	status    prober.Status
	integrity integrity.Result
	// asked counts the blocks that it was asked for.
	asked uint64
}

// chainView is one chain at that moment.
type chainView struct {
	chainLabel *dto.LabelPair
	config     config.Chain
	observed   chain.Optional[scanner.Height]
	// polls are unknown for a chain whose scanner is not polled.
	polls     chain.Optional[scanner.Status]
	agreement integrity.ChainResult
}

// member is a provider of the fleet with what stays the same for as long as it
// is part of it.
type member struct {
	key      prober.Key
	chain    *config.Chain
	config   *config.Provider
	asker    *chain.Provider
	duration prometheus.Histogram

	chainLabel, providerLabel *dto.LabelPair
	typeLabel, operatorLabel  *dto.LabelPair
}
