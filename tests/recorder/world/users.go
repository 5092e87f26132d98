package world

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kubernetes/pkg/controller"

	"changeover.dev/recorder/apiserver"
)

// edit changes a Deployment; a change that the API server rejects has no effect.
func (w *World) edit(change func(*appsv1.Deployment)) {
	deployment, ok := some[*appsv1.Deployment](w, apiserver.Deployments)
	if !ok {
		return
	}
	change(deployment)
	_, _ = w.store.Update(apiserver.Deployments, namespace, deployment, "")
}

func scale(w *World) {
	w.edit(func(d *appsv1.Deployment) { d.Spec.Replicas = pointer(w.size(*d.Spec.Replicas)) })
}

// autoscale sets the replicas as a HorizontalPodAutoscaler does: by the load of the ready pods, from 1 to 30.
func autoscale(w *World) {
	w.edit(func(d *appsv1.Deployment) {
		busy := int(d.Status.ReadyReplicas) * w.between(50, 250) / 100
		d.Spec.Replicas = pointer(int32(min(max(1, busy), 30)))
	})
}

// reapply overwrites an autoscaler's replicas with those of a manifest.
func reapply(w *World) { w.edit(func(d *appsv1.Deployment) { d.Spec.Replicas = pointer(int32(4)) }) }

// size returns a number of replicas of the same order of magnitude as the old one.
func (w *World) size(old int32) int32 {
	if w.kind.name == "huge" {
		return pick(w, []int32{0, 1, 50_000, 62_500, 46_341, 65_536, 1_000_000, math.MaxInt32, math.MaxInt32 / 2, 2_000_000_000, 1_500_000_000})
	}
	limit := int32(2000)
	if w.kind.pods {
		limit = w.kind.most()
	}
	switch w.rng.IntN(6) {
	case 0:
		return 0
	case 1:
		return int32(w.between(1, 5))
	case 2:
		return min(2*old+1, limit)
	case 3:
		return old / 2
	}
	return min(max(0, old+int32(w.between(-4, 6))), limit)
}

func rollOut(w *World) {
	w.edit(func(d *appsv1.Deployment) {
		template := &d.Spec.Template
		switch w.rng.IntN(10) {
		case 0:
			template.Annotations = map[string]string{"kubectl.kubernetes.io/restartedAt": fmt.Sprint(w.rng.IntN(1000))}
		case 1:
			template.Labels = map[string]string{"extra": fmt.Sprintf("e%d", w.rng.IntN(3))}
			for key, value := range d.Labels {
				template.Labels[key] = value
			}
		default:
			fresh := w.template(d.Name, template.Labels)
			template.Spec, template.Annotations = fresh.Spec, fresh.Annotations
		}
		if w.chance(30) {
			metav1.SetMetaDataAnnotation(&d.ObjectMeta, "kubernetes.io/change-cause", template.Spec.Containers[0].Image)
		}
	})
}

// rollBack gives a Deployment the template of one of its ReplicaSets, as kubectl rollout undo does.
func rollBack(w *World) {
	set, ok := some[*appsv1.ReplicaSet](w, apiserver.ReplicaSets)
	if !ok {
		return
	}
	w.edit(func(d *appsv1.Deployment) { w.returnTo(d, set) })
}

func (w *World) returnTo(d *appsv1.Deployment, set *appsv1.ReplicaSet) {
	if owner := metav1.GetControllerOf(set); owner == nil || owner.UID != d.UID {
		return
	}
	set.Spec.Template.DeepCopyInto(&d.Spec.Template)
	delete(d.Spec.Template.Labels, appsv1.DefaultDeploymentUniqueLabelKey)
	if cause, ok := set.Annotations["kubernetes.io/change-cause"]; ok && w.chance(50) {
		metav1.SetMetaDataAnnotation(&d.ObjectMeta, "kubernetes.io/change-cause", cause)
	}
}

