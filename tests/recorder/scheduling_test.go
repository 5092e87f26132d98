package recorder

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"changeover.dev/recorder/cases"
	"changeover.dev/recorder/scheduling"
)

// TestRecordScheduler writes a recording of the scheduler to the folder OUT: at least CASES cases from the worlds of SEED;
// with BUDGET, only cases that show something new, up to that many bytes.
func TestRecordScheduler(t *testing.T) {
	out := outFolder(t)
	seed, wanted, budget := number(t, "SEED", 1), int(number(t, "CASES", 1000)), int(number(t, "BUDGET", 0))
	files := files{folder: out, open: map[string]*bufio.Writer{}}
	var numbers cases.Numbers
	var chooser cases.Chooser
	emitted := 0
	emit := func(c cases.Case) {
		emitted++
		numbers.Name(&c)
		if budget > 0 {
			chooser.Offer(c)
		} else {
			files.write(t, c.Op, c.Line())
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	scheduler, err := scheduling.New(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; emitted < wanted; i++ {
		if err := scheduling.Run(ctx, scheduler, seed, i, emit); err != nil {
			t.Fatal(err)
		}
	}
	counts := numbers.Counts()
	if budget > 0 {
		counts = map[string]int{}
		chooser.Chosen(budget, func(op string, line []byte) {
			counts[op]++
			files.write(t, op, line)
		})
	}
	files.close(t)
	for _, op := range slices.Sorted(maps.Keys(counts)) {
		fmt.Printf("%6d %s\n", counts[op], op)
	}
}
