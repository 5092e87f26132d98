package strategies

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"

	"changeover.dev/recorder/cases"
)

// noUID and noName stand for values that the store generates.
const (
	noUID  = "00000000-0000-0000-0000-000000000000"
	noName = "xxxxx"
)

// sent records what happens to a manifest as a client sends it, with the checks that every kind has; for an update, the
// stored object is given.
func (r recorder) sent(sort string, manifest, old map[string]any) {
	input := map[string]any{"object": cases.Value(manifest)}
	internal := r.kind.taken(manifest)
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
		refused = attempted(func() error { return rest.BeforeCreate(r.kind.strategy, r.context(), internal) })
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
		// If the client sends no version, the store uses that of the stored object.
		if accessor.GetResourceVersion() == "" {
			accessor.SetResourceVersion(must1(meta.Accessor(before)).GetResourceVersion())
		}
		stored := r.kind.toInternal(before)
		refused = attempted(func() error { return rest.BeforeUpdate(r.kind.strategy, r.context(), internal, stored) })
	}
	messages, ok := texts(refused)
	if !ok {
		return
	}
	expected := map[string]any{"errors": messages}
	if refused == nil {
		expected["object"] = withoutTimes(r.kind.encodeInternal(internal))
	}
	r.add("apiserver.admit", sort, input, expected)
}

// inStore sets the fields that only a store sets.
func inStore(object map[string]any) map[string]any {
	put(object, []any{"metadata", "uid"}, "1f7c2e9a-0000-4000-8000-000000000001", false)
	put(object, []any{"metadata", "creationTimestamp"}, now, false)
	return object
}

// attempted returns the error of a write, even if it panics.
func attempted(write func() error) (refused error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			refused = fmt.Errorf("panicked: %v", panicked)
		}
	}()
	return write()
}

// texts returns the distinct messages of an error; not ok if the request was rejected before the object was checked.
func texts(refused error) (all []string, ok bool) {
	all = []string{}
	var status *apierrors.StatusError
	if refused == nil {
		return all, true
	}
	if !errors.As(refused, &status) || status.ErrStatus.Reason != metav1.StatusReasonInvalid {
		return nil, false
	}
	for _, cause := range status.ErrStatus.Details.Causes {
		all = append(all, cause.Field+": "+cause.Message)
	}
	slices.Sort(all)
	return slices.Compact(all), true
}

// uncheckedFields are fields that are hardly checked here: only whether they are set.
var uncheckedFields = []string{"affinity", "dnsConfig", "env", "exec", "grpc", "hostAliases", "httpGet", "lifecycle", "resources", "tcpSocket", "tolerations", "volumes", "volumeClaimTemplates"}

// client records what a client sends, with null or nothing in some places.
func (r recorder) client() {
	// Unknown fields are not the subject here.
	r.unknown = nil
	if r.random.IntN(2) == 0 {
		if manifest := r.spelt(r.manifest(r.random.IntN(4))); manifest != nil {
			empty(r.random, manifest)
			r.sent("-sent", manifest, nil)
		}
		return
	}
	old := r.stored()
	if old == nil {
		return
	}
	changed := clone(inStore(old))
	r.mutate(changed, r.random.IntN(3), r.kind.fields, under(r.kind.template, templateFields), metadataFields, updateFields)
	if changed = r.spelt(changed); changed != nil {
		empty(r.random, changed)
		r.sent("-sent-update", changed, old)
	}
}

// spelt returns an object as Go encodes it, without some of its empty fields; nil if it can't be read.
func (r recorder) spelt(manifest map[string]any) map[string]any {
	object := r.kind.decode(manifest)
	if object == nil {
		return nil
	}
	return encode(object)
}

// empty sets up to two fields or items of an object to null, or removes fields.
func empty(random *rand.Rand, object map[string]any) {
	for range random.IntN(3) {
		var places []func()
		var find func(value any)
		find = func(value any) {
			switch value := value.(type) {
			case map[string]any:
				for _, key := range slices.Sorted(maps.Keys(value)) {
					if key != "apiVersion" && key != "kind" && key != "status" {
						places = append(places, func() { value[key] = nil }, func() { delete(value, key) })
						if !slices.Contains(uncheckedFields, key) {
							find(value[key])
						}
					}
				}
			case []any:
				for i := range value {
					places = append(places, func() { value[i] = nil })
					find(value[i])
				}
			}
		}
		find(object)
		places[random.IntN(len(places))]()
	}
}

func must1[T any](value T, err error) T {
	must(err)
	return value
}

// sent are cases that only the complete path shows: the checks of every kind's metadata, and what a client may leave
// out or set to null if Go can't distinguish that from nothing.
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
		update("a deletion reverted", deleting, together([]any{"metadata"}, `{"deletionTimestamp": null, "deletionGracePeriodSeconds": null}`))
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
	for _, n := range slices.Concat(nothings(), structures()) {
		add(n)
	}
	return all
}

