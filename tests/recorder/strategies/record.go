package strategies

import (
	"context"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"

	"changeover.dev/recorder/cases"
	"changeover.dev/recorder/controllers"
)

const now = "2026-01-01T00:00:00Z"

// gates are the gates that affect the recording and can be set.
var gates = []string{
	"ContainerRestartRules", "DeploymentReplicaSetTerminatingReplicas", "MaxUnavailableStatefulSet", "MutablePodResourcesForSuspendedJobs",
	"MutableSchedulingDirectivesForSuspendedJobs", "PodDeletionCost", "StatefulSetRecreateStrategy",
}

const podTemplate = `{"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "app", "image": "web:v1"}]}}`

// Run records the cases of one manifest: its creation, its updates, and the updates of its status.
func Run(seed uint64, number int, record func(cases.Case)) {
	random := rand.New(rand.NewPCG(seed, uint64(number)))
	k := kinds[number%len(kinds)]
	r := recorder{random: random, kind: k, gates: map[string]bool{}, record: record}
	if random.IntN(8) == 0 {
		r.unknown = func(object map[string]any) { sprinkle(random, object) }
	}
	if random.IntN(3) == 0 {
		name := gates[random.IntN(len(gates))]
		// Only a value that differs from the default is worth recording.
		r.gates[name] = name == "StatefulSetRecreateStrategy"
		defer setGates(r.gates)()
	}
	switch how := random.IntN(5); {
	case number%8 == 7:
		r.decoded()
	case number%8 == 6:
		r.client()
	case how < 2:
		r.create(r.manifest(random.IntN(5)))
	case how < 4 || k.status == nil:
		r.update()
	default:
		r.updateStatus()
	}
}

// setGates sets gates, and turns off those that depend on one that is off. It returns a function that restores them.
func setGates(gates map[string]bool) func() {
	if on, ok := gates["ContainerRestartRules"]; ok && !on {
		gates = maps.Clone(gates)
		gates["RestartAllContainersOnContainerExits"] = false
	}
	return controllers.SetGates(gates)
}

type recorder struct {
	random *rand.Rand
	kind   kind
	gates  map[string]bool
	record func(cases.Case)
	// unknown adds fields that Kubernetes does not know to the sent or the stored object; may be nil.
	unknown func(object map[string]any)
}

// manifest returns the kind's manifest with some mutations.
func (r recorder) manifest(mutations int) map[string]any {
	object := parse(r.kind.manifest)
	put(object, []any{"apiVersion"}, r.kind.version(), false)
	put(object, []any{"kind"}, r.kind.name, false)
	put(object, []any{"metadata", "name"}, "web", false)
	put(object, []any{"metadata", "namespace"}, "default", false)
	if r.kind.template == nil {
		put(object, []any{"metadata", "labels"}, map[string]any{"app": "web"}, false)
		put(object, []any{"spec"}, parse(podTemplate)["spec"], false)
	} else {
		put(object, r.kind.template, parse(podTemplate), false)
	}
	if r.kind.group == "batch" {
		put(object, append(slices.Clone(r.kind.template), "spec", "restartPolicy"), "Never", false)
	}
	r.mutate(object, mutations, r.kind.fields, under(r.kind.template, templateFields), metadataFields)
	return object
}

// mutate applies some mutations, more often from the earlier lists.
func (r recorder) mutate(object map[string]any, times int, lists ...[]mutation) {
	lists = slices.DeleteFunc(lists, func(list []mutation) bool { return len(list) == 0 })
	for range times {
		list := lists[min(r.random.IntN(len(lists)), r.random.IntN(len(lists)))]
		list[r.random.IntN(len(list))].apply(r.random, object)
	}
}

func (r recorder) create(manifest map[string]any) {
	object := r.kind.decode(manifest)
	if object == nil {
		return
	}
	input := encode(object)
	legacyscheme.Scheme.Default(object)
	defaulted := encode(object)
	r.add("apiserver.default", "", map[string]any{"object": input}, map[string]any{"object": defaulted})
	internal := r.kind.toInternal(object)
	if internal == nil {
		return
	}
	r.kind.strategy.PrepareForCreate(r.context(), internal)
	prepared := withoutTimes(r.kind.encodeInternal(internal))
	r.add("apiserver.prepare", "-create", map[string]any{"object": defaulted}, map[string]any{"object": prepared})
	r.judge("-create", map[string]any{"object": prepared}, r.creation(internal))
}

// judgeBare records validation's errors for a manifest as it is.
func (r recorder) judgeBare(manifest map[string]any) {
	object := r.kind.decode(manifest)
	internal := r.kind.toInternal(object)
	r.judge("", map[string]any{"object": encode(object)}, r.creation(internal))
}

