package world

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kubernetes/pkg/controller/statefulset"

	"changeover.dev/recorder/apiserver"
	"changeover.dev/recorder/cases"
	"changeover.dev/recorder/controllers"
)

// setKind is a sort of world with a StatefulSet: how it begins, and what can happen to it.
type setKind struct {
	name    string
	steps   int
	refuses bool
	// unlocked tells that MaxUnavailableStatefulSet is off, and recreates that StatefulSetRecreateStrategy is on.
	unlocked, recreates bool
	shape               func(*World, *appsv1.StatefulSet)
	actions             []action
}

var setKinds []setKind

func init() {
	setKinds = []setKind{
		{name: "ordered", steps: 30, shape: orderedSet, actions: []action{{4, scaleStateful}, {4, rollStateful}, {1, rollBackStateful}, {1, podTrouble}}},
		{name: "parallel", steps: 30, shape: parallelSet, actions: []action{{4, scaleStateful}, {4, rollStateful}, {1, rollBackStateful}, {1, podTrouble}}},
		{name: "max-unavailable", steps: 30, shape: unavailableSet, actions: []action{{2, scaleStateful}, {5, rollStateful}, {1, tuneStateful}, {1, podTrouble}}},
		{name: "partition", steps: 30, shape: partitionedSet, actions: []action{{2, scaleStateful}, {4, rollStateful}, {5, movePartition}, {1, podTrouble}}},
		{name: "parallel-trouble", steps: 30, shape: troubledParallel, actions: []action{{2, scaleStateful}, {4, rollStateful}, {4, podTrouble}}},
		{name: "one-at-a-time", steps: 30, unlocked: true, shape: anySet, actions: []action{{2, scaleStateful}, {4, rollStateful}, {3, podTrouble}, {1, movePartition}}},
		{name: "on-delete", steps: 25, shape: onDeleteSet, actions: []action{{2, scaleStateful}, {3, rollStateful}, {5, podTrouble}}},
		{name: "recreate", steps: 30, recreates: true, shape: recreatedSet, actions: []action{{2, scaleStateful}, {5, rollStateful}, {3, podTrouble}}},
		{name: "recreate-off", steps: 12, shape: anySet, actions: []action{{4, storeRecreate}, {2, rollStateful}, {1, scaleStateful}}},
		{name: "min-ready", steps: 30, shape: patientSet, actions: []action{{5, scaleStateful}, {3, rollStateful}, {1, tuneStateful}, {1, podTrouble}}},
		{name: "ordinals", steps: 30, shape: startingSet, actions: []action{{3, scaleStateful}, {2, rollStateful}, {4, moveStart}, {1, podTrouble}}},
		{name: "claims", steps: 30, shape: claimingSet, actions: []action{{4, scaleStateful}, {1, rollStateful}, {3, retain}, {5, claimTrouble}, {3, podTrouble}, {1, relabelStatefulPod}}},
		{name: "two-claims", steps: 25, shape: claimingTwice, actions: []action{{4, scaleStateful}, {1, rollStateful}, {3, retain}, {2, claimTrouble}, {2, podTrouble}}},
		{name: "history", steps: 40, shape: forgetfulSet, actions: []action{{8, rollStateful}, {4, rollBackStateful}, {1, scaleStateful}, {2, tuneStateful}, {3, revisionTrouble}}},
		{name: "collision", steps: 20, shape: smallSet, actions: []action{{5, collideRevision}, {2, rollStateful}, {1, rollBackStateful}}},
		{name: "old-revisions", steps: 20, shape: smallSet, actions: []action{{4, ageRevision}, {2, rollStateful}, {2, rollBackStateful}, {1, annotateStateful}}},
		{name: "adoption", steps: 25, shape: anySet, actions: []action{{5, relabelStatefulPod}, {6, strayStatefulPod}, {3, revisionTrouble}, {2, scaleStateful}, {1, podTrouble}}},
		{name: "broken", steps: 35, shape: anySet, actions: []action{{6, breakStateful}, {3, rollBackStateful}, {3, scaleStateful}, {1, podTrouble}, {1, movePartition}}},
		{name: "trouble", steps: 30, shape: anySet, actions: []action{{8, podTrouble}, {3, scaleStateful}, {2, rollStateful}, {1, tuneStateful}}},
		{name: "deleted", steps: 20, shape: anySet, actions: []action{{4, deleteStateful}, {3, recreateStateful}, {2, podTrouble}, {2, strayStatefulPod}, {1, claimTrouble}}},
		{name: "odd", steps: 25, shape: anySet, actions: []action{{5, bendStateful}, {3, rollStateful}, {2, scaleStateful}, {2, strayStatefulPod}, {1, podTrouble}}},
		{name: "refused", steps: 25, refuses: true, shape: anySet, actions: []action{{3, scaleStateful}, {3, rollStateful}, {2, rollBackStateful}, {1, podTrouble}}},
		{name: "refused-claims", steps: 25, refuses: true, shape: claimingSet, actions: []action{{4, scaleStateful}, {3, retain}, {2, claimTrouble}, {2, podTrouble}}},
		{name: "refused-adoption", steps: 20, refuses: true, shape: anySet, actions: []action{{5, relabelStatefulPod}, {5, strayStatefulPod}, {3, revisionTrouble}}},
		{name: "refused-history", steps: 30, refuses: true, shape: forgetfulSet, actions: []action{{6, rollStateful}, {4, rollBackStateful}, {2, revisionTrouble}, {2, collideRevision}}},
		{name: "refused-updates", steps: 25, refuses: true, shape: unavailableSet, actions: []action{{2, scaleStateful}, {5, rollStateful}, {2, podTrouble}}},
		{name: "refused-one-at-a-time", steps: 25, refuses: true, unlocked: true, shape: orderedSet, actions: []action{{1, scaleStateful}, {5, rollStateful}, {1, podTrouble}}},
		{name: "refused-recreate", steps: 25, refuses: true, recreates: true, shape: recreatedSet, actions: []action{{2, scaleStateful}, {5, rollStateful}, {2, podTrouble}}},
		{name: "adopted-claims", steps: 30, shape: claimingSet, actions: []action{{6, strayStatefulPod}, {2, relabelStatefulPod}, {2, claimTrouble}, {2, scaleStateful}, {1, podTrouble}}},
		{name: "refused-adopted-claims", steps: 25, refuses: true, shape: claimingSet, actions: []action{{6, strayStatefulPod}, {2, claimTrouble}, {2, scaleStateful}, {2, retain}}},
		{name: "many", steps: 8, shape: manySet, actions: []action{{3, scaleStateful}, {2, rollStateful}}},
	}
}

