package rules

// What every Understudy process publishes of itself.
var (
	ReloadSuccessful = Metric{"understudy_config_last_reload_successful",
		"Whether the last reading of the configuration was successful (1) or not (0).", Gauge, nil}
	ReloadTimestamp = Metric{"understudy_config_last_reload_success_timestamp_seconds",
		"When the configuration was last read successfully, as Unix time in seconds.", Gauge, nil}
	ConfigHash = Metric{"understudy_config_hash",
		"Number that changes with the configuration in force.", Gauge, nil}
	Ready = Metric{"understudy_ready",
		"Whether the process is ready to be relied on (1) or not (0).", Gauge, nil}
)
