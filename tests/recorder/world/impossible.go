package world

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"changeover.dev/recorder/apiserver"
)

// Objects that no API server stores, or no correct clock writes, but that a controller may still see.

// negativeCounts makes counts in a status negative.
func negativeCounts(w *World) {
	count := func() int32 { return -int32(w.between(1, 4)) }
	if deployment, ok := some[*appsv1.Deployment](w, apiserver.Deployments); ok && w.chance(40) {
		status := &deployment.Status
		*pick(w, []*int32{&status.Replicas, &status.UpdatedReplicas, &status.ReadyReplicas, &status.AvailableReplicas}) = count()
		w.store.Put(apiserver.Deployments, deployment)
		return
	}
	set, ok := some[*appsv1.ReplicaSet](w, apiserver.ReplicaSets)
	if !ok {
		return
	}
	status := &set.Status
	*pick(w, []*int32{&status.Replicas, &status.ReadyReplicas, &status.AvailableReplicas, &status.FullyLabeledReplicas}) = count()
	if w.chance(30) {
		status.TerminatingReplicas = pointer(count())
	}
	w.store.Put(apiserver.ReplicaSets, set)
}

// futureTimes turns a clock back, so that earlier times are in the future, or removes a time.
func futureTimes(w *World) {
	when := metav1.NewTime(time.Now().Add(time.Duration(w.between(1, 900)) * time.Second))
	if w.chance(20) {
		when = metav1.Time{}
	}
	if deployment, ok := some[*appsv1.Deployment](w, apiserver.Deployments); ok && w.chance(40) {
		for i := range deployment.Status.Conditions {
			condition := &deployment.Status.Conditions[i]
			condition.LastUpdateTime, condition.LastTransitionTime = when, when
		}
		w.store.Put(apiserver.Deployments, deployment)
		return
	}
	if set, ok := some[*appsv1.ReplicaSet](w, apiserver.ReplicaSets); ok && w.chance(30) {
		set.CreationTimestamp = when
		w.store.Put(apiserver.ReplicaSets, set)
		return
	}
	pod, ok := some[*corev1.Pod](w, apiserver.Pods)
	if !ok {
		return
	}
	if w.chance(50) {
		pod.CreationTimestamp = when
	}
	pod.Status.Phase = corev1.PodRunning
	w.ready(pod, corev1.ConditionTrue)
	for i := range pod.Status.Conditions {
		pod.Status.Conditions[i].LastTransitionTime = when
	}
	w.store.Put(apiserver.Pods, pod)
}

// secondOwner gives a pod or a ReplicaSet a second controller, before or after the first one.
func secondOwner(w *World) {
	other := metav1.OwnerReference{
		APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "another", UID: "00000000-0000-0000-0000-00000000000b",
		Controller: pointer(true), BlockOwnerDeletion: pointer(true),
	}
	add := func(object metav1.Object) {
		references := append([]metav1.OwnerReference{other}, object.GetOwnerReferences()...)
		if w.chance(50) {
			references = append(object.GetOwnerReferences(), other)
		}
		object.SetOwnerReferences(references)
	}
	if pod, ok := some[*corev1.Pod](w, apiserver.Pods); ok && w.chance(75) {
		if set, ok := some[*appsv1.ReplicaSet](w, apiserver.ReplicaSets); ok && w.chance(50) {
			other.Name, other.UID = set.Name, types.UID(set.UID)
		}
		add(pod)
		w.store.Put(apiserver.Pods, pod)
		return
	}
	if set, ok := some[*appsv1.ReplicaSet](w, apiserver.ReplicaSets); ok {
		other.Kind = "Deployment"
		add(set)
		w.store.Put(apiserver.ReplicaSets, set)
	}
}

// forgetLimits removes the annotations with the limits from all ReplicaSets, and the number of pods from the
// Deployments' statuses.
func forgetLimits(w *World) {
	for _, object := range w.store.List(apiserver.ReplicaSets) {
		set := object.DeepCopyObject().(*appsv1.ReplicaSet)
		delete(set.Annotations, "deployment.kubernetes.io/max-replicas")
		w.store.Put(apiserver.ReplicaSets, set)
	}
	for _, object := range w.store.List(apiserver.Deployments) {
		deployment := object.DeepCopyObject().(*appsv1.Deployment)
		deployment.Status.Replicas = 0
		w.store.Put(apiserver.Deployments, deployment)
	}
}

// bendRevision gives a ReplicaSet a revision that is not a number, or is too large.
func bendRevision(w *World) {
	set, ok := some[*appsv1.ReplicaSet](w, apiserver.ReplicaSets)
	if !ok {
		return
	}
	revision := pick(w, []string{"x", "1e3", "9223372036854775808", "-1", "9223372036854775807"})
	metav1.SetMetaDataAnnotation(&set.ObjectMeta, "deployment.kubernetes.io/revision", revision)
	w.store.Put(apiserver.ReplicaSets, set)
}

// toRecreate changes the strategy back and forth.
func toRecreate(w *World) {
	w.edit(func(d *appsv1.Deployment) {
		if d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType {
			w.strategy(d)
			return
		}
		d.Spec.Strategy = appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}
	})
}
