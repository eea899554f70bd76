package api

import (
	_ "embed"
	"net/http"
)

// description is the OpenAPI document.
//
//go:embed openapi.yaml
var description []byte

// serveDescription answers with the OpenAPI document.
func (a *API) serveDescription(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/yaml; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(description)
	return nil
}
