package recorder

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"changeover.dev/recorder/cases"
	"changeover.dev/recorder/strategies"
)

// TestRecordStrategies writes a recording of the API server's strategies to the folder OUT: at least CASES cases.
func TestRecordStrategies(t *testing.T) {
	out := os.Getenv("OUT")
	if out == "" {
		t.Skip("OUT: names no folder to write to")
	}
	silence()
	seed, wanted := number(t, "SEED", 1), int(number(t, "CASES", 1000))
	var all []cases.Case
	for i := 0; len(all) < wanted; i++ {
		strategies.Run(seed, i, func(c cases.Case) { all = append(all, c) })
	}
	counts := cases.Number(all)
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
	fmt.Println(counts)
}
