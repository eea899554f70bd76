package facts

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

const (
	// DefaultReadInterval is how often Alertmanager's API is read.
	DefaultReadInterval = 30 * time.Second
	// retryInterval is when a reading that failed is tried again.
	retryInterval = 5 * time.Second
	// readGap lies between two readings, however often one is asked for.
	readGap = 250 * time.Millisecond
)

// ReadIntervalFor is how often to read where the watchdog may be silent for so
// long (zero: DefaultWatchdogLimit): in the proportion of the two defaults, as a
// reading tells that Alertmanager only echoes, which must be known well before it
// takes all alerts for over.
func ReadIntervalFor(watchdogLimit time.Duration) time.Duration {
	if watchdogLimit == 0 {
		return DefaultReadInterval
	}
	return min(DefaultReadInterval, watchdogLimit*2/5)
}

// ReaderOptions say how Alertmanager's API is read.
type ReaderOptions struct {
	Client *Client
	Table  *Table
	// Interval is how often; zero: DefaultReadInterval.
	Interval time.Duration
	// Reconciled is told which chains to look at again; nil: nobody is.
	Reconciled func(chains []string)
	// Logger gets a line when readings begin to fail and when they succeed again;
	// nil: nobody does.
	Logger *slog.Logger
}

// Reader reads Alertmanager's API at the start, again and again, and when asked,
// and keeps the table in step with it.
type Reader struct {
	o     ReaderOptions
	asked chan struct{}
}

// NewReader makes a reader that has read nothing yet.
func NewReader(o ReaderOptions) *Reader {
	if o.Interval == 0 {
		o.Interval = DefaultReadInterval
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Logger = o.Logger.With("component", "facts")
	return &Reader{o: o, asked: make(chan struct{}, 1)}
}

// Ask asks for a reading now. It never blocks; several calls before the reading
// begins are one.
func (r *Reader) Ask() {
	select {
	case r.asked <- struct{}{}:
	default:
	}
}

// Run reads until the context ends, and returns nil then.
func (r *Reader) Run(ctx context.Context) error {
	failing := false
	for {
		wait := r.o.Interval
		err := r.Read(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			wait = min(wait, retryInterval)
			if !failing {
				r.o.Logger.Warn("Alertmanager can't be read, its facts expire unless it repeats them", "err", err)
			}
		case failing:
			r.o.Logger.Info("Alertmanager can be read again")
		}
		failing = err != nil
		if !r.pause(ctx, wait) {
			return nil
		}
	}
}

// Read reads once, and puts the reading into the table.
func (r *Reader) Read(ctx context.Context) error {
	reading, err := r.o.Client.Read(ctx)
	if err != nil {
		// That we stopped is no failure of Alertmanager's.
		if !errors.Is(ctx.Err(), context.Canceled) {
			r.o.Table.countFailedReading()
		}
		return err
	}
	chains := r.o.Table.Reconcile(reading, time.Now())
	if r.o.Reconciled != nil {
		r.o.Reconciled(chains)
	}
	return nil
}

// pause waits until the next reading is due or asked for, and says whether there
// is to be one.
func (r *Reader) pause(ctx context.Context, wait time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(min(readGap, wait)):
	}
	select {
	case <-ctx.Done():
		return false
	case <-r.asked:
	case <-time.After(wait - min(readGap, wait)):
	}
	return true
}
