package requests

import (
	"encoding/json"
	"fmt"
	"strings"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"

	"changeover.dev/recorder/strategies"
)

var (
	alice = who{user.DefaultInfo{Name: "alice", Groups: []string{"developers", "system:authenticated"}}, "kubectl-create"}
	// alice by other programs.
	editing  = who{alice.user, "kubectl-edit"}
	applying = who{alice.user, "kubectl"}
	cliently = who{alice.user, "kubectl-client-side-apply"}
)

// controller is a controller of the controller manager.
func controller(name string) who {
	groups := []string{"system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"}
	return who{user.DefaultInfo{
		Name: "system:serviceaccount:kube-system:" + name, UID: "1f7c2e9a-00aa-4000-8000-000000000001", Groups: groups,
	}, "kube-controller-manager"}
}

// controllers are the controllers that write statuses.
var controllers = map[string]string{
	"Deployment": "deployment-controller", "ReplicaSet": "replicaset-controller", "StatefulSet": "statefulset-controller",
	"ReplicationController": "replication-controller", "DaemonSet": "daemon-set-controller", "Job": "job-controller",
	"CronJob": "cronjob-controller",
}

const template = `{"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "app", "image": "registry.example/web:1.0",
	"ports": [{"containerPort": 8080}], "readinessProbe": {"httpGet": {"path": "/ready", "port": 8080}},
	"resources": {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"memory": "64Mi"}}}]}}`

// manifests are manifests that a user would write, for each kind.
var manifests = map[string]string{
	"Deployment":            `{"spec": {"replicas": 3, "selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE}}`,
	"ReplicaSet":            `{"spec": {"replicas": 3, "selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE}}`,
	"ReplicationController": `{"spec": {"replicas": 3, "selector": {"app": "web"}, "template": TEMPLATE}}`,
	"StatefulSet":           `{"spec": {"replicas": 3, "serviceName": "web", "selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE}}`,
	"DaemonSet":             `{"spec": {"selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE}}`,
	"Job": `{"spec": {"completions": 3, "parallelism": 2, "podFailurePolicy": {"rules": [{"action": "Ignore",
		"onPodConditions": [{"type": "DisruptionTarget"}]}]}, "template": ONCE}}`,
	"CronJob": `{"spec": {"schedule": "*/5 * * * *", "jobTemplate": {"spec": {"template": ONCE}}}}`,
	"Pod":     `TEMPLATE`, "PodTemplate": `{"template": TEMPLATE}`,
}

const costKey = "controller.kubernetes.io/pod-deletion-cost"

func manifest(kind strategies.Kind) map[string]any {
	once := strings.Replace(template, `"spec": {`, `"spec": {"restartPolicy": "Never", `, 1)
	text := strings.NewReplacer("TEMPLATE", template, "ONCE", once).Replace(manifests[kind.GVK.Kind])
	var object map[string]any
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		panic(err)
	}
	object["apiVersion"], object["kind"] = kind.GVK.GroupVersion().String(), kind.GVK.Kind
	set(object, "web", "metadata", "name")
	set(object, "shop", "metadata", "namespace")
	return object
}

// set writes a field, and creates the maps on its path.
func set(object map[string]any, value any, path ...string) {
	for _, key := range path[:len(path)-1] {
		next, ok := object[key].(map[string]any)
		if !ok {
			next = map[string]any{}
			object[key] = next
		}
		object = next
	}
	object[path[len(path)-1]] = value
}

func scaleOf(kind strategies.Kind, stored runtime.Object) *autoscalingv1.Scale {
	fields := manifestOf(kind, stored)
	spec, _ := fields["spec"].(map[string]any)
	replicas, _ := spec["replicas"].(int64)
	status, _ := fields["status"].(map[string]any)
	running, _ := status["replicas"].(int64)
	meta := stored.(metav1.Object)
	scale := &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{
			Name: meta.GetName(), Namespace: meta.GetNamespace(), UID: meta.GetUID(),
			ResourceVersion: meta.GetResourceVersion(), CreationTimestamp: meta.GetCreationTimestamp(),
		},
		Spec:   autoscalingv1.ScaleSpec{Replicas: int32(replicas)},
		Status: autoscalingv1.ScaleStatus{Replicas: int32(running), Selector: "app=web"},
	}
	scale.SetGroupVersionKind(schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"})
	return scale
}

