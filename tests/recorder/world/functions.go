package world

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/apis/core/helper"
	"k8s.io/kubernetes/pkg/controller"
	deploymentutil "k8s.io/kubernetes/pkg/controller/deployment/util"

	"changeover.dev/recorder/apiserver"
	"changeover.dev/recorder/cases"
	"changeover.dev/recorder/controllers"
)

// ask records one function of the controllers in this world.
func (w *World) ask(op string, input, expected map[string]any) {
	w.emit(cases.Case{
		Name: w.kind.name, Op: op, Source: cases.Source, Gates: w.gates, Now: cases.Time(time.Now()),
		Input: input, Expected: expected,
	})
}

// rollout is the input of the Deployment controller's functions for a Deployment.
func (w *World) rollout(d *appsv1.Deployment) controllers.Rollout {
	r := controllers.Rollout{Deployment: d.DeepCopy(), MaxCleanupCount: int32(w.between(0, 8))}
	owned := w.owned(d)
	r.New = deploymentutil.FindNewReplicaSet(d, owned)
	_, r.Old = deploymentutil.FindOldReplicaSets(d, owned)
	return r
}

func (w *World) owned(d *appsv1.Deployment) []*appsv1.ReplicaSet {
	owned := []*appsv1.ReplicaSet{}
	for _, object := range w.store.List(apiserver.ReplicaSets) {
		if set := object.DeepCopyObject().(*appsv1.ReplicaSet); metav1.IsControlledBy(set, d) {
			owned = append(owned, set)
		}
	}
	return owned
}

func inputOf(r controllers.Rollout) map[string]any {
	input := map[string]any{"deployment": cases.Value(r.Deployment), "newReplicaSet": nil, "oldReplicaSets": []any{}}
	if r.New != nil {
		input["newReplicaSet"] = cases.Value(r.New)
	}
	if len(r.Old) > 0 {
		input["oldReplicaSets"] = cases.Value(r.Old)
	}
	return input
}

// asks are the functions to record for a Deployment.
var asks = []func(*World, *appsv1.Deployment){
	writing("deployment.scale"), writing("deployment.scale"),
	writing("deployment.reconcileNewReplicaSet"), writing("deployment.reconcileOldReplicaSets"),
	writing("deployment.cleanupUnhealthyReplicas"), writing("deployment.scaleDownOldReplicaSetsForRollingUpdate"),
	writing("deployment.scaleDownOldReplicaSetsForRecreate"),
	func(w *World, d *appsv1.Deployment) { w.askCleanUp(w.rollout(d)) },
	func(w *World, d *appsv1.Deployment) {
		r := w.rollout(d)
		all := append(append([]*appsv1.ReplicaSet(nil), r.Old...), r.New)
		status := controllers.DeploymentStatus(all, r.New, d)
		w.ask("deployment.status", inputOf(r), map[string]any{"status": cases.Value(status)})
	},
	func(w *World, d *appsv1.Deployment) {
		r := w.rollout(d)
		input := inputOf(r)
		w.forks++
		condition, err := controllers.SyncRolloutStatus(w.store.Fork(false, nil, w.forks), r)
		if err == nil {
			w.ask("deployment.syncRolloutStatus", input, map[string]any{"condition": cases.Value(condition)})
		}
	},
	func(w *World, d *appsv1.Deployment) { w.askStatus(d) },
	func(w *World, d *appsv1.Deployment) {
		owned := w.owned(d)
		input := map[string]any{"deployment": cases.Value(d), "replicaSets": cases.Value(owned)}
		var name any
		if set := deploymentutil.FindNewReplicaSet(d, append([]*appsv1.ReplicaSet(nil), owned...)); set != nil {
			name = set.Name
		}
		w.ask("deployment.findNewReplicaSet", input, map[string]any{"name": name})
		some, all := deploymentutil.FindOldReplicaSets(d, owned)
		w.ask("deployment.findOldReplicaSets", input, map[string]any{"all": names(all), "withReplicas": names(some)})
		w.ask("deployment.replicaCounts", map[string]any{"replicaSets": input["replicaSets"]}, map[string]any{
			"spec":        deploymentutil.GetReplicaCountForReplicaSets(owned),
			"status":      deploymentutil.GetActualReplicaCountForReplicaSets(owned),
			"terminating": cases.Value(deploymentutil.GetTerminatingReplicaCountForReplicaSets(owned)),
		})
	},
	func(w *World, d *appsv1.Deployment) {
		r := w.rollout(d)
		if r.New == nil {
			return
		}
		w.askNewReplicas(r)
		w.askFraction(d, r.New)
	},
	func(w *World, d *appsv1.Deployment) {
		input := map[string]any{"deployment": cases.Value(d)}
		w.ask("deployment.maxUnavailable", input, map[string]any{"result": deploymentutil.MaxUnavailable(*d)})
		w.ask("deployment.minAvailable", input, map[string]any{"result": deploymentutil.MinAvailable(d)})
	},
	func(w *World, d *appsv1.Deployment) {
		set, ok := some[*appsv1.ReplicaSet](w, apiserver.ReplicaSets)
		if !ok {
			return
		}
		w.askEqual(&d.Spec.Template, &set.Spec.Template)
		name := d.Name + strings.Repeat("x", pick(w, []int{0, 40, 52, 60, 230, 240, 245, 250}))
		hash := pick(w, []string{"", "5b7d9c", "5b7d9c8cb8", strings.Repeat("f", 260)})
		w.ask("deployment.replicaSetName", map[string]any{"deploymentName": name, "hash": hash},
			map[string]any{"name": controllers.ReplicaSetName(name, hash)})
	},
	func(w *World, d *appsv1.Deployment) {
		surge, unavailable := w.amount(), w.amount()
		if w.chance(10) {
			unavailable = intstr.FromString(pick(w, []string{"x", "5", "%", "x%", "1.5%"}))
		}
		desired := pick(w, []int32{0, 1, 3, 10, 99, 100, 1_000_000, 2_147_483_647})
		w.askFenceposts(surge, unavailable, desired)
	},
	func(w *World, d *appsv1.Deployment) {
		r := w.rollout(d)
		byOwner, printed := map[types.UID][]*corev1.Pod{}, map[string]any{}
		for _, object := range w.store.List(apiserver.Pods) {
			pod := object.(*corev1.Pod)
			if owner := metav1.GetControllerOf(pod); owner != nil {
				byOwner[owner.UID] = append(byOwner[owner.UID], pod)
				printed[string(owner.UID)] = cases.Value(byOwner[owner.UID])
			}
		}
		input := inputOf(r)
		delete(input, "deployment")
		input["podsByOwner"] = printed
		w.ask("deployment.oldPodsRunning", input, map[string]any{"result": controllers.OldPodsRunning(r.New, r.Old, byOwner)})
	},
}

