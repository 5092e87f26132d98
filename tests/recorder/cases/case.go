// Package cases writes what the real controllers did in the form of the conformance cases.
package cases

import (
	"bytes"
	"encoding/json"
	"time"

	"changeover.dev/recorder/apiserver"
)

// Source is where every recorded case comes from.
const Source = "k8s.io/kubernetes v1.37.2"

// Case is one line of a recording.
type Case struct {
	Name     string          `json:"name"`
	Op       string          `json:"op"`
	Source   string          `json:"source"`
	Gates    map[string]bool `json:"gates,omitempty"`
	Now      string          `json:"now,omitempty"`
	Input    map[string]any  `json:"input"`
	Memory   any             `json:"memory,omitempty"`
	Expected map[string]any  `json:"expected"`
	Conflict *Conflict       `json:"conflict,omitempty"`
	// Hint tells outcomes apart that look alike, Sort what led to them.
	Hint string `json:"-"`
	Sort string `json:"-"`
}

// Conflict says how far the real sync gets before the API server refuses an outdated copy.
type Conflict struct {
	Writes int `json:"writes"`
	Events int `json:"events"`
}

// Time prints a time as cases do.
func Time(now time.Time) string { return now.UTC().Format(time.RFC3339Nano) }

// Refusals prints refusals as input.
func Refusals(refusals []apiserver.Refusal) any { return Value(refusals) }

// Value is what the JSON of something says: maps, lists, texts and exact numbers.
func Value(of any) any {
	encoded, err := json.Marshal(of)
	if err != nil {
		panic(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		panic(err)
	}
	return value
}

// Line prints the case as a line, always the same bytes for the same case.
func (c Case) Line() []byte {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(c); err != nil {
		panic(err)
	}
	return line.Bytes()
}
