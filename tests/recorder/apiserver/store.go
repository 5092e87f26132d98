package apiserver

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"sort"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// Write is a successful write.
type Write struct {
	// Verb is create, update, updateStatus, patch or delete.
	Verb string
	// Resource is the resource that was written.
	Resource *Resource
	// Namespace and Name are the object's.
	Namespace, Name string
	// Before and After are the stored object. A creation has Sent, the client's object, instead of Before.
	Before, After, Sent runtime.Object
}

// Store holds objects. It never changes a stored object in place.
type Store struct {
	mu       sync.Mutex
	objects  map[string]map[string]runtime.Object
	rng      *rand.Rand
	refusals []Refusal
	// strict stores reject updates of outdated copies.
	strict bool
	// byName makes generated names and uids depend on the prefix, and not on the order of creations: a Job's pods are
	// created concurrently, and each run has another order.
	byName bool
	made   map[string]uint64
	seed   uint64
	// Conflicts counts the updates that were rejected because the copy was outdated.
	Conflicts int
	// OutdatedPods counts the updates of Pods that a lenient store accepted although the copy was outdated.
	OutdatedPods int
	// Invalid lists the calls that the strategies rejected, as refusals that a case can replay.
	Invalid []Refusal
	calls   map[string]int
	// Asked lists the names of all attempted creations, each after its resource, whether they succeeded or not.
	Asked []string
	// Log lists the writes since the store was created.
	Log  []Write
	busy atomic.Int64
}

// New creates an empty store; the generator is the source of uids and names.
func New(rng *rand.Rand) *Store {
	s := &Store{objects: map[string]map[string]runtime.Object{}, rng: rng, strict: true, calls: map[string]int{}, made: map[string]uint64{}}
	for _, resource := range Resources {
		s.objects[resource.Name] = map[string]runtime.Object{}
	}
	return s
}

// Fork creates a store with the same objects and an empty log. Only a strict fork rejects outdated copies.
func (s *Store) Fork(strict bool, refusals []Refusal, seed uint64) *Store {
	fork := New(rand.New(rand.NewPCG(seed, 2)))
	fork.strict, fork.byName, fork.seed = strict, s.byName, seed
	fork.refusals = append([]Refusal(nil), refusals...)
	for name, objects := range s.objects {
		for key, object := range objects {
			fork.objects[name][key] = object
		}
	}
	return fork
}

// Strict tells whether the store rejects updates of outdated copies.
func (s *Store) Strict() bool { return s.strict }

// ByName makes generated names and uids depend on the prefix.
func (s *Store) ByName() *Store {
	s.byName = true
	return s
}

// Take replaces the objects with those of another store.
func (s *Store) Take(other *Store) { s.objects = other.objects }

// TakeOnly replaces the objects of one resource with those of another store.
func (s *Store) TakeOnly(resource *Resource, other *Store) {
	s.objects[resource.Name] = maps.Clone(other.objects[resource.Name])
}

// List returns the objects, sorted by namespace and name.
func (s *Store) List(resource *Resource) []runtime.Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	objects := s.objects[resource.Name]
	keys := make([]string, 0, len(objects))
	for key := range objects {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	list := make([]runtime.Object, 0, len(keys))
	for _, key := range keys {
		list = append(list, objects[key])
	}
	return list
}

// Get reads an object.
func (s *Store) Get(resource *Resource, namespace, name string) (runtime.Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.get(resource, namespace, name)
}

func (s *Store) get(resource *Resource, namespace, name string) (runtime.Object, error) {
	if object, ok := s.objects[resource.Name][namespace+"/"+name]; ok {
		return object.DeepCopyObject(), nil
	}
	return nil, apierrors.NewNotFound(resource.GroupResource(), name)
}

// Put stores an object as it is, bypassing every strategy: for bindings, or what a broken client once stored.
func (s *Store) Put(resource *Resource, object runtime.Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	accessor := must(meta.Accessor(object))
	version, _ := strconv.Atoi(accessor.GetResourceVersion())
	accessor.SetResourceVersion(strconv.Itoa(version + 1))
	s.put(resource, object)
}

// Restore stores an object of a recorded case, which keeps its version.
func (s *Store) Restore(resource *Resource, object runtime.Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(resource, object)
}

func (s *Store) put(resource *Resource, object runtime.Object) {
	accessor := must(meta.Accessor(object))
	s.objects[resource.Name][accessor.GetNamespace()+"/"+accessor.GetName()] = stored(resource, object)
}

// Remove removes an object at once, as the kubelet does when the last container is gone.
func (s *Store) Remove(resource *Resource, namespace, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.objects[resource.Name], namespace+"/"+name)
}

