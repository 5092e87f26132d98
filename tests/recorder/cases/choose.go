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

// Numbers names the cases: by the sort of world and a number within the operation.
type Numbers struct{ counts, within map[string]int }

// Name names the next case.
func (n *Numbers) Name(c *Case) {
	if n.counts == nil {
		n.counts, n.within = map[string]int{}, map[string]int{}
	}
	n.counts[c.Op]++
	n.within[c.Op+c.Name]++
	c.Name = fmt.Sprintf("%s/%04d", c.Name, n.within[c.Op+c.Name])
}

// Counts returns the number of cases of each operation.
func (n *Numbers) Counts() map[string]int { return n.counts }

// Chooser keeps the smallest case of each outcome, and of each outcome in each sort of world.
type Chooser struct {
	offered       int
	once, perKind map[string]candidate
}

type candidate struct {
	number int
	op     string
	line   []byte
}

// Offer considers another case.
func (ch *Chooser) Offer(c Case) {
	if ch.once == nil {
		ch.once, ch.perKind = map[string]candidate{}, map[string]candidate{}
	}
	ch.offered++
	offered := candidate{ch.offered, c.Op, c.Line()}
	kind, _, _ := strings.Cut(c.Name, "/")
	key := c.Op + outcome(c)
	keep(ch.once, key, offered)
	keep(ch.perKind, kind+c.Sort+key, offered)
}

func keep(kept map[string]candidate, key string, offered candidate) {
	if before, known := kept[key]; !known || len(offered.line) < len(before.line) {
		kept[key] = offered
	}
}

// shares are the percentages of a recording that operations may fill; an operation that is not listed gets one percent.
var shares = map[string]int{
	"job.sync": 90, "statefulSet.sync": 100, "daemonSet.sync": 94, "daemonSet.syncNode": 6, "cronJob.sync": 90, "cronJob.next": 8, "ttl.sync": 2, "deployment.sync": 45, "replicaSet.sync": 17, "replicationController.sync": 5, "replicaSet.podsToDelete": 12,
	"scheduler.filter": 38, "scheduler.score": 28, "scheduler.schedule": 24, "scheduler.preempt": 6, "scheduler.requests": 4,
}

// Chosen passes on kept cases up to a number of bytes, in the order in which they were offered: first every outcome,
// then every outcome in every sort of world, small cases first.
func (ch *Chooser) Chosen(budget int, emit func(op string, line []byte)) {
	chosen, left := map[int]candidate{}, map[string]int{}
	for _, candidate := range ch.once {
		left[candidate.op] = max(shares[candidate.op], 1) * budget / 100
	}
	for _, kept := range []map[string]candidate{ch.once, ch.perKind} {
		candidates := slices.Collect(maps.Values(kept))
		sort.Slice(candidates, func(i, j int) bool {
			if len(candidates[i].line) != len(candidates[j].line) {
				return len(candidates[i].line) < len(candidates[j].line)
			}
			return candidates[i].number < candidates[j].number
		})
		for _, candidate := range candidates {
			if _, taken := chosen[candidate.number]; taken || len(candidate.line) > left[candidate.op] {
				continue
			}
			chosen[candidate.number] = candidate
			left[candidate.op] -= len(candidate.line)
		}
	}
	for _, number := range slices.Sorted(maps.Keys(chosen)) {
		emit(chosen[number].op, chosen[number].line)
	}
}

var (
	digits = regexp.MustCompile(`[0-9]+`)
	// Parts that differ even if nothing else does: names and times.
	hashes = regexp.MustCompile(`-[a-z0-9]{8,10}\b|T[0-9:]+Z`)
)

// outcome returns what a case shows, without numbers and names.
func outcome(c Case) string {
	if names, ok := c.Expected["names"].([]string); ok {
		// Go's sort uses different algorithms from 12 and from 50 pods on.
		if kind, _, _ := strings.Cut(c.Name, "/"); kind == "ranking-medium" || kind == "ranking-large" {
			return fmt.Sprint(c.Gates, kind)
		}
		return fmt.Sprint(c.Gates, len(names))
	}
	if c.Op == "cronJob.next" || strings.HasPrefix(c.Op, "scheduler.") && c.Hint != "" {
		return c.Hint
	}
	if !strings.HasSuffix(c.Op, ".sync") {
		text, _ := json.Marshal(c.Expected)
		return fmt.Sprint(c.Gates, hashes.ReplaceAllString(string(text), ""))
	}
	var parts []string
	failure := digits.ReplaceAllString(fmt.Sprint(c.Expected["error"]), "N")
	parts = append(parts, fmt.Sprint(failure, c.Conflict != nil, c.Input["refuse"] != nil), c.Hint)
	if c.Op == "cronJob.sync" || c.Op == "ttl.sync" {
		parts = append(parts, fmt.Sprint(c.Expected["deleted"], c.Expected["nanoseconds"] == int64(-1), c.Input["stored"] != nil))
	}
	if remembered, ok := c.Expected["memory"].(map[string]any); ok {
		before, _ := c.Memory.(map[string]any)
		parts = append(parts, fmt.Sprint(slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(remembered)), c.Expected["nanoseconds"] == int64(-1)))
	}
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

// paths returns the paths that a change touches, and the reasons of conditions.
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
