package main

import (
	"errors"
	"io/fs"
	"os"

	"github.com/alecthomas/kingpin/v2"

	"github.com/understudy-rpc/understudy/internal/config"
)

// defaultFile is the configuration that is read if none is named and it exists.
const defaultFile = "understudy.yml"

// configFlag adds the flag that names the configuration.
func configFlag(c *kingpin.CmdClause) *string {
	return c.Flag("config.file", "Configuration file. Without one: "+defaultFile+" if it is there, else SOROBAN_RPC_URL and its kin from the environment, else the built-in example of free public endpoints.").
		PlaceHolder("FILE").String()
}

// load reads the configuration: the named file, or what there is instead.
func (p *program) load(file string) (config.Config, error) {
	if file != "" {
		return config.Load(file, p.lookup)
	}
	if _, err := os.Stat(defaultFile); !errors.Is(err, fs.ErrNotExist) {
		return config.Load(defaultFile, p.lookup)
	}
	if cfg, ok, err := config.FromEnvironment(p.lookup); ok || err != nil {
		return cfg, err
	}
	return config.Parse(config.ExampleName, config.Example, p.lookup)
}
