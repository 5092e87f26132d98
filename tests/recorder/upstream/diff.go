package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"log"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
)

// compare compares the pinned release with another one from the Go proxy.
func compare(out io.Writer, release string) {
	released, err := releasedModules(release)
	if err != nil {
		log.Fatal(err)
	}
	report(out, release, sources, [2]*tree{newTree(pinnedModules()), newTree(released)})
}

// report prints what another release changes in the code that the core mirrors: functions with their texts, constants
// and types, defaults, and feature gates. It ignores comments and the order of declarations.
func report(out io.Writer, release, sources string, trees [2]*tree) {
	all, err := references(sources)
	if err != nil {
		log.Fatal(err)
	}
	var changed []change
	for _, r := range all {
		// The gates have their own section.
		if r.file != gatesFile {
			changed = append(changed, changes(r, trees)...)
		}
	}
	isDefault := func(c change) bool { return strings.Contains(c.file, "defaults.go") }
	isFunction := func(c change) bool { return !isDefault(c) && (c.function || c.state != "") }
	fmt.Fprintf(out, "# The pinned release and Kubernetes %s\n\n", release)
	fmt.Fprintf(out, "%d of %d mirrored names changed.\n", len(changed), len(all))
	for _, part := range []struct {
		title string
		has   func(change) bool
	}{
		{"Functions", isFunction},
		{"Types, constants and variables", func(c change) bool { return !isDefault(c) && !isFunction(c) }},
		{"Defaults", isDefault},
	} {
		fmt.Fprintf(out, "\n## %s\n", part.title)
		for _, c := range changed {
			if part.has(c) {
				c.print(out)
			}
		}
	}
	fmt.Fprint(out, "\n## Texts\n\n")
	for _, c := range changed {
		for _, line := range c.texts() {
			fmt.Fprintf(out, "%s %s\n    %s\n", c.file, c.name, line)
		}
	}
	fmt.Fprint(out, "\n## Called by mirrored functions, and changed\n\n")
	called(out, all, trees)
	fmt.Fprint(out, "\n## Feature gates\n\n")
	compareGates(out, sources, changed, trees)
}

// change is a name whose declaration the other release changes, with both versions.
type change struct {
	reference
	function      bool
	before, after declaration
	// state tells that the name or its file is gone.
	state string
}

func (c change) print(out io.Writer) {
	fmt.Fprintf(out, "\n### %s %s%s\n\nMirrored in %s.\n\n", c.file, c.name, c.state, strings.Join(c.by, ", "))
	if c.state != "" {
		return
	}
	diff := difflib.UnifiedDiff{A: difflib.SplitLines(c.before.text), B: difflib.SplitLines(c.after.text), FromFile: "pinned", ToFile: "new", Context: 3}
	text, err := difflib.GetUnifiedDiffString(diff)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprintf(out, "```diff\n%s```\n", text)
}

// texts returns the strings that the other release removes or adds.
func (c change) texts() []string {
	var lines []string
	for _, text := range c.before.strings {
		if !slices.Contains(c.after.strings, text) {
			lines = append(lines, "- "+text)
		}
	}
	for _, text := range c.after.strings {
		if !slices.Contains(c.before.strings, text) {
			lines = append(lines, "+ "+text)
		}
	}
	return lines
}

// changes compares one reference; a whole file is compared name by name.
func changes(r reference, trees [2]*tree) []change {
	before, err := trees[0].file(r.file)
	if err != nil {
		log.Printf("%s: %v", r.file, err)
		return nil
	}
	after, err := trees[1].file(r.file)
	if err != nil {
		return []change{{reference: r, state: ": the file is gone"}}
	}
	names := []string{r.name}
	if r.name == "" {
		names = slices.Sorted(maps.Keys(before))
	}
	var all []change
	for _, name := range names {
		old, known := before[name]
		if !known {
			continue
		}
		r.name = name
		now, ok := after[name]
		switch {
		case !ok:
			all = append(all, change{reference: r, state: ": gone"})
		case old.text != now.text:
			all = append(all, change{reference: r, function: old.function, before: old, after: now})
		}
	}
	return all
}

