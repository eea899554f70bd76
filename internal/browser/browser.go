// Package browser drives a real Chromium for end-to-end tests of pages.
//
// It is for tests only. A Tab belongs to one test and ends with it; whatever goes
// wrong in it ends that test. Chromium is the machine's own: tools/setup installs
// it, and the accessibility rules of axe-core, into .cache.
package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

const (
	// patience is how long a page may take for what a test waits for.
	patience = 30 * time.Second
	// life bounds a tab, so that a browser which hangs does not hang the tests.
	life = 4 * time.Minute
)

// Light and Dark are the colour schemes that a user may prefer.
const (
	Light = "light"
	Dark  = "dark"
)

// Tab is a tab of a browser of its own, with no cookies. Make it with Open.
type Tab struct {
	t   testing.TB
	ctx context.Context
}

// Open starts a browser.
func Open(t testing.TB) *Tab {
	t.Helper()
	options := []chromedp.ExecAllocatorOption{chromedp.Headless}
	if os.Getuid() == 0 {
		// Chromium's sandbox does not work for root.
		options = append(options, chromedp.NoSandbox)
	}
	ctx, end := chromedp.NewContext(context.Background(), chromedp.WithAllocatorOptions(options...))
	ctx, expire := context.WithTimeout(ctx, life)
	t.Cleanup(func() {
		expire()
		end()
	})
	b := &Tab{t, ctx}
	b.Size(1280, Light)
	return b
}

// do carries out steps, or ends the test.
func (b *Tab) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Do(b.ctx, steps...), "browser: %s (tools/setup installs Chromium)", what)
}

// Size sets the width of the window in CSS pixels, and the colour scheme.
func (b *Tab) Size(width int64, scheme string) {
	b.t.Helper()
	b.do("set the size", chromedp.EmulateViewport(width, 900), chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return err
	}))
}

// WithoutScripts keeps pages that are opened from now on from running any.
func (b *Tab) WithoutScripts() {
	b.t.Helper()
	b.do("switch JavaScript off", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	}))
}

// Visit opens a page.
func (b *Tab) Visit(url string) {
	b.t.Helper()
	b.do("open "+url, chromedp.Navigate(url))
}

// Click clicks on what a CSS selector finds.
func (b *Tab) Click(selector string) {
	b.t.Helper()
	b.AwaitTrue(fmt.Sprintf("document.querySelector(%s) !== null", quoted(selector)))
	b.do("click on "+selector, chromedp.Click(chromedp.CSS(selector)))
}

// Type types into what a CSS selector finds.
func (b *Tab) Type(selector, text string) {
	b.t.Helper()
	b.do("type into "+selector, chromedp.SendKeys(chromedp.CSS(selector), text))
}

// Press presses a key, which is named by what it types.
func (b *Tab) Press(key string) {
	b.t.Helper()
	b.do("press a key", chromedp.KeyEvent(key))
}

// Text is what stands in what a CSS selector finds; empty if it finds nothing.
func (b *Tab) Text(selector string) string {
	b.t.Helper()
	return eval[string](b, fmt.Sprintf("document.querySelector(%s)?.textContent ?? ''", quoted(selector)))
}

// Source is the whole page as it is now.
func (b *Tab) Source() string {
	b.t.Helper()
	return eval[string](b, "document.documentElement.outerHTML")
}

// Location is the address of the page.
func (b *Tab) Location() string {
	b.t.Helper()
	return eval[string](b, "location.href")
}

// Number is the value of an expression of JavaScript.
func (b *Tab) Number(expression string) float64 {
	b.t.Helper()
	return eval[float64](b, expression)
}

// IsTrue says whether an expression of JavaScript is true.
func (b *Tab) IsTrue(expression string) bool {
	b.t.Helper()
	return eval[bool](b, "Boolean("+expression+")")
}

// AwaitTrue waits until an expression of JavaScript is true. While a page goes and
// another comes there is nothing that could be asked.
func (b *Tab) AwaitTrue(expression string) {
	b.t.Helper()
	require.Eventually(b.t, func() bool {
		value, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("Boolean("+expression+")"))
		return err == nil && value
	}, patience, 50*time.Millisecond, "browser: %s", expression)
}

// AwaitText waits until a text stands in what a CSS selector finds.
func (b *Tab) AwaitText(selector, text string) {
	b.t.Helper()
	b.AwaitTrue(fmt.Sprintf("document.querySelector(%s)?.textContent.includes(%s)", quoted(selector), quoted(text)))
}

// Post sends an empty form from the page, as a script on it would, and returns
// the status.
func (b *Tab) Post(path string) int {
	b.t.Helper()
	status, err := chromedp.Run(b.ctx, chromedp.Evaluate[float64](
		fmt.Sprintf("fetch(%s, {method: 'POST', redirect: 'manual'}).then((r) => r.status)", quoted(path)), chromedp.EvalAwaitPromise))
	require.NoError(b.t, err)
	return int(status)
}

// Picture is the whole page as a PNG.
func (b *Tab) Picture() []byte {
	b.t.Helper()
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	require.NoError(b.t, err, "browser: take a picture")
	return png
}

// Barriers are what axe-core finds on the page that keeps people with
// disabilities from using it, seriously or altogether.
func (b *Tab) Barriers() []string {
	b.t.Helper()
	axe, err := os.ReadFile(axePath(b.t))
	require.NoError(b.t, err, "tools/setup fetches axe-core")
	_, err = chromedp.Run(b.ctx, chromedp.Evaluate[bool](string(axe)+"\n;true"))
	require.NoError(b.t, err)
	text, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`axe.run(document, {resultTypes: ["violations"]}).then((found) => JSON.stringify(found.violations
		.filter((v) => v.impact === "serious" || v.impact === "critical")
		.map((v) => v.id + ": " + v.help + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + " (" + n.failureSummary + ")").join(" | "))))`,
		chromedp.EvalAwaitPromise))
	require.NoError(b.t, err)
	var barriers []string
	require.NoError(b.t, json.Unmarshal([]byte(text), &barriers))
	return barriers
}

// axePath is where tools/setup puts axe-core.
func axePath(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, ".cache", "axe", "axe.min.js")
		} else if parent := filepath.Dir(dir); parent != dir && errors.Is(err, os.ErrNotExist) {
			dir = parent
			continue
		}
		require.FailNow(t, "the test does not run inside the module")
	}
}

// eval is the value of an expression of JavaScript.
func eval[T any](b *Tab, expression string) T {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	require.NoError(b.t, err, "browser: %s", expression)
	return value
}

// quoted is a text as JavaScript writes it.
func quoted(text string) string {
	// A string can always be encoded.
	encoded, _ := json.Marshal(text)
	return string(encoded)
}
