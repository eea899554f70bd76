package journal

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Who may read the files, and enter the directory.
const (
	filePermissions      = 0o600
	directoryPermissions = 0o700
)

// disk is what the journal needs of a file system. Tests put one in between
// that fails.
type disk interface {
	// MakeDirectory makes it with its parents, if it is not there.
	MakeDirectory(name string) error
	// OpenFile opens as os.OpenFile does, for the owner only.
	OpenFile(name string, flag int) (file, error)
	Rename(from, to string) error
	Remove(name string) error
	ReadDirectory(name string) ([]fs.FileInfo, error)
	// Holds reports whether an open file still has its name.
	Holds(name string, f file) bool
	// SyncDirectory makes names durable: those created, renamed and removed.
	SyncDirectory(name string) error
}

// file is an open file.
type file interface {
	io.ReadWriteCloser
	Truncate(size int64) error
	Sync() error
	Stat() (fs.FileInfo, error)
}

// realDisk is the file system of the operating system.
type realDisk struct{}

func (realDisk) Rename(from, to string) error { return os.Rename(from, to) }
func (realDisk) Remove(name string) error     { return os.Remove(name) }

func (d realDisk) MakeDirectory(name string) error {
	if _, err := os.Stat(name); err == nil {
		return nil
	}
	if err := os.MkdirAll(name, directoryPermissions); err != nil {
		return err
	}
	// Where it stands may belong to somebody else.
	if err := d.SyncDirectory(filepath.Dir(name)); err != nil && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}

func (realDisk) OpenFile(name string, flag int) (file, error) {
	f, err := os.OpenFile(name, flag, filePermissions)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (realDisk) ReadDirectory(name string) ([]fs.FileInfo, error) {
	entries, err := os.ReadDir(name)
	if err != nil {
		return nil, err
	}
	infos := make([]fs.FileInfo, 0, len(entries))
	for _, e := range entries {
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		infos = append(infos, info)
	}
	return infos, nil
}

func (realDisk) SyncDirectory(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Holds compares the files, not the names: somebody may have removed the one and
// made another.
func (realDisk) Holds(name string, f file) bool {
	named, err := os.Stat(name)
	if err != nil {
		return false
	}
	opened, err := f.Stat()
	return err == nil && os.SameFile(named, opened)
}
