package journal

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func BenchmarkAppend(b *testing.B) {
	j, _, err := Open(b.TempDir(), Options{})
	require.NoError(b, err)
	for i := uint64(1); b.Loop(); i++ {
		require.NoError(b, j.Append(switched(i)))
	}
	require.NoError(b, j.Close())
}

func BenchmarkAppendByFiftyChains(b *testing.B) {
	j, _, err := Open(b.TempDir(), Options{})
	require.NoError(b, err)
	b.SetParallelism(25)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := j.Append(switched(1)); err != nil {
				b.Error(err)
			}
		}
	})
	require.NoError(b, j.Close())
}

// BenchmarkOpen reads a full journal without a snapshot.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	w := &writer{dir: dir, disk: realDisk{}, maxBytes: defaultMaxBytes, maxFile: defaultMaxBytes / segments}
	entry := []byte(`{"time":"2026-11-30T12:00:00Z","chain":"btc","kind":"failover","index":1,"generation":1,"from":"a","to":"b","reason":"down","data":{"facts":["ProviderDown"]}}`)
	for seq := uint64(1); ; {
		first, lines := seq, []byte(nil)
		for len(lines) < defaultMaxBytes/segments-1024 {
			lines = append(lines, encode(seq, entry)...)
			seq++
		}
		require.NoError(b, w.write(first, lines))
		if bytes, files := w.total(); files == segments {
			b.SetBytes(bytes)
			break
		}
	}
	require.NoError(b, w.close())
	for b.Loop() {
		j, _, err := Open(dir, Options{})
		require.NoError(b, err)
		require.NoError(b, j.Close())
	}
}
