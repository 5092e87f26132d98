package strategies

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strings"

	"changeover.dev/recorder/cases"
)

// Choose takes, in their old order, cases which together show what all of them show, until that many bytes are full: the
// smallest first of each kind of object and of write, and of these always the one that has had the least room so far. Else
// what is small (a CronJob that is created) would leave none to what is not (a Job that is changed).
func Choose(all []cases.Case, budget int) []cases.Case {
	sizes := make([]int, len(all))
	groups := map[string][]int{}
	for i := range all {
		sizes[i] = len(all[i].Line())
		groups[group(all[i])] = append(groups[group(all[i])], i)
	}
	for _, members := range groups {
		sort.SliceStable(members, func(i, j int) bool { return sizes[members[i]] < sizes[members[j]] })
	}
	var chosen []int
	seen, used := map[string]bool{}, map[string]int{}
	for len(groups) > 0 {
		names := slices.Sorted(maps.Keys(groups))
		name := slices.MinFunc(names, func(a, b string) int { return used[a] - used[b] })
		i, shown := next(all, groups, name, seen)
		if !shown || sizes[i] > budget {
			delete(groups, name)
			continue
		}
		chosen = append(chosen, i)
		budget -= sizes[i]
		used[name] += sizes[i]
	}
	slices.Sort(chosen)
	taken := make([]cases.Case, 0, len(chosen))
	for _, i := range chosen {
		taken = append(taken, all[i])
	}
	return taken
}

// group is the operation with the kind of the object and of the write.
func group(c cases.Case) string {
	kind, _, _ := strings.Cut(c.Name, "/")
	_, update := c.Input["old"]
	return fmt.Sprint(c.Op, " ", kind, " ", update, " ", c.Input["subresource"])
}

// next takes a group's cases until one shows what no case before it did.
func next(all []cases.Case, groups map[string][]int, name string, seen map[string]bool) (int, bool) {
	for len(groups[name]) > 0 {
		i := groups[name][0]
		groups[name] = groups[name][1:]
		before := len(seen)
		for _, sign := range shows(all[i]) {
			seen[name+sign] = true
		}
		if len(seen) > before {
			return i, true
		}
	}
	return 0, false
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
