package apiserver

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// Client returns a fake clientset that sends its requests to the store.
func (s *Store) Client() *fake.Clientset {
	client := &fake.Clientset{}
	client.AddReactor("*", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		resource := ByName(action.GetResource().Resource)
		if resource == nil {
			return true, nil, fmt.Errorf("the store holds no %s", action.GetResource().Resource)
		}
		began := time.Now()
		object, err := s.answer(resource, action)
		s.busy.Add(int64(time.Since(began)))
		return true, object, err
	})
	return client
}

// Busy returns how long the store has worked for its clients.
func (s *Store) Busy() time.Duration { return time.Duration(s.busy.Load()) }

func (s *Store) answer(resource *Resource, action clienttesting.Action) (runtime.Object, error) {
	namespace := action.GetNamespace()
	switch action := action.(type) {
	case clienttesting.CreateAction: // an update has the same methods
		if action.GetVerb() == "update" {
			return s.Update(resource, namespace, action.GetObject(), action.GetSubresource())
		}
		return s.Create(resource, namespace, action.GetObject())
	case clienttesting.PatchAction:
		return s.Patch(resource, namespace, action.GetName(), action.GetPatch())
	case clienttesting.DeleteActionImpl:
		return nil, s.Delete(resource, namespace, action.GetName(), action.GetDeleteOptions())
	case clienttesting.GetAction:
		return s.Get(resource, namespace, action.GetName())
	case clienttesting.ListAction:
		return s.list(resource, namespace)
	}
	return nil, fmt.Errorf("the store has no answer to %s %s", action.GetVerb(), resource.Name)
}

func (s *Store) list(resource *Resource, namespace string) (runtime.Object, error) {
	objects := s.List(resource)
	meta := metav1.ListMeta{}
	switch resource {
	case ReplicaSets:
		list := &appsv1.ReplicaSetList{ListMeta: meta}
		for _, object := range objects {
			if set := object.(*appsv1.ReplicaSet); set.Namespace == namespace {
				list.Items = append(list.Items, *set.DeepCopy())
			}
		}
		return list, nil
	case Pods:
		list := &corev1.PodList{ListMeta: meta}
		for _, object := range objects {
			if pod := object.(*corev1.Pod); pod.Namespace == namespace {
				list.Items = append(list.Items, *pod.DeepCopy())
			}
		}
		return list, nil
	}
	return nil, fmt.Errorf("nothing lists %s", resource.Name)
}
