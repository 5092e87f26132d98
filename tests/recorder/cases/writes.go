package cases

import (
	"encoding/json"
	"reflect"
	"slices"
	"sort"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"changeover.dev/recorder/apiserver"
)

// Writes formats a log as in cases: creations of pods folded, patches and deletions of pods sorted.
func Writes(log []apiserver.Write) []any {
	written := make([]any, 0, len(log))
	log = forgetCreated(log)
	for start := 0; start < len(log); {
		end := start + 1
		for end < len(log) && group(log[start]) != alone && group(log[end]) == group(log[start]) {
			end++
		}
		written = append(written, run(log[start:end])...)
		start = end
	}
	return written
}

// forgetCreated removes the fields that the API server sets from the references to Jobs that were created.
func forgetCreated(log []apiserver.Write) []apiserver.Write {
	created := map[types.UID]bool{}
	log = slices.Clone(log)
	for i, write := range log {
		if write.Resource == apiserver.Jobs && write.Verb == "create" {
			created[write.After.(*batchv1.Job).UID] = true
		}
		if after, ok := write.After.(*batchv1.CronJob); ok {
			after = after.DeepCopy()
			for j := range after.Status.Active {
				if reference := &after.Status.Active[j]; created[reference.UID] {
					reference.UID, reference.ResourceVersion = "", ""
				}
			}
			log[i].After = after
		}
	}
	return log
}

// Unordered sorts the writes of pods and claims that a StatefulSet with podManagementPolicy Parallel sends concurrently. In
// any StatefulSet, the claims of one pod are created in the order of a Go map, and so are its volumes listed.
func Unordered(log []apiserver.Write, parallel bool) []apiserver.Write {
	log = slices.Clone(log)
	belongs := func(write apiserver.Write) bool {
		if parallel {
			return write.Resource == apiserver.Pods || write.Resource == apiserver.Claims
		}
		return write.Resource == apiserver.Claims && write.Verb == "create"
	}
	key := func(write apiserver.Write) string { return write.Resource.Name + " " + write.Verb + " " + write.Name }
	for start := 0; start < len(log); {
		end := start
		for end < len(log) && belongs(log[end]) {
			end++
		}
		sort.SliceStable(log[start:end], func(i, j int) bool { return key(log[start+i]) < key(log[start+j]) })
		start = end + 1
	}
	for i, write := range log {
		if pod, ok := write.Sent.(*corev1.Pod); ok && write.Verb == "create" {
			pod = pod.DeepCopy()
			sort.Slice(pod.Spec.Volumes, func(i, j int) bool { return pod.Spec.Volumes[i].Name < pod.Spec.Volumes[j].Name })
			log[i].Sent = pod
		}
	}
	return log
}

// UnorderedEvents does the same for events.
func UnorderedEvents(events []string, parallel bool) []string {
	events = slices.Clone(events)
	belongs := func(event string) bool { return parallel || strings.Contains(event, " Create Claim ") }
	for start := 0; start < len(events); {
		end := start
		for end < len(events) && belongs(events[end]) {
			end++
		}
		slices.Sort(events[start:end])
		start = end + 1
	}
	return events
}

const (
	alone = iota
	creations
	patchesAndDeletions
)

func group(write apiserver.Write) int {
	switch {
	case write.Resource != apiserver.Pods:
		return alone
	case write.Verb == "create":
		return creations
	case write.Verb == "patch" || write.Verb == "delete":
		return patchesAndDeletions
	}
	return alone
}

func run(writes []apiserver.Write) []any {
	switch group(writes[0]) {
	case creations:
		return fold(writes)
	case patchesAndDeletions:
		writes = append([]apiserver.Write(nil), writes...)
		sort.SliceStable(writes, func(i, j int) bool {
			if (writes[i].Verb == "patch") != (writes[j].Verb == "patch") {
				return writes[i].Verb == "patch"
			}
			return writes[i].Name < writes[j].Name
		})
	}
	printed := make([]any, 0, len(writes))
	for _, write := range writes {
		printed = append(printed, one(write))
	}
	return printed
}

