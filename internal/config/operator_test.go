package config

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDefaultOperator(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://xxx.quiknode.pro/key":             "quiknode.pro",
		"https://api.blockchair.com":               "blockchair.com",
		"https://API.Blockchair.COM.:443":          "blockchair.com",
		"https://a.b.example.co.uk":                "example.co.uk",
		"https://one.herokuapp.com":                "one.herokuapp.com",
		"https://node.example:8545":                "node.example",
		"http://localhost:8332":                    "localhost:8332",
		"http://localhost":                         "localhost:80",
		"https://localhost":                        "localhost:443",
		"http://127.0.0.1:8332":                    "127.0.0.1:8332",
		"http://[::1]:8332":                        "[::1]:8332",
		"http://[::ffff:10.0.0.1]:1":               "[::ffff:10.0.0.1]:1",
		"http://10.1.2.3:1":                        "10.1.2.3:1",
		"http://172.16.0.1:1":                      "172.16.0.1:1",
		"http://192.168.0.1:1":                     "192.168.0.1:1",
		"http://169.254.0.1:1":                     "169.254.0.1:1",
		"http://100.64.0.1:1":                      "100.64.0.1:1",
		"http://[fd00::1]:1":                       "[fd00::1]:1",
		"http://[fe80::1]:1":                       "[fe80::1]:1",
		"http://0.0.0.0:1":                         "0.0.0.0:1",
		"http://bitcoind:8332":                     "bitcoind:8332",
		"http://node.local:1":                      "node.local:1",
		"http://node.corp.internal:1":              "node.corp.internal:1",
		"http://btc.chains.svc:1":                  "btc.chains.svc:1",
		"http://btc.chains.svc.cluster.local:8332": "btc.chains.svc.cluster.local:8332",
		"http://8.8.8.8:8332":                      "8.8.8.8",
		"http://[2001:4860:4860::8888]:1":          "2001:4860:4860::8888",
		"https://com":                              "com:443",
		"https://co.uk":                            "co.uk",
	} {
		u, err := ParseURL(address)
		require.NoError(t, err, address)
		require.Equal(t, want, defaultOperator(u), address)
	}
}
