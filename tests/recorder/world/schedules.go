package world

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"k8s.io/kubernetes/pkg/util/parsers"

	"changeover.dev/recorder/cases"
)

// listed is how many times of a schedule a case lists.
const listed = 5

// RunSchedules records the next times of random schedules from the controller's parser, mostly near clock changes.
func RunSchedules(seed uint64, number int, emit func(cases.Case)) {
	w := &World{rng: rand.New(rand.NewPCG(seed, uint64(number)^7<<61))}
	for range 10 {
		emit(w.schedule())
	}
}

func (w *World) schedule() cases.Case {
	schedule, zone := w.fields(), ""
	switch w.rng.IntN(4) {
	case 0:
		schedule = pick(w, schedules)
	case 1:
		schedule = pick(w, descriptors)
	}
	after := time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(w.rng.IntN(10*365*86400)) * time.Second)
	input := map[string]any{"schedule": schedule}
	text := schedule
	if w.chance(85) {
		zone = pick(w, zones)
		input["timeZone"] = zone
		text = fmt.Sprintf("TZ=%s %s", zone, schedule)
		if location, err := time.LoadLocation(zone); err == nil && w.chance(70) {
			if change, ok := nextChange(after, location); ok {
				after = change.Add(time.Duration(w.between(-30*3600, 3*3600)) * time.Second)
			}
		}
	}
	if w.chance(30) {
		after = after.Add(time.Duration(w.rng.IntN(1000)) * time.Millisecond)
	}
	input["after"] = cases.Time(after)
	expected := map[string]any{"error": false}
	parsed, err := parsers.ParseCronScheduleWithPanicRecovery(text)
	if err != nil {
		expected["error"] = err.Error()
	} else {
		times := []any{}
		for next := parsed.Next(after); !next.IsZero() && len(times) < listed; next = parsed.Next(next) {
			times = append(times, cases.Time(next))
		}
		expected["times"] = times
	}
	kind := "clocks"
	if zone == "" {
		kind = "utc"
	}
	return cases.Case{Name: kind, Op: "cronJob.next", Source: cases.Source, Input: input, Expected: expected, Hint: zone + " " + schedule}
}

// nextChange returns the next clock change in the following two years.
func nextChange(after time.Time, location *time.Location) (time.Time, bool) {
	_, end := after.In(location).ZoneBounds()
	return end, !end.IsZero() && end.Before(after.Add(730*day))
}

// fields returns a schedule of five random fields, some of them invalid.
func (w *World) fields() string {
	fields := []string{w.field(0, 59), w.field(0, 23), "*", "*", "*"}
	if w.chance(40) {
		fields[2] = w.field(1, 31)
	}
	if w.chance(25) {
		fields[3] = w.field(1, 12)
	}
	if w.chance(40) {
		fields[4] = w.field(0, 6)
	}
	if w.chance(30) {
		// The hours of clock changes.
		fields[1] = pick(w, []string{"0", "1", "2", "3", "0-4", "23", "*"})
	}
	if w.chance(3) {
		fields = fields[:4]
	}
	return strings.Join(fields, " ")
}

func (w *World) field(least, most int) string {
	low := w.between(least, most)
	high := w.between(low, most)
	step := w.between(1, 20)
	switch w.rng.IntN(12) {
	case 0, 1:
		return "*"
	case 2:
		return "?"
	case 3, 4:
		return fmt.Sprintf("*/%d", step)
	case 5:
		return fmt.Sprintf("%d-%d", low, high)
	case 6:
		return fmt.Sprintf("%d-%d/%d", low, high, step)
	case 7:
		return fmt.Sprintf("%d/%d", low, step)
	case 8:
		return fmt.Sprintf("%d,%d", low, high)
	case 9:
		if w.chance(20) {
			return pick(w, []string{"", "-", "1-", "*/0", "99", "-1", "1-2-3", "x", "*/x", "1/2/3", "3-1"})
		}
	}
	return fmt.Sprint(low)
}
