package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"

	"k8s.io/client-go/rest"

	"changeover.dev/controlplane/plane"
)

// Review is an API server's request to the policy, and the response.
type Review struct {
	Request  json.RawMessage `json:"request"`
	Response json.RawMessage `json:"response"`
	// Cluster are the objects that the policy read from the cluster meanwhile.
	Cluster []json.RawMessage `json:"cluster,omitempty"`
}

// Witness is a proxy between the API server and the policy, in both directions, that records the traffic.
type Witness struct {
	webhook string
	client  *http.Client
	servers []*http.Server

	mutex   sync.Mutex
	user    string
	reviews []Review
	read    []json.RawMessage
	failed  []string
}

// NewWitness creates a witness for servers whose certificates the authority has signed.
func NewWitness(authority []byte) *Witness {
	return &Witness{client: trusting(authority)}
}

// trusting returns a client that trusts the certificates of an authority.
func trusting(authority []byte) *http.Client {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}}
}

// Serve listens for the API server and forwards its requests to the webhook. It returns its own address.
func (w *Witness) Serve(p *plane.Plane, webhook string) (string, error) {
	w.webhook = webhook
	certificate, key, err := p.Certificate("witness")
	if err != nil {
		return "", err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	server := &http.Server{Handler: http.HandlerFunc(w.review), ErrorLog: log.New(io.Discard, "", 0)}
	w.servers = append(w.servers, server)
	go func() { _ = server.ServeTLS(listener, certificate, key) }() // Stop ends it
	return "https://" + listener.Addr().String(), nil
}

// ServeCluster listens for the policy without TLS, as kubectl proxy does, and forwards its requests to the API server.
func (w *Witness) ServeCluster(config *rest.Config) (string, error) {
	target, err := url.Parse(config.Host)
	if err != nil {
		return "", err
	}
	transport, err := rest.TransportFor(config)
	if err != nil {
		return "", err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Header.Del("Accept-Encoding")
		},
		Transport: transport, ModifyResponse: w.remember,
	}
	server := &http.Server{Handler: proxy}
	w.servers = append(w.servers, server)
	go func() { _ = server.Serve(listener) }() // Stop ends it
	return "http://" + listener.Addr().String(), nil
}

// Stop stops listening.
func (w *Witness) Stop() {
	for _, server := range w.servers {
		_ = server.Shutdown(context.Background())
	}
}

// Watch clears the records, and from now on records what a user writes.
func (w *Witness) Watch(user string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.user, w.reviews = user, nil
}

// Seen returns the reviews since then, in order.
func (w *Witness) Seen() []Review {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.reviews
}

// Failed returns the responses with which the policy or its host failed, for any user.
func (w *Witness) Failed() []string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.failed
}

func (w *Witness) review(writer http.ResponseWriter, request *http.Request) {
	question, err := io.ReadAll(request.Body)
	if err != nil {
		return // the API server has hung up
	}
	w.mutex.Lock()
	before := len(w.read)
	w.mutex.Unlock()
	answer, err := w.client.Post(w.webhook, "application/json", bytes.NewReader(question))
	if err != nil {
		w.complain(err.Error())
		http.Error(writer, err.Error(), http.StatusBadGateway)
		return
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		w.complain(err.Error())
		http.Error(writer, err.Error(), http.StatusBadGateway)
		return
	}
	w.note(question, text, answer.StatusCode, before)
	writer.Header().Set("Content-Type", answer.Header.Get("Content-Type"))
	writer.WriteHeader(answer.StatusCode)
	_, _ = writer.Write(text)
}

// note records a review of the watched user, with the objects that were read since it began.
func (w *Witness) note(question, answer []byte, status, before int) {
	var asked struct {
		Request json.RawMessage `json:"request"`
	}
	var who struct {
		Request struct {
			UserInfo struct {
				Username string `json:"username"`
			} `json:"userInfo"`
		} `json:"request"`
	}
	var answered struct {
		Response json.RawMessage `json:"response"`
	}
	var outcome struct {
		Response struct {
			Status struct {
				Code int `json:"code"`
			} `json:"status"`
		} `json:"response"`
	}
	for _, part := range []struct {
		text []byte
		into any
	}{{question, &asked}, {question, &who}, {answer, &answered}, {answer, &outcome}} {
		if err := json.Unmarshal(part.text, part.into); err != nil {
			w.complain(string(answer))
			return
		}
	}
	if status != http.StatusOK || outcome.Response.Status.Code >= http.StatusInternalServerError {
		w.complain(string(answer))
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if who.Request.UserInfo.Username == w.user {
		w.reviews = append(w.reviews, Review{Request: asked.Request, Response: answered.Response, Cluster: w.read[before:len(w.read):len(w.read)]})
	}
}

func (w *Witness) complain(text string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.failed = append(w.failed, strings.TrimSpace(text))
}

// remember records the objects in a response of the API server, one by one for a list.
func (w *Witness) remember(answer *http.Response) error {
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	answer.Body = io.NopCloser(bytes.NewReader(text))
	var object struct {
		APIVersion string           `json:"apiVersion"`
		Kind       string           `json:"kind"`
		Items      []map[string]any `json:"items"`
	}
	if answer.StatusCode != http.StatusOK || json.Unmarshal(text, &object) != nil || object.Kind == "APIResourceList" {
		return nil
	}
	objects := []json.RawMessage{text}
	if kind, isList := strings.CutSuffix(object.Kind, "List"); isList {
		objects = nil
		for _, item := range object.Items {
			// The items of a list omit their type.
			item["apiVersion"], item["kind"] = object.APIVersion, kind
			text, err := json.Marshal(item)
			if err != nil {
				return err
			}
			objects = append(objects, text)
		}
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.read = append(w.read, objects...)
	return nil
}