// rollBackTo requests a rollback as in extensions/v1beta1.
func rollBackTo(w *World) {
	w.edit(func(d *appsv1.Deployment) {
		to := pick(w, []string{"0", "0", "1", "2", "3", "99", "-1", "x", ""})
		metav1.SetMetaDataAnnotation(&d.ObjectMeta, appsv1.DeprecatedRollbackTo, to)
	})
}

func pause(w *World) { w.edit(func(d *appsv1.Deployment) { d.Spec.Paused = !d.Spec.Paused }) }

// tune changes how a Deployment rolls out.
func tune(w *World) {
	w.edit(func(d *appsv1.Deployment) {
		switch w.rng.IntN(6) {
		case 0:
			d.Spec.MinReadySeconds = int32(w.between(0, 15))
		case 1:
			d.Spec.ProgressDeadlineSeconds = pick(w, []*int32{
				pointer(d.Spec.MinReadySeconds + int32(w.between(1, 60))), pointer(int32(math.MaxInt32)),
			})
		case 2:
			d.Spec.RevisionHistoryLimit = pointer(int32(w.between(0, 3)))
		case 3:
			d.Spec.Strategy = appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}
		default:
			w.strategy(d)
		}
	})
}

// annotate changes annotations that a Deployment shares with its ReplicaSets, and others.
func annotate(w *World) {
	w.edit(func(d *appsv1.Deployment) {
		key := pick(w, []string{
			"team", "kubernetes.io/change-cause", "kubectl.kubernetes.io/last-applied-configuration",
			"deployment.kubernetes.io/revision", "deployment.kubernetes.io/revision-history",
			"deployment.kubernetes.io/desired-replicas", "deployment.kubernetes.io/max-replicas",
			"deployment.kubernetes.io/replicaset-replicas-before-scale",
		})
		if w.chance(30) {
			delete(d.Annotations, key)
			return
		}
		metav1.SetMetaDataAnnotation(&d.ObjectMeta, key, pick(w, []string{"a", "b", "1", "5", "12"}))
	})
}

// bendAnnotations writes annotations to a ReplicaSet that no controller writes.
func bendAnnotations(w *World) {
	set, ok := some[*appsv1.ReplicaSet](w, apiserver.ReplicaSets)
	if !ok {
		return
	}
	key := pick(w, []string{
		"deployment.kubernetes.io/desired-replicas", "deployment.kubernetes.io/desired-replicas",
		"deployment.kubernetes.io/max-replicas", "deployment.kubernetes.io/max-replicas",
		"deployment.kubernetes.io/revision", "deployment.kubernetes.io/revision", "deployment.kubernetes.io/revision-history",
		"deployment.kubernetes.io/replicaset-replicas-before-scale",
	})
	if key == "deployment.kubernetes.io/revision-history" && w.chance(50) {
		// About the maximum length of a history.
		set.Annotations = map[string]string{
			key: strings.Repeat("1234567,", w.between(246, 251)) + "9", "deployment.kubernetes.io/revision": "1",
		}
		_, _ = w.store.Update(apiserver.ReplicaSets, namespace, set, "")
		w.edit(func(d *appsv1.Deployment) { w.returnTo(d, set) })
		return
	}
	if w.chance(5) {
		set.Annotations = nil
		_, _ = w.store.Update(apiserver.ReplicaSets, namespace, set, "")
		return
	}
	value := pick(w, []string{
		"", "x", "+2", "-1", "007", "0", "1", "3", "5", "12", "2147483647", "2147483648", "4294967298", "9223372036854775807",
		"9223372036854775808", " 3", "3 ", "1e3", "0x10", "1_0", strconv.Itoa(int(*set.Spec.Replicas)),
	})
	if w.chance(25) {
		delete(set.Annotations, key)
	} else {
		metav1.SetMetaDataAnnotation(&set.ObjectMeta, key, value)
	}
	_, _ = w.store.Update(apiserver.ReplicaSets, namespace, set, "")
}

