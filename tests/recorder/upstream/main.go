// Command upstream lists the names that an `Upstream:` line can use: for each file that the core's sources name, its
// functions, types, constants and variables in the versions of go.mod (and in this Go). From tests/recorder:
//
//	go run ./upstream > ../conformance/upstream.txt
//
// With -against it compares the named code with another release from the Go proxy (see diff.go):
//
//	go run ./upstream -against 1.38.0
package main

import (
	"bufio"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

const header = `# What an "Upstream:" line of the core may name: a file, and below it the names that it declares. A path that begins
# with pkg/, cmd/ or plugin/ is one of k8s.io/kubernetes; one without a domain is Go's own. Made by tests/recorder:
#     go run ./upstream > ../conformance/upstream.txt
`

var sources = filepath.Join("..", "..", "core", "src")

func main() {
	log.SetFlags(0)
	against := flag.String("against", "", "the release to compare with, such as 1.38.0")
	flag.Parse()
	out := bufio.NewWriter(os.Stdout)
	if *against == "" {
		list(out)
	} else {
		compare(out, *against)
	}
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
}

// list prints the names in each file that the sources name.
func list(out io.Writer) {
	fmt.Fprint(out, header)
	pinned := pinnedModules()
	for _, file := range named(sources) {
		path, err := pinned.find(file)
		if err != nil {
			log.Fatalf("%s: %v", file, err)
		}
		names, err := declared(path)
		if os.IsNotExist(err) {
			// The test that reads the list reports it.
			continue
		}
		if err != nil {
			log.Fatalf("%s: %v", file, err)
		}
		fmt.Fprintln(out, file)
		for _, name := range names {
			fmt.Fprintf(out, "\t%s\n", name)
		}
	}
}

var goFile = regexp.MustCompile(`[\w./-]+/[\w.-]+\.go\b`)

// named returns the files that the sources name, sorted.
func named(folder string) []string {
	var files []string
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".rs" {
			return err
		}
		text, err := os.ReadFile(path)
		files = append(files, goFile.FindAllString(string(text), -1)...)
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// declared returns the names that a file declares, sorted; a method is listed with and without its type's name.
func declared(path string) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, declaration := range file.Decls {
		switch declaration := declaration.(type) {
		case *ast.FuncDecl:
			names = append(names, declaration.Name.Name)
			if declaration.Recv != nil {
				names = append(names, receiver(declaration.Recv.List[0].Type)+"."+declaration.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range declaration.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, spec.Name.Name)
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						names = append(names, name.Name)
					}
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

func receiver(expression ast.Expr) string {
	switch expression := expression.(type) {
	case *ast.StarExpr:
		return receiver(expression.X)
	case *ast.IndexExpr:
		return receiver(expression.X)
	case *ast.Ident:
		return expression.Name
	}
	return "?"
}
