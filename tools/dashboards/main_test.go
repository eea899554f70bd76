package main

import (
	"os"
	"path/filepath"
	"testing"
)

// committed is where the dashboards are, as they are shipped.
const committed = "../../dashboards"

func TestTheCommittedDashboardsAreThoseThatAreGenerated(t *testing.T) {
	t.Parallel()
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	there, err := filepath.Glob(filepath.Join(committed, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(there) != len(files) {
		t.Errorf("%d dashboards are committed and %d are generated", len(there), len(files))
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(committed, name))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s is not what is generated; run make generate", name)
		}
	}
}

func TestGeneratingTwiceGivesTheSame(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := writeAll(dir); err != nil {
		t.Fatal(err)
	}
	again, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range again {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || string(got) != string(want) {
			t.Errorf("%s differs (%v)", name, err)
		}
	}
}
