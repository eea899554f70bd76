package main

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"
)

// exposure is who can reach a listener.
type exposure struct {
	// beyondLoopback: other machines can.
	beyondLoopback bool
	// authenticated: whoever does must show a password or a certificate.
	authenticated bool
}

// trusted says whether everybody who can call may do so.
func (e exposure) trusted() bool { return !e.beyondLoopback || e.authenticated }

// exposureOf looks at the listen addresses and the web configuration file.
func exposureOf(addresses []string, systemdSocket bool, webConfigFile string) (exposure, error) {
	// A socket that systemd opened may listen anywhere.
	e := exposure{beyondLoopback: systemdSocket}
	for _, address := range addresses {
		e.beyondLoopback = e.beyondLoopback || !isLoopback(address)
	}
	if webConfigFile == "" {
		return e, nil
	}
	data, err := os.ReadFile(webConfigFile)
	if err != nil {
		return e, fmt.Errorf("--web.config.file: %w", err)
	}
	var web struct {
		Users map[string]string `yaml:"basic_auth_users"`
		TLS   struct {
			ClientAuth string `yaml:"client_auth_type"`
		} `yaml:"tls_server_config"`
	}
	if err := yaml.Unmarshal(data, &web); err != nil {
		return e, fmt.Errorf("--web.config.file: %s: %w", webConfigFile, err)
	}
	e.authenticated = len(web.Users) > 0 || web.TLS.ClientAuth == "RequireAndVerifyClientCert"
	return e, nil
}

// isLoopback says whether only this machine can reach an address. A name counts
// only if it is localhost: what another resolves to may change.
func isLoopback(address string) bool {
	if strings.HasPrefix(address, "unix:") {
		return true
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
