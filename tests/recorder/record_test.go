// Package recorder runs the recorder: `make record SEED=1 CASES=1000`. It is a test because testing/synctest, which
// makes the controllers' clocks virtual, only works in tests.
package recorder

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"

	"changeover.dev/recorder/cases"
	"changeover.dev/recorder/world"
)

func number(t *testing.T, name string, otherwise uint64) uint64 {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	value, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %q: must be a number", name, text)
	}
	return value
}

// outFolder creates the folder OUT and silences the controllers' logs; without OUT it skips the test.
func outFolder(t *testing.T) string {
	out := os.Getenv("OUT")
	if out == "" {
		t.Skip("OUT: names no folder to write to")
	}
	silence()
	if err := os.MkdirAll(out, 0o755); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestRecord writes a recording to the folder OUT: at least CASES cases from the worlds of SEED; with BUDGET, only
// cases that show something new, up to that many bytes.
func TestRecord(t *testing.T) {
	recordWorlds(t, world.Run, world.Rank)
}

// TestRecordJobs does the same for the Job controller.
func TestRecordJobs(t *testing.T) {
	recordWorlds(t, world.RunJobs)
}

// TestRecordCronJobs does the same for the CronJob controller and TTL after finished.
func TestRecordCronJobs(t *testing.T) {
	// Use Go's own time zones, independent of this machine.
	t.Setenv("ZONEINFO", filepath.Join(runtime.GOROOT(), "lib", "time", "zoneinfo.zip"))
	recordWorlds(t, world.RunCronJobs, world.RunTTL, world.RunSchedules)
}

// TestRecordStatefulSets does the same for the StatefulSet controller.
func TestRecordStatefulSets(t *testing.T) {
	recordWorlds(t, world.RunStatefulSets)
}

// TestRecordDaemonSets does the same for the DaemonSet controller.
func TestRecordDaemonSets(t *testing.T) {
	recordWorlds(t, world.RunDaemonSets)
}

// TestRerecord records the cases of the file IN once more: the mirrored release gets the same input. It writes a file of
// the same name.
func TestRerecord(t *testing.T) {
	out, in := outFolder(t), os.Getenv("IN")
	text, err := os.ReadFile(in)
	if err != nil {
		t.Fatal(err)
	}
	var again []byte
	for line := range bytes.Lines(text) {
		before := len(again)
		synctest.Test(t, func(t *testing.T) {
			err := world.Rerecord(line, func(c cases.Case) { again = append(again, c.Line()...) })
			if errors.Is(err, world.ErrKept) {
				fmt.Println(err)
				again = append(again, line...)
			} else if err != nil {
				t.Fatal(err)
			}
		})
		if len(again) == before {
			t.Errorf("not recorded: %.100s", line)
		}
	}
	if err := os.WriteFile(filepath.Join(out, filepath.Base(in)), again, 0o644); err != nil {
		t.Fatal(err)
	}
}

func recordWorlds(t *testing.T, runs ...func(uint64, int, func(cases.Case))) {
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
	for i := 0; emitted < wanted; i++ {
		for _, run := range runs {
			synctest.Test(t, func(t *testing.T) { run(seed, i, emit) })
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

// files are the files of a recording.
type files struct {
	folder string
	open   map[string]*bufio.Writer
}

func (f files) write(t *testing.T, op string, line []byte) {
	name := file(op)
	if f.open[name] == nil {
		created, err := os.Create(filepath.Join(f.folder, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = created.Close() })
		f.open[name] = bufio.NewWriter(created)
	}
	if _, err := f.open[name].Write(line); err != nil {
		t.Fatal(err)
	}
}

func (f files) close(t *testing.T) {
	for _, writer := range f.open {
		if err := writer.Flush(); err != nil {
			t.Fatal(err)
		}
	}
}

// file returns the file for the cases of an operation: the syncs of each controller, and its functions.
func file(op string) string {
	name, function, _ := strings.Cut(op, ".")
	if function == "sync" || op == "replicaSet.podsToDelete" {
		name = op
	}
	return name + ".jsonl"
}

// silence discards the controllers' logs.
func silence() {
	klog.SetLogger(klog.Logger{})
	klog.LogToStderr(false)
	klog.SetOutput(discard{})
	// The default handlers sleep briefly, which would advance the clock.
	utilruntime.ErrorHandlers = nil
}

type discard struct{}

func (discard) Write(bytes []byte) (int, error) { return len(bytes), nil }
