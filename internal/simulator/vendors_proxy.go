package simulator

import "time"

// proxyAnswers are those of whatever stands before a node, and of nodes and
// proxies that are out of order.
var proxyAnswers = []Answer{
	{Name: "nginx bad gateway", Status: 502, Header: html(), Body: nginx("502 Bad Gateway")},
	{Name: "nginx unavailable", Status: 503, Header: html(), Body: nginx("503 Service Temporarily Unavailable")},
	{Name: "nginx gateway timeout", Status: 504, Header: html(), Body: nginx("504 Gateway Time-out")},
	{Name: "nginx too many requests", Status: 429, Header: html(), Body: nginx("429 Too Many Requests")},
	{Name: "nginx too many requests for 20 seconds", Status: 429, Header: html(), Body: nginx("429 Too Many Requests"), RetryAfter: 20 * time.Second},
	{Name: "nginx too many requests until a date", Status: 429, Header: html(), Body: nginx("429 Too Many Requests"), RetryAfter: 20 * time.Second, RetryAfterDate: true},
	{Name: "nginx forbidden", Status: 403, Header: html(), Body: nginx("403 Forbidden")},
	{Name: "nginx not found", Status: 404, Header: html(), Body: nginx("404 Not Found")},
	{Name: "nginx not allowed", Status: 405, Header: html(), Body: nginx("405 Not Allowed")},
	{Name: "cloudflare inside 200", Header: html(), Body: "<!DOCTYPE html>\n<html lang=\"en-US\"><head><title>Just a moment...</title></head><body>Enable JavaScript and cookies to continue</body></html>\n"},
	{Name: "cloudflare connection timed out", Status: 522, Body: "error code: 522"},
	{Name: "cloudflare rate", Status: 429, Body: "error code: 1015"},
	{Name: "payment required", Status: 402, Body: "Payment Required"},
	{Name: "redirect to another host", Status: 302, Header: map[string]string{"Location": "http://elsewhere.example/"}},
	{Name: "empty inside 200"},
	{Name: "no content", Status: 204},
	{Name: "null inside 200", Body: "null"},
	{Name: "empty object inside 200", Body: "{}"},
	{Name: "empty array inside 200", Body: "[]"},
	{Name: "text inside 200", Body: "OK"},
	{Name: "rpc null result", Body: `{"jsonrpc":"2.0","id":"$id","result":null}`},
	{Name: "rpc no result", Body: `{"jsonrpc":"2.0","id":"$id"}`},
	{Name: "rpc null error", Body: `{"jsonrpc":"2.0","id":"$id","error":null}`},
	{Name: "rpc text for an error", Body: `{"jsonrpc":"2.0","id":"$id","error":"boom"}`},
	{Name: "rpc another id", Body: `{"jsonrpc":"2.0","id":4711,"result":"0x1"}`},
	{Name: "rpc internal error", Status: 500, Body: `{"jsonrpc":"2.0","id":"$id","error":{"code":-32603,"message":"Internal error"}}`},
	{Name: "rpc internal error inside 200", Body: `{"jsonrpc":"2.0","id":"$id","error":{"code":-32603,"message":"Internal error"}}`},
	{Name: "rpc server error inside 200", Body: `{"jsonrpc":"2.0","id":"$id","error":{"code":-32000,"message":"Server error"}}`},
	{Name: "truncated json inside 200", Header: map[string]string{"Content-Type": "application/json"}, Body: `{"jsonrpc":"2.0","id":1,"res`},
	{Name: "two answers inside 200", Header: map[string]string{"Content-Type": "application/json"}, Body: `{"jsonrpc":"2.0","id":1,"result":"0x1"}{"jsonrpc":"2.0","id":1,"result":"0x2"}`},
}

func html() map[string]string { return map[string]string{"Content-Type": "text/html"} }

// nginx is its page for a status.
func nginx(status string) string {
	return "<html>\r\n<head><title>" + status + "</title></head>\r\n<body>\r\n<center><h1>" + status + "</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"
}
