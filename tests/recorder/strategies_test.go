package recorder

import (
	"fmt"
	"os"
	"path/filepath"
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
	for i := 0; len(all) < wanted; i++ {
		strategies.Run(seed, i, func(c cases.Case) { all = append(all, c) })
	}
	if budget > 0 {
		all = strategies.Choose(all, budget)
	}
	var numbers cases.Numbers
	for i := range all {
		numbers.Name(&all[i])
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		t.Fatal(err)
	}
	var lines []byte
	for _, c := range all {
		lines = append(lines, c.Line()...)
	}
	if err := os.WriteFile(filepath.Join(out, "apiserver.jsonl"), lines, 0o644); err != nil {
		t.Fatal(err)
	}
	for op, count := range numbers.Counts() {
		fmt.Printf("%s: %d cases\n", op, count)
	}
}
