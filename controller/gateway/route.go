package gateway

import (
	"net/http"

	"github.com/understudy-rpc/understudy/internal/config"
)

// Router says which providers may answer for a chain now.
type Router interface {
	// Route is false if the chain is not configured.
	Route(chain string) (Route, bool)
}

// Route is who may answer for a chain, as of one decision. It does not change
// any more.
type Route struct {
	Chain string
	Kind  config.Kind
	// Generation grows with each switch of the active provider.
	Generation uint64
	// Active is who serves; "" if nobody does.
	Active string
	// Endpoints are the providers that may be asked, in the order to try: the
	// active one, then the other healthy ones by priority. With nobody healthy they
	// are the others in their order. A provider that serves wrong data, whose
	// network is not proven or that an operator drained is never among them.
	Endpoints []Endpoint
	// Total is the number of configured providers, Order their names in the order
	// of the configuration, and URLs where they are, in that order. Nothing is sent to
	// one for standing here.
	Total int
	Order []string
	URLs  []config.URL
	// Known is what answers are held against.
	Known Known
}

// Endpoint is one provider that may be asked.
type Endpoint struct {
	Provider string
	// Operator says who runs it; providers of one operator are one voice.
	Operator string
	Type     config.Type
	URL      config.URL
	// Transport sends with the provider's own credentials. It is the same for as
	// long as the provider's configuration is.
	Transport http.RoundTripper
	// Healthy says that the controller holds it for healthy.
	Healthy bool
	// Height is what it reported last; HeightKnown says whether it did.
	Height      uint64
	HeightKnown bool
	// Lead is how far above Known.Tip it is though nothing is held against it, in
	// blocks.
	Lead uint64
}
