package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/understudy-rpc/understudy/client"
)

// exampleController is a controller that says that the daemon at a URL serves.
func exampleController(url string) (*httptest.Server, *fakeController) {
	a := serves(42, 7, "local-daemon")
	a.RPCHost = url
	f := newFakeController(a)
	return httptest.NewServer(f), f
}

func ExampleClient_Active() {
	controller, _ := exampleController("http://localhost:8332")
	defer controller.Close()

	c, err := client.New(client.Options{URL: controller.URL})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = c.Close() }()

	active, err := c.Active(context.Background(), "btc")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(active.State, *active.Provider, active.RPCHost)
	// Output: ok local-daemon http://localhost:8332
}

func ExampleClient_Watch() {
	controller, f := exampleController("http://localhost:8332")
	defer controller.Close()

	c, err := client.New(client.Options{URL: controller.URL})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = c.Close() }()

	for active, err := range c.Watch(context.Background(), "btc") {
		switch {
		case err != nil:
			fmt.Println("the controller is gone, going on with what we have")
		case active.Provider == nil:
			fmt.Println("nobody serves")
			return
		default:
			fmt.Println("generation", active.Generation, *active.Provider)
		}
		if active.Generation == 7 {
			f.say(serves(43, 8, "quicknode"))
		} else {
			f.say(nobody(44, 8))
		}
	}
	// Output:
	// generation 7 local-daemon
	// generation 8 quicknode
	// nobody serves
}

func ExampleClient_Transport() {
	daemon := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, _, _ := r.BasicAuth()
		_, _ = fmt.Fprintf(w, "%s %s for %s", r.Method, r.URL.Path, user)
	}))
	defer daemon.Close()
	controller, _ := exampleController(strings.Replace(daemon.URL, "http://", "http://bifrost:secret@", 1) + "/wallet")
	defer controller.Close()

	c, err := client.New(client.Options{URL: controller.URL})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = c.Close() }()
	btc := &http.Client{Transport: c.Transport("btc", client.TransportOptions{})}

	// The host of the URL stands for whoever serves.
	resp, err := btc.Post("http://btc.invalid/vault", "application/json", strings.NewReader("{}"))
	var none *client.NoProviderError
	switch {
	case errors.As(err, &none):
		fmt.Println("nobody serves", none.Chain)
		return
	case err != nil:
		fmt.Println(err)
		return
	}
	defer func() { _ = resp.Body.Close() }()
	text, _ := io.ReadAll(resp.Body)
	fmt.Println(resp.Header.Get(client.ProviderHeader), "says", string(text))
	// Output: local-daemon says POST /wallet/vault for bifrost
}

func ExampleTransport_Advance() {
	daemon := httptest.NewServer(says("block"))
	defer daemon.Close()
	controller, _ := exampleController(daemon.URL)
	defer controller.Close()

	c, err := client.New(client.Options{URL: controller.URL})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = c.Close() }()
	btc := c.Transport("btc", client.TransportOptions{Manual: true})

	for height := range 2 {
		// All requests until the next call stay with one provider.
		if _, err := ask(context.Background(), btc); err != nil {
			fmt.Println(err)
		}
		fmt.Println("height", height, "from", btc.Advance())
	}
	// Output:
	// height 0 from local-daemon
	// height 1 from local-daemon
}
