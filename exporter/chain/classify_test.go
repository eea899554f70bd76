package chain

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/understudy-rpc/understudy/internal/config"
)

// family is the kind of a refusal's chain.
func (r refusal) family() config.Kind {
	switch {
	case r.kind != "":
		return r.kind
	case r.typ.Kind() != "":
		return r.typ.Kind()
	}
	return config.Bitcoin
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, r := range slices.Concat(vendorRefusals, nodeRefusals, chainWords) {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			p := provider(t, r.family(), r.typ, serve(t, say(r.status, r.header, r.body)))
			f := requireFailure(t, askOnce(t.Context(), p), r.reason)
			require.Equal(t, r.status, f.Status)
			require.Equal(t, r.code, f.Code, "%v", f)
			require.Equal(t, r.wait, f.Wait, "%v", f)
			require.NotEmpty(t, f.Text)
			require.NotEmpty(t, f.Request)
		})
	}
}

// answersOf are the plainest answers that a row is about: one for each of its
// families, types, statuses, codes and texts.
func answersOf(r rule) []answer {
	or := func(all []int, plain int) []int {
		if all == nil {
			return []int{plain}
		}
		return all
	}
	codes := []Optional[int64]{{}}
	if r.coded {
		codes = []Optional[int64]{Some[int64](1)}
	}
	if r.codes != nil {
		codes = nil
		for _, code := range r.codes {
			codes = append(codes, Some(code))
		}
	}
	texts, types := r.texts, r.types
	if texts == nil {
		texts = []string{"something else"}
	}
	if types == nil {
		types = typesOf(r.kinds)
	}
	var all []answer
	for _, typ := range types {
		for _, status := range or(r.statuses, 200) {
			for _, code := range codes {
				for _, text := range texts {
					all = append(all, answer{kind: typ.Kind(), typ: typ, status: status, code: code, text: "It said: " + strings.ToUpper(text) + "."})
				}
			}
		}
	}
	return all
}

// typesOf are one type of each family. A row for all families may well be
// overruled for one of them; EVM stands for the others.
func typesOf(kinds []config.Kind) []config.Type {
	if kinds == nil {
		kinds = []config.Kind{config.EVM}
	}
	var types []config.Type
	for _, kind := range kinds {
		i := slices.IndexFunc(config.Types, func(typ config.Type) bool { return typ.Kind() == kind })
		types = append(types, config.Types[i])
	}
	return types
}

// A row that an earlier one hides would never speak.
func TestEveryRowOfTheTablesSpeaks(t *testing.T) {
	t.Parallel()
	for _, table := range tables {
		for _, r := range table {
			require.Contains(t, Reasons, r.reason)
			for _, text := range r.texts {
				require.Equal(t, strings.ToLower(text), text, "texts are looked for in lower case")
			}
			for _, a := range answersOf(r) {
				require.Equal(t, r.reason, classify(a).Reason, "%+v", a)
			}
		}
	}
}

func TestWithoutARowTheStatusDecides(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		kind   config.Kind
		typ    config.Type
		status int
		code   Optional[int64]
		want   Reason
	}{
		{"200", config.EVM, config.EVMRPC, 200, Optional[int64]{}, BadResponse},
		{"204", config.EVM, config.EVMRPC, 204, Optional[int64]{}, BadResponse},
		{"200 with a code", config.EVM, config.EVMRPC, 200, Some[int64](-32000), RPCError},
		{"304", config.EVM, config.EVMRPC, 304, Optional[int64]{}, Redirect},
		{"400", config.EVM, config.EVMRPC, 400, Optional[int64]{}, HTTP4xx},
		{"400 with a code", config.EVM, config.EVMRPC, 400, Some[int64](-32602), RPCError},
		{"400 with a code of REST", config.Cosmos, config.CosmosREST, 400, Some[int64](3), HTTP4xx},
		{"500 with bitcoind's code", config.Bitcoin, config.BitcoinRPC, 500, Some[int64](-1), RPCError},
		{"502 with a gateway's code", config.Bitcoin, config.BitcoinRPC, 502, Some[int64](-1), HTTP5xx},
		{"500 with a vendor's code", config.Solana, config.SolanaRPC, 500, Some[int64](-32603), HTTP5xx},
		{"599", config.EVM, config.EVMRPC, 599, Optional[int64]{}, HTTP5xx},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := classify(answer{kind: c.kind, typ: c.typ, status: c.status, code: c.code, text: "something else"})
			require.Equal(t, c.want, f.Reason)
		})
	}
}

