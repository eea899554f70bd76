package config

// builder makes the configuration of what was read: it fills in the defaults
// and judges what follows from several keys together.
type builder struct {
	*reader
	config   Config
	warnings Mistakes
}

// result is the configuration, or all mistakes in the order of the file.
func (b *builder) result() (Config, error) {
	if len(b.mistakes) > 0 {
		sortByPlace(b.mistakes)
		return Config{}, b.mistakes
	}
	sortByPlace(b.warnings)
	b.config.Warnings = b.warnings
	return b.config, nil
}

// warn notes something that works but will surprise.
func (b *builder) warn(at place, wrong, right string) {
	b.warnings = append(b.warnings, Mistake{
		File: b.file, Line: at.line, Column: at.column, Path: at.path, Wrong: wrong, Right: right,
	})
}

// build makes the chains.
func (b *builder) build(all *value) {
	if all == nil || all.broken {
		return
	}
	if len(all.names) == 0 {
		if len(b.mistakes) == 0 {
			b.mistake(all.at, "there are no chains with providers", "add one, with its providers below it")
		}
		return
	}
	for _, name := range all.names {
		v := all.members[name]
		if !usableName.MatchString(name) {
			b.mistake(v.at, "the name of the chain cannot stand in a URL and a label", nameRule)
		}
		if v.broken {
			continue
		}
		b.config.Chains = append(b.config.Chains, b.chain(name, v))
	}
}
