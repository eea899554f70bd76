package config

// httpKeys are the keys of a provider's HTTP client: the block that the
// Prometheus family uses everywhere, so that one can be copied from a scrape
// configuration. References into a secret manager are left out, as there is
// none.
func httpKeys(at string) []key {
	return concat(
		[]key{{path: at, shape: shapeObject, standard: "no credentials",
			doc: "How requests to this provider are made: the Prometheus HTTP client block. Names of files are relative to the folder of the configuration file."}},
		basicAuthKeys(at+".basic_auth"),
		authorizationKeys(at+".authorization"),
		oauth2Keys(at+".oauth2"),
		[]key{
			{path: at + ".bearer_token", shape: shapeSecret, standard: "none",
				doc: "The older spelling of `authorization.credentials`.", example: "${TOKEN}"},
			{path: at + ".bearer_token_file", shape: shapeFile, standard: "none",
				doc: "The older spelling of `authorization.credentials_file`.", example: "token"},
		},
		tlsKeys(at+".tls_config"),
		proxyKeys(at),
		[]key{
			{path: at + ".follow_redirects", shape: shapeBoolean, standard: "`true`",
				doc: "Whether redirects are followed; one to another host never is.", example: "false"},
			{path: at + ".enable_http2", shape: shapeBoolean, standard: "`true`",
				doc: "Whether HTTP/2 is offered.", example: "false"},
			{path: at + ".http_headers", shape: shapeTable, standard: "none",
				doc: "Headers that each request carries, by name."},
			{path: at + ".http_headers.*", shape: shapeObject,
				doc: "One header."},
			{path: at + ".http_headers.*.values", shape: shapeList, standard: "none",
				doc: "Values of the header. They are not shown either."},
			{path: at + ".http_headers.*.values[]", shape: shapeSecret,
				doc: "One value.", example: "application/json"},
			{path: at + ".http_headers.*.secrets", shape: shapeList, standard: "none",
				doc: "Values of the header that are secrets."},
			{path: at + ".http_headers.*.secrets[]", shape: shapeSecret,
				doc: "One secret.", example: "${API_KEY}"},
			{path: at + ".http_headers.*.files", shape: shapeList, standard: "none",
				doc: "Files that hold values of the header."},
			{path: at + ".http_headers.*.files[]", shape: shapeFile,
				doc: "One file.", example: "api-key"},
		},
	)
}

func basicAuthKeys(at string) []key {
	return []key{
		{path: at, shape: shapeObject, standard: "none",
			doc: "HTTP Basic credentials. They can also stand in the URL."},
		{path: at + ".username", shape: shapeText, standard: "none",
			doc: "The user name.", example: "thorchain"},
		{path: at + ".username_file", shape: shapeFile, standard: "none",
			doc: "The file that holds the user name.", example: "username"},
		{path: at + ".password", shape: shapeSecret, standard: "none",
			doc: "The password.", example: "${BTC_PASSWORD}"},
		{path: at + ".password_file", shape: shapeFile, standard: "none",
			doc: "The file that holds the password.", example: "password"},
	}
}

func authorizationKeys(at string) []key {
	return []key{
		{path: at, shape: shapeObject, standard: "none",
			doc: "The `Authorization` header."},
		{path: at + ".type", shape: shapeText, standard: "`Bearer`",
			doc: "The scheme.", example: "Bearer"},
		{path: at + ".credentials", shape: shapeSecret, standard: "none",
			doc: "The credentials.", example: "${TOKEN}"},
		{path: at + ".credentials_file", shape: shapeFile, standard: "none",
			doc: "The file that holds the credentials.", example: "token"},
	}
}

