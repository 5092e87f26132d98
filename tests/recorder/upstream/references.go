package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// reference is a name that the core mirrors: a function, a type, a constant or a variable of a file; without a name,
// the whole file.
type reference struct {
	file, name string
	// by are the core's files that name it.
	by []string
}

// ruleUpstream matches the line with a rule's source.
var ruleUpstream = regexp.MustCompile(`upstream = "([^"]+)"`)

// references returns everything that the sources name after `Upstream:` and in rules, sorted by file and name.
func references(folder string) ([]reference, error) {
	by := map[place][]string{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".rs" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		shown := strings.TrimPrefix(path, folder+string(filepath.Separator))
		for _, paragraph := range paragraphs(string(text)) {
			for _, found := range namedIn(paragraph) {
				by[found] = append(by[found], shown)
			}
		}
		return nil
	})
	var all []reference
	for found, files := range by {
		slices.Sort(files)
		all = append(all, reference{found.file, found.name, slices.Compact(files)})
	}
	slices.SortFunc(all, func(a, b reference) int {
		return strings.Compare(a.file+" "+a.name, b.file+" "+b.name)
	})
	return all, err
}

// place is a file and a name in it.
type place struct{ file, name string }

// paragraphs returns the paragraphs of comments that begin with `Upstream:`, and each rule's source as a paragraph.
func paragraphs(source string) []string {
	var found []string
	open := false
	for _, line := range strings.Split(source, "\n") {
		comment, isComment := strings.CutPrefix(strings.TrimSpace(line), "//")
		comment = strings.TrimSpace(strings.TrimLeft(comment, "/!"))
		switch {
		case isComment && strings.HasPrefix(comment, "Upstream:"):
			found, open = append(found, comment), true
		case isComment && comment != "" && open:
			found[len(found)-1] += " " + comment
		default:
			open = false
		}
		if match := ruleUpstream.FindStringSubmatch(line); match != nil {
			found = append(found, "`"+match[1]+"`")
		}
	}
	return found
}

// namedIn returns the references between the backticks of a paragraph: `FILE.go NAME`, or a `NAME` of the file before
// it.
func namedIn(paragraph string) []place {
	var found []place
	file := ""
	for i, text := range strings.Split(paragraph, "`") {
		if i%2 == 0 {
			continue
		}
		before, name, both := strings.Cut(text, " ")
		switch {
		case both && strings.HasSuffix(before, ".go"):
			file = before
		case strings.HasSuffix(text, ".go"):
			file, name = text, ""
		case file != "" && !both:
			name = text
		default:
			continue
		}
		found = append(found, place{file, name})
	}
	return found
}
