package nodes

import (
	"context"
	"encoding/json"
	"log"
	"math/rand/v2"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
)

// life is the life of a pod.
type life struct {
	// gone ends it: the pod no longer exists.
	gone context.CancelFunc
	// deleted is closed when the pod is terminating.
	deleted chan struct{}
	// bound is closed when the pod has a node.
	bound chan struct{}
	node  string

	wasDeleted, wasBound bool
}

// see begins a pod's life, or passes its changes on to it.
func (n *Nodes) see(ctx context.Context, object any) {
	pod, ok := object.(*v1.Pod)
	if !ok {
		return
	}
	n.mutex.Lock()
	defer n.mutex.Unlock()
	known := n.lives[pod.UID]
	if known == nil {
		living, gone := context.WithCancel(ctx)
		known = &life{gone: gone, deleted: make(chan struct{}), bound: make(chan struct{})}
		n.lives[pod.UID] = known
		go n.live(living, pod, known)
	}
	if pod.Spec.NodeName != "" && !known.wasBound {
		known.wasBound, known.node = true, pod.Spec.NodeName
		close(known.bound)
	}
	if pod.DeletionTimestamp != nil && !known.wasDeleted {
		known.wasDeleted = true
		close(known.deleted)
	}
}

func (n *Nodes) forget(object any) {
	if unseen, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = unseen.Obj
	}
	pod, ok := object.(*v1.Pod)
	if !ok {
		return
	}
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if known := n.lives[pod.UID]; known != nil {
		known.gone()
		delete(n.lives, pod.UID)
	}
	if node := n.known[pod.Spec.NodeName]; node != nil && node.pods > 0 {
		node.pods--
	}
}

// live runs a pod from its creation to its end.
func (n *Nodes) live(ctx context.Context, pod *v1.Pod, l *life) {
	timing, random := n.of(pod)
	started := n.come(ctx, pod, l, timing, random)
	select {
	case <-ctx.Done():
		return
	case <-l.deleted:
	}
	if !n.isUp(ctx, l.node) {
		return
	}
	if started {
		grace := time.Duration(ptr.Deref(pod.Spec.TerminationGracePeriodSeconds, 30)) * time.Second
		takes := timing.Terminate.around(random)
		if takes.Never || takes.Duration > grace {
			takes.Duration = grace
		}
		if !sleep(ctx, takes.Duration, nil) || !n.isUp(ctx, l.node) {
			return
		}
		n.patch(ctx, pod, ended(pod, 0))
	}
	// A write must not be canceled because the watch already reports its success.
	n.complain(pod, n.client.CoreV1().Pods(pod.Namespace).Delete(context.WithoutCancel(ctx), pod.Name, meta.DeleteOptions{
		GracePeriodSeconds: ptr.To[int64](0), Preconditions: meta.NewUIDPreconditions(string(pod.UID)),
	}))
}

// come starts a pod until it is ready or has ended, and returns whether its containers run when it is deleted.
func (n *Nodes) come(ctx context.Context, pod *v1.Pod, l *life, timing Timing, random *rand.Rand) bool {
	if n.binds && pod.Spec.NodeName == "" {
		if !sleep(ctx, timing.Schedule.around(random).Duration, l.deleted) || !n.bind(ctx, pod, l.deleted) {
			return false
		}
	}
	select {
	case <-ctx.Done():
		return false
	case <-l.deleted:
		return false
	case <-l.bound:
	}
	if pull := timing.Pull.around(random); pull.Never {
		n.failToPull(ctx, pod, l)
		return false
	} else if !sleep(ctx, pull.Duration, l.deleted) {
		return false
	}
	if start := timing.Start.around(random); start.Never || !sleep(ctx, start.Duration, l.deleted) || !n.isUp(ctx, l.node) {
		return false
	}
	since := meta.Now()
	n.patch(ctx, pod, running(pod, since, false))
	if timing.Complete != nil {
		if !sleep(ctx, timing.Complete.around(random).Duration, l.deleted) || !n.isUp(ctx, l.node) {
			return true
		}
		n.patch(ctx, pod, ended(pod, timing.Fail))
		return false
	}
	if ready := timing.Ready.around(random); ready.Never || !sleep(ctx, ready.Duration, l.deleted) || !n.isUp(ctx, l.node) {
		return true
	}
	n.patch(ctx, pod, running(pod, since, true))
	return true
}

// bind assigns a node to a pod as soon as there is one.
func (n *Nodes) bind(ctx context.Context, pod *v1.Pod, deleted <-chan struct{}) bool {
	for {
		name, err := n.choose(ctx, pod.Namespace)
		if err == nil && name != "" {
			n.complain(pod, n.client.CoreV1().Pods(pod.Namespace).Bind(context.WithoutCancel(ctx), &v1.Binding{
				ObjectMeta: meta.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace, UID: pod.UID},
				Target:     v1.ObjectReference{Kind: "Node", Name: name},
			}, meta.CreateOptions{}))
			return true
		}
		if !sleep(ctx, 200*time.Millisecond, deleted) {
			return false
		}
	}
}

