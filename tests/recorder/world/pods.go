package world

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"changeover.dev/recorder/apiserver"
)

var validCosts = []string{"0", "1", "-1", "100", "-72", "2147483647", "-2147483648", "-0", "-008"}

// Values that no API server accepts, but that a controller may see: it reads them as 0.
var invalidCosts = []string{"", "008", "+1", "1.5", "-", "x", "2147483648"}

// kubelets does the work of the scheduler and the kubelets for each pod.
func (w *World) kubelets() {
	for _, object := range w.store.List(apiserver.Pods) {
		pod := object.DeepCopyObject().(*corev1.Pod)
		switch {
		case pod.DeletionTimestamp != nil:
			w.end(pod)
		case pod.Spec.NodeName == "":
			if w.chance(85) {
				pod.Spec.NodeName = fmt.Sprintf("node-%d", w.between(1, 4))
				w.store.Put(apiserver.Pods, pod)
			}
		case !w.lost[pod.Spec.NodeName]:
			w.live(pod)
		}
	}
}

// end removes a terminating pod, unless its node is lost or its grace period goes on.
func (w *World) end(pod *corev1.Pod) {
	over := !time.Now().Before(pod.DeletionTimestamp.Time)
	switch {
	case w.lost[pod.Spec.NodeName] || pod.Spec.NodeName == "" && len(pod.Finalizers) > 0:
	case over || w.chance(25):
		w.store.Remove(apiserver.Pods, namespace, pod.Name)
	case w.chance(15):
		pod.Status.Phase = pick(w, []corev1.PodPhase{corev1.PodSucceeded, corev1.PodFailed})
		w.report(pod)
	case w.chance(30):
		w.ready(pod, corev1.ConditionFalse)
	}
}

func (w *World) live(pod *corev1.Pod) {
	chance := w.rng.IntN(100)
	switch pod.Status.Phase {
	case corev1.PodPending:
		if chance < 70 {
			pod.Status.Phase = corev1.PodRunning
			pod.Status.StartTime = pointer(metav1.Now())
			w.ready(pod, pick(w, []corev1.ConditionStatus{corev1.ConditionTrue, corev1.ConditionFalse}))
		}
	case corev1.PodRunning:
		switch {
		case chance < 50 && !isReady(pod):
			w.ready(pod, corev1.ConditionTrue)
		case chance >= 96:
			w.restart(pod)
		case chance >= 94:
			pod.Status.Phase, pod.Status.Reason = corev1.PodFailed, "Evicted"
			w.ready(pod, corev1.ConditionFalse)
		}
	}
}

func isReady(pod *corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

func (w *World) ready(pod *corev1.Pod, status corev1.ConditionStatus) {
	for i := range pod.Status.Conditions {
		if condition := &pod.Status.Conditions[i]; condition.Type == corev1.PodReady {
			if condition.Status != status {
				condition.Status, condition.LastTransitionTime = status, metav1.Now()
			}
			w.report(pod)
			return
		}
	}
	pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{
		Type: corev1.PodReady, Status: status, LastTransitionTime: metav1.Now(),
	})
	w.report(pod)
}

func (w *World) restart(pod *corev1.Pod) {
	if len(pod.Status.ContainerStatuses) == 0 {
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "app"}}
	}
	if len(pod.Spec.InitContainers) > 0 && w.chance(50) {
		if len(pod.Status.InitContainerStatuses) == 0 {
			pod.Status.InitContainerStatuses = []corev1.ContainerStatus{{Name: "sidecar"}}
		}
		pod.Status.InitContainerStatuses[0].RestartCount++
	} else {
		pod.Status.ContainerStatuses[0].RestartCount++
	}
	w.ready(pod, corev1.ConditionFalse)
}

// report stores what a kubelet reports about a pod, without checks: kubelets never report anything invalid.
func (w *World) report(pod *corev1.Pod) { w.store.Put(apiserver.Pods, pod) }