func one(write apiserver.Write) any {
	printed := map[string]any{"verb": write.Verb, "resource": write.Resource.Name}
	switch write.Verb {
	case "create":
		printed["object"] = created(write)
	case "delete":
		printed["name"] = write.Name
	default:
		printed["name"] = write.Name
		printed["change"] = Change(Value(write.Before), Value(write.After))
	}
	return printed
}

// created returns a created object as the client sent it, without the fields that the API server sets.
func created(write apiserver.Write) map[string]any {
	object := Value(write.Sent).(map[string]any)
	for _, key := range []string{"apiVersion", "kind", "status"} {
		delete(object, key)
	}
	if metadata, ok := object["metadata"].(map[string]any); ok {
		for _, key := range []string{"uid", "resourceVersion", "managedFields", "creationTimestamp"} {
			delete(metadata, key)
		}
		// The namespace is in the request's path.
		metadata["namespace"] = write.Namespace
	}
	return object
}

// fold counts equal creations.
func fold(writes []apiserver.Write) []any {
	counts, objects := map[string]int{}, map[string]any{}
	var order []string
	for _, write := range writes {
		object := created(write)
		text, _ := json.Marshal(object)
		if counts[string(text)] == 0 {
			order = append(order, string(text))
			objects[string(text)] = object
		}
		counts[string(text)]++
	}
	sort.Strings(order)
	folded := make([]any, 0, len(order))
	for _, text := range order {
		folded = append(folded, map[string]any{
			"verb": "create", "resource": "pods", "count": counts[text], "object": objects[text],
		})
	}
	return folded
}

// Change returns the merge patch (RFC 7386) between two versions of an object, without the fields that every write
// changes.
func Change(before, after any) map[string]any {
	return between(withoutVersion(before), withoutVersion(after))
}

func withoutVersion(object any) map[string]any {
	copied := map[string]any{}
	for key, value := range object.(map[string]any) {
		copied[key] = value
	}
	metadata := map[string]any{}
	for key, value := range copied["metadata"].(map[string]any) {
		switch key {
		case "generation", "resourceVersion", "managedFields":
		default:
			metadata[key] = value
		}
	}
	copied["metadata"] = metadata
	return copied
}

func between(before, after map[string]any) map[string]any {
	change := map[string]any{}
	for key := range before {
		if _, stays := after[key]; !stays {
			change[key] = nil
		}
	}
	for key, value := range after {
		old, existed := before[key]
		if existed && reflect.DeepEqual(old, value) {
			continue
		}
		oldMap, wasMap := old.(map[string]any)
		newMap, isMap := value.(map[string]any)
		if wasMap && isMap {
			change[key] = between(oldMap, newMap)
		} else {
			change[key] = value
		}
	}
	return change
}

// Events sorts the events about pods that are created and deleted concurrently, and cuts generated names to their
// prefix.
func Events(events []string) []any {
	printed := make([]string, 0, len(events))
	for _, event := range events {
		printed = append(printed, cut(event))
	}
	// Failures in a batch are reported in between, in the order in which the goroutines run: put the successful calls
	// first.
	for start := 0; start < len(printed); start++ {
		end := start
		for end < len(printed) && ofPods(printed[end]) {
			end++
		}
		if end > start {
			sort.SliceStable(printed[start:end], func(i, j int) bool {
				return rank(printed[start+i]) < rank(printed[start+j])
			})
			start = end
		}
	}
	for start := 0; start < len(printed); start++ {
		end := start
		for end < len(printed) && rank(printed[end]) == 0 {
			end++
		}
		if end > start {
			sort.Strings(printed[start:end])
			start = end
		}
	}
	values := make([]any, 0, len(printed))
	for _, event := range printed {
		values = append(values, event)
	}
	return values
}

func reason(event string) string {
	parts := strings.SplitN(event, " ", 3)
	return parts[1]
}

func ofPods(event string) bool {
	switch reason(event) {
	case "SuccessfulCreate", "SuccessfulDelete", "FailedCreate", "FailedDelete":
		return true
	}
	return false
}

func rank(event string) int {
	switch reason(event) {
	case "SuccessfulCreate", "SuccessfulDelete":
		return 0
	}
	return 1
}

const suffix = 5

func cut(event string) string {
	if _, name, found := strings.Cut(event, " SuccessfulCreate Created pod: "); found && len(name) > suffix {
		return event[:len(event)-suffix]
	}
	return event
}
