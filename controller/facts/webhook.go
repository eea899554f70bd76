package facts

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"
)

const (
	// MaxBody is the size of the largest body that the webhook takes, in bytes.
	MaxBody = 4 << 20
	// bodyTimeout bounds how long a body may take to arrive.
	bodyTimeout = 10 * time.Second
)

// answered are the status codes of the webhook's answers. Alertmanager tries
// again at once only after a 5xx; after a 4xx it does so with the next flush.
var answered = []int{
	http.StatusOK, http.StatusBadRequest, http.StatusUnauthorized, http.StatusMethodNotAllowed,
	http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType,
	http.StatusServiceUnavailable,
}

// WebhookOptions say how the webhook works.
type WebhookOptions struct {
	Table *Table
	// Token is what a caller has to present as a bearer token; empty: nothing.
	Token string
	// Ready says whether messages are taken; nil: they are.
	Ready func() bool
	// Received is told of every message that was taken in, before it is answered;
	// nil: nobody is.
	Received func(Receipt)
}

// Webhook takes in what Alertmanager posts.
type Webhook struct {
	o     WebhookOptions
	token [sha256.Size]byte
}

// NewWebhook makes the handler of POST /webhooks/alertmanager.
func NewWebhook(o WebhookOptions) *Webhook {
	return &Webhook{o: o, token: sha256.Sum256([]byte(o.Token))}
}

// ServeHTTP answers one webhook, and counts its status code in the table's
// Stats.
func (h *Webhook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.o.Table.count(h.serve(w, r))
}

func (h *Webhook) serve(w http.ResponseWriter, r *http.Request) int {
	switch {
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		return refuse(w, http.StatusMethodNotAllowed, "This takes the POST of an Alertmanager webhook.")
	case !h.authorized(r):
		w.Header().Set("WWW-Authenticate", `Bearer realm="understudy"`)
		return refuse(w, http.StatusUnauthorized, "The bearer token is missing or wrong: set authorization.credentials_file in the http_config of the webhook.")
	case h.o.Ready != nil && !h.o.Ready():
		return refuse(w, http.StatusServiceUnavailable, "The controller has not loaded its state yet.")
	case !isJSON(r):
		return refuse(w, http.StatusUnsupportedMediaType, "The body has to be application/json, not compressed.")
	}
	body, status := read(w, r)
	switch status {
	case http.StatusRequestEntityTooLarge:
		return refuse(w, status, fmt.Sprintf("The body is larger than %d bytes: group the route by chain.", MaxBody))
	case http.StatusRequestTimeout:
		return refuse(w, status, "The body did not arrive.")
	}
	message, err := Decode(body)
	if err != nil {
		return refuse(w, http.StatusBadRequest, "The body is no Alertmanager webhook: "+err.Error())
	}
	receipt, err := h.o.Table.Receive(message, time.Now())
	if err != nil {
		return refuse(w, http.StatusServiceUnavailable, "The message was not taken in: "+err.Error())
	}
	if h.o.Received != nil {
		h.o.Received(receipt)
	}
	respond(w, http.StatusOK, "application/json", receipt)
	return http.StatusOK
}

// authorized says whether the caller knows the token. Digests are compared, as
// the time of a comparison tells the length of what is compared.
func (h *Webhook) authorized(r *http.Request) bool {
	if h.o.Token == "" {
		return true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	digest := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(digest[:], h.token[:]) == 1
}

// isJSON says whether the body is said to be plain JSON.
func isJSON(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	encoding := r.Header.Get("Content-Encoding")
	return err == nil && kind == "application/json" && (encoding == "" || strings.EqualFold(encoding, "identity"))
}

// read reads the body. The status is 200, or what to answer.
func read(w http.ResponseWriter, r *http.Request) ([]byte, int) {
	if r.ContentLength > MaxBody {
		return nil, http.StatusRequestEntityTooLarge
	}
	// A writer that knows no deadline is a test's; the server's has its own bounds.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, http.StatusRequestEntityTooLarge
	}
	if err != nil {
		return nil, http.StatusRequestTimeout
	}
	return body, http.StatusOK
}
