// Command upstream lists what can be named in an `Upstream:` line: of each file that the core's sources name, the
// functions, types, constants and variables that it has in the versions of go.mod (and in this Go). From tests/recorder:
//
//	go run ./upstream > ../conformance/upstream.txt
package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const header = `# What an "Upstream:" line of the core may name: a file, and below it the names that it declares. A path that begins
# with pkg/, cmd/ or plugin/ is one of k8s.io/kubernetes; one without a domain is Go's own. Made by tests/recorder:
#     go run ./upstream > ../conformance/upstream.txt
`

func main() {
	log.SetFlags(0)
	out := bufio.NewWriter(os.Stdout)
	fmt.Fprint(out, header)
	dirs := map[string]string{}
	for _, file := range named(filepath.Join("..", "..", "core", "src")) {
		path, err := find(file, dirs)
		if err != nil {
			log.Fatalf("%s: %v", file, err)
		}
		names, err := declared(path)
		if os.IsNotExist(err) {
			// The test that reads the list tells of it.
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
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
}

var goFile = regexp.MustCompile(`[\w./-]+/[\w.-]+\.go\b`)

// named are the files that the sources name, sorted.
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

var majorVersion = regexp.MustCompile(`^v\d+$`)

// find says where a file lies; dirs are the modules that were found before.
func find(file string, dirs map[string]string) (string, error) {
	module, rest := "", file
	switch parts := strings.SplitN(file, "/", 3); {
	case parts[0] == "pkg" || parts[0] == "cmd" || parts[0] == "plugin":
		module = "k8s.io/kubernetes"
	case len(parts) == 3 && strings.Contains(parts[0], "."):
		module, rest = parts[0]+"/"+parts[1], parts[2]
	case len(parts) > 1:
		return filepath.Join(build.Default.GOROOT, "src", file), nil
	}
	if strings.HasPrefix(module, "github.com/") || strings.HasPrefix(module, "golang.org/") {
		parts := strings.SplitN(file, "/", 5)
		// Owner and name, and the major version if there is one.
		length := 3
		if majorVersion.MatchString(parts[3]) {
			length = 4
		}
		module, rest = strings.Join(parts[:length], "/"), strings.Join(parts[length:], "/")
	}
	if dirs[module] == "" {
		dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
		if err != nil {
			return "", fmt.Errorf("go list -m %s: %w", module, err)
		}
		dirs[module] = strings.TrimSpace(string(dir))
	}
	return filepath.Join(dirs[module], rest), nil
}

// declared are the names that a file declares, sorted; a method has its type's name before its own, and stands there
// without it too.
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
