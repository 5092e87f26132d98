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
// BUDGET, only those that show something new, until that many bytes are full.
func TestRecordStrategies(t *testing.T) {
	out := os.Getenv("OUT")
	if out == "" {
		t.Skip("OUT: names no folder to write to")
	}
	silence()
	seed, wanted, budget := number(t, "SEED", 1), int(number(t, "CASES", 1000)), int(number(t, "BUDGET", 0))
	var all []cases.Case
	var numbers cases.Numbers
	for i := 0; len(all) < wanted; i++ {
		strategies.Run(seed, i, func(c cases.Case) {
			numbers.Name(&c)
			all = append(all, c)
		})
	}
	if budget > 0 {
		all = strategies.Choose(all, budget)
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		t.Fatal(err)
	}
	var lines []byte
	counts := map[string]int{}
	for _, c := range all {
		lines = append(lines, c.Line()...)
		counts[c.Op]++
	}
	if err := os.WriteFile(filepath.Join(out, file("apiserver.validate")), lines, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, op := range slices.Sorted(maps.Keys(counts)) {
		fmt.Printf("%6d %s\n", counts[op], op)
	}
}

// TestRecordNamed writes the cases that have names to the folder OUT.
func TestRecordNamed(t *testing.T) {
	out := os.Getenv("OUT")
	if out == "" {
		t.Skip("OUT: names no folder to write to")
	}
	silence()
	var lines []byte
	strategies.Named(func(c cases.Case) { lines = append(lines, c.Line()...) })
	if err := os.MkdirAll(out, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(out, "named.jsonl"), lines, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestRecordScrambled writes what validation says of objects that have anything anywhere to the folder OUT.
func TestRecordScrambled(t *testing.T) {
	out := os.Getenv("OUT")
	if out == "" {
		t.Skip("OUT: names no folder to write to")
	}
	silence()
	seed, wanted, budget := number(t, "SEED", 1), int(number(t, "CASES", 1000)), int(number(t, "BUDGET", 0))
	var all []cases.Case
	var numbers cases.Numbers
	for i := 0; len(all) < wanted; i++ {
		strategies.Scrambled(seed, i, func(c cases.Case) {
			numbers.Name(&c)
			all = append(all, c)
		})
	}
	if budget > 0 {
		all = strategies.Choose(all, budget)
	}
	var lines []byte
	for _, c := range all {
		lines = append(lines, c.Line()...)
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(out, "scrambled.jsonl"), lines, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestTypes keeps core's list of the internal types what they are; with UPDATE it writes it.
func TestTypes(t *testing.T) {
	const path = "../../core/src/apiserver/internal_version/types.txt"
	types := strategies.Types()
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(path, []byte(types), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(path)
	if err != nil || string(kept) != types {
		t.Fatalf("%s is not what the types are now: run `UPDATE=1 go test -run TestTypes .`", path)
	}
}
