// Package openai reaches models through the chat completions API of OpenAI, which some forty other servers speak as well,
// each in its own way. Replies are read tolerantly: what a server leaves out, repeats or spells differently does not matter
// as long as its meaning is clear.
//
// A Provider starts no goroutines of its own. Those of its HTTP connections end when the connections do; see Close.
package openai

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dualagent/agent/core"
)

// API is the name of this wire API in models and stored messages.
const API = "openai-completions"

// Options say which server to talk to and how. Zero fields mean defaults.
type Options struct {
	Name    string // of the provider; default "openai"
	BaseURL string // such as https://api.openai.com/v1, or the full URL of …/chat/completions
	// KeyEnv names the environment variable that holds the API key. It is read at each request; no key is sent if it is not
	// set. Key, if not nil, is asked instead.
	KeyEnv   string
	Key      func() string
	External bool         // models are reached over a network outside this machine
	HTTP     *http.Client // default: one of its own that takes proxies from the environment
	Models   []core.Model // what is known of models; Provider, API, BaseURL and External are filled in

	Connect   time.Duration // until a connection stands, TLS included; default 30 s
	FirstByte time.Duration // from then until the answer's body begins; default 90 s
	Idle      time.Duration // between two pieces of the body; default 60 s
	Total     time.Duration // for the whole of a request; default: no limit

	// EchoReasoning sends the model's own reasoning back to it with the conversation, which some servers insist on and others
	// refuse. If a model's server says that it wants it otherwise, that is done from then on.
	EchoReasoning bool
}

// A Provider is a core.Provider for one server.
type Provider struct {
	o      Options
	base   *url.URL
	client *http.Client

	mu sync.Mutex
	// mu guards habits: what has been learnt of what a model's server does not take, by model id.
	habits map[string]habit
}

var _ core.Provider = (*Provider)(nil)

// New returns a provider for the server that o names. It fails if the base URL is none; it does not touch the network.
func New(o Options) (*Provider, error) {
	o.Name = cmp.Or(o.Name, "openai")
	o.Connect = cmp.Or(o.Connect, 30*time.Second)
	o.FirstByte = cmp.Or(o.FirstByte, 90*time.Second)
	o.Idle = cmp.Or(o.Idle, 60*time.Second)
	base, err := parseBase(o.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("provider %s: %w", o.Name, err)
	}
	key := o.Key
	if key == nil {
		key = func() string { return os.Getenv(o.KeyEnv) }
	}
	o.Key = func() string { return strings.TrimSpace(key()) }
	p := &Provider{o: o, base: base, client: client(o), habits: map[string]habit{}}
	p.o.Models = slices.Clone(o.Models)
	for i := range p.o.Models {
		p.complete(&p.o.Models[i])
	}
	return p, nil
}

// parseBase takes a base URL or the full one, whose last part it removes.
func parseBase(s string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("the base URL must be like https://host/v1 or end in /chat/completions") // s may hold secrets
	}
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/chat/completions")
	u.RawPath, u.Fragment = "", ""
	return u, nil
}

// client returns an HTTP client that keeps to the server it was sent to.
func client(o Options) *http.Client {
	var c http.Client
	if o.HTTP != nil {
		c = *o.HTTP
	} else {
		c.Transport = &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			ForceAttemptHTTP2:   true,
			DisableCompression:  true, // compressors hold back what should stream
			MaxIdleConnsPerHost: 4,
			IdleConnTimeout:     90 * time.Second,
		}
	}
	c.CheckRedirect = checkRedirect
	return &c
}

// complete fills in what the provider knows of each of its models.
func (p *Provider) complete(m *core.Model) {
	m.Name = cmp.Or(m.Name, m.ID)
	m.API, m.Provider = API, p.o.Name
	m.BaseURL = cmp.Or(m.BaseURL, p.o.BaseURL)
	m.External = p.o.External
}

// Name returns the provider's name.
func (p *Provider) Name() string { return p.o.Name }

// External reports whether models are reached over a network outside this machine.
func (p *Provider) External() bool { return p.o.External }

// Known returns the models that were configured. It does not touch the network.
func (p *Provider) Known() []core.Model { return slices.Clone(p.o.Models) }

// Lookup returns the known model with this id, or else a model without a name: the server may have more than are known. Such a
// model is given images, until its server refuses them.
func (p *Provider) Lookup(id string) (core.Model, bool) {
	for _, m := range p.o.Models {
		if m.ID == id {
			return m, true
		}
	}
	if id == "" {
		return core.Model{}, false
	}
	return core.Model{
		ID: id, API: API, Provider: p.o.Name, BaseURL: p.o.BaseURL, External: p.o.External, Images: true, ContextWindow: assumedWindow,
	}, true
}

// assumedWindow is the context window, in tokens, of models that nothing is known of.
const assumedWindow = 128_000

// Close closes connections that are not in use. Requests that run are not disturbed.
func (p *Provider) Close() { p.client.CloseIdleConnections() }
