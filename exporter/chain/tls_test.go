package chain

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	commoncfg "github.com/prometheus/common/config"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

// authority signs certificates of servers.
type authority struct {
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
	pem  string
}

// newAuthority makes an authority that ends at a time.
func newAuthority(tb testing.TB, end time.Time) authority {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(tb, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"},
		NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: end,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(tb, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(tb, err)
	return authority{key: key, cert: cert, pem: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))}
}

// sign makes a certificate for 127.0.0.1, or for a name instead, that ends at a
// time.
func (a authority) sign(tb testing.TB, name string, end time.Time) tls.Certificate {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(tb, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: end,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if name == "" {
		template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	} else {
		template.DNSNames = []string{name}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	require.NoError(tb, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// trusts makes a provider trust an authority, or everybody if the certificate is
// none.
func trusts(pem string) func(*config.Chain, *config.Provider) {
	return func(_ *config.Chain, p *config.Provider) {
		p.HTTP.TLSConfig = commoncfg.TLSConfig{CA: pem, InsecureSkipVerify: pem == ""}
	}
}

// serveTLS starts a server with a certificate.
func serveTLS(tb testing.TB, c *tls.Config, handler http.HandlerFunc) (string, *atomic.Int64) {
	tb.Helper()
	var accepted atomic.Int64
	server := httptest.NewUnstartedServer(handler)
	server.TLS = c
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			accepted.Add(1)
		}
	}
	server.StartTLS()
	tb.Cleanup(server.Close)
	return server.URL, &accepted
}

func TestCertificates(t *testing.T) {
	t.Parallel()
	// Certificates know whole seconds only.
	now := time.Now().UTC().Truncate(time.Second)
	year, month, past := now.AddDate(1, 0, 0), now.AddDate(0, 1, 0), now.Add(-time.Hour)
	trusted, other := newAuthority(t, year), newAuthority(t, year)
	old := newAuthority(t, past)
	with := func(c tls.Certificate, more ...authority) *tls.Config {
		for _, a := range more {
			c.Certificate = append(c.Certificate, a.cert.Raw)
		}
		return &tls.Config{Certificates: []tls.Certificate{c}}
	}
	for _, c := range []struct {
		name   string
		server *tls.Config
		trust  string
		want   Reason
		expiry time.Time
		text   string
	}{
		{"good", with(trusted.sign(t, "", month)), trusted.pem, "", month, ""},
		{"the authority ends first", with(trusted.sign(t, "", year.AddDate(1, 0, 0))), trusted.pem, "", year, ""},
		{"an old root along with it that nobody needs", with(trusted.sign(t, "", month), old), trusted.pem, "", month, ""},
		{"not verified", with(other.sign(t, "", month), old), "", "", month, ""},
		{"expired", with(trusted.sign(t, "", past)), trusted.pem, TLS, past, "expired"},
		{"another host", with(trusted.sign(t, "elsewhere.test", month)), trusted.pem, TLS, month, "127.0.0.1"},
		{"an unknown authority", with(other.sign(t, "", month)), trusted.pem, TLS, month, "unknown authority"},
		{"a handshake that the server refuses", &tls.Config{
			Certificates: []tls.Certificate{trusted.sign(t, "", month)}, ClientAuth: tls.RequireAndVerifyClientCert,
			ClientCAs: x509.NewCertPool(), MaxVersion: tls.VersionTLS12,
		}, trusted.pem, TLS, time.Time{}, "tls: "},
		{"a version that is too old", &tls.Config{
			Certificates: []tls.Certificate{trusted.sign(t, "", month)}, MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10,
		}, trusted.pem, TLS, time.Time{}, "tls: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			address, _ := serveTLS(t, c.server, say(200, nil, goodBlock))
			o, err := evmAt(t, address, trusts(c.trust)).Observe(t.Context(), Ask{})
			require.Equal(t, c.expiry, o.CertificateExpiry.UTC())
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.Contains(t, requireFailure(t, err, c.want).Text, c.text)
		})
	}
}

func TestACertificateThatThisMachineDoesNotTrust(t *testing.T) {
	t.Parallel()
	a := newAuthority(t, time.Now().Add(time.Hour).Truncate(time.Second))
	address, _ := serveTLS(t, &tls.Config{Certificates: []tls.Certificate{a.sign(t, "", a.cert.NotAfter)}}, say(200, nil, goodBlock))
	o, err := evmAt(t, address).Observe(t.Context(), Ask{})
	requireFailure(t, err, TLS)
	require.True(t, a.cert.NotAfter.Equal(o.CertificateExpiry))
}

func TestWithoutTLSNoCertificateEnds(t *testing.T) {
	t.Parallel()
	o, err := evmAt(t, serve(t, say(200, nil, goodBlock))).Observe(t.Context(), Ask{})
	require.NoError(t, err)
	require.True(t, o.CertificateExpiry.IsZero())
	require.True(t, earliestExpiry(nil).IsZero())
}

// HTTP/2 ends a request that ran out of time after its error was returned, when
// the talk has ended already.
func TestAfterATimeoutNothingOfHTTP2IsLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var silent atomic.Bool
		p, seen := overPipes(t, "HTTP/2.0 over TLS", 0, func(w http.ResponseWriter, r *http.Request) {
			if silent.Load() {
				hangs(w, r)
				return
			}
			say(200, nil, goodBlock)(w, r)
		})
		ask := func() error {
			_, err := p.Observe(t.Context(), Ask{})
			ended := time.Now()
			seen.requireClosed(t)
			require.LessOrEqual(t, time.Since(ended), idleTimeout)
			return err
		}
		require.NoError(t, ask())
		silent.Store(true)
		requireFailure(t, ask(), Timeout)
		silent.Store(false)
		require.NoError(t, ask())
		require.Equal(t, 3, seen.accepted())
	})
}

