// Command coverage says how many statements of the mirrored functions a recording has met, file by file, and which it has
// not: the functions are those that the core's `Upstream:` lines and rules name. From tests/recorder:
//
//	OUT=recording go test -run '^TestRecord$' -coverpkg=k8s.io/kubernetes/pkg/controller/... -coverprofile=profile .
//	go run ./coverage profile
//
// For the API server's part: `-run 'TestRecord(Strategies|Named)$'`, and `-coverpkg` of pkg/apis, pkg/registry and pkg/api.
package main

import (
	"bufio"
	"fmt"
	"go/ast"
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

const module = "k8s.io/kubernetes"

// block is a block of statements, as in a line of the profile.
type block struct{ from, column, to, statements, met int }

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: coverage PROFILE")
	}
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		log.Fatal(err)
	}
	blocks := read(os.Args[1])
	mirrored := map[string]map[string]bool{}
	for _, folder := range []string{"apiserver", "controller", "explain", "workload"} {
		mirror(filepath.Join("..", "..", "core", "src", folder), mirrored)
	}
	var all, met int
	var unmet []string
	for _, file := range sorted(mirrored) {
		lines, functions := parse(filepath.Join(strings.TrimSpace(string(root)), file))
		var fileAll, fileMet int
		seen := map[block]bool{}
		for _, name := range sorted(mirrored[file]) {
			for _, function := range functions[name] {
				for _, block := range blocks[file] {
					if block.from < function[0] || block.from > function[1] || seen[block] {
						continue
					}
					seen[block] = true
					fileAll += block.statements
					if block.met > 0 {
						fileMet += block.statements
						continue
					}
					text := strings.Join(strings.Fields(strings.Join(lines[block.from-1:block.to], " ")), " ")
					unmet = append(unmet, fmt.Sprintf("%s:%d %s: %.120s", file, block.from, name, text))
				}
			}
		}
		if fileMet > 0 {
			fmt.Printf("| `%s` | %d of %d |\n", file, fileMet, fileAll)
			all, met = all+fileAll, met+fileMet
		}
	}
	fmt.Printf("| together | %d of %d (%.1f %%) |\n\n", met, all, 100*float64(met)/float64(all))
	for _, line := range unmet {
		fmt.Println(line)
	}
}

var profileLine = regexp.MustCompile(`^` + module + `/(\S+):(\d+)\.(\d+),(\d+)\.\d+ (\d+) (\d+)$`)

// read reads a profile: the distinct blocks of each file.
func read(path string) map[string][]block {
	file, err := os.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	blocks := map[string][]block{}
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		parts := profileLine.FindStringSubmatch(scanner.Text())
		if parts == nil {
			continue
		}
		var b block
		for i, field := range []*int{&b.from, &b.column, &b.to, &b.statements, &b.met} {
			fmt.Sscan(parts[i+2], field)
		}
		same := func(other block) bool { return other.from == b.from && other.column == b.column }
		if i := slices.IndexFunc(blocks[parts[1]], same); i >= 0 {
			blocks[parts[1]][i].met += b.met
			continue
		}
		blocks[parts[1]] = append(blocks[parts[1]], b)
	}
	return blocks
}

var upstreamName = regexp.MustCompile("[`\"](pkg/[\\w./]+\\.go)\\s+([\\w.]+)[`\"]")

// mirror adds the functions that the sources name, by file. How the simulated cluster runs a controller (run.rs) is not recorded.
func mirror(folder string, found map[string]map[string]bool) {
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".rs" || filepath.Base(path) == "run.rs" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, match := range upstreamName.FindAllStringSubmatch(string(text), -1) {
			if found[match[1]] == nil {
				found[match[1]] = map[string]bool{}
			}
			found[match[1]][match[2]] = true
		}
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
}

// parse returns a file's lines, and the first and last line of each function. A type stands for its methods.
func parse(path string) ([]string, map[string][][2]int) {
	text, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, text, parser.SkipObjectResolution)
	if err != nil {
		log.Fatal(err)
	}
	functions := map[string][][2]int{}
	for _, declaration := range file.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if !ok {
			continue
		}
		lines := [2]int{set.Position(function.Pos()).Line, set.Position(function.End()).Line}
		name := function.Name.Name
		if function.Recv != nil {
			receiver := strings.TrimPrefix(string(text[function.Recv.List[0].Type.Pos()-file.FileStart:function.Recv.List[0].Type.End()-file.FileStart]), "*")
			if strings.HasPrefix(receiver, "Fake") {
				continue
			}
			functions[receiver+"."+name] = append(functions[receiver+"."+name], lines)
			if name == "Len" || name == "Swap" || name == "Less" {
				functions[receiver] = append(functions[receiver], lines)
				continue
			}
		}
		functions[name] = append(functions[name], lines)
	}
	return strings.Split(string(text), "\n"), functions
}

func sorted[T any](from map[string]T) []string {
	var keys []string
	for key := range from {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
