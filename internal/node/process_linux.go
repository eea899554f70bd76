package node

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// attributes puts a child into a process group of its own, which one signal
// reaches as a whole, and has the kernel kill it when the test program ends in
// a way that runs no clean-up (a time-out, a crash, kill -9).
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// frozen returns nil once every thread of a process is stopped. Sending the
// signal is not enough: each thread stops when the kernel gets to it, and may
// answer a call until then. The state is the letter after the program's name,
// which stands in parentheses and may hold any character (proc_pid_stat(5)).
func frozen(pid int) error {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	if err != nil {
		return err
	}
	if len(threads) == 0 {
		return fmt.Errorf("process %d has no threads", pid)
	}
	for _, path := range threads {
		stat, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if i := bytes.LastIndexByte(stat, ')'); !bytes.HasPrefix(stat[i+1:], []byte(" T ")) {
			return fmt.Errorf("thread %s runs", filepath.Base(filepath.Dir(path)))
		}
	}
	return nil
}