// RunStatefulSets creates the world of StatefulSets with this number, lets it evolve, and passes on every sync as a case.
func RunStatefulSets(seed uint64, number int, emit func(cases.Case)) {
	rng := rand.New(rand.NewPCG(seed, uint64(number)^1<<61))
	time.Sleep(time.Until(Start))
	time.Sleep(time.Duration(rng.IntN(1000)) * time.Millisecond)
	shape := setKinds[number%len(setKinds)]
	w := &World{
		kind: kind{name: shape.name, pods: true, refuses: shape.refuses, actions: shape.actions},
		rng:  rng, emit: emit, lost: map[string]bool{},
		store: apiserver.New(rand.New(rand.NewPCG(seed, uint64(number)^3<<61))).ByName(),
		gates: map[string]bool{},
	}
	if shape.unlocked || w.chance(8) {
		w.gates["MaxUnavailableStatefulSet"] = false
	}
	if shape.recreates {
		w.gates["StatefulSetRecreateStrategy"] = true
	}
	if w.chance(6) {
		w.gates["StatefulSetSemanticRevisionComparison"] = false
	}
	defer controllers.SetGates(w.gates)()
	w.foundStateful(shape.shape)
	for range shape.steps {
		w.pass()
		for range w.between(0, 2) {
			w.act()
		}
		for range w.between(1, 3) {
			w.setKubelets()
		}
		if w.chance(60) {
			w.collectGarbage()
		}
		for range w.between(1, 3) {
			w.syncStatefulSets()
		}
	}
	time.Sleep(20 * time.Second)
}

func (w *World) foundStateful(shape func(*World, *appsv1.StatefulSet)) {
	labels := map[string]string{"app": "web"}
	set := &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: namespace, Labels: labels},
		Spec: appsv1.StatefulSetSpec{
			Replicas: pointer(int32(w.between(0, 5))), Selector: w.selector(labels), Template: w.setTemplate(labels),
		},
	}
	if w.chance(60) {
		set.Spec.ServiceName = "peers"
	}
	if w.chance(5) {
		set.Name = "web-1"
	}
	shape(w, set)
	_, _ = w.store.Create(apiserver.StatefulSets, namespace, set)
}

