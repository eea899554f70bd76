//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package journal

import (
	"errors"
	"os"
)

// flock is not there on this system, so that the journal is never written.
func flock(*os.File) error { return errors.ErrUnsupported }

// unlock has nothing to give back.
func unlock(*os.File) error { return nil }
