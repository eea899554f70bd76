package decision

import (
	"maps"
	"slices"
	"time"

	"github.com/understudy-rpc/understudy/controller/selection"
)

// order carries out what an operator wants. An order about a provider that is
// not configured is passed over.
func (d *decider) order() {
	c := d.look.Command
	if c == nil {
		return
	}
	if _, configured := d.next.Members[c.Provider]; !configured && (c.Kind == Drain || c.Kind == SetPin) {
		return
	}
	o := Order{Reason: c.Reason, Since: d.look.Now, Until: c.Until}
	switch c.Kind {
	case Drain:
		d.next.Drains[c.Provider] = o
		d.note(Change{Kind: string(Drain), Provider: c.Provider, Reason: o.words("an operator took it out of service")})
	case Undrain:
		d.undrain(c.Provider, "an operator put it back into service")
	case SetPin:
		d.next.Pin = &Pin{Provider: c.Provider, Order: o}
		d.note(Change{Kind: string(SetPin), Provider: c.Provider, Reason: o.words("an operator wants it to serve")})
	case Unpin:
		d.unpin("an operator took the pin back")
	case Failback:
	}
}

// words are the reason that the operator gave, and how long the order holds.
func (o Order) words(otherwise string) string {
	reason := o.Reason
	if reason == "" {
		reason = otherwise
	}
	if o.Until.IsZero() {
		return reason
	}
	return reason + ", until " + o.Until.UTC().Format(time.RFC3339)
}

func (d *decider) undrain(provider, why string) {
	if _, drained := d.next.Drains[provider]; drained {
		delete(d.next.Drains, provider)
		d.note(Change{Kind: string(Undrain), Provider: provider, Reason: why})
	}
}

func (d *decider) unpin(why string) {
	if d.next.Pin != nil {
		d.note(Change{Kind: string(Unpin), Provider: d.next.Pin.Provider, Reason: why})
		d.next.Pin = nil
	}
}

// expire ends the orders whose time has come.
func (d *decider) expire() {
	for _, name := range slices.Sorted(maps.Keys(d.next.Drains)) {
		if d.next.Drains[name].over(d.look.Now) {
			d.undrain(name, "the time of the drain is over")
		}
	}
	if d.next.Pin != nil && d.next.Pin.over(d.look.Now) {
		d.unpin("the time of the pin is over")
	}
}

// endOfOrders is when the next order ends by itself; zero: none does.
func (d *decider) endOfOrders() time.Time {
	var first time.Time
	earlier := func(o Order) {
		if !o.Until.IsZero() && (first.IsZero() || o.Until.Before(first)) {
			first = o.Until
		}
	}
	for _, o := range d.next.Drains {
		earlier(o)
	}
	if d.next.Pin != nil {
		earlier(d.next.Pin.Order)
	}
	return first
}

// AwaitsApproval says that a preferred provider waits for an operator.
func (s State) AwaitsApproval() bool { return s.Verdict == selection.KeptForApproval }