// setTemplate returns a pod template with fields that Go writes in different ways.
func (w *World) setTemplate(labels map[string]string) corev1.PodTemplateSpec {
	template := w.template("web", labels)
	container := &template.Spec.Containers[0]
	if w.chance(12) {
		container.ReadinessProbe = &corev1.Probe{
			ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{
				Path: "/?a=1&b=<2>", Port: intstr.FromInt32(80), HTTPHeaders: []corev1.HTTPHeader{{Name: "X-A", Value: ""}},
			}},
		}
	}
	if w.chance(12) {
		container.Resources.Requests = corev1.ResourceList{"cpu": resource.MustParse("0.1"), "memory": resource.MustParse("1024Mi")}
	}
	if w.chance(12) {
		container.VolumeMounts = []corev1.VolumeMount{{Name: "scratch", MountPath: "/tmp"}}
		template.Spec.Volumes = []corev1.Volume{{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
	}
	if w.chance(8) {
		template.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{
				Weight: 1, PodAffinityTerm: corev1.PodAffinityTerm{TopologyKey: "zone", LabelSelector: &metav1.LabelSelector{}},
			}},
		}}
	}
	if w.chance(8) {
		container.Env = append(container.Env, corev1.EnvVar{Name: "CPU", ValueFrom: &corev1.EnvVarSource{
			ResourceFieldRef: &corev1.ResourceFieldSelector{Resource: "limits.cpu"},
		}})
	}
	if w.chance(6) {
		template.Finalizers = []string{"example.org/wait"}
	}
	return template
}

func orderedSet(_ *World, set *appsv1.StatefulSet) {
	set.Spec.PodManagementPolicy = appsv1.OrderedReadyPodManagement
}

func smallSet(w *World, set *appsv1.StatefulSet) { set.Spec.Replicas = pointer(int32(w.between(0, 2))) }

func parallelSet(w *World, set *appsv1.StatefulSet) {
	set.Spec.PodManagementPolicy = appsv1.ParallelPodManagement
	set.Spec.Replicas = pointer(int32(w.between(0, 8)))
}

func eitherSet(w *World, set *appsv1.StatefulSet) {
	pick(w, []func(*World, *appsv1.StatefulSet){orderedSet, orderedSet, parallelSet})(w, set)
}

func (w *World) unavailable() *intstr.IntOrString {
	return pick(w, []*intstr.IntOrString{
		nil, pointer(intstr.FromInt32(1)), pointer(intstr.FromInt32(2)), pointer(intstr.FromInt32(3)),
		pointer(intstr.FromString("10%")), pointer(intstr.FromString("50%")), pointer(intstr.FromString("100%")),
	})
}

func unavailableSet(w *World, set *appsv1.StatefulSet) {
	eitherSet(w, set)
	set.Spec.Replicas = pointer(int32(w.between(2, 8)))
	set.Spec.UpdateStrategy = appsv1.StatefulSetUpdateStrategy{
		Type:          appsv1.RollingUpdateStatefulSetStrategyType,
		RollingUpdate: &appsv1.RollingUpdateStatefulSetStrategy{MaxUnavailable: w.unavailable(), Partition: pointer(int32(w.between(0, 2)))},
	}
}

func troubledParallel(w *World, set *appsv1.StatefulSet) {
	unavailableSet(w, set)
	set.Spec.PodManagementPolicy = appsv1.ParallelPodManagement
}

func partitionedSet(w *World, set *appsv1.StatefulSet) {
	unavailableSet(w, set)
	set.Spec.UpdateStrategy.RollingUpdate.Partition = pointer(int32(w.between(0, 7)))
	if w.chance(60) {
		set.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable = nil
	}
}

func onDeleteSet(w *World, set *appsv1.StatefulSet) {
	eitherSet(w, set)
	set.Spec.UpdateStrategy.Type = appsv1.OnDeleteStatefulSetStrategyType
}

func recreatedSet(w *World, set *appsv1.StatefulSet) {
	eitherSet(w, set)
	set.Spec.UpdateStrategy.Type = appsv1.RecreateStatefulSetStrategyType
}

func patientSet(w *World, set *appsv1.StatefulSet) {
	pick(w, []func(*World, *appsv1.StatefulSet){eitherSet, unavailableSet, partitionedSet})(w, set)
	set.Spec.MinReadySeconds = int32(w.between(1, 30))
}

func startingSet(w *World, set *appsv1.StatefulSet) {
	pick(w, []func(*World, *appsv1.StatefulSet){eitherSet, unavailableSet, partitionedSet})(w, set)
	set.Spec.Ordinals = &appsv1.StatefulSetOrdinals{Start: int32(w.between(0, 5))}
}

