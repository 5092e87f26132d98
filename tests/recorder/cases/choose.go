package cases

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sort"
	"strings"
)

// Number gives each case its name: the sort of world and a number within the operation. It counts the cases of each
// operation.
func Number(all []Case) map[string]int {
	numbers, counts := map[string]int{}, map[string]int{}
	for i := range all {
		c := &all[i]
		numbers[c.Op+c.Name]++
		counts[c.Op]++
		c.Name = fmt.Sprintf("%s/%04d", c.Name, numbers[c.Op+c.Name])
	}
	return counts
}

// Choose takes the smallest case of each outcome, seen per sort of world while there is room, in their old order.
func Choose(all []Case, budget int) []Case {
	sizes := make([]int, len(all))
	order := make([]int, len(all))
	for i := range all {
		order[i], sizes[i] = i, len(all[i].Line())
	}
	sort.SliceStable(order, func(i, j int) bool { return sizes[order[i]] < sizes[order[j]] })
	chosen, seen := map[int]bool{}, map[string]bool{}
	// First every outcome, then every outcome in every sort of world.
	for _, sign := range []func(Case) string{outcome, func(c Case) string { return c.Name + outcome(c) }} {
		for _, i := range order {
			key := all[i].Op + sign(all[i])
			if seen[key] || chosen[i] || sizes[i] > budget {
				continue
			}
			seen[key], chosen[i] = true, true
			budget -= sizes[i]
		}
	}
	taken := make([]Case, 0, len(chosen))
	for _, i := range slices.Sorted(maps.Keys(chosen)) {
		taken = append(taken, all[i])
	}
	return taken
}

var digits = regexp.MustCompile(`[0-9]+`)

// outcome is what a case shows, without numbers and names.
func outcome(c Case) string {
	var parts []string
	parts = append(parts, fmt.Sprint(c.Expected["error"], c.Conflict != nil, c.Input["refuse"] != nil))
	writes, _ := c.Expected["writes"].([]any)
	for _, write := range writes {
		write := write.(map[string]any)
		part := fmt.Sprint(write["verb"], write["resource"])
		if change, ok := write["change"].(map[string]any); ok {
			part += paths(change)
		}
		if len(parts) == 0 || parts[len(parts)-1] != part {
			parts = append(parts, part)
		}
	}
	events, _ := c.Expected["events"].([]any)
	for _, event := range events {
		words := strings.SplitN(event.(string), " ", 6)
		part := strings.Join(words[:min(5, len(words))], " ")
		if len(parts) == 0 || parts[len(parts)-1] != part {
			parts = append(parts, digits.ReplaceAllString(part, "N"))
		}
	}
	return strings.Join(parts, ";")
}

// paths are the places that a change touches, and the reasons of conditions.
func paths(change map[string]any) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(change)) {
		part := key
		switch value := change[key].(type) {
		case map[string]any:
			part += "{" + paths(value) + "}"
		case []any:
			for _, item := range value {
				if condition, ok := item.(map[string]any); ok {
					part += fmt.Sprint(condition["type"], condition["status"], condition["reason"])
				}
			}
		case nil:
			part += "-"
		case json.Number:
			part += "+"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ",")
}