// Create creates an object.
func (s *Store) Create(resource *Resource, namespace string, object runtime.Object) (runtime.Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Asked = append(s.Asked, resource.Name+"/"+must(meta.Accessor(object)).GetName())
	if err := s.refuse("create", resource, must(meta.Accessor(object)).GetName()); err != nil {
		return nil, err
	}
	sent := object.DeepCopyObject()
	internal, err := toInternal(resource, object)
	if err != nil {
		return nil, err
	}
	accessor := must(meta.Accessor(internal))
	rest.WipeObjectMetaSystemFields(accessor)
	accessor.SetNamespace(namespace)
	accessor.SetDeletionTimestamp(nil)
	accessor.SetDeletionGracePeriodSeconds(nil)
	accessor.SetCreationTimestamp(metav1.NewTime(time.Now()))
	if prefix := madeFrom(resource, accessor); s.byName && prefix != "" {
		s.made[prefix]++
		hash := fnv.New64a()
		_, _ = hash.Write([]byte(prefix))
		s.rng = rand.New(rand.NewPCG(s.seed, hash.Sum64()+s.made[prefix]))
	}
	accessor.SetUID(s.uid())
	if accessor.GetName() == "" && accessor.GetGenerateName() != "" {
		accessor.SetName(s.unusedName(resource, namespace, accessor.GetGenerateName()))
	}
	key := namespace + "/" + accessor.GetName()
	if err := rest.BeforeCreate(resource.Strategy, s.context(resource, namespace, "create", ""), internal); err != nil {
		s.invalid("create", resource, accessor.GetName(), err)
		return nil, err
	}
	if _, exists := s.objects[resource.Name][key]; exists {
		return nil, apierrors.NewAlreadyExists(resource.GroupResource(), accessor.GetName())
	}
	accessor.SetResourceVersion("1")
	after := toVersioned(resource, internal)
	s.objects[resource.Name][key] = after
	s.Log = append(s.Log, Write{Verb: "create", Resource: resource, Namespace: namespace, Name: accessor.GetName(), After: after, Sent: sent})
	return after.DeepCopyObject(), nil
}

// madeFrom returns what the uid of a new object depends on: a StatefulSet's pods and claims have names of their own.
func madeFrom(resource *Resource, object metav1.Object) string {
	if name := object.GetName(); name != "" && (resource == Claims || resource == Pods && object.GetGenerateName() != "") {
		return resource.Name + "/" + name
	}
	return object.GetGenerateName()
}

// Update replaces an object, or its status for that subresource.
func (s *Store) Update(resource *Resource, namespace string, object runtime.Object, subresource string) (runtime.Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	verb := "update"
	if subresource == "status" {
		verb = "updateStatus"
	}
	if err := s.refuse(verb, resource, must(meta.Accessor(object)).GetName()); err != nil {
		return nil, err
	}
	return s.update(verb, resource, namespace, object, s.strict)
}

func (s *Store) update(verb string, resource *Resource, namespace string, object runtime.Object, strict bool) (runtime.Object, error) {
	internal, err := toInternal(resource, object)
	if err != nil {
		return nil, err
	}
	accessor := must(meta.Accessor(internal))
	name := accessor.GetName()
	before, err := s.get(resource, namespace, name)
	if err != nil {
		return nil, err
	}
	existing := must(meta.Accessor(before))
	if uid := accessor.GetUID(); uid != "" && uid != existing.GetUID() {
		return nil, apierrors.NewConflict(resource.GroupResource(), name,
			fmt.Errorf("Precondition failed: UID in precondition: %v, UID in object meta: %v", uid, existing.GetUID()))
	}
	outdated := accessor.GetResourceVersion() != "" && accessor.GetResourceVersion() != existing.GetResourceVersion()
	if outdated && resource == Pods {
		s.OutdatedPods++
	}
	if strict && outdated {
		s.Conflicts++
		return nil, apierrors.NewConflict(resource.GroupResource(), name, fmt.Errorf(registry.OptimisticLockErrorMsg))
	}
	accessor.SetResourceVersion(existing.GetResourceVersion())
	strategy, subresource := rest.RESTUpdateStrategy(resource.Strategy), ""
	if verb == "updateStatus" {
		strategy, subresource = resource.Status, "status"
	}
	old := must(toInternal(resource, before))
	if err := rest.BeforeUpdate(strategy, s.context(resource, namespace, "update", subresource), internal, old); err != nil {
		s.invalid(verb, resource, name, err)
		return nil, err
	}
	after := toVersioned(resource, internal)
	key := namespace + "/" + name
	if registry.ShouldDeleteDuringUpdate(context.Background(), key, internal, old) {
		delete(s.objects[resource.Name], key)
	} else {
		if !apiequality.Semantic.DeepEqual(before, after) {
			version, _ := strconv.Atoi(existing.GetResourceVersion())
			must(meta.Accessor(after)).SetResourceVersion(strconv.Itoa(version + 1))
		}
		s.objects[resource.Name][key] = after
	}
	s.Log = append(s.Log, Write{Verb: verb, Resource: resource, Namespace: namespace, Name: name, Before: before, After: after})
	return after.DeepCopyObject(), nil
}

// Patch applies a strategic merge patch. The patches of controllers contain the uid of the object.
func (s *Store) Patch(resource *Resource, namespace, name string, patch []byte) (runtime.Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refuse("patch", resource, name); err != nil {
		return nil, err
	}
	before, err := s.get(resource, namespace, name)
	if err != nil {
		return nil, err
	}
	patched, err := strategicpatch.StrategicMergePatch(must(json.Marshal(before)), patch, resource.Versioned())
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	object := resource.Versioned()
	if err := json.Unmarshal(patched, object); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	// A patch without a resource version applies to the latest copy.
	return s.update("patch", resource, namespace, object, false)
}