func writing(op string) func(*World, *appsv1.Deployment) {
	return func(w *World, d *appsv1.Deployment) {
		r := w.rollout(d)
		if r.New == nil && op != "deployment.scale" && op != "deployment.scaleDownOldReplicaSetsForRecreate" {
			return
		}
		w.askWriting(op, r)
	}
}

func (w *World) askWriting(op string, r controllers.Rollout) {
	input := inputOf(r)
	if op == "deployment.cleanupUnhealthyReplicas" {
		input["maxCleanupCount"] = r.MaxCleanupCount
	}
	w.forks++
	fork := w.store.Fork(false, nil, w.forks)
	expected, err := controllers.Writing[op](fork, r)
	if len(fork.Invalid) > 0 {
		// No API server stores this size: the syncs record such Deployments.
		return
	}
	expected["error"] = err != nil
	after := map[string]any{}
	for _, set := range append(append([]*appsv1.ReplicaSet(nil), r.Old...), r.New) {
		if set == nil {
			continue
		}
		stored, err := fork.Get(apiserver.ReplicaSets, namespace, set.Name)
		if err != nil {
			panic(err)
		}
		set := stored.(*appsv1.ReplicaSet)
		after[set.Name] = map[string]any{"replicas": *set.Spec.Replicas, "annotations": cases.Value(set.Annotations)}
	}
	expected["replicaSets"] = after
	w.ask(op, input, expected)
}

func (w *World) askCleanUp(r controllers.Rollout) {
	w.forks++
	fork := w.store.Fork(false, nil, w.forks)
	err := controllers.CleanUp(fork, r)
	deleted := []any{}
	for _, write := range fork.Log {
		deleted = append(deleted, write.Name)
	}
	input := inputOf(r)
	delete(input, "newReplicaSet")
	w.ask("deployment.cleanup", input, map[string]any{"error": err != nil, "deleted": deleted})
}

func (w *World) askNewReplicas(r controllers.Rollout) {
	all := append(append([]*appsv1.ReplicaSet(nil), r.Old...), r.New)
	replicas, err := deploymentutil.NewRSNewReplicas(r.Deployment, all, r.New)
	w.ask("deployment.newReplicas", inputOf(r), map[string]any{"replicas": replicas, "error": err != nil})
}

func (w *World) askFraction(d *appsv1.Deployment, set *appsv1.ReplicaSet) {
	w.ask("deployment.fraction", map[string]any{"deployment": cases.Value(d), "replicaSet": cases.Value(set)},
		map[string]any{"result": controllers.Fraction(klog.Background(), *set, *d)})
}

func (w *World) askEqual(a, b *corev1.PodTemplateSpec) {
	w.ask("deployment.equalIgnoreHash", map[string]any{"a": cases.Value(a), "b": cases.Value(b)},
		map[string]any{"result": deploymentutil.EqualIgnoreHash(a, b)})
}