// collide takes the name of a Deployment's next ReplicaSet.
func collide(w *World) {
	rollOut(w)
	deployment, ok := some[*appsv1.Deployment](w, apiserver.Deployments)
	if !ok {
		return
	}
	hash := controller.ComputeHash(&deployment.Spec.Template, deployment.Status.CollisionCount)
	set := &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: deployment.Name + "-" + hash, Namespace: namespace},
		Spec:       appsv1.ReplicaSetSpec{Replicas: pointer(int32(w.between(0, 2))), Selector: deployment.Spec.Selector.DeepCopy()},
	}
	deployment.Spec.Template.DeepCopyInto(&set.Spec.Template)
	if w.chance(70) {
		set.Spec.Template.Spec.Containers[0].Image = "foreign:v1"
	}
	if w.chance(40) {
		set.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "foreign"}}
		set.Spec.Template.Labels = map[string]string{"app": "foreign"}
	}
	set.Labels = set.Spec.Template.Labels
	if w.chance(40) {
		set.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(deployment, appsv1.SchemeGroupVersion.WithKind("Deployment"))}
	}
	_, _ = w.store.Create(apiserver.ReplicaSets, namespace, set)
}

// orphan removes the owner of a ReplicaSet.
func orphan(w *World) {
	if set, ok := some[*appsv1.ReplicaSet](w, apiserver.ReplicaSets); ok {
		set.OwnerReferences = nil
		_, _ = w.store.Update(apiserver.ReplicaSets, namespace, set, "")
	}
}

// keepDeleted deletes a ReplicaSet that a finalizer keeps, with or without its owner.
func keepDeleted(w *World) {
	set, ok := some[*appsv1.ReplicaSet](w, apiserver.ReplicaSets)
	if !ok {
		return
	}
	set.Finalizers = []string{"example.org/wait"}
	if w.chance(60) {
		set.OwnerReferences = nil
	}
	_, _ = w.store.Update(apiserver.ReplicaSets, namespace, set, "")
	_ = w.store.Delete(apiserver.ReplicaSets, namespace, set.Name, metav1.DeleteOptions{})
}

// relabelSet changes a ReplicaSet's labels, so that its Deployment no longer selects it, or selects it again.
func relabelSet(w *World) {
	set, ok := some[*appsv1.ReplicaSet](w, apiserver.ReplicaSets)
	if !ok {
		return
	}
	if set.Labels == nil {
		set.Labels = map[string]string{}
	}
	set.Labels["app"] = pick(w, []string{"released", set.Spec.Template.Labels["app"]})
	_, _ = w.store.Update(apiserver.ReplicaSets, namespace, set, "")
}

// addStrayset creates a ReplicaSet that a Deployment selects but did not create.
func addStrayset(w *World) {
	deployment, ok := some[*appsv1.Deployment](w, apiserver.Deployments)
	if !ok {
		return
	}
	labels := map[string]string{}
	if w.chance(70) {
		// Otherwise it would also select the pods of the others.
		labels["by"] = "hand"
	}
	for key, value := range deployment.Spec.Template.Labels {
		labels[key] = value
	}
	template := w.template(deployment.Name, labels)
	if w.chance(50) {
		deployment.Spec.Template.DeepCopyInto(&template)
		template.Labels = labels
	}
	set := &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-hand%d", deployment.Name, w.rng.IntN(3)), Namespace: namespace, Labels: labels},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: pointer(int32(w.between(0, 4))), Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: template,
		},
	}
	_, _ = w.store.Create(apiserver.ReplicaSets, namespace, set)
}

func removeSet(w *World) {
	if set, ok := some[*appsv1.ReplicaSet](w, apiserver.ReplicaSets); ok {
		_ = w.store.Delete(apiserver.ReplicaSets, namespace, set.Name, w.deletion())
	}
}

func remove(w *World) {
	if deployment, ok := some[*appsv1.Deployment](w, apiserver.Deployments); ok {
		_ = w.store.Delete(apiserver.Deployments, namespace, deployment.Name, w.deletion())
	}
}