// Delete deletes an object with its grace period.
func (s *Store) Delete(resource *Resource, namespace, name string, options metav1.DeleteOptions) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refuse("delete", resource, name); err != nil {
		return err
	}
	before, err := s.get(resource, namespace, name)
	if err != nil {
		return err
	}
	internal := must(toInternal(resource, before))
	accessor := must(meta.Accessor(internal))
	graceful, pending, err := rest.BeforeDelete(resource.Strategy, s.context(resource, namespace, "delete", ""), internal, &options)
	if err != nil {
		return err
	}
	if policy := options.PropagationPolicy; policy != nil && accessor.GetDeletionTimestamp() == nil {
		switch *policy {
		case metav1.DeletePropagationForeground:
			accessor.SetFinalizers(append(accessor.GetFinalizers(), metav1.FinalizerDeleteDependents))
		case metav1.DeletePropagationOrphan:
			accessor.SetFinalizers(append(accessor.GetFinalizers(), metav1.FinalizerOrphanDependents))
		}
	}
	key := namespace + "/" + name
	if !graceful && !pending && len(accessor.GetFinalizers()) > 0 {
		if accessor.GetDeletionTimestamp() == nil {
			now, zero := metav1.NewTime(time.Now()), int64(0)
			accessor.SetDeletionTimestamp(&now)
			accessor.SetDeletionGracePeriodSeconds(&zero)
			if accessor.GetGeneration() > 0 {
				accessor.SetGeneration(accessor.GetGeneration() + 1)
			}
		}
		graceful = true
	}
	// Other worlds keep such pods until their kubelet removes them, so that their recordings stay the same.
	atOnce := s.byName && options.GracePeriodSeconds != nil && *options.GracePeriodSeconds == 0 && len(accessor.GetFinalizers()) == 0
	switch {
	case pending:
	case graceful && !atOnce:
		version, _ := strconv.Atoi(accessor.GetResourceVersion())
		accessor.SetResourceVersion(strconv.Itoa(version + 1))
		s.objects[resource.Name][key] = toVersioned(resource, internal)
	default:
		delete(s.objects[resource.Name], key)
	}
	s.Log = append(s.Log, Write{Verb: "delete", Resource: resource, Namespace: namespace, Name: name, Before: before})
	return nil
}

func (s *Store) context(resource *Resource, namespace, verb, subresource string) context.Context {
	ctx := request.WithNamespace(context.Background(), namespace)
	return request.WithRequestInfo(ctx, &request.RequestInfo{
		IsResourceRequest: true, Verb: verb, APIGroup: resource.Kind.Group, APIVersion: resource.Kind.Version,
		Resource: resource.Name, Subresource: subresource, Namespace: namespace,
	})
}

func (s *Store) uid() types.UID {
	a, b := s.rng.Uint64(), s.rng.Uint64()
	return types.UID(fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", uint32(a>>32), uint16(a>>16), uint16(a), uint16(b>>48), b&(1<<48-1)))
}

// The letters that the API server's name generator uses.
const letters = "bcdfghjklmnpqrstvwxz2456789"

func (s *Store) unusedName(resource *Resource, namespace, prefix string) string {
	// The name generator shortens the prefix so that the name fits.
	if limit := 63 - 5; len(prefix) > limit {
		prefix = prefix[:limit]
	}
	for {
		name := []byte(prefix)
		for range 5 {
			name = append(name, letters[s.rng.IntN(len(letters))])
		}
		if _, taken := s.objects[resource.Name][namespace+"/"+string(name)]; !taken {
			return string(name)
		}
	}
}

// toInternal defaults a copy of the versioned object and converts it.
func toInternal(resource *Resource, object runtime.Object) (runtime.Object, error) {
	versioned := object.DeepCopyObject()
	legacyscheme.Scheme.Default(versioned)
	internal := resource.Internal()
	if err := legacyscheme.Scheme.Convert(versioned, internal, nil); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return internal, nil
}

// toVersioned converts the internal object to its stored form.
func toVersioned(resource *Resource, internal runtime.Object) runtime.Object {
	versioned := resource.Versioned()
	if err := legacyscheme.Scheme.Convert(internal, versioned, nil); err != nil {
		panic(err)
	}
	return stored(resource, versioned)
}

// stored returns the object as it is read from storage: with times in whole seconds, and without empty fields.
func stored(resource *Resource, object runtime.Object) runtime.Object {
	back := resource.Versioned()
	if err := json.Unmarshal(must(json.Marshal(object)), back); err != nil {
		panic(err)
	}
	if resource == Claims {
		// Reading sets the phase, which a creation leaves empty.
		legacyscheme.Scheme.Default(back)
	}
	back.GetObjectKind().SetGroupVersionKind(resource.Kind)
	return back
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