func (w *World) askFenceposts(surge, unavailable intstr.IntOrString, desired int32) {
	left, right, err := deploymentutil.ResolveFenceposts(&surge, &unavailable, desired)
	w.ask("deployment.resolveFenceposts",
		map[string]any{"maxSurge": amountOf(surge), "maxUnavailable": amountOf(unavailable), "desired": desired},
		map[string]any{"surge": left, "unavailable": right, "error": err != nil})
}

func amountOf(amount intstr.IntOrString) any { return cases.Value(amount) }

func names(sets []*appsv1.ReplicaSet) []string {
	names := []string{}
	for _, set := range sets {
		names = append(names, set.Name)
	}
	sort.Strings(names)
	return names
}

// askStatus records the functions that judge a Deployment's next status.
func (w *World) askStatus(d *appsv1.Deployment) {
	status := *d.Status.DeepCopy()
	n := *d.Spec.Replicas
	for _, count := range []*int32{&status.Replicas, &status.UpdatedReplicas, &status.AvailableReplicas, &status.ReadyReplicas} {
		*count = pick(w, []int32{*count, *count, n, n, 0, *count + 1})
	}
	status.ObservedGeneration = pick(w, []int64{d.Generation, status.ObservedGeneration})
	input := map[string]any{"deployment": cases.Value(d), "newStatus": cases.Value(status)}
	w.ask("deployment.complete", input, map[string]any{"result": deploymentutil.DeploymentComplete(d, &status)})
	w.ask("deployment.progressing", input, map[string]any{"result": deploymentutil.DeploymentProgressing(d, &status)})
	w.ask("deployment.timedOut", input, map[string]any{"result": deploymentutil.DeploymentTimedOut(context.Background(), d, &status)})
	after := controllers.RequeueStuck(w.store.Fork(false, nil, 0), d, status)
	w.ask("deployment.requeueStuck", input, map[string]any{"nanoseconds": int64(after)})
}

// askPods records the functions about pods and their ReplicaSet.
func (w *World) askPods() {
	set, ok := some[*appsv1.ReplicaSet](w, apiserver.ReplicaSets)
	if !ok {
		return
	}
	all := w.store.List(apiserver.Pods)
	pods := make([]*corev1.Pod, 0, len(all))
	for _, object := range all {
		pods = append(pods, object.(*corev1.Pod))
	}
	active := controller.FilterActivePods(klog.Background(), pods)
	terminating := controller.FilterTerminatingPods(pods)
	input := map[string]any{"pods": cases.Value(pods)}
	switch w.rng.IntN(5) {
	case 0:
		w.ask("pod.active", input, map[string]any{"names": podNames(active)})
	case 1:
		w.ask("pod.countTerminating", input, map[string]any{"count": controller.CountTerminatingPods(pods)})
	case 2:
		related := podNames(controllers.RelatedPods(w.store.Fork(false, nil, 0), set))
		sort.Strings(related)
		w.ask("replicaSet.relatedPods", map[string]any{
			"replicaSet": cases.Value(set), "replicaSets": cases.Value(w.store.List(apiserver.ReplicaSets)), "pods": input["pods"],
		}, map[string]any{"names": related})
	case 3:
		var manageError any
		var err error
		if w.chance(30) {
			manageError, err = "fake failure", fmt.Errorf("fake failure")
		}
		status := controllers.ReplicaSetStatus(set, active, terminating, err)
		w.ask("replicaSet.status", map[string]any{
			"replicaSet": cases.Value(set), "activePods": cases.Value(active), "terminatingPods": cases.Value(terminating),
			"manageError": manageError,
		}, map[string]any{"status": cases.Value(status)})
	case 4:
		if len(active) < 2 {
			return
		}
		two := [2]*corev1.Pod{pick(w, active), pick(w, active)}
		ranks := [2]int{w.between(0, 3), w.between(0, 3)}
		less01, less10 := controllers.PodLess(two, ranks, time.Now())
		w.ask("replicaSet.podLess", map[string]any{"pods": cases.Value(two[:]), "ranks": ranks},
			map[string]any{"less01": less01, "less10": less10})
	}
}

func podNames(pods []*corev1.Pod) []string {
	names := []string{}
	for _, pod := range pods {
		names = append(names, pod.Name)
	}
	return names
}

// askNumbers records the functions that need no world.
func (w *World) askNumbers() {
	count, initial, succeed := w.between(0, 40), w.between(1, 5), w.between(0, 45)
	successes, calls, err := controllers.SlowStart(count, initial, succeed)
	w.ask("replicaSet.slowStart",
		map[string]any{"count": count, "initialBatchSize": initial, "callsThatSucceed": succeed},
		map[string]any{"successes": successes, "calls": calls, "error": err != nil})
	annotations := map[string]string{}
	if w.chance(90) {
		annotations[corev1.PodDeletionCost] = pick(w, append(append([]string(nil), validCosts...), invalidCosts...))
	}
	cost, err := helper.GetDeletionCostFromPodAnnotations(annotations)
	w.ask("pod.deletionCost", map[string]any{"annotations": annotations}, map[string]any{"cost": cost, "error": err != nil})
}