// creation returns validation's errors for a new object.
func (r recorder) creation(internal runtime.Object) func() (field.ErrorList, []string) {
	return func() (field.ErrorList, []string) {
		errors := r.kind.strategy.Validate(r.context(), internal)
		return r.declaratively(r.context(), r.kind.strategy, internal, nil, operation.Create, errors),
			r.kind.strategy.WarningsOnCreate(r.context(), internal)
	}
}

// declaratively adds the errors from the tags of the Go types to those of the strategy's own validation, as
// rest.ValidateCreate and rest.ValidateUpdate do.
func (r recorder) declaratively(ctx context.Context, strategy any, object, old runtime.Object, of operation.Type, errors field.ErrorList) field.ErrorList {
	declarative, ok := strategy.(rest.DeclarativeValidationStrategy)
	if !ok {
		return errors
	}
	return declarative.ValidateDeclaratively(ctx, object, old, errors, of, declarative.DeclarativeValidationConfig(ctx, object, old))
}

// decoded records how decoding normalizes amounts: here the input is the manifest itself.
func (r recorder) decoded() {
	manifest := r.manifest(0)
	for range 1 + r.random.IntN(3) {
		r.mutate(manifest, 1, under(r.kind.template, quantityFields))
	}
	object := r.kind.decode(manifest)
	if object == nil {
		return
	}
	legacyscheme.Scheme.Default(object)
	decoded := encode(object)
	// Go writes the counts of an empty status, which no manifest has.
	delete(decoded, "status")
	r.add("apiserver.default", "-decoded", map[string]any{"object": cases.Value(manifest)}, map[string]any{"object": decoded})
}

// stored returns an object as the store would hold it.
func (r recorder) stored() map[string]any {
	return r.storedAs(func(manifest map[string]any) {
		r.mutate(manifest, r.random.IntN(3), r.kind.fields, under(r.kind.template, templateFields), metadataFields)
	})
}

// storedAs returns a changed manifest as the store would hold it.
func (r recorder) storedAs(changed func(map[string]any)) map[string]any {
	manifest := r.manifest(0)
	changed(manifest)
	// The fields that no client may choose have valid values.
	put(manifest, []any{"metadata", "name"}, "web", false)
	put(manifest, []any{"metadata", "namespace"}, "default", false)
	for _, key := range []string{"generateName", "finalizers", "ownerReferences"} {
		put(manifest, []any{"metadata", key}, nil, true)
	}
	internal := r.kind.taken(manifest)
	if internal == nil {
		return nil
	}
	r.kind.strategy.PrepareForCreate(r.context(), internal)
	stored := withoutTimes(r.kind.encodeInternal(internal))
	put(stored, []any{"metadata", "generation"}, 2, false)
	put(stored, []any{"metadata", "resourceVersion"}, "7", false)
	return stored
}

// spoiled returns a stored object with faults that are no longer accepted.
func (r recorder) spoiled(stored map[string]any) map[string]any {
	r.mutate(stored, 1+r.random.IntN(2), storedFaults, r.kind.fields, under(r.kind.template, templateFields))
	return r.read(stored)
}

// read returns an object as the API server reads it from its store; nil if it can't.
func (r recorder) read(stored map[string]any) map[string]any {
	internal := r.kind.taken(stored)
	if internal == nil {
		return nil
	}
	return r.kind.encodeInternal(internal)
}

func (r recorder) update() {
	old := r.stored()
	if old == nil {
		return
	}
	if r.kind.name == "Job" && r.random.IntN(3) == 0 {
		put(old, []any{"spec", "suspend"}, true, false)
		r.mutate(old, r.random.IntN(3), r.kind.statuses)
	}
	if r.random.IntN(4) == 0 {
		if old = r.spoiled(old); old == nil {
			return
		}
	}
	changed := clone(old)
	r.mutate(changed, 1+r.random.IntN(3), r.kind.fields, under(r.kind.template, templateFields), metadataFields, updateFields)
	r.change("-update", "", old, changed, r.kind.strategy)
}

func (r recorder) updateStatus() {
	old := r.stored()
	if old == nil {
		return
	}
	r.mutate(old, r.random.IntN(4), r.kind.statuses)
	if r.random.IntN(4) == 0 {
		if old = r.spoiled(old); old == nil {
			return
		}
	}
	changed := clone(old)
	r.mutate(changed, 1+r.random.IntN(4), r.kind.statuses, r.kind.statuses, statusExtras, updateFields)
	r.change("-status", "status", old, changed, r.kind.status)
}

