package facts

import (
	"encoding/json"
	"net/http"
)

// problem is an error of the webhook by RFC 9457. Alertmanager writes the whole
// of it to its log, so it is short and repeats nothing of the request.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
}

// refuse answers with a problem.
func refuse(w http.ResponseWriter, status int, detail string) int {
	respond(w, status, "application/problem+json",
		problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: detail})
	return status
}

// respond answers with JSON.
func respond(w http.ResponseWriter, status int, contentType string, body any) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// What is left to go wrong is the connection, and who was to be told is at its
	// other end.
	_ = json.NewEncoder(w).Encode(body)
}