func (w *World) claimTemplate(name string) corev1.PersistentVolumeClaim {
	claim := corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{"storage": resource.MustParse("1Gi")}},
		},
	}
	if w.chance(30) {
		claim.Labels = map[string]string{"disk": "fast", "app": "disks"}
		claim.Annotations = map[string]string{"team": "a"}
	}
	return claim
}

func (w *World) retention() *appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy {
	if w.chance(15) {
		return nil
	}
	of := []appsv1.PersistentVolumeClaimRetentionPolicyType{appsv1.RetainPersistentVolumeClaimRetentionPolicyType, appsv1.DeletePersistentVolumeClaimRetentionPolicyType}
	return &appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{WhenDeleted: pick(w, of), WhenScaled: pick(w, of)}
}

func claimingSet(w *World, set *appsv1.StatefulSet) {
	pick(w, []func(*World, *appsv1.StatefulSet){eitherSet, eitherSet, unavailableSet, startingSet})(w, set)
	set.Spec.VolumeClaimTemplates = []corev1.PersistentVolumeClaim{w.claimTemplate("data")}
	set.Spec.PersistentVolumeClaimRetentionPolicy = w.retention()
}

func claimingTwice(w *World, set *appsv1.StatefulSet) {
	claimingSet(w, set)
	set.Spec.VolumeClaimTemplates = append(set.Spec.VolumeClaimTemplates, w.claimTemplate("wal"), w.claimTemplate("scratch"))
}

func forgetfulSet(w *World, set *appsv1.StatefulSet) {
	eitherSet(w, set)
	set.Spec.Replicas = pointer(int32(w.between(0, 3)))
	set.Spec.RevisionHistoryLimit = pointer(int32(w.between(0, 3)))
}

func anySet(w *World, set *appsv1.StatefulSet) {
	pick(w, []func(*World, *appsv1.StatefulSet){
		orderedSet, parallelSet, unavailableSet, partitionedSet, onDeleteSet, patientSet, startingSet, claimingSet, forgetfulSet,
	})(w, set)
}

func manySet(w *World, set *appsv1.StatefulSet) {
	parallelSet(w, set)
	set.Spec.Replicas = pointer(int32(w.between(12, 40)))
}

// editStateful changes the StatefulSet; a change that the API server rejects has no effect.
func (w *World) editStateful(change func(*appsv1.StatefulSet)) {
	set, ok := some[*appsv1.StatefulSet](w, apiserver.StatefulSets)
	if !ok {
		return
	}
	change(set)
	_, _ = w.store.Update(apiserver.StatefulSets, namespace, set, "")
}

func scaleStateful(w *World) {
	w.editStateful(func(set *appsv1.StatefulSet) {
		limit := 8
		if w.kind.name == "many" {
			limit = 60
		}
		set.Spec.Replicas = pointer(int32(min(limit, max(0, int(*set.Spec.Replicas)+w.between(-4, 4)))))
	})
}

func rollStateful(w *World) {
	w.editStateful(func(set *appsv1.StatefulSet) {
		template := &set.Spec.Template
		switch w.rng.IntN(8) {
		case 0:
			template.Annotations = map[string]string{"kubectl.kubernetes.io/restartedAt": fmt.Sprint(w.rng.IntN(1000))}
		case 1:
			template.Labels = map[string]string{"app": "web", "extra": fmt.Sprintf("e%d", w.rng.IntN(3))}
		default:
			set.Spec.Template = w.setTemplate(template.Labels)
		}
	})
}

// breakStateful rolls out pods that never become ready.
func breakStateful(w *World) {
	w.editStateful(func(set *appsv1.StatefulSet) {
		set.Spec.Template.Spec.Containers[0].Image = fmt.Sprintf("broken:%d", w.rng.IntN(2))
	})
}

// rollBackStateful restores the template of one of the revisions, as kubectl rollout undo does.
func rollBackStateful(w *World) {
	revision, ok := some[*appsv1.ControllerRevision](w, apiserver.ControllerRevisions)
	if !ok {
		return
	}
	w.editStateful(func(set *appsv1.StatefulSet) {
		if restored, err := statefulset.ApplyRevision(set, revision); err == nil {
			set.Spec.Template = restored.Spec.Template
		}
	})
}

