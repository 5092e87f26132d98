package webhook

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// PlayedStep is a step of a transcript: the command and its output.
type PlayedStep struct {
	Note    string   `json:"note"`
	As      string   `json:"as"`
	Kubectl []string `json:"kubectl"`
	// Printed is kubectl's output on both streams.
	Printed string   `json:"printed"`
	Code    int      `json:"code"`
	Reviews []Review `json:"reviews"`
	// line shows a step that is no kubectl command.
	line string
}

// Transcript is a session as it was played.
type Transcript struct {
	Session Session
	// Settings are the webhook's.
	Settings map[string]any
	Steps    []PlayedStep
	// kept are the named outputs.
	kept map[string]string
}

// varying matches text that differs from run to run, with its replacement.
var varying = []struct {
	what *regexp.Regexp
	as   string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`), "TIME"},
	{regexp.MustCompile(`changed it \d+s before`), "changed it SECONDS before"},
	{regexp.MustCompile(`https://127\.0\.0\.1:\d+`), "https://ADDRESS"},
	{regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`), "UID"},
	// The random suffix of a pod's name, after the hash of its template.
	{regexp.MustCompile(`(-[0-9a-f]{8,10})-[bcdfghjklmnpqrstvwxz2456789]{5}\b`), "$1-RANDOM"},
}

// Text formats the transcript for reading and comparing.
func (t *Transcript) Text() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n", t.Session.About)
	for _, step := range t.Steps {
		if step.Note != "" {
			fmt.Fprintf(&text, "\n# %s", step.Note)
		}
		line := step.line
		if line == "" {
			line = step.As + "$ kubectl " + strings.Join(quoted(step.Kubectl), " ")
		}
		fmt.Fprintf(&text, "\n%s\n%s", line, step.Printed)
		if step.Code != 0 {
			fmt.Fprintf(&text, "[exit code %d]\n", step.Code)
		}
	}
	result := text.String()
	// A pod's name contains that of its ReplicaSet.
	longestFirst := func(one, other string) int { return len(t.kept[other]) - len(t.kept[one]) }
	for _, name := range slices.SortedFunc(maps.Keys(t.kept), longestFirst) {
		result = strings.ReplaceAll(result, t.kept[name], name)
	}
	for _, varying := range varying {
		result = varying.what.ReplaceAllString(result, varying.as)
	}
	return result
}

// quoted quotes words for a shell.
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

// WriteText writes the transcript.
func (t *Transcript) WriteText(folder string) error {
	return os.WriteFile(filepath.Join(folder, t.Session.Name+".txt"), []byte(t.Text()), 0o644)
}

// Write writes the transcript, and the reviews next to it.
func (t *Transcript) Write(folder string) error {
	if err := t.WriteText(folder); err != nil {
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
	for _, step := range t.Steps {
		if err := lines.Encode(step); err != nil {
			return err
		}
	}
	if err := packed.Close(); err != nil {
		return err
	}
	return file.Close()
}

// Compare reports where the transcript differs from the one in a folder.
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