// change records an update: how the strategy prepares it, and its errors.
func (r recorder) change(sort, subresource string, old, changed map[string]any, strategy rest.RESTUpdateStrategy) {
	before, after := r.kind.decode(old), r.kind.decode(changed)
	if before == nil || after == nil {
		return
	}
	legacyscheme.Scheme.Default(after)
	input := map[string]any{"object": encode(after), "old": encode(before)}
	if subresource != "" {
		input["subresource"] = subresource
	}
	oldInternal, internal := r.kind.toInternal(before), r.kind.toInternal(after)
	if oldInternal == nil || internal == nil {
		return
	}
	ctx := r.contextOf(subresource)
	strategy.PrepareForUpdate(ctx, internal, oldInternal)
	prepared := r.kind.encodeInternal(internal)
	r.add("apiserver.prepare", sort, input, map[string]any{"object": prepared})
	judged := map[string]any{"object": prepared, "old": r.kind.encodeInternal(oldInternal)}
	if subresource != "" {
		judged["subresource"] = subresource
	}
	r.judge(sort, judged, func() (field.ErrorList, []string) {
		errors := strategy.ValidateUpdate(ctx, internal, oldInternal)
		return r.declaratively(ctx, strategy, internal, oldInternal, operation.Update, errors),
			strategy.WarningsOnUpdate(ctx, internal, oldInternal)
	})
}

// judge records validation's errors, unless it panics.
func (r recorder) judge(sort string, input map[string]any, validate func() (field.ErrorList, []string)) {
	errors, warnings, ok := guarded(validate)
	if !ok {
		return
	}
	slices.SortFunc(errors, func(a, b *field.Error) int { return strings.Compare(a.Error(), b.Error()) })
	texts, fields := []any{}, []any{}
	for _, e := range errors {
		texts = append(texts, e.Error())
		fields = append(fields, map[string]any{"field": e.Field, "type": string(e.Type)})
	}
	expected := map[string]any{"valid": len(errors) == 0, "errorFields": fields, "errors": texts, "warnings": cases.Value(warnings)}
	r.add("apiserver.validate", sort, input, expected)
}

func guarded(validate func() (field.ErrorList, []string)) (errors field.ErrorList, warnings []string, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	errors, warnings = validate()
	return errors, warnings, true
}

func (r recorder) add(op, sort string, input, expected map[string]any) {
	named := map[string]bool{}
	for name, on := range r.gates {
		named[name] = on
	}
	// Decoding drops them, and defaulting comes later.
	if r.unknown != nil && op != "apiserver.default" {
		input = clone(input)
		for _, key := range []string{"object", "old"} {
			if object, ok := input[key].(map[string]any); ok {
				r.unknown(object)
			}
		}
	}
	r.record(cases.Case{
		Name: strings.ToLower(r.kind.name) + sort, Op: op, Source: cases.Source, Gates: named, Now: now,
		Input: input, Expected: expected,
	})
}

func (r recorder) context() context.Context { return r.contextOf("") }

// contextOf returns the context of a request for a subresource, or for the object itself.
func (r recorder) contextOf(subresource string) context.Context {
	return request.WithRequestInfo(request.NewDefaultContext(),
		&request.RequestInfo{APIGroup: r.kind.group, APIVersion: "v1", Subresource: subresource})
}

// withoutTimes removes the time from the condition of a gated Pod: it comes from the clock.
func withoutTimes(object map[string]any) map[string]any {
	status, _ := object["status"].(map[string]any)
	conditions, _ := status["conditions"].([]any)
	for _, condition := range conditions {
		delete(condition.(map[string]any), "lastTransitionTime")
		delete(condition.(map[string]any), "lastProbeTime")
	}
	return object
}

func (k kind) version() string { return schema.GroupVersion{Group: k.group, Version: "v1"}.String() }

// decode reads the versioned object as it is; nil if it can't be read.
func (k kind) decode(value map[string]any) runtime.Object {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	object := k.versioned()
	if json.Unmarshal(text, object) != nil {
		return nil
	}
	return object
}

// taken returns a manifest as the API server accepts it: decoded, defaulted and converted; nil if it can't be.
func (k kind) taken(manifest map[string]any) runtime.Object {
	object := k.decode(manifest)
	if object == nil {
		return nil
	}
	legacyscheme.Scheme.Default(object)
	return k.toInternal(object)
}

func (k kind) toInternal(object runtime.Object) runtime.Object {
	internal := k.internal()
	if legacyscheme.Scheme.Convert(object.DeepCopyObject(), internal, nil) != nil {
		return nil
	}
	return internal
}

func (k kind) encodeInternal(internal runtime.Object) map[string]any {
	object := k.versioned()
	if err := legacyscheme.Scheme.Convert(internal.DeepCopyObject(), object, nil); err != nil {
		panic(err)
	}
	object.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{Group: k.group, Version: "v1", Kind: k.name})
	return encode(object)
}

func encode(object runtime.Object) map[string]any { return cases.Value(object).(map[string]any) }

func clone(value map[string]any) map[string]any { return cases.Value(value).(map[string]any) }

func parse(text string) map[string]any {
	var value map[string]any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		panic(err)
	}
	return value
}
