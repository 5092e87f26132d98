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

// Choose takes, in their old order, cases which together show what all of them show, until that many bytes are full: always
// the one that shows most that is new for its size. What is shown for the first time counts most, then what is shown for
// the first time of that kind of object and of write.
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
		// What was chosen since may have shown the same.
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

// first is what it is worth to show something for the first time: most of all a sentence.
func first(sign string) float64 {
	if strings.Contains(sign, ": ") {
		return 1000
	}
	return 20
}

// candidate is a case that may be chosen, and what it is worth: what it alone shows, by its size.
type candidate struct {
	number, size int
	// signs is what it shows, and what each is worth as long as nothing else shows it.
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

// queue has the best first, of equal ones the earlier.
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

// group is the operation with the kind of the object and of the write.
func group(c cases.Case) string {
	kind, _, _ := strings.Cut(c.Name, "/")
	_, update := c.Input["old"]
	return fmt.Sprint(c.Op, " ", kind, " ", update, " ", c.Input["subresource"])
}

var values = regexp.MustCompile(`(?s)\n.*|\{.*\}|"[^"]*"|[0-9]+`)

// shows lists what a case shows: each message without its values and diffs, or each field that defaulting or preparing changed.
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

// changed tells the paths at which two values differ.
func changed(path string, a, b any, tell func(string)) {
	before, isMap := a.(map[string]any)
	after, isMapToo := b.(map[string]any)
	if !isMap || !isMapToo {
		if !reflect.DeepEqual(a, b) {
			tell(path)
		}
		return
	}
	for key := range before {
		changed(path+"."+key, before[key], after[key], tell)
	}
	for key := range after {
		if _, ok := before[key]; !ok {
			tell(path + "." + key)
		}
	}
}
