package config

import (
	"fmt"
	"time"
)

// checkPolicy refuses a policy that cannot work: one that can never fire, one
// that always fires, and one that contradicts itself. Defaults are never
// refused: they give way to what is set.
func (b *builder) checkPolicy(chain *value, c Chain, f Failover) {
	v := chain.get("failover")
	b.checkIntervals(chain, c, f)
	b.checkErrorWindow(v, f)
	b.checkLatency(v, f)
	b.checkStall(chain, c, f)
	if i := v.get("integrity").get("interval"); i.set() && sound(v.get("health_check_interval")) && i.span < f.HealthCheckInterval {
		b.mistake(i.at, fmt.Sprintf("blocks would be compared every %s, but heights are read only every %s (health_check_interval)", formatDuration(i.span), formatDuration(f.HealthCheckInterval)),
			"set it to at least "+formatDuration(f.HealthCheckInterval))
	}
	b.checkFailback(v)
}

// checkIntervals refuses a timeout or a suspect interval above the interval of
// the probes, be it the chain's or a provider's own.
func (b *builder) checkIntervals(chain *value, c Chain, f Failover) {
	v := chain.get("failover")
	if !sound(v.get("health_check_interval")) {
		return
	}
	shortest, whose := f.HealthCheckInterval, "health_check_interval"
	for _, p := range c.Providers {
		if own := p.HealthCheckInterval; own < shortest {
			shortest, whose = own, "health_check_interval of "+p.Name
		}
	}
	if t := v.get("request_timeout"); t.set() && t.span > shortest {
		b.mistake(t.at, fmt.Sprintf("a request may take %s, but the next probe is due after %s (%s)", formatDuration(t.span), formatDuration(shortest), whose),
			"set it to at most "+formatDuration(shortest))
	}
	if s := v.get("suspect_check_interval"); s.set() && s.span > shortest {
		b.mistake(s.at, fmt.Sprintf("a suspect would be probed every %s, less often than others, which are every %s (%s)", formatDuration(s.span), formatDuration(shortest), whose),
			"set it to at most "+formatDuration(shortest))
	}
}

// checkErrorWindow refuses a threshold that the errors of a failing provider
// cannot reach within the window. The first error starts the clock; each
// further one takes a suspect interval and, while the provider hangs, a timeout
// more.
func (b *builder) checkErrorWindow(v *value, f Failover) {
	threshold, window := v.get("error_threshold"), v.get("error_window")
	suspect, timeout := v.get("suspect_check_interval"), v.get("request_timeout")
	if !sound(threshold, window, suspect, timeout, v.get("health_check_interval")) {
		return
	}
	refusing, hanging := f.SuspectCheckInterval, f.SuspectCheckInterval+f.RequestTimeout
	each, how := hanging, fmt.Sprintf("a provider that hangs gives one every %s (suspect_check_interval %s + request_timeout %s)",
		formatDuration(hanging), formatDuration(f.SuspectCheckInterval), formatDuration(f.RequestTimeout))
	further := time.Duration(f.ErrorThreshold - 1)
	if further*refusing >= f.ErrorWindow {
		each, how = refusing, fmt.Sprintf("even a provider that refuses gives one every %s only (suspect_check_interval)", formatDuration(refusing))
	}
	needed := further * each
	if needed < f.ErrorWindow {
		return
	}
	blamed := firstSet(threshold, window, suspect, timeout, v)
	most := (f.ErrorWindow + each - 1) / each
	b.mistake(blamed.at, fmt.Sprintf("%d errors never fall within error_window %s: %s, so %d of them take %d × %s = %s",
		f.ErrorThreshold, formatDuration(f.ErrorWindow), how, f.ErrorThreshold, further, formatDuration(each), formatDuration(needed)),
		fmt.Sprintf("set an error_window above %s, or an error_threshold of at most %d", formatDuration(needed), most))
}

// checkLatency refuses a limit that no successful probe can exceed. A limit
// that equals the timeout means that latency is left to the timeout.
func (b *builder) checkLatency(v *value, f Failover) {
	limit := v.get("max_latency")
	if !limit.set() || !sound(v.get("request_timeout")) || limit.span <= f.RequestTimeout {
		return
	}
	b.mistake(limit.at, fmt.Sprintf("no average reaches %s, as a request fails after %s (request_timeout)", formatDuration(limit.span), formatDuration(f.RequestTimeout)),
		"set it to at most "+formatDuration(f.RequestTimeout))
}

// checkStall refuses a timeout within which a height cannot be seen to move, as
// the provider is not probed so often.
func (b *builder) checkStall(chain *value, c Chain, f Failover) {
	v := chain.get("failover")
	stall := v.get("stall_timeout")
	if !stall.set() || !sound(v.get("health_check_interval")) {
		return
	}
	longest, whose := f.HealthCheckInterval, "health_check_interval"
	for _, p := range c.Providers {
		if p.HealthCheckInterval > longest {
			longest, whose = p.HealthCheckInterval, "health_check_interval of "+p.Name
		}
	}
	if stall.span <= longest {
		b.mistake(stall.at, fmt.Sprintf("a height is read only every %s (%s), so it always seems to stand still for %s", formatDuration(longest), whose, formatDuration(stall.span)),
			"set it to more than "+formatDuration(longest))
	}
}

// checkFailback refuses two settings that say the opposite of each other.
func (b *builder) checkFailback(v *value) {
	older, newer := v.get("prefer_higher_priority"), v.get("failback")
	if !older.set() || !newer.set() {
		return
	}
	if (older.flag && Failback(newer.text) == FailbackSticky) || (!older.flag && Failback(newer.text) == FailbackAuto) {
		b.mistake(newer.at, fmt.Sprintf("%s contradicts prefer_higher_priority: %t", newer.text, older.flag), "keep one of the two")
	}
}
