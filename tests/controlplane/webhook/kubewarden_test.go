package webhook

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func TestEverySessionOfPoliciesHasManifestsAndATranscript(t *testing.T) {
	script, err := Read(filepath.Join("..", "sessions", "policies.yaml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, session := range script.Sessions {
		known := map[string]bool{}
		for _, manifest := range session.Policies {
			policy, _, err := manifest.read(filepath.Join("..", "..", "..", "policy"))
			if err != nil || len(policy.spec.Rules) == 0 {
				t.Errorf("%s: %v %v", session.Name, policy, err)
			}
			known[policy.name] = true
		}
		for _, step := range session.Steps {
			if named := step.Audit + step.Log; named != "" && !known[named] {
				t.Errorf("%s: there is no policy %s", session.Name, named)
			}
		}
		if _, err := os.Stat(filepath.Join("..", "transcripts", session.Name+".txt")); err != nil {
			t.Error(err)
		}
	}
}

func TestAGateThatHangsKeepsWhatItGetsUntilItAnswers(t *testing.T) {
	g := &gate{}
	g.changed = sync.NewCond(&g.mutex)
	client, near := net.Pipe()
	far, server := net.Pipe()
	go g.pass(near, far)
	g.hang(true)
	// The gate reads it, and does not pass it on.
	if _, err := io.WriteString(client, "GET"); err != nil {
		t.Fatal(err)
	}
	arrived := make(chan string, 1)
	go func() {
		buffer := make([]byte, 3)
		_, _ = io.ReadFull(server, buffer)
		arrived <- string(buffer)
	}()
	select {
	case text := <-arrived:
		t.Fatalf("%q passed a gate that hangs", text)
	default:
	}
	g.hang(false)
	if text := <-arrived; text != "GET" {
		t.Fatalf("%q arrived", text)
	}
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
}
