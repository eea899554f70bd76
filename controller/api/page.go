package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// page is an answer of /active, ready to be sent. It does not change any more.
type page struct {
	status int
	index  uint64
	body   []byte
	// tag is the ETag.
	tag    string
	header []headerLine
}

// headerLine is one line of a header, its name in canonical form.
type headerLine struct {
	name   string
	values []string
}

// newPage makes a page. The tag names the index, and apart from it whose eyes the
// page is for, in which form, and by its variant what else a caller who has the
// index has to be told. Heights and ages are not.
func newPage(status int, index uint64, contentType, variant string, whole bool, body []byte) *page {
	decimal := strconv.FormatUint(index, 10)
	caching := "no-cache"
	if whole {
		// An address with a key in it must not lie in anybody's cache.
		caching = "no-store"
	} else {
		variant += "-public"
	}
	p := &page{status: status, index: index, body: body, tag: `W/"` + decimal + variant + `"`}
	p.header = []headerLine{
		{"Content-Type", []string{contentType}},
		{"Content-Length", []string{strconv.Itoa(len(body))}},
		{"Cache-Control", []string{caching}},
		{"Vary", []string{"Accept, Authorization, " + tokenHeader}},
		{"X-Content-Type-Options", []string{"nosniff"}},
		{"X-Understudy-Index", []string{decimal}},
		{"Etag", []string{p.tag}},
	}
	return p
}

// activePage is the page about one chain.
func activePage(a wire.Active, as form, whole bool, capability string) *page {
	a = shownActive(a, whole)
	status := http.StatusOK
	if a.State == wire.StateNone {
		status = http.StatusServiceUnavailable
	}
	variant := choiceOf(capability, a) + freshness(a)
	if as == formText {
		text := ""
		if a.State != wire.StateNone {
			text = a.RPCHost + "\n"
		}
		return newPage(status, a.Index, "text/plain; charset=utf-8", variant+"-text", whole, []byte(text))
	}
	return newPage(status, a.Index, "application/json", variant, whole, encoded(a))
}

// listPage is the page about several chains.
func listPage(l wire.ActiveList, whole bool, capability string) *page {
	return newPage(http.StatusOK, l.Index, "application/json", choiceOf(capability, l.Chains...)+freshness(l.Chains...), whole, encoded(shownActives(l, whole)))
}

// choiceOf tells answers of one index apart: who has a capability may change
// without the index.
func choiceOf(capability string, actives ...wire.Active) string {
	if capability == "" {
		return ""
	}
	sum := crc32.NewIEEE()
	for _, a := range actives {
		_, _ = fmt.Fprintln(sum, capability, a.Chain, a.State, providerOf(a))
	}
	return fmt.Sprintf("-%08x", sum.Sum32())
}

// freshness tells answers apart that were given while no exporter answered. That
// changes without the index, and for all chains at once.
func freshness(actives ...wire.Active) string {
	if slices.ContainsFunc(actives, func(a wire.Active) bool { return a.Stale }) {
		return "-stale"
	}
	return ""
}

// providerOf is the name of who serves; "" if nobody does.
func providerOf(a wire.Active) string {
	if a.Provider == nil {
		return ""
	}
	return *a.Provider
}

// encoded is a JSON line, with the characters of an address as they are. The
// shapes of package wire can be encoded unless a number is none, which a View
// does not give.
func encoded(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Errorf("the View gave what JSON lacks: %w", err))
	}
	return b.Bytes()
}

// send answers with the page, or with 304 if the caller has it. Preconditions
// count only where the answer would be a success.
func (p *page) send(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	for _, line := range p.header {
		h[line.name] = line.values
	}
	if p.status == http.StatusOK && p.isKnown(r) {
		delete(h, "Content-Type")
		delete(h, "Content-Length")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.WriteHeader(p.status)
	// What is left to go wrong is the connection.
	_, _ = w.Write(p.body)
}

// isKnown says whether the caller has this page, by its If-None-Match.
func (p *page) isKnown(r *http.Request) bool {
	for _, line := range r.Header["If-None-Match"] {
		for tag := range strings.SplitSeq(line, ",") {
			tag = strings.TrimSpace(tag)
			if tag == "*" || strings.TrimPrefix(tag, "W/") == strings.TrimPrefix(p.tag, "W/") {
				return true
			}
		}
	}
	return false
}