// owned sets a manifest's controller reference.
func owned(object map[string]any, owner map[string]any, uid string) {
	name := owner["metadata"].(map[string]any)["name"]
	set(object, []any{map[string]any{
		"apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": name, "uid": uid,
		"controller": true, "blockOwnerDeletion": true,
	}}, "metadata", "ownerReferences")
	delete(object["metadata"].(map[string]any), "name")
	set(object, fmt.Sprint(name, "-"), "metadata", "generateName")
}

// Make makes all requests.
func Make() ([]Request, error) {
	s, err := newServer()
	if err != nil {
		return nil, err
	}
	byName := map[string]strategies.Kind{}
	for _, kind := range strategies.Kinds() {
		byName[kind.GVK.Kind] = kind
		s.everyKind(kind)
	}
	s.controllers(byName)
	s.replacement(byName)
	for _, kind := range strategies.Kinds() {
		s.dryRuns(kind)
	}
	return s.made, nil
}

// lastApplied returns the manifest in the form of kubectl apply's annotation.
func lastApplied(manifest map[string]any) string {
	text, err := json.Marshal(manifest)
	if err != nil {
		panic(err)
	}
	return string(text) + "\n"
}

// everyKind sends the requests that exist for objects of any kind.
func (s *server) everyKind(kind strategies.Kind) {
	name := strings.ToLower(kind.GVK.Kind)
	w := func(what string, by who) write { return write{name: name + "-" + what, who: by, kind: kind} }
	stored := s.create(w("create", alice), manifest(kind))
	dryRun := w("create-dry-run", alice)
	dryRun.dryRun = true
	s.create(dryRun, manifest(kind))
	s.apply(w("apply-create", applying), nil, manifest(kind))
	annotated := manifest(kind)
	set(annotated, lastApplied(annotated), "metadata", "annotations", corev1.LastAppliedConfigAnnotation)
	applied := s.create(w("client-apply-create", cliently), annotated)
	labelled := manifest(kind)
	set(labelled, "shop", "metadata", "labels", "team")
	s.update(w("client-apply-update", cliently), applied, func(object map[string]any) {
		set(object, "shop", "metadata", "labels", "team")
		set(object, lastApplied(labelled), "metadata", "annotations", corev1.LastAppliedConfigAnnotation)
	})
	stored = s.update(w("update", editing), stored, func(object map[string]any) {
		set(object, "shop", "metadata", "labels", "team")
	})
	changed := manifest(kind)
	set(changed, "5", "metadata", "annotations", "example.com/note")
	s.apply(w("apply-update", applying), stored, changed)
	if kind.Status != nil {
		status := w("status", controller(controllers[kind.GVK.Kind]))
		if kind.GVK.Kind == "Pod" {
			status.who = who{user.DefaultInfo{Name: "system:node:node-1", Groups: []string{"system:nodes", "system:authenticated"}}, "kubelet"}
		}
		status.subresource = "status"
		stored = s.update(status, stored, func(object map[string]any) {
			switch kind.GVK.Kind {
			case "Pod":
				set(object, "Running", "status", "phase")
			case "CronJob":
				set(object, "2026-01-01T00:00:00Z", "status", "lastScheduleTime")
			case "Job":
				set(object, int64(2), "status", "active")
			default:
				set(object, int64(1), "status", "observedGeneration")
			}
		})
	}
	if name == "deployment" || name == "replicaset" || name == "statefulset" || name == "replicationcontroller" {
		s.scale(w("scale", who{alice.user, "kubectl-scale"}), stored, 5)
	}
	s.audit(write{name: name + "-audit", kind: kind}, stored)
	s.remove(w("delete", alice), stored)
}

// dryRuns sends dry-run requests for an existing object.
func (s *server) dryRuns(kind strategies.Kind) {
	name := strings.ToLower(kind.GVK.Kind)
	w := func(what string, by who) write {
		return write{name: name + "-" + what, who: by, kind: kind, dryRun: true}
	}
	object := decode(kind, manifest(kind))
	stored := s.store(kind, s.fields(kind, "").UpdateNoErrors(kind.Internal(), object, alice.manager))
	s.update(w("update-dry-run", editing), stored, func(object map[string]any) {
		set(object, "shop", "metadata", "labels", "team")
	})
	changed := manifest(kind)
	set(changed, "5", "metadata", "annotations", "example.com/note")
	s.apply(w("apply-dry-run", applying), stored, changed)
	s.remove(w("delete-dry-run", alice), stored)
}

