package rules

import (
	"embed"
	"slices"
)

// Files holds the rule files as they are, for everybody who evaluates, checks or
// writes them out. Their tests are not in it.
//
//go:embed providers.yml chains.yml pipeline.yml
var Files embed.FS

// fileNames are the files of Files. Each reads only what it or one before it
// records, so that in this order an evaluation works on its own results.
var fileNames = []string{"providers.yml", "chains.yml", "pipeline.yml"}

// FileNames are the names of the files of Files in the order of evaluation.
func FileNames() []string { return slices.Clone(fileNames) }
