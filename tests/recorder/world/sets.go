package world

import (
	"math"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"changeover.dev/recorder/apiserver"
)

// progress moves the status of each ReplicaSet toward its spec, as if there were pods.
func (w *World) progress() {
	for _, object := range w.store.List(apiserver.ReplicaSets) {
		if w.chance(30) {
			continue
		}
		set := object.DeepCopyObject().(*appsv1.ReplicaSet)
		status := &set.Status
		if w.chance(92) {
			status.ObservedGeneration = set.Generation
		}
		wanted := *set.Spec.Replicas
		var gone int32
		switch {
		case status.Replicas > wanted:
			gone = status.Replicas - wanted
			if w.chance(20) {
				gone = w.part(gone)
			}
		case status.Replicas < wanted:
			status.Replicas += max(1, w.part(wanted-status.Replicas))
			status.Replicas = min(status.Replicas, wanted)
		}
		status.Replicas -= gone
		status.FullyLabeledReplicas = status.Replicas
		status.ReadyReplicas = w.towards(status.ReadyReplicas, status.Replicas)
		status.AvailableReplicas = w.towards(status.AvailableReplicas, status.ReadyReplicas)
		if set.Spec.MinReadySeconds == 0 && w.chance(90) {
			status.AvailableReplicas = status.ReadyReplicas
		}
		w.terminate(status, gone)
		w.fail(status, status.Replicas < wanted)
		_, _ = w.store.Update(apiserver.ReplicaSets, namespace, set, "status")
	}
}

// part returns a part of a number, rarely nothing, often all.
func (w *World) part(of int32) int32 {
	if of <= 0 || w.chance(40) {
		return max(of, 0)
	}
	return int32(w.rng.Int64N(int64(of) + 1))
}

// towards moves a count toward a limit, or lets it fall.
func (w *World) towards(count, limit int32) int32 {
	count = min(count, limit)
	if w.chance(8) {
		return count - w.part(count)
	}
	return count + w.part(limit-count)
}

func (w *World) terminate(status *appsv1.ReplicaSetStatus, more int32) {
	if off, ok := w.gates["DeploymentReplicaSetTerminatingReplicas"]; ok && !off {
		status.TerminatingReplicas = nil
		return
	}
	var terminating int32
	if status.TerminatingReplicas != nil {
		terminating = *status.TerminatingReplicas
	}
	terminating -= w.part(terminating)
	if more > 0 && terminating <= math.MaxInt32-more {
		terminating += more
	}
	status.TerminatingReplicas = &terminating
	if w.chance(5) {
		status.TerminatingReplicas = nil
	}
}

// fail sets or removes the condition that pods could not be created.
func (w *World) fail(status *appsv1.ReplicaSetStatus, missing bool) {
	if missing && w.chance(6) || w.chance(1) {
		status.Conditions = []appsv1.ReplicaSetCondition{{
			Type: appsv1.ReplicaSetReplicaFailure, Status: "True", Reason: "FailedCreate",
			Message: `pods "web-" is forbidden: exceeded quota`, LastTransitionTime: metav1.Now(),
		}}
	} else if w.chance(50) {
		status.Conditions = nil
	}
}

// staleStatus writes a status that is wrong or outdated.
func staleStatus(w *World) {
	set, ok := some[*appsv1.ReplicaSet](w, apiserver.ReplicaSets)
	if !ok {
		return
	}
	status := &set.Status
	switch w.rng.IntN(7) {
	case 6:
		status.Conditions = append(status.Conditions, appsv1.ReplicaSetCondition{
			Type: "Other", Status: "True", Reason: "Hand", LastTransitionTime: metav1.Now(),
		})
	case 0:
		status.ObservedGeneration = max(0, set.Generation-int64(w.between(1, 3)))
	case 1:
		status.ObservedGeneration, status.TerminatingReplicas = 0, nil
	case 2:
		status.TerminatingReplicas = nil
	case 3:
		status.Replicas, status.ReadyReplicas, status.AvailableReplicas = *set.Spec.Replicas+int32(w.between(1, 5)), 1, 0
	case 4:
		status.AvailableReplicas, status.ReadyReplicas = 0, 0
	case 5:
		status.TerminatingReplicas = pointer(int32(w.between(0, 12)))
	}
	w.store.Put(apiserver.ReplicaSets, set)
}