// What data says far behind the beginning is not what the provider says.
func TestOnlyTheBeginningOfABodyIsSearched(t *testing.T) {
	t.Parallel()
	long := answer{kind: config.EVM, typ: config.EVMRPC, status: 200, text: strings.Repeat("0", wordsLimit) + " rate limit"}
	require.Equal(t, BadResponse, classify(long).Reason)
	long.text = "rate limit " + long.text
	require.Equal(t, RateLimited, classify(long).Reason)
}

func TestReasonsAreAllReasons(t *testing.T) {
	t.Parallel()
	require.Len(t, Reasons, 21)
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(Reasons))), len(Reasons))
}

func TestShortenMakesOnePrintableLine(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringN(0, 2000, -1), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
		short := shorten(text)
		if len(short) > textLimit+len("…") {
			t.Fatalf("%d bytes", len(short))
		}
		for _, r := range short {
			if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
				t.Fatalf("%q in %q", r, short)
			}
		}
		if shorten(short) != short {
			t.Fatalf("%q is not stable", short)
		}
	})
	require.Equal(t, "a b", shorten(" a\x00\t\nb "[0:2]+"\n b"))
	require.Equal(t, strings.Repeat("é", textLimit/2)+"…", shorten(strings.Repeat("é", textLimit)))
	require.Equal(t, "x"+strings.Repeat("é", textLimit/2-1)+"…", shorten("x"+strings.Repeat("é", textLimit)), "no letter is cut in two")
}

func TestExcerptSaysWhatABodyIsAbout(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, body, want string }{
		{"nothing", " \n", "empty body"},
		{"a page with a title", "<!DOCTYPE html>\n<html><head><title lang=en>502 Bad\nGateway</title>", "a page of HTML: 502 Bad\nGateway"},
		{"a page without a title", "<html><body>rate limit</body></html>", "a page of HTML"},
		{"other markup", "<Error><Code>AccessDenied</Code></Error>", "<Error><Code>AccessDenied</Code></Error>"},
		{"a JSON text", `"a \"b\""`, `a "b"`},
		{"a broken JSON text", `"a`, `"a`},
		{"plain words", " invalid host specified\n", "invalid host specified"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, excerpt([]byte(c.body)))
		})
	}
}

func TestRedirectTextKeepsThePathToItself(t *testing.T) {
	t.Parallel()
	text := redirectText(map[string][]string{"Location": {"https://user:word@elsewhere.test/SECRET?key=SECRET"}})
	require.Contains(t, text, "https://elsewhere.test")
	require.NotContains(t, text, "SECRET")
	require.NotContains(t, text, "word")
	require.NotContains(t, redirectText(map[string][]string{"Location": {"/SECRET"}}), "SECRET")
}

// Whatever a provider answers, it becomes one of the reasons, with a bounded
// wait and a short text that repeats no secret.
func FuzzRefusal(f *testing.F) {
	for _, r := range slices.Concat(vendorRefusals, nodeRefusals, chainWords) {
		f.Add(uint16(r.status), uint8(slices.Index(config.Types, r.typ)), []byte(r.body), r.header["Retry-After"])
	}
	f.Add(uint16(401), uint8(2), []byte(`{"message":"`+strings.Repeat("x", textLimit-5)+inPath+`"}`), "")
	f.Fuzz(func(t *testing.T, status uint16, typ uint8, body []byte, wait string) {
		c, p := scriptedChain(t, "", config.Types[int(typ)%len(config.Types)])
		c.Kind = p.Type.Kind()
		var err error
		p.RPCHost, err = config.ParseURL("https://provider.test/" + inPath)
		require.NoError(t, err)
		s := newScripted(t, c, p, func(question) given {
			return given{Status: 200 + int(status)%400, Header: map[string]string{"Retry-After": wait}, Body: string(body)}
		})
		err = askOnce(t.Context(), s.Provider)
		if err == nil {
			return
		}
		requireClassified(t, "a question", err)
		failure := requireFailure(t, err, Reasons...)
		require.LessOrEqual(t, len(failure.Text), textLimit+len("…"))
		require.NotContains(t, failure.Error(), inPath)
	})
}
