// Package recording writes a recording of one namespace: every version of every object, and every request that wrote
// one or was refused. The README describes the lines.
package recording

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
)

// Header is the first line.
type Header struct {
	Scenario   string `json:"scenario"`
	About      string `json:"about"`
	Run        int    `json:"run"`
	Kubernetes string `json:"kubernetes"`
	Gates      string `json:"gates,omitempty"`
	// Start is the time from which all others count, in microseconds.
	Start time.Time `json:"start"`
	// Kubectl lists the commands, each with its time.
	Kubectl []Command `json:"kubectl"`
}

// Command has the arguments of kubectl, or "lose" or "return" and a node.
type Command struct {
	At        int64    `json:"at"`
	Arguments []string `json:"arguments"`
}

// Version is a line: an object as stored at a resource version.
type Version struct {
	Version uint64 `json:"version"`
	// At is when a watch reported it.
	At     int64  `json:"at"`
	Object string `json:"object"`
	// Manager is the field manager that wrote it.
	Manager string `json:"manager,omitempty"`
	Deleted bool   `json:"deleted,omitempty"`
	// Change is the merge patch from the version before, or the whole object.
	Change json.RawMessage `json:"change,omitempty"`
}

// Request is a line: a write as it was sent.
type Request struct {
	Request     string `json:"request"`
	At          int64  `json:"at"`
	Took        int64  `json:"took"`
	User        string `json:"user"`
	Object      string `json:"object"`
	Subresource string `json:"subresource,omitempty"`
	// Named is the resource version in the sent object.
	Named uint64 `json:"named,omitempty"`
	// Sent is the body; for an update, the merge patch from the named version.
	Sent json.RawMessage `json:"sent,omitempty"`
	Code int32           `json:"code"`
	// Refused is the Status of a refused request.
	Refused json.RawMessage `json:"refused,omitempty"`
	// Version is the resource version that was created, if the response contains one.
	Version uint64 `json:"version,omitempty"`
	// UID distinguishes a deleted object from another one with its name.
	UID string `json:"uid,omitempty"`
}

// history is the last known state of an object while lines are written.
type history struct {
	text     []byte
	versions map[uint64][]byte
}

// Write writes the recording to a compressed file.
func (r *Recorder) Write(file string, header Header) error {
	requests, err := r.requests()
	if err != nil {
		return err
	}
	unfinished := file + ".unfinished"
	out, err := os.Create(unfinished)
	if err != nil {
		return err
	}
	defer out.Close()
	packed, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(packed)
	encoder.SetEscapeHTML(false)
	header.Start = r.start
	if err := encoder.Encode(header); err != nil {
		return err
	}
	histories := map[string]*history{}
	for _, seen := range r.sorted() {
		line, err := r.line(histories, seen)
		if err != nil {
			return err
		}
		if err := encoder.Encode(line); err != nil {
			return err
		}
	}
	for _, request := range requests {
		line, err := r.requestLine(histories, request)
		if err != nil {
			return err
		}
		if err := encoder.Encode(line); err != nil {
			return err
		}
	}
	if err := packed.Close(); err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	return os.Rename(unfinished, file)
}

// sorted returns the versions in the order in which they were stored.
func (r *Recorder) sorted() []seen {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	all := slices.Clone(r.seen)
	slices.SortStableFunc(all, func(a, b seen) int { return int(int64(a.version) - int64(b.version)) })
	return all
}

func (r *Recorder) line(histories map[string]*history, seen seen) (Version, error) {
	line := Version{Version: seen.version, At: seen.at.Sub(r.start).Microseconds(), Object: seen.key, Manager: seen.manager, Deleted: seen.deleted}
	known := histories[seen.key]
	if known == nil {
		known = &history{versions: map[uint64][]byte{}}
		histories[seen.key] = known
	}
	if seen.deleted {
		known.text = nil
		return line, nil
	}
	text, err := json.Marshal(seen.object)
	if err != nil {
		return line, err
	}
	if line.Change, err = change(known.text, text); err != nil {
		return line, err
	}
	known.text, known.versions[seen.version] = text, text
	return line, nil
}

// change returns the merge patch between two versions.
func change(before, after []byte) (json.RawMessage, error) {
	if before == nil {
		return after, nil
	}
	return jsonpatch.CreateMergePatch(before, after)
}

func (r *Recorder) requestLine(histories map[string]*history, request request) (Request, error) {
	line := request.line
	if request.sent == nil {
		return line, nil
	}
	text, err := json.Marshal(request.sent)
	if err != nil {
		return line, err
	}
	line.Sent = text
	if line.Request != "update" {
		return line, nil
	}
	if known := histories[line.Object]; known != nil && known.versions[line.Named] != nil {
		line.Sent, err = change(known.versions[line.Named], text)
	}
	return line, err
}

func number(text string) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	version, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("resource version %q: must be a number", text)
	}
	return version, nil
}
