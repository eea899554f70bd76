package rules

// What the gateway publishes. A keeper's operators know these names and texts.
var (
	GatewayEvents = Metric{"keeper_rpc_failover_events_total",
		"Total RPC failover events due to endpoint failures", Counter, byChain}
	GatewaySwitches = Metric{"keeper_rpc_failover_switches_total",
		"Total active RPC endpoint switches", Counter, byChain}
	GatewayActiveIndex = Metric{"keeper_rpc_failover_active_endpoint_index",
		"Current active endpoint index for multi-region RPC failover", Gauge, byChain}
	GatewayHealthyEndpoints = Metric{"keeper_rpc_failover_healthy_endpoints",
		"Number of healthy RPC endpoints currently available", Gauge, byChain}
	GatewayTotalEndpoints = Metric{"keeper_rpc_failover_total_endpoints",
		"Total configured RPC endpoints for failover", Gauge, byChain}
	GatewayRequests = Metric{"understudy_gateway_requests_total",
		"Requests that the gateway sent to the provider, by how they ended.", Counter,
		[]string{LabelChain, LabelOutcome, LabelProvider}}
	GatewayQuarantined = Metric{"understudy_gateway_quarantined",
		"Whether the gateway leaves the provider alone after failures (1) or not (0).", Gauge, byProvider}
	GatewayAnswers = Metric{"understudy_gateway_answers_total",
		"Requests of clients, by how they ended.", Counter, []string{LabelChain, LabelResult}}
	GatewayInFlight = Metric{"understudy_gateway_in_flight_requests",
		"Requests of clients that are being answered.", Gauge, byChain}
	GatewayWebSockets = Metric{"understudy_gateway_websockets",
		"Open WebSockets.", Gauge, byChain}
	GatewayDuration = Metric{"understudy_gateway_request_duration_seconds",
		"Time in seconds until clients had their whole answer.", Histogram, byChain}
	GatewayAttempts = Metric{"understudy_gateway_attempts",
		"Providers that were asked for one request of a client.", Histogram, byChain}
)

// Gateway lists the metrics of the gateway, in the order of their description.
func Gateway() []Metric {
	return []Metric{
		GatewayEvents, GatewaySwitches, GatewayActiveIndex, GatewayHealthyEndpoints, GatewayTotalEndpoints,
		GatewayRequests, GatewayQuarantined,
		GatewayAnswers, GatewayInFlight, GatewayWebSockets, GatewayDuration, GatewayAttempts,
	}
}
