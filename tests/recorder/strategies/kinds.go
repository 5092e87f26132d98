// Package strategies records what the API server's scheme, registry strategies and validation do with manifests: the
// operations apiserver.default, apiserver.prepare and apiserver.validate.
package strategies

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/apis/apps"
	_ "k8s.io/kubernetes/pkg/apis/apps/install" // registers conversions and defaults
	"k8s.io/kubernetes/pkg/apis/batch"
	_ "k8s.io/kubernetes/pkg/apis/batch/install" // registers conversions and defaults
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install" // registers conversions and defaults
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/core/podtemplate"
	"k8s.io/kubernetes/pkg/registry/core/replicationcontroller"
)

type strategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
}

// kind is a kind of object with its strategies.
type kind struct {
	name, group string
	strategy    strategy
	// status is nil if there is no such subresource.
	status    rest.RESTUpdateStrategy
	internal  func() runtime.Object
	versioned func() runtime.Object
	// manifest is the start for mutations, without the pod template.
	manifest string
	// template is the path of the pod template; nil for a Pod.
	template []any
	// fields are the mutations of the kind's own fields, statuses those of its status.
	fields, statuses []mutation
}

var kinds = []kind{
	{
		name: "Deployment", group: "apps", strategy: deployment.Strategy, status: deployment.StatusStrategy,
		internal:  func() runtime.Object { return &apps.Deployment{} },
		versioned: func() runtime.Object { return &appsv1.Deployment{} },
		manifest:  `{"spec": {"selector": {"matchLabels": {"app": "web"}}}}`,
		template:  []any{"spec", "template"}, fields: deploymentFields, statuses: deploymentStatuses,
	},
	{
		name: "ReplicaSet", group: "apps", strategy: replicaset.Strategy, status: replicaset.StatusStrategy,
		internal:  func() runtime.Object { return &apps.ReplicaSet{} },
		versioned: func() runtime.Object { return &appsv1.ReplicaSet{} },
		manifest:  `{"spec": {"selector": {"matchLabels": {"app": "web"}}}}`,
		template:  []any{"spec", "template"}, fields: replicaSetFields, statuses: replicaSetStatuses,
	},
	{
		name: "ReplicationController", strategy: replicationcontroller.Strategy,
		status:    replicationcontroller.StatusStrategy,
		internal:  func() runtime.Object { return &core.ReplicationController{} },
		versioned: func() runtime.Object { return &corev1.ReplicationController{} },
		manifest:  `{"spec": {}}`,
		template:  []any{"spec", "template"}, fields: replicationControllerFields, statuses: replicaSetStatuses,
	},
	{
		name: "StatefulSet", group: "apps", strategy: statefulset.Strategy, status: statefulset.StatusStrategy,
		internal:  func() runtime.Object { return &apps.StatefulSet{} },
		versioned: func() runtime.Object { return &appsv1.StatefulSet{} },
		manifest:  `{"spec": {"serviceName": "web", "selector": {"matchLabels": {"app": "web"}}}}`,
		template:  []any{"spec", "template"}, fields: statefulSetFields, statuses: statefulSetStatuses,
	},
	{
		name: "DaemonSet", group: "apps", strategy: daemonset.Strategy, status: daemonset.StatusStrategy,
		internal:  func() runtime.Object { return &apps.DaemonSet{} },
		versioned: func() runtime.Object { return &appsv1.DaemonSet{} },
		manifest:  `{"spec": {"selector": {"matchLabels": {"app": "web"}}}}`,
		template:  []any{"spec", "template"}, fields: daemonSetFields, statuses: daemonSetStatuses,
	},
	{
		name: "Job", group: "batch", strategy: job.Strategy, status: job.StatusStrategy,
		internal:  func() runtime.Object { return &batch.Job{} },
		versioned: func() runtime.Object { return &batchv1.Job{} },
		manifest:  `{"metadata": {"uid": "1f7c2e9a-0000-4000-8000-000000000001"}, "spec": {}}`,
		template:  []any{"spec", "template"}, fields: jobFields, statuses: jobStatuses,
	},
	{
		name: "CronJob", group: "batch", strategy: cronjob.Strategy, status: cronjob.StatusStrategy,
		internal:  func() runtime.Object { return &batch.CronJob{} },
		versioned: func() runtime.Object { return &batchv1.CronJob{} },
		manifest:  `{"spec": {"schedule": "*/5 * * * *"}}`,
		template:  []any{"spec", "jobTemplate", "spec", "template"}, fields: cronJobFields,
		statuses: of([]any{"status", "active"}, `[{"name": "web-1"}]`),
	},
	{
		name: "Pod", strategy: pod.Strategy, status: pod.StatusStrategy,
		internal:  func() runtime.Object { return &core.Pod{} },
		versioned: func() runtime.Object { return &corev1.Pod{} },
		manifest:  `{}`, fields: podFields, statuses: podStatuses,
	},
	{
		name: "PodTemplate", strategy: podtemplate.Strategy,
		internal:  func() runtime.Object { return &core.PodTemplate{} },
		versioned: func() runtime.Object { return &corev1.PodTemplate{} },
		manifest:  `{}`,
		template:  []any{"template"},
	},
}