// podTrouble are changes to pods that no controller makes.
func podTrouble(w *World) {
	pod, ok := some[*corev1.Pod](w, apiserver.Pods)
	if !ok {
		return
	}
	switch w.rng.IntN(9) {
	case 0, 1:
		_ = w.store.Delete(apiserver.Pods, namespace, pod.Name, metav1.DeleteOptions{})
	case 2:
		pod.Status.Phase, pod.Status.Reason = corev1.PodFailed, "Evicted"
		w.ready(pod, corev1.ConditionFalse)
	case 3:
		pod.Status.Phase = corev1.PodSucceeded
		w.ready(pod, corev1.ConditionFalse)
	case 4:
		w.restart(pod)
	case 5:
		w.lose(pod.Spec.NodeName)
	case 6:
		pod.Status.Phase = corev1.PodUnknown
		w.report(pod)
	case 7:
		pod.Finalizers = []string{"example.org/wait"}
		_, _ = w.store.Update(apiserver.Pods, namespace, pod, "")
		_ = w.store.Delete(apiserver.Pods, namespace, pod.Name, metav1.DeleteOptions{})
	case 8:
		w.lost = map[string]bool{}
	}
}

// lose takes a node from the cluster: its pods become unready, and are deleted but never removed.
func (w *World) lose(node string) {
	if node == "" {
		return
	}
	w.lost[node] = true
	for _, object := range w.store.List(apiserver.Pods) {
		pod := object.DeepCopyObject().(*corev1.Pod)
		if pod.Spec.NodeName != node {
			continue
		}
		w.ready(pod, corev1.ConditionUnknown)
		if w.chance(60) {
			_ = w.store.Delete(apiserver.Pods, namespace, pod.Name, metav1.DeleteOptions{})
		}
	}
}

// relabelPod takes a pod out of its owner's selector, or brings it back.
func relabelPod(w *World) {
	pod, ok := some[*corev1.Pod](w, apiserver.Pods)
	if !ok || pod.Labels == nil {
		return
	}
	switch w.rng.IntN(4) {
	case 0, 1:
		pod.Labels["app"] = "isolated"
	case 2:
		for _, object := range w.store.List(apiserver.ReplicaSets) {
			pod.Labels["app"] = object.(*appsv1.ReplicaSet).Spec.Template.Labels["app"]
		}
	case 3:
		pod.Labels["extra"] = "hand"
	}
	_, _ = w.store.Update(apiserver.Pods, namespace, pod, "")
}

// strayPod creates a pod without an owner that some controller selects, or removes a pod's owner.
func strayPod(w *World) {
	if pod, ok := some[*corev1.Pod](w, apiserver.Pods); ok && w.chance(60) {
		pod.OwnerReferences = nil
		if w.chance(20) {
			pod.OwnerReferences = []metav1.OwnerReference{{
				APIVersion: "v1", Kind: "Node", Name: "node-1", UID: "00000000-0000-0000-0000-00000000000a",
			}}
		}
		_, _ = w.store.Update(apiserver.Pods, namespace, pod, "")
		return
	}
	labels, template := map[string]string{}, corev1.PodTemplateSpec{}
	if set, ok := some[*appsv1.ReplicaSet](w, apiserver.ReplicaSets); ok {
		set.Spec.Template.DeepCopyInto(&template)
	} else if rc, ok := some[*corev1.ReplicationController](w, apiserver.ReplicationControllers); ok {
		rc.Spec.Template.DeepCopyInto(&template)
	} else {
		return
	}
	for key, value := range template.Labels {
		labels[key] = value
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("stray-%d", w.rng.IntN(5)), Namespace: namespace, Labels: labels},
		Spec:       template.Spec,
	}
	_, _ = w.store.Create(apiserver.Pods, namespace, pod)
}

// price sets a pod's deletion cost.
func price(w *World) {
	pod, ok := some[*corev1.Pod](w, apiserver.Pods)
	if !ok {
		return
	}
	if w.chance(80) {
		metav1.SetMetaDataAnnotation(&pod.ObjectMeta, corev1.PodDeletionCost, pick(w, validCosts))
		_, _ = w.store.Update(apiserver.Pods, namespace, pod, "")
		return
	}
	metav1.SetMetaDataAnnotation(&pod.ObjectMeta, corev1.PodDeletionCost, pick(w, invalidCosts))
	w.store.Put(apiserver.Pods, pod)
}