// overPipes is a provider in a bubble of synctest, whose server speaks a protocol
// over pipes. It takes a time to connect, by TLS half of it for the handshake.
func overPipes(t *testing.T, protocol string, connect time.Duration, handler http.HandlerFunc, changes ...func(*config.Chain, *config.Provider)) (*Provider, *states) {
	t.Helper()
	a := newAuthority(t, time.Now().AddDate(1, 0, 0))
	pipes := pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
	seen := newStates()
	server := http.Server{ConnState: seen.note, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(protocol, r.Proto) {
			w.WriteHeader(http.StatusHTTPVersionNotSupported)
			return
		}
		handler(w, r)
	})}
	address, serve := "http://127.0.0.1", server.Serve
	if strings.HasSuffix(protocol, "over TLS") {
		connect /= 2
		server.TLSConfig = &tls.Config{
			Certificates: []tls.Certificate{a.sign(t, "", a.cert.NotAfter)},
			GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
				time.Sleep(connect)
				return nil, nil
			},
		}
		address = "https://127.0.0.1"
		serve = func(l net.Listener) error { return server.ServeTLS(l, "", "") }
	}
	var serving sync.WaitGroup
	serving.Go(func() { _ = serve(pipes) })
	p := evmAt(t, address, append(changes, func(_ *config.Chain, p *config.Provider) {
		p.HTTP.EnableHTTP2 = strings.HasPrefix(protocol, "HTTP/2.0")
	})...)
	if p.http.tls != nil {
		p.http.tls.RootCAs = x509.NewCertPool()
		p.http.tls.RootCAs.AddCert(a.cert)
	}
	p.http.dial = func(context.Context, string, string) (net.Conn, error) {
		time.Sleep(connect)
		client, server := net.Pipe()
		pipes.conns <- server
		return client, nil
	}
	t.Cleanup(func() {
		require.NoError(t, server.Close())
		serving.Wait()
	})
	return p, seen
}

// renewable is a server whose certificate can be replaced while it runs.
func renewable(t *testing.T, first tls.Certificate) (address string, replace func(tls.Certificate), resumed *atomic.Bool) {
	t.Helper()
	var now atomic.Pointer[tls.Certificate]
	now.Store(&first)
	resumed = new(atomic.Bool)
	address, _ = serveTLS(t, &tls.Config{
		Certificates: []tls.Certificate{first},
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			return &tls.Config{Certificates: []tls.Certificate{*now.Load()}}, nil
		},
	}, func(w http.ResponseWriter, r *http.Request) {
		resumed.Store(r.TLS.DidResume)
		everythingOfEVM(w, r)
	})
	return address, func(c tls.Certificate) { now.Store(&c) }, resumed
}

func TestTheCertificateIsLookedAtWithTheIdentity(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC().Truncate(time.Second)
	trusted, other := newAuthority(t, now.AddDate(2, 0, 0)), newAuthority(t, now.AddDate(2, 0, 0))
	month, year := now.AddDate(0, 1, 0), now.AddDate(1, 0, 0)
	ways := map[string]func(p *Provider){
		"without an http block": func(p *Provider) {
			p.http.own = nil
			p.http.tls.RootCAs = x509.NewCertPool()
			p.http.tls.RootCAs.AddCert(trusted.cert)
		},
		"with an http block": func(*Provider) {},
	}
	for way, prepare := range ways {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			address, replace, resumed := renewable(t, trusted.sign(t, "", month))
			p := evmAt(t, address, trusts(trusted.pem))
			prepare(p)
			look := func(ask Ask, didResume bool, expiry time.Time) {
				t.Helper()
				o, err := p.Observe(t.Context(), ask)
				require.NoError(t, err)
				require.Equal(t, expiry, o.CertificateExpiry.UTC())
				require.Equal(t, didResume, resumed.Load())
			}
			look(Ask{}, false, month)
			look(Ask{}, true, month)
			replace(trusted.sign(t, "", year))
			look(Ask{}, true, month)
			look(Ask{Identity: true}, false, year)
			look(Ask{}, true, year)
			replace(other.sign(t, "", year))
			_, err := p.Observe(t.Context(), Ask{Identity: true})
			requireFailure(t, err, TLS)
			_, err = p.Observe(t.Context(), Ask{})
			requireFailure(t, err, TLS)
		})
	}
}

// pipeListener hands out connections in memory.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (l pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l pipeListener) Close() error   { close(l.closed); return nil }
func (l pipeListener) Addr() net.Addr { return &net.IPAddr{IP: net.IPv4(127, 0, 0, 1)} }
