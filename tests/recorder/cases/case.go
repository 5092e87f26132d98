// Package cases writes recordings of the real controllers in the format of the conformance cases.
package cases

import (
	"bytes"
	"encoding/json"
	"time"

	"changeover.dev/recorder/apiserver"
)

// Source is the source of every recorded case.
const Source = "k8s.io/kubernetes v1.37.2"

// Case is one line of a recording.
type Case struct {
	Name     string          `json:"name"`
	Op       string          `json:"op"`
	Source   string          `json:"source"`
	Note     string          `json:"note,omitempty"`
	Gates    map[string]bool `json:"gates,omitempty"`
	Now      string          `json:"now,omitempty"`
	Input    map[string]any  `json:"input"`
	Memory   any             `json:"memory,omitempty"`
	Expected map[string]any  `json:"expected"`
	Conflict *Conflict       `json:"conflict,omitempty"`
	// Hint tells apart outcomes that look alike; Sort is the sort of world that led to them.
	Hint string `json:"-"`
	Sort string `json:"-"`
}

// Conflict tells how far the real sync gets before the API server rejects an outdated copy.
type Conflict struct {
	Writes int `json:"writes"`
	Events int `json:"events"`
}

// Time formats a time as in cases.
func Time(now time.Time) string { return now.UTC().Format(time.RFC3339Nano) }

// Refusals formats refusals as a case's input.
func Refusals(refusals []apiserver.Refusal) any { return Value(refusals) }

// Value converts a value to its JSON: maps, lists, strings and exact numbers.
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

// Line formats the case as a line. The same case always gives the same bytes.
func (c Case) Line() []byte {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(c); err != nil {
		panic(err)
	}
	return line.Bytes()
}

// Encoded returns a value's JSON as Go writes it.
func Encoded(value any) []byte {
	encoded, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return encoded
}