func movePartition(w *World) {
	w.editStateful(func(set *appsv1.StatefulSet) {
		if rolling := set.Spec.UpdateStrategy.RollingUpdate; rolling != nil {
			rolling.Partition = pointer(int32(w.between(0, int(*set.Spec.Replicas)+1)))
		}
	})
}

func moveStart(w *World) {
	w.editStateful(func(set *appsv1.StatefulSet) {
		set.Spec.Ordinals = &appsv1.StatefulSetOrdinals{Start: int32(w.between(0, 6))}
		if w.chance(15) {
			set.Spec.Ordinals = nil
		}
	})
}

func retain(w *World) {
	w.editStateful(func(set *appsv1.StatefulSet) { set.Spec.PersistentVolumeClaimRetentionPolicy = w.retention() })
}

func annotateStateful(w *World) {
	w.editStateful(func(set *appsv1.StatefulSet) {
		metav1.SetMetaDataAnnotation(&set.ObjectMeta, "kubernetes.io/change-cause", fmt.Sprint(w.rng.IntN(9)))
	})
}

func tuneStateful(w *World) {
	w.editStateful(func(set *appsv1.StatefulSet) {
		switch w.rng.IntN(6) {
		case 0:
			set.Spec.MinReadySeconds = int32(w.between(0, 20))
		case 1:
			set.Spec.RevisionHistoryLimit = pointer(int32(w.between(-1, 3)))
		case 2:
			set.Spec.UpdateStrategy = appsv1.StatefulSetUpdateStrategy{Type: appsv1.OnDeleteStatefulSetStrategyType}
		case 3:
			set.Spec.UpdateStrategy = appsv1.StatefulSetUpdateStrategy{Type: appsv1.RollingUpdateStatefulSetStrategyType}
		default:
			set.Spec.UpdateStrategy = appsv1.StatefulSetUpdateStrategy{
				Type: appsv1.RollingUpdateStatefulSetStrategyType,
				RollingUpdate: &appsv1.RollingUpdateStatefulSetStrategy{
					MaxUnavailable: w.unavailable(), Partition: pointer(int32(w.between(0, 4))),
				},
			}
		}
	})
}

func deleteStateful(w *World) {
	set, ok := some[*appsv1.StatefulSet](w, apiserver.StatefulSets)
	if !ok {
		return
	}
	policy := pick(w, []metav1.DeletionPropagation{metav1.DeletePropagationForeground, metav1.DeletePropagationForeground, metav1.DeletePropagationOrphan, metav1.DeletePropagationBackground})
	_ = w.store.Delete(apiserver.StatefulSets, namespace, set.Name, metav1.DeleteOptions{PropagationPolicy: &policy})
}

func recreateStateful(w *World) {
	if len(w.store.List(apiserver.StatefulSets)) == 0 {
		w.foundStateful(anySet)
	}
}

// storeRecreate stores the strategy Recreate, which the API server accepts only with its gate.
func storeRecreate(w *World) {
	if set, ok := some[*appsv1.StatefulSet](w, apiserver.StatefulSets); ok {
		set.Spec.UpdateStrategy = appsv1.StatefulSetUpdateStrategy{Type: appsv1.RecreateStatefulSetStrategyType}
		w.store.Put(apiserver.StatefulSets, set)
	}
}

// bendStateful stores what no controller writes.
func bendStateful(w *World) {
	set, ok := some[*appsv1.StatefulSet](w, apiserver.StatefulSets)
	if !ok {
		return
	}
	status := &set.Status
	switch w.rng.IntN(8) {
	case 0:
		status.CurrentReplicas = int32(w.between(-2, 6))
	case 1:
		status.CurrentRevision = pick(w, []string{"", "web-gone", status.UpdateRevision})
	case 2:
		status.ObservedGeneration = set.Generation + int64(w.between(-2, 2))
	case 3:
		status.CollisionCount = pick(w, []*int32{nil, pointer(int32(1)), pointer(int32(17))})
	case 4:
		set.Spec.UpdateStrategy = appsv1.StatefulSetUpdateStrategy{Type: appsv1.RollingUpdateStatefulSetStrategyType}
	case 5:
		status.Conditions = []appsv1.StatefulSetCondition{{Type: appsv1.StatefulSetProgressing, Status: "True", Reason: "Hand", LastTransitionTime: metav1.Now()}}
	case 6:
		status.Replicas, status.ReadyReplicas, status.AvailableReplicas = 9, 8, 7
	case 7:
		set.Spec.Selector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "Near"}}}
	}
	w.store.Put(apiserver.StatefulSets, set)
}

