package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// maxFile bounds the size of a configuration file. Ten thousand providers need
// about 2 MiB.
const maxFile = 32 << 20

// Load reads a configuration file. getenv finds the variables of ${NAME}, as
// os.LookupEnv does. An error is of type Mistakes and holds all of them.
func Load(path string, getenv func(string) (string, bool)) (Config, error) {
	f, err := os.Open(path)
	if err != nil {
		return Config{}, Mistakes{{File: path, Wrong: "the file cannot be opened", Right: reason(err)}}
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return Config{}, Mistakes{{File: path, Wrong: "the file cannot be read", Right: reason(err)}}
	}
	return Parse(path, data, getenv)
}

// reason is why a file could not be used, without repeating its name.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// Parse reads a configuration from the content of a file. name is the file's
// name: it stands in messages, and relative names of secret files start at its
// folder. lookup finds the variables of ${NAME}; nil finds none.
func Parse(name string, data []byte, lookup func(string) (string, bool)) (Config, error) {
	if lookup == nil {
		lookup = func(string) (string, bool) { return "", false }
	}
	r := &reader{file: name, lookup: lookup}
	document, ok := r.document(data)
	if !ok {
		return Config{}, r.mistakes
	}
	return r.config(document)
}

// config makes the configuration of a document.
func (r *reader) config(document *yaml.Node) (Config, error) {
	b := &builder{reader: r, config: Config{Source: r.file}}
	b.build(r.chains(document))
	return b.result()
}

// document parses the text into the nodes of its one document.
func (r *reader) document(data []byte) (*yaml.Node, bool) {
	if len(data) > maxFile {
		r.mistake(place{}, "the file is larger than 32 MiB", "")
		return nil, false
	}
	if at := invalidUTF8(data); at >= 0 {
		r.mistake(placeOf(data, at), "the file is not in UTF-8", "save it in that encoding")
		return nil, false
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var first, second yaml.Node
	switch err := decoder.Decode(&first); {
	case errors.Is(err, io.EOF), err == nil && isNull(first.Content[0]):
		r.mistake(place{line: 1, column: 1}, "the file is empty", "it needs chains:")
		return nil, false
	case err != nil:
		r.syntax(err, data)
		return nil, false
	}
	switch err := decoder.Decode(&second); {
	case errors.Is(err, io.EOF):
		return first.Content[0], true
	case err != nil:
		r.syntax(err, data)
	default:
		r.mistake(place{line: second.Line, column: second.Column}, "a second document begins", "one file is one document, so remove the ---")
	}
	return nil, false
}

// invalidUTF8 is the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(data []byte) int {
	for i := 0; i < len(data); {
		c, size := utf8.DecodeRune(data[i:])
		if c == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

var (
	yamlLine      = regexp.MustCompile(`line (\d+): `)
	unknownAnchor = regexp.MustCompile(`unknown anchor '([^']*)' referenced`)
	quotedWord    = regexp.MustCompile("['`\"][A-Za-z0-9_-]{4,}['`\"]")
)

// syntax notes what the YAML parser says. Its words may quote the file, and so
// a secret in it, such as a password that begins with a star: what is quoted is
// left out.
func (r *reader) syntax(err error, data []byte) {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	at := place{line: 1, column: 1}
	if m := yamlLine.FindStringSubmatchIndex(text); m != nil {
		if n, err := strconv.Atoi(text[m[2]:m[3]]); err == nil {
			at.line = n
		}
		text = text[m[1]:]
	}
	if m := unknownAnchor.FindStringSubmatch(text); m != nil {
		if i := bytes.Index(data, []byte("*"+m[1])); i >= 0 {
			at = placeOf(data, i)
		}
		r.mistake(at, "the alias refers to an anchor that is not in the file", "put the value in quotes if it begins with a star")
		return
	}
	r.mistake(at, "the file is not YAML", quotedWord.ReplaceAllString(text, "…"))
}

// placeOf is the line and the column of an offset.
func placeOf(data []byte, offset int) place {
	before := data[:offset]
	return place{
		line:   bytes.Count(before, []byte("\n")) + 1,
		column: utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1,
	}
}

// sortByPlace brings mistakes into the order of the file.
func sortByPlace(ms Mistakes) {
	slices.SortStableFunc(ms, func(a, b Mistake) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
}

// count is a number with its noun: "1 provider", "3 providers".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
