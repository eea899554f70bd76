package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestURLShowsSchemeAndHostOnly(t *testing.T) {
	t.Parallel()
	u, err := ParseURL("https://user:secret@host.example:8332/secret?key=secret")
	require.NoError(t, err)
	const shown = "https://host.example:8332"
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d", "%x", "%T-%v"} {
		require.NotContains(t, fmt.Sprintf(strings.TrimPrefix(verb, "%T-"), u), "secret")
	}
	require.Equal(t, shown, u.String())
	require.Equal(t, `"`+shown+`"`, fmt.Sprintf("%q", u))
	require.Equal(t, `config.URL("`+shown+`")`, u.GoString())
	require.Equal(t, "host.example:8332", u.Host())
	require.Equal(t, "https://user:secret@host.example:8332/secret?key=secret", u.Reveal().String())
	changed := u.Reveal()
	changed.Path = "/other"
	require.Equal(t, "/secret", u.Reveal().Path, "what is revealed is a copy")
	require.True(t, URL{}.IsZero())
	require.Equal(t, "  ", strings.Join([]string{URL{}.String(), URL{}.Host(), URL{}.Reveal().String()}, " "))
}
