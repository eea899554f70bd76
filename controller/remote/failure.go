package remote

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/understudy-rpc/understudy/controller/wire"
	"github.com/understudy-rpc/understudy/internal/config"
)

// Unreachable says that no answer came.
type Unreachable struct {
	// Controller prints as scheme and host.
	Controller config.URL
	// Err is what the network says.
	Err error
}

// Error names the controller.
func (u *Unreachable) Error() string {
	return fmt.Sprintf("%s does not answer: %v", u.Controller, u.Err)
}

// Unwrap is what the network says.
func (u *Unreachable) Unwrap() error { return u.Err }

// Refusal says that the answer is no.
type Refusal struct {
	// Controller prints as scheme and host.
	Controller config.URL
	// Problem has at least Title and Status.
	Problem wire.Problem
	// Own says that the answer is in a controller's form; a proxy's is not.
	Own bool
}

// Error gives the words of the controller.
func (r *Refusal) Error() string {
	if r.Problem.Detail == "" {
		return fmt.Sprintf("%s answers %d %s", r.Controller, r.Problem.Status, r.Problem.Title)
	}
	return r.Problem.Title + ": " + r.Problem.Detail
}

// Unauthorized says that credentials are missing or not enough.
func (r *Refusal) Unauthorized() bool {
	return r.Problem.Status == http.StatusUnauthorized || r.Problem.Status == http.StatusForbidden
}

// Unintelligible says that what answers is no controller, or one that is too new
// or too old.
type Unintelligible struct {
	// Controller prints as scheme and host.
	Controller config.URL
	// What is wrong with the answer.
	What string
}

// Error names the address.
func (u *Unintelligible) Error() string {
	return fmt.Sprintf("%s does not answer as a controller does: %s", u.Controller, u.What)
}

// refusal is the error behind an answer that is not a good one.
func (c *Client) refusal(a answer) error {
	if a.status >= 300 && a.status < 400 {
		return &Unintelligible{c.name, "it redirects" + destination(a.header.Get("Location"))}
	}
	r := &Refusal{Controller: c.name}
	if mediaType(a) == "application/problem+json" && json.Unmarshal(a.body, &r.Problem) == nil {
		r.Own = true
	}
	r.Problem.Status = a.status
	r.Problem.Title = cmp.Or(r.Problem.Title, http.StatusText(a.status), "no")
	return r
}

// destination is where a redirect leads, without what may be a secret.
func destination(location string) string {
	u, err := config.ParseURL(location)
	if err != nil {
		return ""
	}
	return " to " + u.String()
}

// decode reads a good answer, or says why it is none.
func decode[T any](c *Client, a answer) (T, error) {
	var value T
	switch {
	case a.status < 200 || a.status > 299:
		return value, c.refusal(a)
	case mediaType(a) != "application/json":
		return value, &Unintelligible{c.name, fmt.Sprintf("its answer is %s, not JSON", cmp.Or(mediaType(a), "of no type"))}
	}
	if err := json.Unmarshal(a.body, &value); err != nil {
		return value, &Unintelligible{c.name, "its JSON has another shape"}
	}
	return value, nil
}

func mediaType(a answer) string {
	t, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return strings.ToLower(t)
}

// withoutAddress is an error of the network without the address, which may hold
// a password.
func withoutAddress(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}
