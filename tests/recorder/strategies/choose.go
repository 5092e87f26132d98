package strategies

import (
	"container/heap"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"changeover.dev/recorder/cases"
)

// Choose selects cases, in their original order, that together show what all of them show, up to a number of bytes:
// always the one that shows most that is new for its size. What no chosen case shows yet counts most, followed by what
// is new for its kind of object and write.
func Choose(all []cases.Case, budget int) []cases.Case {
	seen := map[string]bool{}
	var rest queue
	for i := range all {
		signs := map[string]float64{}
		for _, sign := range shows(all[i]) {
			signs[sign] = first(sign)
			signs[group(all[i])+sign] = 1
		}
		rest = append(rest, &candidate{number: i, size: len(all[i].Line()), signs: signs})
		rest[i].judge(seen)
	}
	heap.Init(&rest)
	var chosen []int
	for len(rest) > 0 {
		best := heap.Pop(&rest).(*candidate)
		// Cases chosen since then may show the same.
		if worth := best.worth; best.judge(seen) < worth {
			if best.worth > 0 {
				heap.Push(&rest, best)
			}
			continue
		}
		if best.worth == 0 {
			break
		}
		if best.size > budget {
			continue
		}
		chosen = append(chosen, best.number)
		budget -= best.size
		for sign := range best.signs {
			seen[sign] = true
		}
	}
	slices.Sort(chosen)
	taken := make([]cases.Case, 0, len(chosen))
	for _, i := range chosen {
		taken = append(taken, all[i])
	}
	return taken
}

// first is the value of showing something for the first time; a sentence is worth most.
func first(sign string) float64 {
	if strings.Contains(sign, ": ") {
		return 1000
	}
	return 20
}

// candidate is a case that may be chosen, and its worth: what only it shows, relative to its size.
type candidate struct {
	number, size int
	// signs are the things it shows, each with its worth while nothing else shows it.
	signs map[string]float64
	worth float64
}

func (c *candidate) judge(seen map[string]bool) float64 {
	var sum float64
	for sign, worth := range c.signs {
		if !seen[sign] {
			sum += worth
		}
	}
	c.worth = sum / float64(c.size)
	return c.worth
}

// queue has the best candidate first; among equals, the earlier one.
type queue []*candidate

func (q queue) Len() int      { return len(q) }
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(c any)   { *q = append(*q, c.(*candidate)) }
func (q queue) Less(i, j int) bool {
	return q[i].worth > q[j].worth || q[i].worth == q[j].worth && q[i].number < q[j].number
}

func (q *queue) Pop() any {
	last := len(*q) - 1
	best := (*q)[last]
	*q = (*q)[:last]
	return best
}

// group is the operation with the kind of object and write.
func group(c cases.Case) string {
	kind, _, _ := strings.Cut(c.Name, "/")
	_, update := c.Input["old"]
	return fmt.Sprint(c.Op, " ", kind, " ", update, " ", c.Input["subresource"])
}

var values = regexp.MustCompile(`(?s)\n.*|\{.*\}|"[^"]*"|[0-9]+`)

// shows lists what a case shows: each message without its values and diffs, or each field that defaulting or
// preparation changed.
func shows(c cases.Case) []string {
	sort, _, _ := strings.Cut(c.Name, "/")
	var signs []string
	for _, key := range []string{"errors", "warnings"} {
		texts, _ := c.Expected[key].([]any)
		for _, text := range texts {
			signs = append(signs, values.ReplaceAllString(text.(string), "_"))
		}
	}
	if c.Op != "apiserver.validate" {
		changed("", c.Input["object"], c.Expected["object"], func(path string) { signs = append(signs, sort+path) })
	}
	return append(signs, sort)
}

// changed reports the paths at which two values differ.
func changed(path string, a, b any, emit func(string)) {
	before, isMap := a.(map[string]any)
	after, isMapToo := b.(map[string]any)
	if !isMap || !isMapToo {
		if !reflect.DeepEqual(a, b) {
			emit(path)
		}
		return
	}
	for key := range before {
		changed(path+"."+key, before[key], after[key], emit)
	}
	for key := range after {
		if _, ok := before[key]; !ok {
			emit(path + "." + key)
		}
	}
}
