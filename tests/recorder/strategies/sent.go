package strategies

import (
	"errors"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"

	"changeover.dev/recorder/cases"
)

// noUID and noName stand for what the store makes up.
const (
	noUID  = "00000000-0000-0000-0000-000000000000"
	noName = "xxxxx"
)

// sent records what becomes of a manifest as a client sends it, with what is asked of every kind; on an update the object
// of the store is given.
func (r recorder) sent(sort string, manifest, old map[string]any) {
	object := r.kind.decode(manifest)
	if object == nil {
		return
	}
	input := map[string]any{"object": cases.Value(manifest)}
	legacyscheme.Scheme.Default(object)
	internal := r.kind.toInternal(object)
	if internal == nil {
		return
	}
	accessor, err := meta.Accessor(internal)
	must(err)
	if accessor.GetNamespace() == "" {
		accessor.SetNamespace("default")
	}
	var refused error
	if old == nil {
		rest.FillObjectMetaSystemFields(accessor)
		accessor.SetUID(noUID)
		accessor.SetDeletionTimestamp(nil)
		accessor.SetDeletionGracePeriodSeconds(nil)
		if base := accessor.GetGenerateName(); accessor.GetName() == "" && base != "" {
			accessor.SetName(base[:min(len(base), 58)] + noName)
		}
		refused = rest.BeforeCreate(r.kind.strategy, r.context(), internal)
		accessor.SetCreationTimestamp(metav1.Time{})
		if r.kind.name != "Job" {
			accessor.SetUID("")
		}
	} else {
		input["old"] = cases.Value(old)
		var before runtime.Object
		if before = r.kind.decode(old); before == nil {
			return
		}
		legacyscheme.Scheme.Default(before)
		// The store puts in the version of what it has if the client asks for none.
		if accessor.GetResourceVersion() == "" {
			accessor.SetResourceVersion(must1(meta.Accessor(before)).GetResourceVersion())
		}
		refused = rest.BeforeUpdate(r.kind.strategy, r.context(), internal, r.kind.toInternal(before))
	}
	expected := map[string]any{"errors": texts(refused)}
	if refused == nil {
		expected["object"] = withoutTimes(r.kind.encodeInternal(internal))
	}
	r.add("apiserver.admit", sort, input, expected)
}

// inStore gives an object what only a store gives.
func inStore(object map[string]any) map[string]any {
	put(object, []any{"metadata", "uid"}, "1f7c2e9a-0000-4000-8000-000000000001", false)
	put(object, []any{"metadata", "creationTimestamp"}, now, false)
	return object
}

// texts are the sentences of a refusal, each once.
func texts(refused error) []string {
	all := []string{}
	var status *apierrors.StatusError
	if refused != nil && !errors.As(refused, &status) {
		panic(refused)
	}
	if status != nil {
		if status.ErrStatus.Reason != metav1.StatusReasonInvalid {
			panic(refused)
		}
		for _, cause := range status.ErrStatus.Details.Causes {
			all = append(all, cause.Field+": "+cause.Message)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func must1[T any](value T, err error) T {
	must(err)
	return value
}

// sent are what only the whole way shows: what is asked of the metadata of every kind, and what a client may leave out or
// set to null where Go can't tell it from nothing.
func sent() []named {
	var all []named
	add := func(n named) {
		n.sent = true
		all = append(all, n)
	}
	metadata := func(key string) []any { return []any{"metadata", key} }
	deleting := together([]any{"metadata"}, `{"deletionTimestamp": "2026-01-01T00:00:30Z", "deletionGracePeriodSeconds": 30, "finalizers": ["a.io/b"]}`)
	for _, k := range kinds {
		update := func(name string, stored, says []mutation) {
			add(named{kind: k.name, name: name, stored: stored, says: says, update: true})
		}
		update("deleted by an update", nil, of(metadata("deletionTimestamp"), `"2026-01-02T00:00:00Z"`))
		update("a grace by an update", nil, of(metadata("deletionGracePeriodSeconds"), "5"))
		update("another UID", nil, of(metadata("uid"), `"other"`))
		update("no UID and another creation", nil, together([]any{"metadata"}, `{"uid": null, "creationTimestamp": "2026-02-02T00:00:00Z", "resourceVersion": null}`))
		update("a deletion taken back", deleting, together([]any{"metadata"}, `{"deletionTimestamp": null, "deletionGracePeriodSeconds": null}`))
		update("another deletion", deleting, together([]any{"metadata"}, `{"deletionTimestamp": "2026-01-02T00:00:00Z", "deletionGracePeriodSeconds": 5}`))
		for _, finalizers := range []string{`["orphan", "foregroundDeletion"]`, `["a/B C"]`} {
			update("set later: the finalizers "+finalizers, nil, of(metadata("finalizers"), finalizers))
			add(named{kind: k.name, name: "the finalizers " + finalizers, says: of(metadata("finalizers"), finalizers)})
		}
		for _, name := range []string{`"a/b"`, `"a%b-"`, `"A_"`} {
			update("set later: to be generated from "+name, nil, of(metadata("generateName"), name))
			add(named{kind: k.name, name: "to be generated from " + name, says: of(metadata("generateName"), name)})
		}
	}
	return all
}