// relabelStatefulPod changes what the controller sets, or takes a pod out of the selector.
func relabelStatefulPod(w *World) {
	pod, ok := some[*corev1.Pod](w, apiserver.Pods)
	if !ok || pod.Labels == nil {
		return
	}
	switch w.rng.IntN(6) {
	case 0:
		pod.Labels["app"] = "isolated"
	case 1:
		pod.Labels["app"] = "web"
	case 2:
		delete(pod.Labels, appsv1.StatefulSetPodNameLabel)
	case 3:
		delete(pod.Labels, appsv1.StatefulSetRevisionLabel)
	case 4:
		pod.Labels[appsv1.StatefulSetRevisionLabel] = "web-another"
	case 5:
		pod.Labels[appsv1.StatefulSetPodNameLabel] = "web-77"
	}
	_, _ = w.store.Update(apiserver.Pods, namespace, pod, "")
}

// strayStatefulPod takes the owner from a pod, or creates a pod that the StatefulSet could adopt.
func strayStatefulPod(w *World) {
	if pod, ok := some[*corev1.Pod](w, apiserver.Pods); ok && w.chance(50) {
		pod.OwnerReferences = nil
		_, _ = w.store.Update(apiserver.Pods, namespace, pod, "")
		return
	}
	set, ok := some[*appsv1.StatefulSet](w, apiserver.StatefulSets)
	if !ok {
		return
	}
	name := pick(w, []string{"web-0", "web-1", "web-2", "web-5", "web-12", "web-x", "web-99999999999", "other-0"})
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, Labels: map[string]string{"app": "web"}},
		Spec:       set.Spec.Template.Spec,
	}
	if w.chance(30) {
		// Owned, although the name does not fit.
		pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("StatefulSet"))}
	}
	_, _ = w.store.Create(apiserver.Pods, namespace, pod)
}

// claimTrouble are changes to claims that no controller makes.
func claimTrouble(w *World) {
	claim, ok := some[*corev1.PersistentVolumeClaim](w, apiserver.Claims)
	if !ok {
		return
	}
	other := func(kind, name, uid string, controls *bool) metav1.OwnerReference {
		version := "apps/v1"
		if kind == "Pod" {
			version = "v1"
		}
		return metav1.OwnerReference{APIVersion: version, Kind: kind, Name: name, UID: types.UID("00000000-0000-0000-0000-0000000000" + uid), Controller: controls}
	}
	switch w.rng.IntN(8) {
	case 0:
		claim.Finalizers = []string{"kubernetes.io/pvc-protection"}
		w.store.Put(apiserver.Claims, claim)
		_ = w.store.Delete(apiserver.Claims, namespace, claim.Name, metav1.DeleteOptions{})
		return
	case 1:
		w.store.Remove(apiserver.Claims, namespace, claim.Name)
		return
	case 2:
		claim.OwnerReferences = []metav1.OwnerReference{other("ReplicaSet", "foreign", "0b", pointer(true))}
	case 3:
		claim.OwnerReferences = append(claim.OwnerReferences, other("ReplicaSet", "foreign", "0b", pointer(true)))
	case 4:
		claim.OwnerReferences = []metav1.OwnerReference{other("StatefulSet", "web", "0c", pointer(true))}
	case 5:
		if pod, ok := some[*corev1.Pod](w, apiserver.Pods); ok {
			claim.OwnerReferences = []metav1.OwnerReference{other("Pod", pod.Name, "0d", pointer(true))}
		}
	case 6:
		for i := range claim.OwnerReferences {
			claim.OwnerReferences[i].Controller = nil
		}
	case 7:
		claim.OwnerReferences = nil
		claim.DeletionTimestamp, claim.Finalizers = nil, nil
	}
	w.store.Put(apiserver.Claims, claim)
}

// revisionTrouble are changes to revisions that no controller makes.
func revisionTrouble(w *World) {
	revision, ok := some[*appsv1.ControllerRevision](w, apiserver.ControllerRevisions)
	if !ok {
		return
	}
	switch w.rng.IntN(6) {
	case 0, 1:
		revision.OwnerReferences = nil
	case 2:
		revision.Labels["app"] = pick(w, []string{"isolated", "web"})
	case 3:
		w.store.Remove(apiserver.ControllerRevisions, namespace, revision.Name)
		return
	case 4:
		revision.Revision = int64(w.between(1, 6))
	case 5:
		revision.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "StatefulSet", Name: "web", UID: "00000000-0000-0000-0000-00000000000c", Controller: pointer(true)}}
	}
	w.store.Put(apiserver.ControllerRevisions, revision)
}

