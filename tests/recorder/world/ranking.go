package world

import (
	"fmt"
	"math/rand/v2"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"changeover.dev/recorder/cases"
	"changeover.dev/recorder/controllers"
)

// Rank creates up to 500 pods that differ little, and records which of them are deleted first.
func Rank(seed uint64, number int, emit func(cases.Case)) {
	rng := rand.New(rand.NewPCG(seed, uint64(number)^1<<62))
	time.Sleep(time.Until(Start.Add(44 * 24 * time.Hour)))
	time.Sleep(time.Duration(rng.Int64N(int64(24 * time.Hour))))
	w := &World{rng: rng, kind: kind{name: "ranking"}, emit: emit, gates: map[string]bool{}}
	if w.chance(20) {
		w.gates["PodDeletionCost"] = false
	}
	defer controllers.SetGates(w.gates)()
	count := w.between(2, 14)
	switch w.rng.IntN(12) {
	case 0:
		w.kind.name, count = "ranking-large", w.between(50, 500)
	case 1, 2:
		w.kind.name, count = "ranking-medium", w.between(12, 50)
	}
	// Few distinct times, so that many are equal or in one bucket.
	now := time.Now()
	times := make([]time.Time, w.between(1, 6))
	for i := range times {
		times[i] = now.Add(-w.age())
	}
	causes := w.between(1, 127)
	pods := make([]*corev1.Pod, count)
	for i := range pods {
		pods[i] = w.ranked(i, times, causes)
	}
	w.rng.Shuffle(count, func(i, j int) { pods[i], pods[j] = pods[j], pods[i] })
	related := w.related(pods)
	going := w.between(1, count)
	if w.kind.name == "ranking" {
		w.askNumbers()
	}
	w.ask("replicaSet.podsToDelete",
		map[string]any{"pods": cases.Value(pods), "relatedPods": related.printed, "count": going},
		map[string]any{"names": podNames(controllers.PodsToDelete(pods, related.pods, going))})
}

// age returns an age that is rarely negative and often near a power of two.
func (w *World) age() time.Duration {
	switch w.rng.IntN(5) {
	case 0:
		return time.Duration(w.between(-3, 3)) * time.Second
	case 1:
		return time.Duration(int64(1)<<w.between(29, 55)) + time.Duration(w.between(-2, 2))*time.Second
	case 2:
		// Exactly the boundary, as far as whole seconds allow.
		return time.Duration(int64(1) << w.between(29, 52))
	}
	return time.Duration(w.rng.Int64N(int64(5 * time.Hour)))
}

// ranked returns a pod; the bits of causes select the differences between pods.
func (w *World) ranked(i int, times []time.Time, causes int) *corev1.Pod {
	differs := func(bit int) bool { return causes>>bit&1 == 1 }
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name:              fmt.Sprintf("p-%03d", i),
			UID:               uid(w.rng),
			CreationTimestamp: metav1.NewTime(pick(w, times).Truncate(time.Second)),
		},
		Spec:   corev1.PodSpec{Containers: []corev1.Container{{Name: "app"}}, NodeName: "node-1"},
		Status: corev1.PodStatus{Phase: corev1.PodRunning},
	}
	if differs(0) {
		pod.Spec.NodeName = pick(w, []string{"", "node-1", "node-2", "node-3"})
	}
	if differs(1) {
		pod.Status.Phase = pick(w, []corev1.PodPhase{corev1.PodPending, corev1.PodUnknown, corev1.PodRunning})
	}
	ready := corev1.ConditionTrue
	if differs(2) {
		ready = pick(w, []corev1.ConditionStatus{corev1.ConditionTrue, corev1.ConditionFalse, corev1.ConditionUnknown})
	}
	if w.chance(95) {
		condition := corev1.PodCondition{Type: corev1.PodReady, Status: ready}
		if w.chance(95) {
			condition.LastTransitionTime = metav1.NewTime(pick(w, times).Truncate(time.Second))
		}
		pod.Status.Conditions = []corev1.PodCondition{condition}
	}
	if differs(3) && w.chance(70) {
		pod.Annotations = map[string]string{
			corev1.PodDeletionCost: pick(w, append(append([]string(nil), validCosts...), invalidCosts...)),
		}
	}
	if differs(4) {
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "app", RestartCount: int32(w.between(0, 3))}}
	}
	if differs(5) && w.chance(50) {
		always := corev1.ContainerRestartPolicyAlways
		pod.Spec.InitContainers = []corev1.Container{{Name: "side", RestartPolicy: &always}, {Name: "init"}}
		pod.Status.InitContainerStatuses = []corev1.ContainerStatus{
			{Name: "side", RestartCount: int32(w.between(0, 3))}, {Name: "init", RestartCount: int32(w.between(0, 3))},
		}
	}
	if differs(6) && w.chance(20) {
		pod.CreationTimestamp = metav1.Time{}
	}
	return pod
}

func uid(rng *rand.Rand) types.UID {
	return types.UID(fmt.Sprintf("%016x-%04x", rng.Uint64(), rng.IntN(1<<16)))
}

type relation struct {
	pods    []*corev1.Pod
	printed []any
}

// related returns the pods themselves and some of siblings, abbreviated as cases allow.
func (w *World) related(pods []*corev1.Pod) relation {
	related := relation{printed: []any{}}
	if w.chance(15) {
		return related
	}
	related.pods = append(related.pods, pods...)
	for i := range w.between(0, len(pods)) {
		sibling := w.ranked(i, []time.Time{time.Now()}, 3)
		sibling.Name = fmt.Sprintf("s-%03d", i)
		if w.chance(20) {
			sibling.Status.Phase = corev1.PodFailed
		}
		if w.chance(10) {
			sibling.DeletionTimestamp = &metav1.Time{Time: time.Now().Truncate(time.Second)}
		}
		related.pods = append(related.pods, sibling)
	}
	for _, pod := range related.pods {
		short := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: pod.Name, UID: pod.UID, DeletionTimestamp: pod.DeletionTimestamp},
			Spec:       corev1.PodSpec{NodeName: pod.Spec.NodeName},
			Status:     corev1.PodStatus{Phase: pod.Status.Phase},
		}
		printed := cases.Value(short).(map[string]any)
		delete(printed["spec"].(map[string]any), "containers")
		related.printed = append(related.printed, printed)
	}
	return related
}