// isUp waits until the node is up. It returns false if the pod is gone first.
func (n *Nodes) isUp(ctx context.Context, node string) bool {
	for node != "" && n.isLost(node) {
		if !sleep(ctx, 200*time.Millisecond, nil) {
			return false
		}
	}
	return ctx.Err() == nil
}

// sleep returns false if it was interrupted.
func sleep(ctx context.Context, takes time.Duration, interrupted <-chan struct{}) bool {
	timer := time.NewTimer(takes)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-interrupted:
		return false
	case <-timer.C:
		return true
	}
}

// running returns the status of a pod whose containers have run since then.
func running(pod *v1.Pod, since meta.Time, ready bool) v1.PodStatus {
	conditions := unready()
	if ready {
		conditions = []v1.PodCondition{condition(v1.PodReady, v1.ConditionTrue, ""), condition(v1.ContainersReady, v1.ConditionTrue, "")}
	}
	status := sandboxed(since, conditions)
	status.Phase = v1.PodRunning
	state := v1.ContainerState{Running: &v1.ContainerStateRunning{StartedAt: since}}
	status.ContainerStatuses = containers(pod, ready, state)
	return status
}

// sandboxed returns the status of a pod that has its network.
func sandboxed(since meta.Time, conditions []v1.PodCondition) v1.PodStatus {
	return v1.PodStatus{
		Phase: v1.PodPending, StartTime: &since, HostIP: "127.0.0.1", PodIP: "10.0.0.1", PodIPs: []v1.PodIP{{IP: "10.0.0.1"}},
		Conditions: conditions,
	}
}

// unready returns the conditions of a pod whose containers are started.
func unready() []v1.PodCondition {
	return []v1.PodCondition{
		condition(v1.PodReady, v1.ConditionFalse, "ContainersNotReady"), condition(v1.ContainersReady, v1.ConditionFalse, "ContainersNotReady"),
		condition(v1.PodReadyToStartContainers, v1.ConditionTrue, ""), condition(v1.PodInitialized, v1.ConditionTrue, ""),
	}
}

func condition(kind v1.PodConditionType, status v1.ConditionStatus, reason string) v1.PodCondition {
	return v1.PodCondition{Type: kind, Status: status, Reason: reason, LastTransitionTime: meta.Now()}
}

// ended returns the status of a pod whose containers have ended.
func ended(pod *v1.Pod, code int32) v1.PodStatus {
	phase, reason, why := v1.PodSucceeded, "PodCompleted", "Completed"
	if code != 0 {
		phase, reason, why = v1.PodFailed, "PodFailed", "Error"
	}
	state := v1.ContainerState{Terminated: &v1.ContainerStateTerminated{ExitCode: code, Reason: why, FinishedAt: meta.Now()}}
	return v1.PodStatus{
		Phase: phase,
		Conditions: []v1.PodCondition{
			condition(v1.PodReady, v1.ConditionFalse, reason), condition(v1.ContainersReady, v1.ConditionFalse, reason),
		},
		ContainerStatuses: containers(pod, false, state),
	}
}

func containers(pod *v1.Pod, ready bool, state v1.ContainerState) []v1.ContainerStatus {
	statuses := make([]v1.ContainerStatus, 0, len(pod.Spec.Containers))
	for _, container := range pod.Spec.Containers {
		statuses = append(statuses, v1.ContainerStatus{
			Name: container.Name, Image: container.Image, ImageID: "sha256:none", ContainerID: "none://" + string(pod.UID),
			Ready: ready, Started: ptr.To(ready), State: state,
		})
	}
	return statuses
}

// patch writes a pod's status as kubelets do: with a strategic merge patch for exactly this pod.
func (n *Nodes) patch(ctx context.Context, pod *v1.Pod, status v1.PodStatus) {
	body, err := statusPatch(pod.UID, status)
	if err == nil {
		_, err = n.client.CoreV1().Pods(pod.Namespace).Patch(context.WithoutCancel(ctx), pod.Name, types.StrategicMergePatchType, body, meta.PatchOptions{}, "status")
	}
	n.complain(pod, err)
}

func statusPatch(uid types.UID, status any) ([]byte, error) {
	patch := map[string]any{"status": status}
	if uid != "" {
		patch["metadata"] = map[string]any{"uid": uid}
	}
	return json.Marshal(patch)
}

// complain logs an error, unless it only says that the pod is gone.
func (n *Nodes) complain(pod *v1.Pod, err error) {
	if err != nil && !errors.IsNotFound(err) && !errors.IsConflict(err) {
		log.Printf("pod %s/%s: %v", pod.Namespace, pod.Name, err)
	}
}