// collideRevision takes the name of the revision that the next template would get.
func collideRevision(w *World) {
	w.editStateful(func(set *appsv1.StatefulSet) {
		set.Spec.Template = w.setTemplate(map[string]string{"app": "web", "round": fmt.Sprint(w.rng.IntN(100))})
		var collisions int32
		if set.Status.CollisionCount != nil {
			collisions = *set.Status.CollisionCount
		}
		stored := set.DeepCopy()
		if updated, err := w.store.Update(apiserver.StatefulSets, namespace, stored, ""); err == nil {
			stored = updated.(*appsv1.StatefulSet)
		}
		*set = *stored
		for range w.between(1, 2) {
			revision := controllers.NewRevision(stored, int64(w.between(1, 3)), collisions)
			revision.Namespace = namespace
			switch w.rng.IntN(3) {
			case 0:
				// The same data, of nobody: it is adopted or used.
				revision.OwnerReferences = nil
			case 1:
				revision.Data = runtime.RawExtension{Raw: []byte(`{"spec":{"template":{"$patch":"replace"}}}`)}
				revision.OwnerReferences = nil
				revision.Labels["app"] = "other"
			case 2:
				revision.Labels["app"] = "other"
			}
			_, _ = w.store.Create(apiserver.ControllerRevisions, namespace, revision)
			collisions++
		}
	})
}

// ageRevision stores a revision as older releases wrote it.
func ageRevision(w *World) {
	revision, ok := some[*appsv1.ControllerRevision](w, apiserver.ControllerRevisions)
	if !ok {
		return
	}
	data := cases.Value(revision).(map[string]any)["data"].(map[string]any)
	template := data["spec"].(map[string]any)["template"].(map[string]any)
	metadata, ok := template["metadata"].(map[string]any)
	if !ok {
		return
	}
	metadata["creationTimestamp"] = nil
	if w.chance(40) {
		// A field that later got a default.
		delete(template["spec"].(map[string]any), "schedulerName")
	}
	revision.Data = runtime.RawExtension{Raw: cases.Encoded(data)}
	w.store.Put(apiserver.ControllerRevisions, revision)
}

// setKubelets does the work of the scheduler and the kubelets: pods with a broken image never become ready.
func (w *World) setKubelets() {
	for _, object := range w.store.List(apiserver.Pods) {
		pod := object.DeepCopyObject().(*corev1.Pod)
		broken := len(pod.Spec.Containers) > 0 && pod.Spec.Containers[0].Image[0] == 'b'
		switch {
		case pod.DeletionTimestamp != nil:
			w.end(pod)
		case pod.Spec.NodeName == "":
			if w.chance(90) {
				pod.Spec.NodeName = fmt.Sprintf("node-%d", w.between(1, 4))
				w.store.Put(apiserver.Pods, pod)
			}
		case w.lost[pod.Spec.NodeName] || broken && w.chance(95):
		default:
			w.live(pod)
		}
	}
}

func (w *World) syncStatefulSets() {
	for _, object := range w.store.List(apiserver.StatefulSets) {
		w.syncStatefulSet(object.(*appsv1.StatefulSet))
	}
}

func (w *World) syncStatefulSet(set *appsv1.StatefulSet) {
	parallel := set.Spec.PodManagementPolicy == appsv1.ParallelPodManagement
	refusals := w.statefulRefusals(parallel, len(set.Spec.VolumeClaimTemplates) > 1)
	input := map[string]any{
		"statefulSet": cases.Value(set),
		"revisions":   cases.Value(w.store.List(apiserver.ControllerRevisions)),
		"pods":        statefulPods(w.store),
	}
	if claims := w.store.List(apiserver.Claims); len(claims) > 0 {
		input["claims"] = cases.Value(claims)
	}
	w.forks++
	now := time.Now()
	// Upstream tries again after a conflict, with the copy of its cache, which shows every write here: a store that refuses
	// outdated copies would show nothing more.
	lenient := w.store.Fork(false, refusals, w.forks)
	result := controllers.SyncStatefulSet(lenient, namespace+"/"+set.Name)
	if result.Panic != nil {
		return
	}
	// An API server refuses the update of a pod that the same sync has adopted, and upstream sends it again with the pod as it is
	// then.
	if lenient.OutdatedPods > 0 {
		w.store.Take(lenient)
		return
	}
	if refusals = append(lenient.Invalid, refusals...); len(refusals) > 0 {
		input["refuse"] = cases.Refusals(refusals)
	}
	expected := map[string]any{
		"error":  result.Err != nil,
		"writes": cases.Writes(cases.Unordered(lenient.Log, parallel)),
		"events": cases.Events(cases.UnorderedEvents(result.Events, parallel)),
	}
	if result.Err == nil {
		expected["nanoseconds"] = int64(result.After)
	}
	w.emit(cases.Case{
		Name: w.kind.name, Op: "statefulSet.sync", Source: cases.Source, Gates: w.gates, Now: cases.Time(now), Input: input,
		Expected: expected, Hint: fmt.Sprint(set.Spec.PodManagementPolicy, set.Spec.UpdateStrategy.Type, len(w.gates)),
	})
	w.store.Take(lenient)
}

