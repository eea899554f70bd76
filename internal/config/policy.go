package config

// checkPolicy refuses a policy that cannot work.
func (b *builder) checkPolicy(chain *value, c Chain, f Failover) {}

// surprises warns of what works but will surprise.
func (b *builder) surprises(v *value, c Chain) {}
