package controller

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/understudy-rpc/understudy/internal/config"
)

// fingerprints tell whether a provider of a name is still the same endpoint,
// without writing down its address, in which keys stand. They are keyed, so that
// nobody who has the journal alone can test guesses at an address.
type fingerprints struct{ key []byte }

const (
	fingerprintKeyFile = "fingerprint.key"
	fingerprintKeySize = 32
)

// newFingerprints reads the key in a folder, or makes one. If it cannot be kept,
// every provider is judged anew at the next start.
func newFingerprints(dir string, logger *slog.Logger) fingerprints {
	path := filepath.Join(dir, fingerprintKeyFile)
	key, err := os.ReadFile(path)
	if err == nil && len(key) == fingerprintKeySize {
		return fingerprints{key}
	}
	key = make([]byte, fingerprintKeySize)
	_, _ = rand.Read(key)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		logger.Warn("The key of the fingerprints cannot be read; providers are judged anew at the next start", "file", path, "err", err)
		return fingerprints{key}
	}
	if err := os.WriteFile(path, key, 0o600); err != nil {
		logger.Warn("The key of the fingerprints cannot be kept; providers are judged anew at the next start", "file", path, "err", err)
	}
	return fingerprints{key}
}

// of is the fingerprint of a provider's endpoint.
func (f fingerprints) of(p config.Provider) string {
	h := hmac.New(sha256.New, f.key)
	_, _ = fmt.Fprintf(h, "%s\n%s", p.Type, p.RPCHost.Reveal())
	return hex.EncodeToString(h.Sum(nil)[:8])
}