// statefulPods returns the pods of a store, with the parts of their specs that matter here.
func statefulPods(store *apiserver.Store) []any {
	pods := []any{}
	for _, object := range store.List(apiserver.Pods) {
		value := cases.Value(object).(map[string]any)
		whole, spec := value["spec"].(map[string]any), map[string]any{}
		for _, key := range []string{"nodeName", "terminationGracePeriodSeconds", "volumes"} {
			if field, ok := whole[key]; ok {
				spec[key] = field
			}
		}
		if volumes, ok := spec["volumes"].([]any); ok {
			// The controller lists them in the order of a Go map.
			name := func(volume any) string { return volume.(map[string]any)["name"].(string) }
			slices.SortFunc(volumes, func(a, b any) int { return strings.Compare(name(a), name(b)) })
		}
		value["spec"] = spec
		pods = append(pods, value)
	}
	return pods
}

// statefulRefusals makes the API server refuse some of the sync's calls. What is sent concurrently is refused by its name.
// With several claims in a pod, none of theirs is refused: their errors would come in the order of a Go map.
func (w *World) statefulRefusals(parallel, several bool) (refusals []apiserver.Refusal) {
	if !w.kind.refuses || !w.chance(60) {
		return nil
	}
	for range w.between(1, 6) {
		refusal := pick(w, statefulRefusals)
		isPod, isClaim := refusal.Resource == "pods", refusal.Resource == "persistentvolumeclaims"
		if isClaim && several {
			continue
		}
		number := w.between(0, 3)
		switch {
		case parallel && isPod:
			refusal.Name = fmt.Sprintf("web-%d", number)
		case parallel && isClaim:
			refusal.Name = fmt.Sprintf("data-web-%d", number)
		case isPod || isClaim:
			refusal.After = pick(w, []int{0, 0, 0, 0, 1, 2})
		}
		refusals = append(refusals, refusal)
	}
	return refusals
}

var statefulRefusals = []apiserver.Refusal{
	{Verb: "create", Resource: "pods", Code: 403, Message: `pods "web" is forbidden: exceeded quota: pods, requested: pods=1, used: pods=5, limited: pods=5`},
	{Verb: "create", Resource: "pods", Code: 409, Message: `pods "web" already exists`},
	{Verb: "create", Resource: "pods", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "delete", Resource: "pods", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "delete", Resource: "pods", Code: 404, Message: `pods "web" not found`},
	{Verb: "update", Resource: "pods", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "patch", Resource: "pods", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "patch", Resource: "pods", Code: 404, Message: `pods "web" not found`},
	{Verb: "patch", Resource: "pods", Code: 422, Message: `pods "web" is invalid`},
	{Verb: "create", Resource: "persistentvolumeclaims", Code: 403, Message: `persistentvolumeclaims "data" is forbidden: exceeded quota: claims`},
	{Verb: "create", Resource: "persistentvolumeclaims", Code: 409, Message: `persistentvolumeclaims "data" already exists`},
	{Verb: "create", Resource: "persistentvolumeclaims", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "update", Resource: "persistentvolumeclaims", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "create", Resource: "controllerrevisions", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "create", Resource: "controllerrevisions", Code: 409, Message: `controllerrevisions.apps "web" already exists`},
	{Verb: "update", Resource: "controllerrevisions", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "delete", Resource: "controllerrevisions", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "delete", Resource: "controllerrevisions", Code: 404, Message: `controllerrevisions.apps "web" not found`},
	{Verb: "patch", Resource: "controllerrevisions", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "updateStatus", Resource: "statefulsets", Code: 500, Message: "etcdserver: request timed out"},
}
