package recorder

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"changeover.dev/recorder/cases"
	"changeover.dev/recorder/strategies"
)

// TestRecordStrategies writes a recording of the API server's strategies to the folder OUT: at least CASES cases; with
// BUDGET, only cases that show something new, up to that many bytes.
func TestRecordStrategies(t *testing.T) {
	out := outFolder(t)
	all := record(t, strategies.Run)
	counts := map[string]int{}
	for _, c := range all {
		counts[c.Op]++
	}
	writeLines(t, filepath.Join(out, file("apiserver.validate")), all)
	for _, op := range slices.Sorted(maps.Keys(counts)) {
		fmt.Printf("%6d %s\n", counts[op], op)
	}
}

// TestRecordNamed writes the named cases to the folder OUT.
func TestRecordNamed(t *testing.T) {
	out := outFolder(t)
	var all []cases.Case
	strategies.Named(func(c cases.Case) { all = append(all, c) })
	writeLines(t, filepath.Join(out, "named.jsonl"), all)
}

// TestRecordScrambled writes validation's errors for random objects to the folder OUT; CASES and BUDGET as above.
func TestRecordScrambled(t *testing.T) {
	out := outFolder(t)
	writeLines(t, filepath.Join(out, "scrambled.jsonl"), record(t, strategies.Scrambled))
}

// record collects the cases of SEED's worlds, which run creates one by one.
func record(t *testing.T, run func(seed uint64, world int, emit func(cases.Case))) []cases.Case {
	seed, wanted, budget := number(t, "SEED", 1), int(number(t, "CASES", 1000)), int(number(t, "BUDGET", 0))
	var all []cases.Case
	var numbers cases.Numbers
	for i := 0; len(all) < wanted; i++ {
		run(seed, i, func(c cases.Case) {
			numbers.Name(&c)
			all = append(all, c)
		})
	}
	if budget > 0 {
		all = strategies.Choose(all, budget)
	}
	return all
}

func writeLines(t *testing.T, path string, all []cases.Case) {
	var lines []byte
	for _, c := range all {
		lines = append(lines, c.Line()...)
	}
	if err := os.WriteFile(path, lines, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestTypes checks core's list of the internal types; with UPDATE it writes it.
func TestTypes(t *testing.T) {
	check(t, "internal_version/types.txt", strategies.Types())
}

// TestAPITypes checks core's lists of the types and kinds of the API; with UPDATE it writes them.
func TestAPITypes(t *testing.T) {
	check(t, "api_types/template.txt", strategies.TemplateTypes())
	check(t, "api_types/object.txt", strategies.ObjectTypes())
	check(t, "api_types/kinds.txt", strategies.RegisteredKinds())
}

// check compares a file of core's apiserver module with the mirrored release; with UPDATE it writes it.
func check(t *testing.T, file, content string) {
	path := filepath.Join("../../core/src/apiserver", file)
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(path)
	if err != nil || string(kept) != content {
		t.Fatalf("%s does not match the mirrored release: run `UPDATE=1 go test -run %s .`", path, t.Name())
	}
}

// TestRecordHashes writes the hashes of random pod templates to the folder OUT; CASES as above.
func TestRecordHashes(t *testing.T) {
	// As in kube-controller-manager's image: a printed time contains the time zone.
	t.Setenv("TZ", "")
	out := outFolder(t)
	writeLines(t, filepath.Join(out, file("podTemplate.computeHash")), record(t, strategies.Hashes))
}
