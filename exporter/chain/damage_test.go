package chain

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

// fileAt is a provider that gives the answers of testdata/TYPE/NAME.json.
func fileAt(tb testing.TB, typ config.Type, name string) *scripted {
	tb.Helper()
	return answersAt(tb, typ, readAnswers(tb, string(typ)+"/"+name))
}

// answersAt is a provider of a type that gives set answers.
func answersAt(tb testing.TB, typ config.Type, all answers) *scripted {
	tb.Helper()
	c, p := scriptedChain(tb, typ.Kind(), typ)
	return newScripted(tb, c, p, all.to(tb))
}

// tipOf, blockOf and hintsOf ask one question in a talk of its own.
func tipOf(ctx context.Context, s *scripted) (Tip, error) {
	return s.dialect.Tip(ctx, s.session(), Tip{})
}

func blockOf(ctx context.Context, s *scripted, height uint64) (Block, error) {
	return s.dialect.Block(ctx, s.session(), height, true)
}

func hintsOf(ctx context.Context, s *scripted) (Hints, error) {
	h, ok := s.dialect.(Hinter)
	if !ok {
		return Hints{}, errors.New("the dialect has no hints")
	}
	return h.Hints(ctx, s.session(), Tip{})
}

// strictness is one question whose good answer is damaged in every way that
// the protocol does not allow.
type strictness struct {
	typ config.Type
	// file holds the good answers, question names the one that is damaged.
	file, question string
	ask            func(context.Context, *scripted) error
	// damages put a text in the place of another one of the good body.
	damages map[string]damage
	// empty are the reasons for an answer with nothing in it; BadResponse if
	// there are none.
	empty []Reason
}

// damage replaces one text of a body, which must be there, by another.
type damage struct{ good, bad string }

// numbers are the damages of a number that stands in the body as JSON number
// behind a member's name.
func numbers(member, value string) map[string]damage {
	all := map[string]damage{}
	for name, bad := range badNumbers {
		all[member+" is "+name] = damage{`"` + member + `":` + value, `"` + member + `":` + bad}
	}
	return all
}

// quotedNumbers are the damages of a number that stands in the body as string.
func quotedNumbers(member, value string) map[string]damage {
	all := map[string]damage{}
	for name, bad := range map[string]string{
		"a number": value, "hexadecimal": `"0x10"`, "a fraction": `"10.5"`, "an exponent": `"1e3"`,
		"negative": `"-4"`, "2^63": `"9223372036854775808"`, "more than 2^53": `"9007199254740993"`,
		"a leading zero": `"010"`, "with a space": `" 10"`, "an empty string": `""`, "null": "null",
		"a boolean": "true", "an object": "{}", "a list": `["10"]`,
	} {
		all[member+" is "+name] = damage{`"` + member + `":"` + value + `"`, `"` + member + `":` + bad}
	}
	return all
}

// hashes are the damages of a hash behind a member's name.
func hashes(member, value string) map[string]damage {
	all := map[string]damage{}
	for name, bad := range map[string]string{
		"short": `"` + value[:len(value)-2] + `"`, "long": `"` + value + value[:2] + `"`, "an empty string": `""`,
		"not in its alphabet": `"` + strings.Repeat("!", len(value)) + `"`, "null": "null", "a number": "7", "an object": "{}",
	} {
		all[member+" is "+name] = damage{`"` + member + `":"` + value + `"`, `"` + member + `":` + bad}
	}
	return all
}

// damagesOf puts several damages together.
func damagesOf(all ...map[string]damage) map[string]damage {
	out := map[string]damage{}
	for _, some := range all {
		maps.Copy(out, some)
	}
	return out
}

// run asserts that the good answer is one, and every other a bad response.
func (c strictness) run(t *testing.T) {
	t.Helper()
	good := readAnswers(t, string(c.typ)+"/"+c.file)
	require.NoError(t, c.ask(t.Context(), answersAt(t, c.typ, good)))
	for name, d := range c.damages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := good[c.question].Body
			require.True(t, strings.Contains(body, d.good), "the damage must hit")
			all := good.with(c.question, given{Body: strings.Replace(body, d.good, d.bad, 1)})
			requireFailure(t, c.ask(t.Context(), answersAt(t, c.typ, all)), BadResponse)
		})
	}
	for name, body := range badBodies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := good.with(c.question, given{Body: body})
			reasons := append([]Reason{BadResponse}, c.empty...)
			requireFailure(t, c.ask(t.Context(), answersAt(t, c.typ, all)), reasons...)
		})
	}
}

// askTip and askBlock are questions of which only the outcome counts.
func askTip(ctx context.Context, s *scripted) error {
	_, err := tipOf(ctx, s)
	return err
}

func askBlock(height uint64) func(context.Context, *scripted) error {
	return func(ctx context.Context, s *scripted) error {
		_, err := blockOf(ctx, s, height)
		return err
	}
}

func askHints(ctx context.Context, s *scripted) error {
	_, err := hintsOf(ctx, s)
	return err
}

func askIdentity(ctx context.Context, s *scripted) error {
	_, err := s.dialect.Identity(ctx, s.session(), "")
	return err
}

// documented is an error that a provider of a type is known to send.
type documented struct {
	name string
	given
	want Failure
}

// requireDocumented asserts that each error, as the answer to a question, is
// classified as documented. Request and Text are not compared.
func requireDocumented(t *testing.T, typ config.Type, question string, ask func(context.Context, *scripted) error, all []documented) {
	t.Helper()
	for _, tc := range all {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := requireFailure(t, ask(t.Context(), answersAt(t, typ, answers{question: tc.given})), tc.want.Reason)
			if tc.want.Status == 0 {
				tc.want.Status = 200
			}
			require.NotEmpty(t, f.Text)
			require.NotEmpty(t, f.Request)
			require.Equal(t, tc.want, Failure{Reason: f.Reason, Status: f.Status, Code: f.Code, Wait: f.Wait})
		})
	}
}
