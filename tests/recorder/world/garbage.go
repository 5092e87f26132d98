package world

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"changeover.dev/recorder/apiserver"
)

// collectGarbage runs one round of the garbage collector: it deletes objects that lost their owner, and releases owners
// that wait for their dependents.
func (w *World) collectGarbage() {
	owners := map[types.UID]metav1.Object{}
	for _, resource := range apiserver.Resources {
		for _, object := range w.store.List(resource) {
			accessor, _ := meta.Accessor(object)
			owners[accessor.GetUID()] = accessor
		}
	}
	waiting := map[types.UID]bool{}
	for _, resource := range apiserver.Resources {
		for _, object := range w.store.List(resource) {
			accessor, _ := meta.Accessor(object)
			owner := metav1.GetControllerOf(accessor)
			if owner == nil {
				continue
			}
			waiting[owner.UID] = true
			existing := owners[owner.UID]
			switch {
			case existing == nil && owner.Kind != "Rollout":
				w.drop(resource, accessor)
			case existing != nil && has(existing, metav1.FinalizerDeleteDependents) && accessor.GetDeletionTimestamp() == nil:
				w.drop(resource, accessor)
			case existing != nil && has(existing, metav1.FinalizerOrphanDependents):
				w.free(resource, object)
				waiting[owner.UID] = false
			}
		}
	}
	for _, resource := range apiserver.Resources {
		for _, object := range w.store.List(resource) {
			accessor, _ := meta.Accessor(object)
			if accessor.GetDeletionTimestamp() != nil && !waiting[accessor.GetUID()] {
				w.release(resource, object)
			}
		}
	}
}

func has(object metav1.Object, finalizer string) bool {
	return slices.Contains(object.GetFinalizers(), finalizer)
}

func (w *World) drop(resource *apiserver.Resource, object metav1.Object) {
	if w.chance(60) {
		_ = w.store.Delete(resource, namespace, object.GetName(), metav1.DeleteOptions{})
	}
}

func (w *World) free(resource *apiserver.Resource, object runtime.Object) {
	object = object.DeepCopyObject()
	accessor, _ := meta.Accessor(object)
	accessor.SetOwnerReferences(nil)
	_, _ = w.store.Update(resource, namespace, object, "")
}

func (w *World) release(resource *apiserver.Resource, object runtime.Object) {
	object = object.DeepCopyObject()
	accessor, _ := meta.Accessor(object)
	finalizers := slices.DeleteFunc(accessor.GetFinalizers(), func(finalizer string) bool {
		return finalizer == metav1.FinalizerDeleteDependents || finalizer == metav1.FinalizerOrphanDependents
	})
	if len(finalizers) < len(accessor.GetFinalizers()) || len(finalizers) == 0 && resource != apiserver.Pods {
		accessor.SetFinalizers(finalizers)
		_, _ = w.store.Update(resource, namespace, object, "")
	}
}