func oauth2Keys(at string) []key {
	return concat([]key{
		{path: at, shape: shapeObject, standard: "none",
			doc: "OAuth 2.0 client credentials."},
		{path: at + ".client_id", shape: shapeText, required: true,
			doc: "The client id.", example: "understudy"},
		{path: at + ".client_secret", shape: shapeSecret, standard: "none",
			doc: "The client secret.", example: "${CLIENT_SECRET}"},
		{path: at + ".client_secret_file", shape: shapeFile, standard: "none",
			doc: "The file that holds the client secret.", example: "client-secret"},
		{path: at + ".grant_type", shape: shapeWord, words: []string{"client_credentials", "urn:ietf:params:oauth:grant-type:jwt-bearer"}, standard: "`client_credentials`",
			doc: "The grant type.", example: "client_credentials"},
		{path: at + ".client_certificate_key_id", shape: shapeText, standard: "none",
			doc: "The id of the key that signs a JWT grant.", example: "key-1"},
		{path: at + ".client_certificate_key", shape: shapeSecret, standard: "none",
			doc: "The key that signs a JWT grant.", example: "${SIGNING_KEY}"},
		{path: at + ".client_certificate_key_file", shape: shapeFile, standard: "none",
			doc: "The file that holds the key that signs a JWT grant.", example: "signing-key.pem"},
		{path: at + ".signature_algorithm", shape: shapeWord, words: []string{"RS256", "RS384", "RS512"}, standard: "`RS256`",
			doc: "The algorithm that signs a JWT grant.", example: "RS256"},
		{path: at + ".iss", shape: shapeText, standard: "the client id",
			doc: "The issuer of a JWT grant.", example: "understudy"},
		{path: at + ".audience", shape: shapeText, standard: "the token URL",
			doc: "The audience of a JWT grant.", example: "https://auth.example"},
		{path: at + ".claims", shape: shapeTable, standard: "none",
			doc: "Further claims of a JWT grant."},
		{path: at + ".claims.*", shape: shapeSecret,
			doc: "One claim.", example: "rpc"},
		{path: at + ".scopes", shape: shapeList, standard: "none",
			doc: "The scopes to ask for."},
		{path: at + ".scopes[]", shape: shapeText,
			doc: "One scope.", example: "rpc"},
		{path: at + ".token_url", shape: shapeAddress, required: true,
			doc: "Where the token is fetched.", example: "https://auth.example/token"},
		{path: at + ".endpoint_params", shape: shapeTable, standard: "none",
			doc: "Parameters that are added to the token request."},
		{path: at + ".endpoint_params.*", shape: shapeSecret,
			doc: "One parameter.", example: "rpc"},
	}, tlsKeys(at+".tls_config"), proxyKeys(at))
}

func tlsKeys(at string) []key {
	versions := []string{"TLS10", "TLS11", "TLS12", "TLS13"}
	return []key{
		{path: at, shape: shapeObject, standard: "the system's certificates",
			doc: "TLS settings."},
		{path: at + ".ca", shape: shapeText, standard: "none",
			doc: "The certificate authority, as PEM text.", example: "${CA_PEM}"},
		{path: at + ".ca_file", shape: shapeFile, standard: "none",
			doc: "The file that holds the certificate authority.", example: "ca.pem"},
		{path: at + ".cert", shape: shapeText, standard: "none",
			doc: "The client certificate, as PEM text.", example: "${CERT_PEM}"},
		{path: at + ".cert_file", shape: shapeFile, standard: "none",
			doc: "The file that holds the client certificate.", example: "client.pem"},
		{path: at + ".key", shape: shapeSecret, standard: "none",
			doc: "The client key, as PEM text.", example: "${KEY_PEM}"},
		{path: at + ".key_file", shape: shapeFile, standard: "none",
			doc: "The file that holds the client key.", example: "client-key.pem"},
		{path: at + ".server_name", shape: shapeText, standard: "the host name",
			doc: "The name that the server's certificate must have.", example: "node.example"},
		{path: at + ".insecure_skip_verify", shape: shapeBoolean, standard: "`false`",
			doc: "Switches the check of the server's certificate off.", example: "false"},
		{path: at + ".min_version", shape: shapeWord, words: versions, standard: "`TLS12`",
			doc: "The lowest TLS version.", example: "TLS12"},
		{path: at + ".max_version", shape: shapeWord, words: versions, standard: "`TLS13`",
			doc: "The highest TLS version.", example: "TLS13"},
	}
}

func proxyKeys(at string) []key {
	return []key{
		{path: at + ".proxy_url", shape: shapeAddress, socks: true, standard: "none",
			doc: "The proxy through which requests go.", example: "http://proxy.example:3128"},
		{path: at + ".no_proxy", shape: shapeText, standard: "none",
			doc: "Hosts that are reached without the proxy.", example: "localhost,10.0.0.0/8"},
		{path: at + ".proxy_from_environment", shape: shapeBoolean, standard: "`false`",
			doc: "Takes the proxy from `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`.", example: "true"},
		{path: at + ".proxy_connect_header", shape: shapeTable, standard: "none",
			doc: "Headers of the CONNECT request to the proxy."},
		{path: at + ".proxy_connect_header.*", shape: shapeList,
			doc: "One header."},
		{path: at + ".proxy_connect_header.*[]", shape: shapeSecret,
			doc: "One value.", example: "${PROXY_TOKEN}"},
	}
}
