package webhook

import (
	"io"
	"net"
	"sync"

	"k8s.io/client-go/tools/clientcmd"

	"changeover.dev/controlplane/plane"
)

// gate is a way to the API server on which it can seem to hang: connections stay open, but nothing passes.
type gate struct {
	listener net.Listener
	target   string

	mutex   sync.Mutex
	changed *sync.Cond
	hangs   bool
	ended   bool
}

// newGate opens a gate to the API server of a kubeconfig, and returns a kubeconfig that leads through it.
func newGate(p *plane.Plane, kubeconfig string) (*gate, string, error) {
	config, err := clientcmd.LoadFromFile(kubeconfig)
	if err != nil {
		return nil, "", err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	g := &gate{listener: listener}
	g.changed = sync.NewCond(&g.mutex)
	for _, cluster := range config.Clusters {
		g.target = cluster.Server[len("https://"):]
		cluster.Server = "https://" + listener.Addr().String()
	}
	file := kubeconfig + ".gate"
	if err := clientcmd.WriteToFile(*config, file); err != nil {
		_ = listener.Close()
		return nil, "", err
	}
	go g.accept()
	return g, file, nil
}

// hang lets nothing pass any more, or lets everything pass again.
func (g *gate) hang(hangs bool) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.hangs = hangs
	g.changed.Broadcast()
}

// stop ends the gate and its connections.
func (g *gate) stop() {
	_ = g.listener.Close()
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.ended = true
	g.changed.Broadcast()
}

func (g *gate) accept() {
	for {
		client, err := g.listener.Accept()
		if err != nil {
			return // it is stopped
		}
		server, err := net.Dial("tcp", g.target)
		if err != nil {
			_ = client.Close()
			continue
		}
		go g.pass(client, server)
		go g.pass(server, client)
	}
}

// pass copies from one side to the other while the gate is open.
func (g *gate) pass(from io.ReadCloser, to io.WriteCloser) {
	defer from.Close()
	defer to.Close()
	buffer := make([]byte, 32<<10)
	for {
		count, failed := from.Read(buffer)
		if !g.opens() {
			return
		}
		if _, err := to.Write(buffer[:count]); err != nil || failed != nil {
			return
		}
	}
}

// opens waits until the gate is open. It returns false when the gate is stopped.
func (g *gate) opens() bool {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	for g.hangs && !g.ended {
		g.changed.Wait()
	}
	return !g.ended
}