// controllers sends the controller manager's requests.
func (s *server) controllers(kinds map[string]strategies.Kind) {
	pod := manifest(kinds["Pod"])
	owned(pod, manifest(kinds["ReplicaSet"]), "1f7c2e9a-00bb-4000-8000-000000000001")
	stored := s.create(write{name: "pod-create-by-replicaset-controller", who: controller("replicaset-controller"), kind: kinds["Pod"]}, pod)
	s.remove(write{name: "pod-delete-by-replicaset-controller", who: controller("replicaset-controller"), kind: kinds["Pod"]}, stored)
	pod = manifest(kinds["Pod"])
	owned(pod, manifest(kinds["Job"]), "1f7c2e9a-00bb-4000-8000-000000000002")
	set(pod, "Never", "spec", "restartPolicy")
	set(pod, []any{"batch.kubernetes.io/job-tracking"}, "metadata", "finalizers")
	s.create(write{name: "pod-create-by-job-controller", who: controller("job-controller"), kind: kinds["Pod"]}, pod)
	set1 := manifest(kinds["ReplicaSet"])
	owned(set1, manifest(kinds["Deployment"]), "1f7c2e9a-00bb-4000-8000-000000000003")
	delete(set1["metadata"].(map[string]any), "generateName")
	set(set1, "web-5b7d9", "metadata", "name")
	storedSet := s.create(write{name: "replicaset-create-by-deployment-controller", who: controller("deployment-controller"), kind: kinds["ReplicaSet"]}, set1)
	s.update(write{name: "replicaset-scale-by-deployment-controller", who: controller("deployment-controller"), kind: kinds["ReplicaSet"]}, storedSet,
		func(object map[string]any) { set(object, int64(0), "spec", "replicas") })
	job := manifest(kinds["Job"])
	owned(job, manifest(kinds["CronJob"]), "1f7c2e9a-00bb-4000-8000-000000000004")
	s.create(write{name: "job-create-by-cronjob-controller", who: controller("cronjob-controller"), kind: kinds["Job"]}, job)
}

// replacement sends the requests that the policy is about: the deletion cost and podReplacementPolicy.
func (s *server) replacement(kinds map[string]strategies.Kind) {
	pods := kinds["Pod"]
	for _, cost := range [][2]string{{"valid", "10"}, {"signed", "+10"}, {"too-large", "2147483648"}} {
		pod := manifest(pods)
		set(pod, cost[1], "metadata", "annotations", costKey)
		s.create(write{name: "pod-create-cost-" + cost[0], who: alice, kind: pods}, pod)
	}
	stored := s.store(pods, decode(pods, manifest(pods)))
	s.update(write{name: "pod-update-cost", who: editing, kind: pods}, stored, func(object map[string]any) {
		set(object, "100", "metadata", "annotations", costKey)
	})
	autoscaler := who{user.DefaultInfo{Name: "system:serviceaccount:shop:autoscaler", Groups: []string{"system:serviceaccounts", "system:serviceaccounts:shop", "system:authenticated"}}, "autoscaler"}
	s.update(write{name: "pod-update-cost-by-service-account", who: autoscaler, kind: pods}, stored, func(object map[string]any) {
		set(object, "-5", "metadata", "annotations", costKey)
	})
	deployments := kinds["Deployment"]
	deployment := manifest(deployments)
	set(deployment, "low", "spec", "template", "metadata", "annotations", costKey)
	s.create(write{name: "deployment-create-template-cost-word", who: alice, kind: deployments}, deployment)
	for _, policy := range []string{"Failed", "TerminatingOrFailed"} {
		job := manifest(kinds["Job"])
		set(job, policy, "spec", "podReplacementPolicy")
		s.create(write{name: "job-create-" + strings.ToLower(policy), who: alice, kind: kinds["Job"]}, job)
	}
	cron := manifest(kinds["CronJob"])
	set(cron, "Failed", "spec", "jobTemplate", "spec", "podReplacementPolicy")
	s.create(write{name: "cronjob-create-failed", who: alice, kind: kinds["CronJob"]}, cron)
	recreate := manifest(deployments)
	set(recreate, "Recreate", "spec", "strategy", "type")
	s.create(write{name: "deployment-create-recreate", who: alice, kind: deployments}, recreate)
	// The README's examples.
	plain := manifest(kinds["Job"])
	delete(plain["spec"].(map[string]any), "podFailurePolicy")
	last, err := json.Marshal(plain)
	if err != nil {
		panic(err)
	}
	set(plain, string(last)+"\n", "metadata", "annotations", corev1.LastAppliedConfigAnnotation)
	s.create(write{name: "job-client-apply-create-without-policy", who: cliently, kind: kinds["Job"]}, plain)
	s.create(write{name: "deployment-create-fast", who: alice, kind: deployments}, manifest(deployments))
	s.propose("Fast")
}
