// Package apiserver is a store that answers as the API server does, as far as the workload controllers can tell: it
// defaults and validates with the real registry strategies, increases generations, keeps /status separate, truncates
// times to seconds, and deletes with an object's grace period.
//
// It leaves out admission plugins (tests pass in their refusals), managed fields, bindings and quotas, the garbage
// collector, and everything about watches. Resource versions count per object.
package apiserver

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/apis/apps"
	_ "k8s.io/kubernetes/pkg/apis/apps/install" // registers conversions and defaults
	"k8s.io/kubernetes/pkg/apis/batch"
	_ "k8s.io/kubernetes/pkg/apis/batch/install" // registers conversions and defaults
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install" // registers conversions and defaults
	"k8s.io/kubernetes/pkg/registry/apps/controllerrevision"
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/core/replicationcontroller"
)

// Strategy is the registry's strategy for a resource.
type Strategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
}

// Resource is a resource in the store.
type Resource struct {
	// Name is the plural, in lower case.
	Name string
	// Kind is the versioned kind.
	Kind schema.GroupVersionKind
	// Strategy decides about creations, updates and deletions of the object.
	Strategy Strategy
	// Status decides about updates of its status.
	Status rest.RESTUpdateStrategy
	// Internal makes an empty object of the internal version.
	Internal func() runtime.Object
	// Versioned makes an empty object of the versioned kind.
	Versioned func() runtime.Object
}

// The resources in the store.
var (
	Deployments = &Resource{
		Name: "deployments", Kind: appsv1.SchemeGroupVersion.WithKind("Deployment"),
		Strategy: deployment.Strategy, Status: deployment.StatusStrategy,
		Internal:  func() runtime.Object { return &apps.Deployment{} },
		Versioned: func() runtime.Object { return &appsv1.Deployment{} },
	}
	ReplicaSets = &Resource{
		Name: "replicasets", Kind: appsv1.SchemeGroupVersion.WithKind("ReplicaSet"),
		Strategy: replicaset.Strategy, Status: replicaset.StatusStrategy,
		Internal:  func() runtime.Object { return &apps.ReplicaSet{} },
		Versioned: func() runtime.Object { return &appsv1.ReplicaSet{} },
	}
	ReplicationControllers = &Resource{
		Name: "replicationcontrollers", Kind: corev1.SchemeGroupVersion.WithKind("ReplicationController"),
		Strategy: replicationcontroller.Strategy, Status: replicationcontroller.StatusStrategy,
		Internal:  func() runtime.Object { return &core.ReplicationController{} },
		Versioned: func() runtime.Object { return &corev1.ReplicationController{} },
	}
	Jobs = &Resource{
		Name: "jobs", Kind: batchv1.SchemeGroupVersion.WithKind("Job"),
		Strategy: job.Strategy, Status: job.StatusStrategy,
		Internal:  func() runtime.Object { return &batch.Job{} },
		Versioned: func() runtime.Object { return &batchv1.Job{} },
	}
	CronJobs = &Resource{
		Name: "cronjobs", Kind: batchv1.SchemeGroupVersion.WithKind("CronJob"),
		Strategy: cronjob.Strategy, Status: cronjob.StatusStrategy,
		Internal:  func() runtime.Object { return &batch.CronJob{} },
		Versioned: func() runtime.Object { return &batchv1.CronJob{} },
	}
	StatefulSets = &Resource{
		Name: "statefulsets", Kind: appsv1.SchemeGroupVersion.WithKind("StatefulSet"),
		Strategy: statefulset.Strategy, Status: statefulset.StatusStrategy,
		Internal:  func() runtime.Object { return &apps.StatefulSet{} },
		Versioned: func() runtime.Object { return &appsv1.StatefulSet{} },
	}
	DaemonSets = &Resource{
		Name: "daemonsets", Kind: appsv1.SchemeGroupVersion.WithKind("DaemonSet"),
		Strategy: daemonset.Strategy, Status: daemonset.StatusStrategy,
		Internal:  func() runtime.Object { return &apps.DaemonSet{} },
		Versioned: func() runtime.Object { return &appsv1.DaemonSet{} },
	}
	ControllerRevisions = &Resource{
		Name: "controllerrevisions", Kind: appsv1.SchemeGroupVersion.WithKind("ControllerRevision"),
		Strategy: controllerrevision.Strategy, Status: controllerrevision.Strategy,
		Internal:  func() runtime.Object { return &apps.ControllerRevision{} },
		Versioned: func() runtime.Object { return &appsv1.ControllerRevision{} },
	}
	Claims = &Resource{
		Name: "persistentvolumeclaims", Kind: corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim"),
		Strategy: persistentvolumeclaim.Strategy, Status: persistentvolumeclaim.StatusStrategy,
		Internal:  func() runtime.Object { return &core.PersistentVolumeClaim{} },
		Versioned: func() runtime.Object { return &corev1.PersistentVolumeClaim{} },
	}
	Pods = &Resource{
		Name: "pods", Kind: corev1.SchemeGroupVersion.WithKind("Pod"),
		Strategy: pod.Strategy, Status: pod.StatusStrategy,
		Internal:  func() runtime.Object { return &core.Pod{} },
		Versioned: func() runtime.Object { return &corev1.Pod{} },
	}
)

// Resources lists all of them.
var Resources = []*Resource{Deployments, ReplicaSets, ReplicationControllers, CronJobs, Jobs, StatefulSets, DaemonSets, ControllerRevisions, Claims, Pods}

// ByName finds a resource; nil if there is none.
func ByName(name string) *Resource {
	for _, resource := range Resources {
		if resource.Name == name {
			return resource
		}
	}
	return nil
}

// GroupResource returns the resource's name as in API errors.
func (r *Resource) GroupResource() schema.GroupResource {
	return schema.GroupResource{Group: r.Kind.Group, Resource: r.Name}
}
