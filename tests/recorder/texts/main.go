// Command texts writes manifests as people write them, valid, odd and broken, each with what kubectl's decoder reads:
//
//	go run ./texts -seed 1 -cases 2000 | gzip -9n > ../../text/tests/kubectl.jsonl.gz
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// maxDocuments limits how often a decoder is asked after an error.
const maxDocuments = 50

// document is what the decoder makes of one document: JSON or an error.
type document struct {
	JSON  json.RawMessage `json:"json,omitempty"`
	Error string          `json:"error,omitempty"`
}

// text is a text with its documents, the empty ones left out.
type text struct {
	Text      string     `json:"text"`
	Documents []document `json:"documents"`
}

func main() {
	seed := flag.Uint64("seed", 1, "the seed of the texts")
	cases := flag.Int("cases", 2000, "how many different texts to write")
	flag.Parse()
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	seen := map[string]bool{}
	for number := uint64(0); len(seen) < *cases; number++ {
		g := &generator{rand.New(rand.NewPCG(*seed, number))}
		written := g.text()
		if seen[written] {
			continue
		}
		seen[written] = true
		if err := out.Encode(text{written, read(written)}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// read gives each document as kubectl's decoder reads it (k8s.io/cli-runtime pkg/resource/visitor.go StreamVisitor.Visit),
// but goes on after an error.
func read(text string) []document {
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader([]byte(text)), 4096)
	documents := []document{}
	for range maxDocuments {
		var raw runtime.RawExtension
		err := decoder.Decode(&raw)
		switch trimmed := bytes.TrimSpace(raw.Raw); {
		case errors.Is(err, io.EOF):
			return documents
		case err != nil:
			// After several objects of JSON, the decoder stays where the error is.
			if last := len(documents) - 1; last >= 0 && documents[last].Error == err.Error() {
				return documents
			}
			documents = append(documents, document{Error: err.Error()})
		case len(trimmed) > 0 && !bytes.Equal(trimmed, []byte("null")):
			// Next, kubectl decodes the JSON, with its numbers.
			var value any
			if err := json.Unmarshal(trimmed, &value); err != nil {
				documents = append(documents, document{Error: err.Error()})
				continue
			}
			documents = append(documents, document{JSON: bytes.Clone(trimmed)})
		}
	}
	return documents
}
