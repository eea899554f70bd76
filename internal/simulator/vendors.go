package simulator

// Vendors are the literal answers by which vendors and nodes refuse, each with
// a name that is its own.
var Vendors = []Answer{
	{
		Name: "QuickNode request limit", Status: 429,
		Body: `{"jsonrpc":"2.0","id":"$id","error":{"code":-32007,"message":"50/second request limit reached - reduce calls per second or upgrade your account at quicknode.com"}}`,
	},
}

// Vendor is the answer of that name in [Vendors].
func Vendor(name string) (Answer, bool) {
	a, ok := vendorsByName[name]
	return a, ok
}

var vendorsByName = func() map[string]Answer {
	out := make(map[string]Answer, len(Vendors))
	for _, a := range Vendors {
		out[a.Name] = a
	}
	return out
}()