// called lists changed functions that mirrored functions call in their packages, directly or not, and that are not
// mirrored by name.
func called(out io.Writer, all []reference, trees [2]*tree) {
	mirrored := map[place]bool{}
	for _, r := range all {
		// A method is known with and without its type's name.
		_, method, _ := strings.Cut(r.name, ".")
		mirrored[place{r.file, r.name}], mirrored[place{r.file, method}] = true, true
	}
	seen := map[string]bool{}
	for _, r := range all {
		file, err := trees[0].file(r.file)
		if err != nil {
			continue
		}
		queue := slices.Clone(file[r.name].calls)
		for len(queue) > 0 {
			name := queue[0]
			queue = queue[1:]
			key := path.Dir(r.file) + " " + name
			if seen[key] {
				continue
			}
			seen[key] = true
			old, where, ok := trees[0].inPackage(r.file, name)
			if !ok || !old.function || types.Universe.Lookup(name) != nil {
				continue
			}
			queue = append(queue, old.calls...)
			if now, _, ok := trees[1].inPackage(r.file, name); !mirrored[place{where, name}] && (!ok || now.text != old.text) {
				fmt.Fprintf(out, "- %s %s (called, directly or not, by %s)\n", where, name, r.name)
			}
		}
	}
}

// declaration is a declaration without its comments.
type declaration struct {
	text     string
	function bool
	// strings are its string constants, as in the source; calls are the functions of its package that it calls.
	strings, calls []string
	// gates are the feature gates that it checks.
	gates []string
}

// tree reads the files of one release.
type tree struct {
	modules *modules
	files   map[string]map[string]declaration
}

func newTree(modules *modules) *tree {
	return &tree{modules, map[string]map[string]declaration{}}
}

// file returns the declarations of a file, by their names in `Upstream:` lines.
func (t *tree) file(name string) (map[string]declaration, error) {
	if known, ok := t.files[name]; ok {
		return known, nil
	}
	path, err := t.modules.find(name)
	if err != nil {
		return nil, err
	}
	found, err := declarations(path)
	if err == nil {
		t.files[name] = found
	}
	return found, err
}

// inPackage finds a name in the package of a file.
func (t *tree) inPackage(file, name string) (declaration, string, bool) {
	found, err := t.modules.find(file)
	if err != nil {
		return declaration{}, "", false
	}
	entries, err := os.ReadDir(filepath.Dir(found))
	if err != nil {
		return declaration{}, "", false
	}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		other := path.Join(path.Dir(file), entry.Name())
		if all, err := t.file(other); err == nil {
			if declared, ok := all[name]; ok {
				return declared, other, true
			}
		}
	}
	return declaration{}, "", false
}

// declarations reads a file; a method is listed with and without its type's name.
func declarations(path string) (map[string]declaration, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	found := map[string]declaration{}
	for _, declared := range file.Decls {
		switch declared := declared.(type) {
		case *ast.FuncDecl:
			self := ""
			if declared.Recv != nil && len(declared.Recv.List[0].Names) > 0 {
				self = declared.Recv.List[0].Names[0].Name
			}
			read := read(files, declared, self)
			read.function = true
			found[declared.Name.Name] = read
			if declared.Recv != nil {
				found[receiver(declared.Recv.List[0].Type)+"."+declared.Name.Name] = read
			}
		case *ast.GenDecl:
			for _, spec := range declared.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					found[spec.Name.Name] = read(files, spec, "")
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						found[name.Name] = read(files, spec, "")
					}
				}
			}
		}
	}
	return found, nil
}

// read reads one declaration; self is the name of a method's receiver.
func read(files *token.FileSet, node ast.Node, self string) declaration {
	var text bytes.Buffer
	if err := format.Node(&text, files, node); err != nil {
		log.Fatal(err)
	}
	// Without comments, lines that were separated by one move together.
	read := declaration{text: emptyLines.ReplaceAllString(text.String(), "\n") + "\n"}
	ast.Inspect(node, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.BasicLit:
			if node.Kind == token.STRING {
				read.strings = append(read.strings, node.Value)
			}
		case *ast.CallExpr:
			switch called := node.Fun.(type) {
			case *ast.Ident:
				read.calls = append(read.calls, called.Name)
			case *ast.SelectorExpr:
				if from, ok := called.X.(*ast.Ident); ok && from.Name == self {
					read.calls = append(read.calls, called.Sel.Name)
				}
			}
		case *ast.SelectorExpr:
			if from, ok := node.X.(*ast.Ident); ok && strings.HasSuffix(from.Name, "features") {
				read.gates = append(read.gates, node.Sel.Name)
			}
		}
		return true
	})
	return read
}

var emptyLines = regexp.MustCompile(`\n(\s*\n)+`)
