package webhook

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Spoken is a step of a transcript: what was said, and what the user read.
type Spoken struct {
	Note    string   `json:"note"`
	As      string   `json:"as"`
	Kubectl []string `json:"kubectl"`
	// Printed is what kubectl wrote to both its outputs.
	Printed string   `json:"printed"`
	Code    int      `json:"code"`
	Reviews []Review `json:"reviews"`
}

// Transcript is a session as it was played.
type Transcript struct {
	Session Session
	// Settings are those of the webhook.
	Settings map[string]any
	Spoken   []Spoken
	// kept are the outputs that have a name.
	kept map[string]string
}

// varying is what differs from run to run, and what stands for it.
var varying = []struct {
	what *regexp.Regexp
	as   string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`), "TIME"},
	{regexp.MustCompile(`was \d+s before`), "was SECONDS before"},
	{regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`), "UID"},
	// The random end of a pod's name, behind the hash of its template.
	{regexp.MustCompile(`(-[0-9a-f]{8,10})-[bcdfghjklmnpqrstvwxz2456789]{5}\b`), "$1-RANDOM"},
}

// Text is the transcript to read and to compare.
func (t *Transcript) Text() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n", t.Session.About)
	for _, spoken := range t.Spoken {
		if spoken.Note != "" {
			fmt.Fprintf(&text, "\n# %s", spoken.Note)
		}
		fmt.Fprintf(&text, "\n%s$ kubectl %s\n%s", spoken.As, strings.Join(quoted(spoken.Kubectl), " "), spoken.Printed)
		if spoken.Code != 0 {
			fmt.Fprintf(&text, "[exit code %d]\n", spoken.Code)
		}
	}
	result := text.String()
	for name, value := range t.kept {
		result = strings.ReplaceAll(result, value, name)
	}
	for _, varying := range varying {
		result = varying.what.ReplaceAllString(result, varying.as)
	}
	return result
}

// quoted are words for a shell.
func quoted(words []string) []string {
	var all []string
	for _, word := range words {
		if strings.ContainsAny(word, " {}[]*'\"") {
			word = "'" + word + "'"
		}
		all = append(all, word)
	}
	return all
}

// Write writes the transcript, and beside it the reviews.
func (t *Transcript) Write(folder string) error {
	if err := os.WriteFile(filepath.Join(folder, t.Session.Name+".txt"), []byte(t.Text()), 0o644); err != nil {
		return err
	}
	file, err := os.Create(filepath.Join(folder, t.Session.Name+".jsonl.gz"))
	if err != nil {
		return err
	}
	defer file.Close()
	packed, err := gzip.NewWriterLevel(file, gzip.BestCompression)
	if err != nil {
		return err
	}
	lines := json.NewEncoder(packed)
	lines.SetEscapeHTML(false)
	if err := lines.Encode(map[string]any{"settings": t.Settings}); err != nil {
		return err
	}
	for _, spoken := range t.Spoken {
		if err := lines.Encode(spoken); err != nil {
			return err
		}
	}
	if err := packed.Close(); err != nil {
		return err
	}
	return file.Close()
}

// Compare says where the transcript differs from the one in a folder.
func (t *Transcript) Compare(folder string) error {
	name := t.Session.Name + ".txt"
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		return err
	}
	before, now := lines(string(text)), lines(t.Text())
	for index := range max(len(before), len(now)) {
		if was, is := at(before, index), at(now, index); was != is {
			return fmt.Errorf("%s: line %d was %q, is %q now", name, index+1, was, is)
		}
	}
	return nil
}

func lines(text string) []string { return strings.Split(text, "\n") }

func at(lines []string, index int) string {
	if index < len(lines) {
		return lines[index]
	}
	return ""
}
