package recorder

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/util/flowcontrol"
)

// heldClock is a clock that only moves when it is set, and records how long callers wanted to sleep.
type heldClock struct {
	now   time.Time
	slept time.Duration
}

func (c *heldClock) Now() time.Time                  { return c.now }
func (c *heldClock) Since(t time.Time) time.Duration { return c.now.Sub(t) }
func (c *heldClock) Sleep(d time.Duration)           { c.slept = d }

// TestTokenBucket records how long client-go's limiter lets requests wait.
func TestTokenBucket(t *testing.T) {
	const path = "../../core/src/cluster/token_bucket.tsv"
	var table strings.Builder
	table.WriteString("# How long client-go's flowcontrol.NewTokenBucketRateLimiter lets requests wait, in nanoseconds; a limiter for each qps and burst.\n")
	table.WriteString("# Written by tests/recorder: UPDATE=1 go test -run TestTokenBucket .\n")
	table.WriteString("qps\tburst\tat\twait\n")
	random := rand.New(rand.NewPCG(1, 1))
	for _, limit := range [][2]int{{20, 30}, {5, 10}, {50, 100}, {3, 1}, {1000, 7}} {
		clock := &heldClock{now: time.Unix(1767225600, 0)}
		limiter := flowcontrol.NewTokenBucketRateLimiterWithClock(float32(limit[0]), limit[1], clock)
		start := clock.now
		for range 30 {
			// Sometimes a pause, so that tokens are refilled; often several requests at once.
			switch random.IntN(10) {
			case 0:
				clock.now = clock.now.Add(time.Duration(random.Int64N(int64(3 * time.Second))))
			case 1, 2:
				clock.now = clock.now.Add(time.Duration(random.Int64N(int64(time.Second) / int64(limit[0]))))
			}
			for range random.IntN(limit[1]/5+2) + 1 {
				clock.slept = 0
				limiter.Accept()
				fmt.Fprintf(&table, "%d\t%d\t%d\t%d\n", limit[0], limit[1], clock.now.Sub(start), clock.slept)
			}
		}
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(path, []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(path)
	if err != nil || string(kept) != table.String() {
		t.Fatalf("%s does not match the limiter: run `UPDATE=1 go test -run TestTokenBucket .`", path)
	}
}
