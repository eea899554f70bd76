package chain

import (
	"encoding/json"
	"time"
)

// Reject classifies the last answer as one that is not what the protocol
// allows, unless its text says something more precise: a vendor's refusal may
// well be JSON of some other shape, or the plain text that stands where a
// height should. why names the field.
func (s *Session) Reject(why string) error { return s.rejectAs(BadResponse, why) }

// RejectMissing says that the provider does not have what it announced, unless
// the last answer's text says something more precise.
func (s *Session) RejectMissing(what string) error { return s.rejectAs(Missing, what) }

// rejectAs gives the last answer a class that the dialect knows from its
// content. Only a vendor's own words on limits and keys overrule it.
func (s *Session) rejectAs(reason Reason, why string) error {
	r := s.answered
	e := readRESTError(r.body)
	f := classify(s.answer(r, e.code, e.text))
	switch f.Reason {
	case QuotaExhausted, IPBlocked, RateLimited, Unauthorized:
		f.Wait = waitFrom(r.body, r.header, time.Now())
		return s.fail(f)
	}
	return s.fail(&Failure{Reason: reason, Status: r.status, Text: why})
}

// refuse turns an answer that is not a good one into a failure: by the status,
// the code and the text, where there are any.
func (s *Session) refuse(r response, code Optional[int64], text string) error {
	return s.refuseAs(r, BadResponse, code, text)
}

// refuseAs is refuse for an answer that is known to be something better than a
// bad response: if no table says more, it is of the class otherwise.
func (s *Session) refuseAs(r response, otherwise Reason, code Optional[int64], text string) error {
	if text == "" {
		text = excerpt(r.body)
	}
	f := classify(s.answer(r, code, text))
	switch f.Reason {
	case BadResponse:
		f.Reason = otherwise
	case Redirect:
		f.Text = redirectText(r.header)
	}
	f.Wait = waitFrom(r.body, r.header, time.Now())
	return s.fail(f)
}

// misshapen is the failure of an answer that does not decode: what is wrong if
// it is JSON at all, or else how it begins.
func (s *Session) misshapen(r response, err error) error {
	if !json.Valid(r.body) {
		return s.refuse(r, Optional[int64]{}, "")
	}
	return s.Reject("an answer of another shape: " + err.Error())
}

// answer is a response as the tables see it.
func (s *Session) answer(r response, code Optional[int64], text string) answer {
	return answer{kind: s.provider.kind, typ: s.provider.typ, status: r.status, code: code, text: text}
}

// fail completes a failure and notes it with the last exchange. Secrets are
// taken out before the text is shortened, so that none is cut into a piece that
// is not recognised.
func (s *Session) fail(f *Failure) error {
	last := s.last()
	f.Request = last.Request
	f.Text = shorten(s.provider.scrub(f.Text))
	last.Reason, last.Text = f.Reason, f.Text
	return f
}