// nothings are nulls in place of other values.
func nothings() []named {
	var all []named
	for _, k := range kinds {
		below := func(keys ...any) []any { return append(slices.Clone(k.template), keys...) }
		container := func(key string) []any { return below("spec", "containers", 0, key) }
		all = append(all,
			named{kind: k.name, name: "a container of nothing", says: of(below("spec", "containers"), `[null]`)},
			named{kind: k.name, name: "an init container of nothing", says: of(below("spec", "initContainers"), `[null]`)},
			named{kind: k.name, name: "a port of nothing", says: of(container("ports"), `[null]`)},
			named{kind: k.name, name: "labels of nothing", says: together(below("metadata"), `{"labels": {"app": "other", "b": null}}`)},
			named{kind: k.name, name: "fields of nothing", says: slices.Concat(of(container("livenessProbe"), "null"), of(container("resources"), `{"limits": null}`),
				of(below("spec", "nodeSelector"), `{"a": null}`), of(below("spec", "affinity"), "null"), of(below("spec", "volumes"), `[{"name": "v", "hostPath": null}]`))},
		)
	}
	selected := of([]any{"spec", "template", "metadata", "labels"}, `{"app": null}`)
	return append(all,
		named{kind: "ReplicationController", name: "an empty word selects nothing", says: slices.Concat(selected, of([]any{"spec", "selector"}, `{"app": ""}`))},
		named{kind: "ReplicaSet", name: "an empty word selects nothing", says: slices.Concat(selected, of([]any{"spec", "selector"}, `{"matchLabels": {"app": ""}}`))},
		named{kind: "Deployment", name: "no annotations", says: of([]any{"metadata", "annotations"}, `{}`), update: true},
		named{kind: "StatefulSet", name: "ordinals of nothing", says: of([]any{"spec", "ordinals"}, `{}`)},
		named{kind: "Deployment", name: "a selector of nothing", says: of([]any{"spec", "selector"}, `{"matchLabels": {"app": null}}`)},
		named{kind: "Job", name: "a condition of nothing", says: of([]any{"spec", "podFailurePolicy"}, `{"rules": [{"action": "Count", "onPodConditions": [null]}, null]}`)},
		named{kind: "CronJob", name: "a condition of nothing", says: of([]any{"spec", "jobTemplate", "spec", "podFailurePolicy"}, `{"rules": [{"action": "Count", "onPodConditions": [null]}, null]}`)},
	)
}

// structures are changes of a pod spec that Go may or may not notice: a running Job rejects them, and a Deployment gets
// a new generation.
func structures() []named {
	changes := []struct {
		name, before, after string
	}{
		{"lun 0", `{"volumes": [{"name": "v", "iscsi": {"targetPortal": "a", "iqn": "iqn.2001-04.com.example:a", "lun": 0}}]}`,
			`{"volumes": [{"name": "v", "iscsi": {"targetPortal": "a", "iqn": "iqn.2001-04.com.example:a"}}]}`},
		{"no lun of a fibre channel", `{"volumes": [{"name": "v", "fc": {"wwids": ["a"], "lun": 0}}]}`, `{"volumes": [{"name": "v", "fc": {"wwids": ["a"]}}]}`},
		{"a driver's attributes", `{"volumes": [{"name": "v", "csi": {"driver": "a.io"}}]}`, `{"volumes": [{"name": "v", "csi": {"driver": "a.io", "volumeAttributes": {}}}]}`},
		{"a driver's nothings", `{"volumes": [{"name": "v", "csi": {"driver": "a.io"}}]}`, `{"volumes": [{"name": "v", "csi": {"driver": "a.io", "readOnly": null, "fsType": null, "nodePublishSecretRef": null}}]}`},
		{"a driver's empty type", `{"volumes": [{"name": "v", "csi": {"driver": "a.io"}}]}`, `{"volumes": [{"name": "v", "csi": {"driver": "a.io", "fsType": ""}}]}`},
		{"a path's type", `{"volumes": [{"name": "v", "hostPath": {"path": "/a"}}]}`, `{"volumes": [{"name": "v", "hostPath": {"path": "/a", "type": null}}]}`},
		{"an option's value", `{"dnsConfig": {"options": [{"name": "debug"}]}}`, `{"dnsConfig": {"options": [{"name": "debug", "value": null}]}}`},
		{"an option's empty value", `{"dnsConfig": {"options": [{"name": "debug"}]}}`, `{"dnsConfig": {"options": [{"name": "debug", "value": ""}]}}`},
		{"no preference", `{"affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": {}}]}}}`,
			`{"affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1}]}}}`},
		{"no resources", `{}`, `{"resources": {}}`},
		{"resources of nothing", `{}`, `{"resources": null}`},
		{"no resources of a container", `{}`, `{"containers": [{"name": "app", "image": "web:v1", "resources": {}}]}`},
		{"an affinity of nothing", `{}`, `{"affinity": {"podAffinity": null}}`},
	}
	var all []named
	for _, change := range changes {
		for _, kind := range []string{"Deployment", "Job"} {
			spec := []any{"spec", "template", "spec"}
			all = append(all, named{kind: kind, name: "changed: " + change.name, old: together(spec, change.before), says: together(spec, change.after), update: true})
		}
	}
	suspended := of([]any{"spec", "suspend"}, "true")
	affinity := []any{"spec", "template", "spec", "affinity"}
	return append(all, named{kind: "Job", name: "where the pods of a suspended Job go, and null", old: suspended, update: true,
		says: of(affinity, `{"podAffinity": null, "podAntiAffinity": null, "nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a"]}]}}]}}`)})
}
