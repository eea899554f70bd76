package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/prometheus/exporter-toolkit/web"

	"github.com/understudy-rpc/understudy/controller/gateway"
	"github.com/understudy-rpc/understudy/internal/config"
)

// entrance is an address of a chain's own, at whose root the gateway forwards to
// that chain: for clients that cannot be given a path, such as bitcoin-cli.
type entrance struct {
	chain, address string
}

// entrancesOf reads the values of --gateway.listen-address.
func entrancesOf(values []string, chains []config.Chain) ([]entrance, error) {
	known := map[string]bool{}
	for _, c := range chains {
		known[c.Name] = true
	}
	var all []entrance
	for _, value := range values {
		chain, address, ok := strings.Cut(value, "=")
		if _, _, err := net.SplitHostPort(address); !ok || err != nil {
			return nil, fmt.Errorf("--gateway.listen-address: %q is not a chain and where to listen for it, such as btc=127.0.0.1:8332", value)
		}
		if !known[chain] {
			return nil, fmt.Errorf("--gateway.listen-address: %q: chain %q is not configured", value, chain)
		}
		all = append(all, entrance{chain, address})
	}
	return all, nil
}

// openEntrances listens on them, so that an address which is taken ends the start,
// and adds what serves there to the parts. What --web.config.file says holds there
// as well.
func (s *service) openEntrances(entrances []entrance, g *gateway.Gateway) error {
	var open []net.Listener
	for _, e := range entrances {
		l, err := net.Listen("tcp", e.address)
		if err != nil {
			for _, one := range open {
				_ = one.Close()
			}
			return fmt.Errorf("--gateway.listen-address: chain %s: %w", e.chain, err)
		}
		open = append(open, l)
		s.logger.Info("Forwarding at an address of the chain's own", "chain", e.chain, "address", l.Addr().String())
		if !isLoopback(e.address) && !s.exposed.authenticated {
			s.logger.Warn("Whoever reaches this address can use the chain's providers", "chain", e.chain, "address", l.Addr().String(), "advice", "listen on loopback, or set --web.config.file with basic_auth_users")
		}
		s.parts = append(s.parts, func(ctx context.Context) error { return s.serveEntrance(ctx, l, g.At(e.chain)) })
	}
	return nil
}

// serveEntrance serves until the context ends.
func (s *service) serveEntrance(ctx context.Context, l net.Listener, h http.Handler) error {
	server := s.server(h)
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		shutDown(server, s.logger)
	})
	err := web.Serve(l, server, s.flags.web, s.logger)
	if !stop() {
		<-ended
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
