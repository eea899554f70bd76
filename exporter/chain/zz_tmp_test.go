package chain

import (
	"context"
	"net"
	"net/http"
	"os"
	"runtime/pprof"
	"runtime"
	"testing"
	"time"
	"fmt"

	commoncfg "github.com/prometheus/common/config"
	"github.com/stretchr/testify/require"
)

func TestTmpMemory(t *testing.T) {
	if os.Getenv("TMPMEM") == "" { return }
	answer := newCanned(goodBlock)
	for _, kind := range []string{"common", "bare", "bare4k"} {
		mem := func() (uint64, uint64) {
			runtime.GC(); runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return m.HeapAlloc, m.StackInuse
		}
		h0, s0 := mem()
		var ps []*Provider
		for range 3000 {
			p := evmAt(t, "http://provider.test")
			dial := func(context.Context, string, string) (net.Conn, error) { return newCannedConn(answer), nil }
			switch kind {
			case "common":
				c, err := commoncfg.NewClientFromConfig(commoncfg.HTTPClientConfig{}, "provider", commoncfg.WithDialContextFunc(dial), commoncfg.WithIdleConnTimeout(90*time.Second))
				require.NoError(t, err)
				p.http = c
			case "bare4k":
				p.http.Transport.(*http.Transport).ReadBufferSize = 0
				p.http.Transport.(*http.Transport).WriteBufferSize = 0
				fallthrough
			default:
				dialCanned(t, p, answer)
			}
			_, err := p.Observe(t.Context(), Ask{})
			require.NoError(t, err)
			ps = append(ps, p)
		}
		h1, s1 := mem()
		fmt.Println(kind, "heap", (h1-h0)/3000, "stack", (s1-s0)/3000)
		if kind == os.Getenv("TMPMEM") {
			f, _ := os.Create("/tmp/heap.out")
			_ = pprof.WriteHeapProfile(f)
			f.Close()
		}
		for _, p := range ps { p.Close() }
		time.Sleep(300*time.Millisecond)
	}
}
