package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"mime"
	"net/http"
	"path"

	"github.com/go-chi/chi/v5"
)

//go:embed assets
var assetFiles embed.FS

//go:embed templates
var templateFiles embed.FS

// templates are all pages and the parts that they share.
var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"pair": func(a, b any) pair { return pair{a, b} }, "code": spans, "legend": func() []string { return legend },
	"barTop": func(class string) int { return 10 - heightOf(class)/2 }, "barHeight": heightOf,
	"legendTop":    func(class string) int { return 6 - heightOf(class)*3/8 },
	"legendHeight": func(class string) int { return heightOf(class) * 3 / 4 },
}).ParseFS(templateFiles, "templates/*.html"))

// pair gives a template two things at once.
type pair struct{ A, B any }

// assets are the embedded files by name.
type assets map[string]asset

type asset struct {
	body        []byte
	contentType string
	// version is another one whenever the file is.
	version string
}

// newAssets reads the embedded files. They are part of the program, so that one
// which cannot be read is a mistake in it.
func newAssets() assets {
	all := assets{}
	names, err := fs.Glob(assetFiles, "assets/*")
	if err != nil {
		panic(fmt.Errorf("embedded files: %w", err))
	}
	for _, name := range names {
		body, err := assetFiles.ReadFile(name)
		if err != nil {
			panic(fmt.Errorf("embedded files: %w", err))
		}
		digest := sha256.Sum256(body)
		all[path.Base(name)] = asset{body, mime.TypeByExtension(path.Ext(name)), hex.EncodeToString(digest[:6])}
	}
	return all
}

// url is the address of a file below the root, with its version.
func (a assets) url(name string) string { return "assets/" + name + "?v=" + a[name].version }

// serve sends a file. With its version in the address it never changes.
func (a assets) serve(w http.ResponseWriter, r *http.Request) {
	file, ok := a[chi.URLParam(r, "name")]
	if !ok {
		http.NotFound(w, r)
		return
	}
	caching := "no-cache"
	if r.URL.Query().Get("v") == file.version {
		caching = "public, max-age=31536000, immutable"
	}
	w.Header().Set("Cache-Control", caching)
	w.Header().Set("Content-Type", file.contentType)
	// What is left to go wrong is the connection.
	_, _ = w.Write(file.body)
}
