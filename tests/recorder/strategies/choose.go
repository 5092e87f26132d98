package strategies

import (
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strings"

	"changeover.dev/recorder/cases"
)

// Choose takes, in their old order, the smallest cases which together show everything that all of them show, until that
// many bytes are full.
func Choose(all []cases.Case, budget int) []cases.Case {
	order, sizes := make([]int, len(all)), make([]int, len(all))
	for i := range all {
		order[i], sizes[i] = i, len(all[i].Line())
	}
	sort.SliceStable(order, func(i, j int) bool { return sizes[order[i]] < sizes[order[j]] })
	var chosen []int
	seen := map[string]bool{}
	for _, i := range order {
		if sizes[i] > budget {
			continue
		}
		before := len(seen)
		for _, sign := range shows(all[i]) {
			seen[all[i].Op+sign] = true
		}
		if len(seen) > before {
			chosen = append(chosen, i)
			budget -= sizes[i]
		}
	}
	slices.Sort(chosen)
	taken := make([]cases.Case, 0, len(chosen))
	for _, i := range chosen {
		taken = append(taken, all[i])
	}
	return taken
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