func (w *World) deletion() metav1.DeleteOptions {
	return metav1.DeleteOptions{PropagationPolicy: pointer(pick(w, []metav1.DeletionPropagation{
		metav1.DeletePropagationBackground, metav1.DeletePropagationForeground, metav1.DeletePropagationOrphan,
	}))}
}

func recreate(w *World) { w.create("web", map[string]string{"app": "web"}, tiny) }

// bendSurge stores a surge that is not a number of pods.
func bendSurge(w *World) {
	if deployment, ok := some[*appsv1.Deployment](w, apiserver.Deployments); ok {
		w.bendSurge(deployment)
		w.store.Put(apiserver.Deployments, deployment)
	}
}

func (w *World) bendSurge(deployment *appsv1.Deployment) {
	bad := intstr.FromString(pick(w, []string{"x", "5", "x%", "-1%"}))
	deployment.Spec.Strategy.RollingUpdate = &appsv1.RollingUpdateDeployment{
		MaxSurge: pointer(pick(w, []intstr.IntOrString{bad, intstr.FromInt32(1)})), MaxUnavailable: &bad,
	}
}

// bendSpec stores a Deployment that the API server would not accept.
func bendSpec(w *World) {
	deployment, ok := some[*appsv1.Deployment](w, apiserver.Deployments)
	if !ok {
		return
	}
	switch w.rng.IntN(8) {
	case 7:
		w.bendSurge(deployment)
		if w.chance(50) {
			// A template that has no ReplicaSet yet.
			deployment.Spec.Template.Spec.Containers[0].Image = fmt.Sprintf("odd:v%d", w.between(1, 9))
		}
	case 0:
		deployment.Spec.Strategy.Type = "BlueGreen"
	case 1:
		deployment.Spec.Selector = &metav1.LabelSelector{}
	case 2:
		deployment.Spec.Selector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "Near"}}}
	case 3:
		deployment.Status.ObservedGeneration = deployment.Generation + 5
	case 4:
		deployment.Status.Conditions = nil
	case 5:
		deployment.Generation += 3
	case 6:
		deployment.Status.Replicas, deployment.Status.UpdatedReplicas = int32(w.between(0, 20)), int32(w.between(0, 20))
		deployment.Status.AvailableReplicas = int32(w.between(0, 20))
	}
	w.store.Put(apiserver.Deployments, deployment)
}

// bendSet stores a ReplicaSet that the API server would not accept.
func bendSet(w *World) {
	set, ok := some[*appsv1.ReplicaSet](w, apiserver.ReplicaSets)
	if !ok {
		return
	}
	switch w.rng.IntN(3) {
	case 0:
		set.Spec.Selector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "Near"}}}
	case 1:
		set.Spec.Template.Labels = nil
	case 2:
		set.Status.Conditions = append(set.Status.Conditions, appsv1.ReplicaSetCondition{Type: "Other", Status: "True", Reason: "Hand"})
	}
	w.store.Put(apiserver.ReplicaSets, set)
}

func scaleSet(w *World) {
	if set, ok := some[*appsv1.ReplicaSet](w, apiserver.ReplicaSets); ok {
		set.Spec.Replicas = pointer(w.size(*set.Spec.Replicas))
		_, _ = w.store.Update(apiserver.ReplicaSets, namespace, set, "")
	}
}

func scaleController(w *World) {
	if rc, ok := some[*corev1.ReplicationController](w, apiserver.ReplicationControllers); ok {
		rc.Spec.Replicas = pointer(w.size(*rc.Spec.Replicas))
		_, _ = w.store.Update(apiserver.ReplicationControllers, namespace, rc, "")
	}
}

func removeController(w *World) {
	if rc, ok := some[*corev1.ReplicationController](w, apiserver.ReplicationControllers); ok {
		_ = w.store.Delete(apiserver.ReplicationControllers, namespace, rc.Name, w.deletion())
	}
}
