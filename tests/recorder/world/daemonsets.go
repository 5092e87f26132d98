package world

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/controller/daemon"
	"k8s.io/kubernetes/pkg/controller/daemon/util"

	"changeover.dev/recorder/apiserver"
	"changeover.dev/recorder/cases"
	"changeover.dev/recorder/controllers"
)

// daemonKind is a sort of world with DaemonSets: how it begins, and what can happen to it.
type daemonKind struct {
	name    string
	steps   int
	refuses bool
	shape   func(*World, *appsv1.DaemonSet)
	actions []daemonAction
}

type daemonAction struct {
	weight int
	act    func(*daemonWorld)
}

var daemonKinds []daemonKind

func onWorld(act func(*World)) func(*daemonWorld) {
	return func(w *daemonWorld) { act(w.World) }
}

func init() {
	trouble := onWorld(podTrouble)
	nodes := []daemonAction{{3, addNode}, {2, removeNode}, {4, relabelNode}, {4, taintNode}}
	daemonKinds = []daemonKind{
		{name: "rolling", steps: 30, shape: rollingDaemon, actions: []daemonAction{{5, rollDaemon}, {1, rollBackDaemon}, {1, trouble}, {1, addNode}}},
		{name: "surge", steps: 30, shape: surgingDaemon, actions: []daemonAction{{5, rollDaemon}, {1, rollBackDaemon}, {1, trouble}, {1, addNode}}},
		{name: "on-delete", steps: 25, shape: onDeleteDaemon, actions: []daemonAction{{4, rollDaemon}, {4, trouble}, {1, addNode}}},
		{name: "min-ready", steps: 30, shape: patientDaemon, actions: []daemonAction{{5, rollDaemon}, {1, tuneDaemon}, {1, trouble}}},
		{name: "nodes", steps: 35, shape: anyDaemon, actions: append([]daemonAction{{2, rollDaemon}, {1, trouble}}, nodes...)},
		{name: "nodes-surge", steps: 35, shape: surgingDaemon, actions: append([]daemonAction{{4, rollDaemon}, {1, trouble}}, nodes...)},
		{name: "placed", steps: 30, shape: placedDaemon, actions: append([]daemonAction{{3, placeDaemon}, {2, rollDaemon}}, nodes...)},
		{name: "placed-surge", steps: 30, shape: surgingDaemon, actions: append([]daemonAction{{5, placeDaemon}, {2, rollDaemon}}, nodes...)},
		{name: "failing", steps: 45, shape: anyDaemon, actions: []daemonAction{{8, failDaemonPod}, {1, rollDaemon}, {1, trouble}}},
		{name: "broken", steps: 30, shape: anyDaemon, actions: []daemonAction{{5, breakDaemon}, {3, rollBackDaemon}, {1, trouble}, {1, tuneDaemon}}},
		{name: "excess", steps: 30, shape: anyDaemon, actions: []daemonAction{{8, extraDaemonPod}, {2, rollDaemon}, {1, trouble}}},
		{name: "excess-surge", steps: 30, shape: surgingDaemon, actions: []daemonAction{{6, extraDaemonPod}, {4, rollDaemon}, {1, trouble}}},
		{name: "history", steps: 40, shape: forgetfulDaemon, actions: []daemonAction{{8, rollDaemon}, {4, rollBackDaemon}, {2, tuneDaemon}, {4, daemonRevisionTrouble}}},
		{name: "duplicates", steps: 25, shape: anyDaemon, actions: []daemonAction{{6, duplicateRevision}, {2, rollDaemon}, {2, rollBackDaemon}, {1, extraDaemonPod}}},
		{name: "collision", steps: 20, shape: rollingDaemon, actions: []daemonAction{{6, collideDaemon}, {2, rollDaemon}, {1, rollBackDaemon}}},
		{name: "old-revisions", steps: 20, shape: rollingDaemon, actions: []daemonAction{{4, ageDaemonRevision}, {2, rollDaemon}, {2, rollBackDaemon}}},
		{name: "adoption", steps: 25, shape: anyDaemon, actions: []daemonAction{{5, relabelDaemonPod}, {6, strayDaemonPod}, {4, daemonRevisionTrouble}, {2, rollDaemon}}},
		{name: "forgetful", steps: 35, shape: anyDaemon, actions: append([]daemonAction{{4, rollDaemon}, {2, trouble}}, nodes...)},
		{name: "deleted", steps: 20, shape: anyDaemon, actions: []daemonAction{{4, deleteDaemon}, {3, recreateDaemon}, {2, trouble}, {2, strayDaemonPod}}},
		{name: "odd", steps: 25, shape: anyDaemon, actions: []daemonAction{{6, bendDaemon}, {3, rollDaemon}, {2, extraDaemonPod}, {1, trouble}}},
		{name: "refused", steps: 30, refuses: true, shape: anyDaemon, actions: append([]daemonAction{{3, rollDaemon}, {2, rollBackDaemon}, {1, trouble}}, nodes...)},
		{name: "refused-surge", steps: 30, refuses: true, shape: surgingDaemon, actions: append([]daemonAction{{5, rollDaemon}, {2, placeDaemon}}, nodes...)},
		{name: "refused-history", steps: 30, refuses: true, shape: forgetfulDaemon, actions: []daemonAction{{6, rollDaemon}, {4, rollBackDaemon}, {2, daemonRevisionTrouble}, {2, collideDaemon}, {2, duplicateRevision}}},
		{name: "refused-adoption", steps: 25, refuses: true, shape: anyDaemon, actions: []daemonAction{{5, relabelDaemonPod}, {6, strayDaemonPod}, {3, daemonRevisionTrouble}, {2, duplicateRevision}}},
		{name: "many", steps: 8, shape: rollingDaemon, actions: []daemonAction{{3, rollDaemon}, {2, addNode}}},
	}
}

type daemonWorld struct {
	*World
	actions  []daemonAction
	nodes    []*corev1.Node
	number   int
	memories map[string]controllers.DaemonSetMemory
}

// RunDaemonSets creates the world of DaemonSets with this number, lets it evolve, and passes on every sync as a case.
func RunDaemonSets(seed uint64, number int, emit func(cases.Case)) {
	rng := rand.New(rand.NewPCG(seed, uint64(number)^1<<60))
	time.Sleep(time.Until(Start))
	time.Sleep(time.Duration(rng.IntN(1000)) * time.Millisecond)
	shape := daemonKinds[number%len(daemonKinds)]
	w := &daemonWorld{
		World: &World{
			kind: kind{name: shape.name, pods: true, refuses: shape.refuses},
			rng:  rng, emit: emit, lost: map[string]bool{},
			store: apiserver.New(rand.New(rand.NewPCG(seed, uint64(number)^3<<60))).ByName(),
			gates: map[string]bool{},
		},
		actions:  shape.actions,
		memories: map[string]controllers.DaemonSetMemory{},
	}
	count := w.between(0, 6)
	if shape.name == "many" {
		count = w.between(10, 18)
	}
	for range count {
		addNode(w)
	}
	w.foundDaemon("agent", shape.shape)
	for range shape.steps {
		w.pass()
		for range w.between(0, 2) {
			w.actDaemon()
		}
		for range w.between(1, 3) {
			w.daemonKubelets()
		}
		if w.chance(60) {
			w.collectGarbage()
		}
		for range w.between(1, 3) {
			w.syncDaemonSets()
		}
	}
	time.Sleep(20 * time.Second)
}

func (w *daemonWorld) actDaemon() {
	sum := 0
	for _, action := range w.actions {
		sum += action.weight
	}
	chosen := w.rng.IntN(sum)
	for _, action := range w.actions {
		if chosen -= action.weight; chosen < 0 {
			action.act(w)
			return
		}
	}
}

func addNode(w *daemonWorld) {
	if len(w.nodes) > 18 || w.kind.name != "many" && len(w.nodes) > 7 {
		return
	}
	w.number++
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("node-%d", w.number), Labels: map[string]string{}}}
	w.nodes = append(w.nodes, node)
	if w.chance(70) {
		node.Labels["disk"] = pick(w.World, []string{"ssd", "hdd"})
	}
	if w.chance(20) {
		node.Labels["cores"] = fmt.Sprint(w.between(2, 16))
	}
	if w.chance(10) {
		node.Spec.Taints = w.taints()
	}
}

func removeNode(w *daemonWorld) {
	if len(w.nodes) > 0 {
		index := w.rng.IntN(len(w.nodes))
		w.nodes = slices.Delete(w.nodes, index, index+1)
	}
}

func (w *daemonWorld) changeNode(change func(*corev1.Node)) {
	if len(w.nodes) == 0 {
		return
	}
	index := w.rng.IntN(len(w.nodes))
	node := w.nodes[index].DeepCopy()
	change(node)
	w.nodes[index] = node
	w.syncNode(node)
}

func relabelNode(w *daemonWorld) {
	w.changeNode(func(node *corev1.Node) {
		node.Labels["disk"] = pick(w.World, []string{"ssd", "hdd", "none"})
		if w.chance(30) {
			delete(node.Labels, "disk")
		}
	})
}

func taintNode(w *daemonWorld) {
	w.changeNode(func(node *corev1.Node) {
		node.Spec.Taints = w.taints()
		if w.chance(40) {
			node.Spec.Taints = nil
		}
	})
}

func (w *daemonWorld) taints() (taints []corev1.Taint) {
	keys := []string{
		"dedicated", "dedicated", "gpu", corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable, corev1.TaintNodeUnschedulable,
		corev1.TaintNodeDiskPressure, corev1.TaintNodeMemoryPressure, corev1.TaintNodePIDPressure, corev1.TaintNodeNetworkUnavailable,
	}
	effects := []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute, corev1.TaintEffectPreferNoSchedule}
	for range w.between(1, 2) {
		taints = append(taints, corev1.Taint{Key: pick(w.World, keys), Value: pick(w.World, []string{"", "db"}), Effect: pick(w.World, effects)})
	}
	return taints
}

func (w *daemonWorld) foundDaemon(name string, shape func(*World, *appsv1.DaemonSet)) {
	app := map[string]string{"app": "web"}
	set := &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, Labels: app},
		Spec:       appsv1.DaemonSetSpec{Selector: w.selector(app), Template: w.daemonTemplate(app)},
	}
	shape(w.World, set)
	_, _ = w.store.Create(apiserver.DaemonSets, namespace, set)
}

// daemonTemplate returns a template of which some say which nodes they suit.
func (w *World) daemonTemplate(of map[string]string) corev1.PodTemplateSpec {
	template := w.setTemplate(of)
	template.Finalizers = nil
	if w.chance(12) {
		template.Spec.HostNetwork = true
	}
	if w.chance(25) {
		w.tolerate(&template.Spec)
	}
	return template
}

func (w *World) tolerate(spec *corev1.PodSpec) {
	spec.Tolerations = pick(w, [][]corev1.Toleration{
		{{Key: "dedicated", Operator: corev1.TolerationOpExists}},
		{{Operator: corev1.TolerationOpExists}},
		{{Key: "dedicated", Operator: corev1.TolerationOpEqual, Value: "db", Effect: corev1.TaintEffectNoSchedule}},
		{{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: pointer(int64(9))}},
		{{Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpEqual, Effect: corev1.TaintEffectNoExecute}, {Key: "gpu"}},
	})
}

// place says which nodes the pods suit.
func (w *World) place(spec *corev1.PodSpec) {
	terms := func(terms ...corev1.NodeSelectorTerm) *corev1.Affinity {
		return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: terms},
		}}
	}
	expression := func(key string, operator corev1.NodeSelectorOperator, values ...string) corev1.NodeSelectorTerm {
		return corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: key, Operator: operator, Values: values}}}
	}
	spec.NodeSelector, spec.Affinity, spec.NodeName = nil, nil, ""
	switch w.rng.IntN(8) {
	case 0, 1:
		spec.NodeSelector = map[string]string{"disk": pick(w, []string{"ssd", "hdd"})}
	case 2:
		spec.Affinity = terms(expression("disk", corev1.NodeSelectorOpIn, "ssd"), expression("cores", corev1.NodeSelectorOpGt, "4"))
	case 3:
		spec.Affinity = terms(expression("disk", pick(w, []corev1.NodeSelectorOperator{corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist})))
	case 4:
		spec.Affinity = terms(corev1.NodeSelectorTerm{MatchFields: []corev1.NodeSelectorRequirement{
			{Key: metav1.ObjectNameField, Operator: pick(w, []corev1.NodeSelectorOperator{corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn}), Values: []string{"node-2"}},
		}})
	case 5:
		spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{Weight: 3, Preference: expression("disk", corev1.NodeSelectorOpIn, "ssd")}},
		}}
		if w.chance(50) {
			spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution = terms(expression("disk", corev1.NodeSelectorOpNotIn, "hdd")).NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
		}
	case 6:
		spec.NodeName = fmt.Sprintf("node-%d", w.between(1, 4))
	}
}

func (w *World) daemonLimit(zero bool) *intstr.IntOrString {
	amounts := []intstr.IntOrString{
		intstr.FromInt32(1), intstr.FromInt32(1), intstr.FromInt32(2), intstr.FromInt32(3),
		intstr.FromString("1%"), intstr.FromString("34%"), intstr.FromString("50%"), intstr.FromString("100%"),
	}
	if zero {
		return pointer(intstr.FromInt32(0))
	}
	return pointer(pick(w, amounts))
}

func rollingDaemon(w *World, set *appsv1.DaemonSet) {
	if w.chance(30) {
		return
	}
	set.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{
		Type: appsv1.RollingUpdateDaemonSetStrategyType, RollingUpdate: &appsv1.RollingUpdateDaemonSet{MaxUnavailable: w.daemonLimit(false)},
	}
}

func surgingDaemon(w *World, set *appsv1.DaemonSet) {
	set.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{
		Type:          appsv1.RollingUpdateDaemonSetStrategyType,
		RollingUpdate: &appsv1.RollingUpdateDaemonSet{MaxUnavailable: w.daemonLimit(true), MaxSurge: w.daemonLimit(false)},
	}
	if w.chance(25) {
		set.Spec.MinReadySeconds = int32(w.between(1, 20))
	}
}

func onDeleteDaemon(_ *World, set *appsv1.DaemonSet) {
	set.Spec.UpdateStrategy.Type = appsv1.OnDeleteDaemonSetStrategyType
}

func patientDaemon(w *World, set *appsv1.DaemonSet) {
	pick(w, []func(*World, *appsv1.DaemonSet){rollingDaemon, surgingDaemon})(w, set)
	set.Spec.MinReadySeconds = int32(w.between(1, 30))
}

func placedDaemon(w *World, set *appsv1.DaemonSet) {
	anyDaemon(w, set)
	w.place(&set.Spec.Template.Spec)
}

func forgetfulDaemon(w *World, set *appsv1.DaemonSet) {
	rollingDaemon(w, set)
	set.Spec.RevisionHistoryLimit = pointer(int32(w.between(0, 2)))
}

func anyDaemon(w *World, set *appsv1.DaemonSet) {
	pick(w, []func(*World, *appsv1.DaemonSet){rollingDaemon, rollingDaemon, surgingDaemon, onDeleteDaemon, patientDaemon, forgetfulDaemon})(w, set)
}

// editDaemon changes the DaemonSet; a change that the API server rejects has no effect.
func (w *World) editDaemon(change func(*appsv1.DaemonSet)) {
	set, ok := some[*appsv1.DaemonSet](w, apiserver.DaemonSets)
	if !ok {
		return
	}
	change(set)
	_, _ = w.store.Update(apiserver.DaemonSets, namespace, set, "")
}

func rollDaemon(w *daemonWorld) {
	w.editDaemon(func(set *appsv1.DaemonSet) {
		switch w.rng.IntN(6) {
		case 0:
			set.Spec.Template.Annotations = map[string]string{"kubectl.kubernetes.io/restartedAt": fmt.Sprint(w.rng.IntN(1000))}
		case 1:
			set.Spec.Template.Labels = map[string]string{"app": "web", "extra": fmt.Sprintf("e%d", w.rng.IntN(3))}
		default:
			placement := set.Spec.Template.Spec
			set.Spec.Template = w.daemonTemplate(set.Spec.Template.Labels)
			set.Spec.Template.Spec.NodeSelector, set.Spec.Template.Spec.Affinity, set.Spec.Template.Spec.NodeName = placement.NodeSelector, placement.Affinity, placement.NodeName
		}
	})
}

func placeDaemon(w *daemonWorld) {
	w.editDaemon(func(set *appsv1.DaemonSet) { w.place(&set.Spec.Template.Spec) })
}

func breakDaemon(w *daemonWorld) {
	w.editDaemon(func(set *appsv1.DaemonSet) {
		set.Spec.Template.Spec.Containers[0].Image = fmt.Sprintf("broken:%d", w.rng.IntN(2))
	})
}

// keptTemplate returns the template of a revision.
func keptTemplate(revision *appsv1.ControllerRevision) (template corev1.PodTemplateSpec, ok bool) {
	var data struct {
		Spec struct {
			Template corev1.PodTemplateSpec `json:"template"`
		} `json:"spec"`
	}
	if err := json.Unmarshal(revision.Data.Raw, &data); err != nil || len(data.Spec.Template.Spec.Containers) == 0 {
		return template, false
	}
	return data.Spec.Template, true
}

// rollBackDaemon restores the template of one of the revisions, as kubectl rollout undo does.
func rollBackDaemon(w *daemonWorld) {
	revision, ok := some[*appsv1.ControllerRevision](w.World, apiserver.ControllerRevisions)
	if !ok {
		return
	}
	if template, ok := keptTemplate(revision); ok {
		w.editDaemon(func(set *appsv1.DaemonSet) { set.Spec.Template = template })
	}
}

func tuneDaemon(w *daemonWorld) {
	w.editDaemon(func(set *appsv1.DaemonSet) {
		switch w.rng.IntN(6) {
		case 0:
			set.Spec.MinReadySeconds = int32(w.between(0, 20))
		case 1:
			set.Spec.RevisionHistoryLimit = pointer(int32(w.between(0, 3)))
		case 2:
			onDeleteDaemon(w.World, set)
		case 3:
			surgingDaemon(w.World, set)
		default:
			rollingDaemon(w.World, set)
		}
	})
}

func failDaemonPod(w *daemonWorld) {
	pod, ok := some[*corev1.Pod](w.World, apiserver.Pods)
	if !ok || pod.DeletionTimestamp != nil {
		return
	}
	pod.Status.Phase = pick(w.World, []corev1.PodPhase{corev1.PodFailed, corev1.PodFailed, corev1.PodFailed, corev1.PodSucceeded})
	w.ready(pod, corev1.ConditionFalse)
}

// extraDaemonPod creates another pod for the node of a pod, or a pod that names no node.
func extraDaemonPod(w *daemonWorld) {
	pod, ok := some[*corev1.Pod](w.World, apiserver.Pods)
	if !ok {
		return
	}
	extra := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("agent-extra%d", w.rng.IntN(100)), Namespace: namespace, Labels: pod.Labels, OwnerReferences: pod.OwnerReferences,
		},
		Spec: *pod.Spec.DeepCopy(),
	}
	switch w.rng.IntN(6) {
	case 0:
		extra.Labels = map[string]string{"app": "web", appsv1.DefaultDaemonSetUniqueLabelKey: "another"}
	case 1:
		extra.Spec.NodeName, extra.Spec.Affinity = "", nil
	case 2:
		extra.Spec.NodeName = ""
		extra.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpNotIn, Values: []string{"node-1"}}}}},
		}}}
	}
	_, _ = w.store.Create(apiserver.Pods, namespace, extra)
}

// relabelDaemonPod changes what the controller sets, or takes a pod out of the selector.
func relabelDaemonPod(w *daemonWorld) {
	pod, ok := some[*corev1.Pod](w.World, apiserver.Pods)
	if !ok || pod.Labels == nil {
		return
	}
	switch w.rng.IntN(5) {
	case 0, 1:
		pod.Labels["app"] = "isolated"
	case 2:
		pod.Labels["app"] = "web"
	case 3:
		delete(pod.Labels, appsv1.DefaultDaemonSetUniqueLabelKey)
	case 4:
		delete(pod.Labels, "pod-template-generation")
	}
	_, _ = w.store.Update(apiserver.Pods, namespace, pod, "")
}

// strayDaemonPod takes the owner from a pod, or creates a pod that the DaemonSet could adopt.
func strayDaemonPod(w *daemonWorld) {
	if pod, ok := some[*corev1.Pod](w.World, apiserver.Pods); ok && w.chance(60) {
		pod.OwnerReferences = nil
		_, _ = w.store.Update(apiserver.Pods, namespace, pod, "")
		return
	}
	if set, ok := some[*appsv1.DaemonSet](w.World, apiserver.DaemonSets); ok {
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("stray-%d", w.rng.IntN(9)), Namespace: namespace, Labels: map[string]string{"app": "web"}},
			Spec:       set.Spec.Template.Spec,
		}
		pod.Spec.NodeName = fmt.Sprintf("node-%d", w.between(1, 6))
		_, _ = w.store.Create(apiserver.Pods, namespace, pod)
	}
}

// daemonRevisionTrouble are changes to revisions that no controller makes.
func daemonRevisionTrouble(w *daemonWorld) {
	revision, ok := some[*appsv1.ControllerRevision](w.World, apiserver.ControllerRevisions)
	if !ok {
		return
	}
	switch w.rng.IntN(6) {
	case 0, 1:
		revision.OwnerReferences = nil
	case 2:
		revision.Labels["app"] = pick(w.World, []string{"isolated", "web"})
	case 3:
		w.store.Remove(apiserver.ControllerRevisions, namespace, revision.Name)
		return
	case 4:
		revision.Revision = int64(w.between(1, 6))
	case 5:
		delete(revision.Labels, appsv1.DefaultDaemonSetUniqueLabelKey)
	}
	w.store.Put(apiserver.ControllerRevisions, revision)
}

// duplicateRevision stores a template a second time.
func duplicateRevision(w *daemonWorld) {
	revision, ok := some[*appsv1.ControllerRevision](w.World, apiserver.ControllerRevisions)
	if !ok {
		return
	}
	copied := revision.DeepCopy()
	copied.ObjectMeta = metav1.ObjectMeta{
		Name: fmt.Sprintf("agent-copy%d", w.rng.IntN(9)), Namespace: namespace, Labels: map[string]string{"app": "web"},
		OwnerReferences: revision.OwnerReferences,
	}
	if w.chance(60) {
		copied.Labels[appsv1.DefaultDaemonSetUniqueLabelKey] = strings.TrimPrefix(copied.Name, "agent-")
	}
	copied.Revision += int64(w.between(-1, 2))
	_, _ = w.store.Create(apiserver.ControllerRevisions, namespace, copied)
}

// collideDaemon takes the name of the revision that the next template would get.
func collideDaemon(w *daemonWorld) {
	w.editDaemon(func(set *appsv1.DaemonSet) {
		set.Spec.Template = w.daemonTemplate(map[string]string{"app": "web", "round": fmt.Sprint(w.rng.IntN(100))})
		if updated, err := w.store.Update(apiserver.DaemonSets, namespace, set.DeepCopy(), ""); err == nil {
			*set = *updated.(*appsv1.DaemonSet)
		}
		name := set.Name + "-" + controller.ComputeHash(&set.Spec.Template, set.Status.CollisionCount)
		revision := &appsv1.ControllerRevision{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, Labels: map[string]string{"app": "other"}},
			Data:       runtime.RawExtension{Raw: []byte(`{"spec":{"template":{"$patch":"replace"}}}`)},
			Revision:   int64(w.between(1, 3)),
		}
		if w.chance(30) {
			// The same data, of nobody that matches.
			revision.Data = runtime.RawExtension{Raw: cases.Encoded(daemonPatch(set))}
		}
		_, _ = w.store.Create(apiserver.ControllerRevisions, namespace, revision)
	})
}

func daemonPatch(set *appsv1.DaemonSet) any {
	template := cases.Value(set).(map[string]any)["spec"].(map[string]any)["template"].(map[string]any)
	template["$patch"] = "replace"
	return map[string]any{"spec": map[string]any{"template": template}}
}

// ageDaemonRevision stores a revision as older releases wrote it.
func ageDaemonRevision(w *daemonWorld) {
	ageRevision(w.World)
}

func deleteDaemon(w *daemonWorld) {
	set, ok := some[*appsv1.DaemonSet](w.World, apiserver.DaemonSets)
	if !ok {
		return
	}
	policy := pick(w.World, []metav1.DeletionPropagation{metav1.DeletePropagationForeground, metav1.DeletePropagationForeground, metav1.DeletePropagationOrphan, metav1.DeletePropagationBackground})
	_ = w.store.Delete(apiserver.DaemonSets, namespace, set.Name, metav1.DeleteOptions{PropagationPolicy: &policy})
}

func recreateDaemon(w *daemonWorld) {
	if len(w.store.List(apiserver.DaemonSets)) == 0 {
		w.foundDaemon("agent", anyDaemon)
	}
}

// bendDaemon stores what no API server lets pass.
func bendDaemon(w *daemonWorld) {
	set, ok := some[*appsv1.DaemonSet](w.World, apiserver.DaemonSets)
	if !ok {
		return
	}
	status := &set.Status
	switch w.rng.IntN(7) {
	case 0:
		status.DesiredNumberScheduled, status.NumberReady = 9, 8
	case 1:
		status.ObservedGeneration = set.Generation + int64(w.between(-2, 2))
	case 2:
		status.CollisionCount = pick(w.World, []*int32{nil, pointer(int32(1)), pointer(int32(17))})
	case 3:
		set.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{Type: appsv1.RollingUpdateDaemonSetStrategyType, RollingUpdate: &appsv1.RollingUpdateDaemonSet{
			MaxUnavailable: w.daemonLimit(true), MaxSurge: w.daemonLimit(true),
		}}
	case 4:
		set.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{Type: appsv1.RollingUpdateDaemonSetStrategyType, RollingUpdate: &appsv1.RollingUpdateDaemonSet{
			MaxUnavailable: pointer(intstr.FromString(pick(w.World, []string{"many", "x%"}))), MaxSurge: pick(w.World, []*intstr.IntOrString{pointer(intstr.FromInt32(0)), pointer(intstr.FromString("y%"))}),
		}}
	case 5:
		set.Spec.Selector = &metav1.LabelSelector{}
	case 6:
		set.Spec.Selector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "Near"}}}
	}
	w.store.Put(apiserver.DaemonSets, set)
}

// daemonKubelets does the work of the scheduler, the kubelets and the garbage collector of pods.
func (w *daemonWorld) daemonKubelets() {
	exists := map[string]bool{}
	for _, node := range w.nodes {
		exists[node.Name] = true
	}
	for _, object := range w.store.List(apiserver.Pods) {
		pod := object.DeepCopyObject().(*corev1.Pod)
		broken := len(pod.Spec.Containers) > 0 && pod.Spec.Containers[0].Image[0] == 'b'
		switch {
		case pod.DeletionTimestamp != nil:
			w.end(pod)
		case pod.Spec.NodeName == "":
			target, err := util.GetTargetNodeName(pod)
			if err == nil && exists[target] && w.chance(85) {
				pod.Spec.NodeName = target
				w.store.Put(apiserver.Pods, pod)
			}
		case !exists[pod.Spec.NodeName]:
			if w.chance(15) {
				w.store.Remove(apiserver.Pods, namespace, pod.Name)
			}
		case w.lost[pod.Spec.NodeName] || broken && w.chance(95):
		default:
			w.live(pod)
		}
	}
}

func (w *daemonWorld) syncDaemonSets() {
	for _, object := range w.store.List(apiserver.DaemonSets) {
		w.syncDaemonSet(object.(*appsv1.DaemonSet))
	}
}

func (w *daemonWorld) syncDaemonSet(set *appsv1.DaemonSet) {
	key := namespace + "/" + set.Name
	before := w.memories[key]
	refusals := w.daemonRefusals()
	input := map[string]any{
		"daemonSet": cases.Value(set),
		"nodes":     shortNodes(w.nodes),
		"revisions": cases.Value(w.store.List(apiserver.ControllerRevisions)),
		"pods":      daemonPods(w.store),
	}
	w.forks++
	now := time.Now()
	lenient := w.store.Fork(false, refusals, w.forks)
	result := controllers.SyncDaemonSet(lenient, w.nodes, key, before)
	if result.Panic != nil {
		return
	}
	partial := false
	for _, refusal := range append(slices.Clone(lenient.Invalid), refusals...) {
		partial = partial || refusal.Resource == "pods"
	}
	if refusals = append(slices.Clone(lenient.Invalid), refusals...); len(refusals) > 0 {
		input["refuse"] = cases.Refusals(refusals)
	}
	hint := fmt.Sprint(set.Spec.UpdateStrategy.Type, util.AllowsSurge(set))
	log, events, chosen := lenient.Log, result.Events, w.chosen(set, lenient, result, partial)
	if chosen != nil {
		input["chosen"] = chosen
		log, events = withoutChoice(log, chosen), eventsWithoutChoice(events, chosen)
		hint += "chosen"
	}
	c := cases.Case{
		Name: w.kind.name, Op: "daemonSet.sync", Source: cases.Source, Gates: w.gates, Now: cases.Time(now), Input: input,
		Expected: map[string]any{
			"error":  result.Err != nil,
			"writes": cases.Writes(log),
			"events": cases.Events(events),
			"memory": cases.Value(result.Memory),
		},
		Hint: hint,
	}
	if memory := cases.Value(before); len(memory.(map[string]any)) > 0 {
		c.Memory = memory
	}
	if result.Err == nil {
		c.Expected["nanoseconds"] = int64(result.After)
	}
	if chosen == nil || !partial {
		w.emit(c)
	}
	w.store.Take(lenient)
	w.recall(key, set, result.Memory)
}

// recall keeps what the controller remembers: mostly, it has seen its own writes.
func (w *daemonWorld) recall(key string, set *appsv1.DaemonSet, memory controllers.DaemonSetMemory) {
	if w.kind.name != "forgetful" || w.chance(50) {
		memory.Expectations = nil
	}
	for entry := range memory.FailedPodsBackoff {
		if !strings.HasPrefix(entry, fmt.Sprintf("%s/%d/", set.UID, set.Status.ObservedGeneration)) && w.chance(80) {
			delete(memory.FailedPodsBackoff, entry)
		}
	}
	w.memories[key] = memory
}

// choice says which pods may be deleted and which nodes may get pods, where upstream chooses by the order of a Go map.
type choice struct {
	Delete []string `json:"delete,omitempty"`
	Create []string `json:"create,omitempty"`
}

// chosen returns the candidates if the sync has chosen some of them, and not all. If writes of pods are refused, it may have chosen
// some of which nothing was written.
func (w *daemonWorld) chosen(set *appsv1.DaemonSet, after *apiserver.Store, result controllers.DaemonSetResult, refused bool) *choice {
	if !result.Rolled {
		return nil
	}
	// With surge, the map's order also says which of the pods comes first, and so which one is refused.
	if refused && util.AllowsSurge(set) {
		return &choice{}
	}
	hash := ""
	for _, object := range after.List(apiserver.ControllerRevisions) {
		revision := object.(*appsv1.ControllerRevision)
		if same, err := daemon.Match(set, revision); err == nil && same && metav1.IsControlledBy(revision, set) {
			hash = revision.Labels[appsv1.DefaultDaemonSetUniqueLabelKey]
		}
	}
	generation, err := util.GetTemplateGeneration(set)
	if err != nil {
		generation = nil
	}
	selector, err := metav1.LabelSelectorAsSelector(set.Spec.Selector)
	if err != nil {
		return nil
	}
	type pair struct{ old, new []*corev1.Pod }
	byNode := map[string]*pair{}
	for _, object := range w.store.List(apiserver.Pods) {
		pod := object.(*corev1.Pod)
		node, err := util.GetTargetNodeName(pod)
		owner := metav1.GetControllerOf(pod)
		if err != nil || pod.DeletionTimestamp != nil || owner != nil && owner.UID != set.UID || !selector.Matches(labels.Set(pod.Labels)) {
			continue
		}
		if byNode[node] == nil {
			byNode[node] = &pair{}
		}
		if util.IsPodUpdated(pod, hash, generation) {
			byNode[node].new = append(byNode[node].new, pod)
		} else {
			byNode[node].old = append(byNode[node].old, pod)
		}
	}
	nodes := map[string]*corev1.Node{}
	for _, node := range w.nodes {
		nodes[node.Name] = node
	}
	var of choice
	for name, pods := range byNode {
		if len(pods.old) != 1 || len(pods.new) > 0 || !podutil.IsPodAvailable(pods.old[0], set.Spec.MinReadySeconds, metav1.Now()) {
			continue
		}
		switch {
		case !util.AllowsSurge(set) || nodes[name] == nil || !controllers.ShouldRun(nodes[name], set):
			of.Delete = append(of.Delete, pods.old[0].Name)
		default:
			of.Create = append(of.Create, name)
		}
	}
	slices.Sort(of.Delete)
	slices.Sort(of.Create)
	var deleted, created int
	for _, write := range after.Log {
		if write.Resource != apiserver.Pods {
			continue
		}
		if write.Verb == "delete" && slices.Contains(of.Delete, write.Name) {
			deleted++
		}
		if node, ok := createdFor(write); ok && slices.Contains(of.Create, node) {
			created++
		}
	}
	if deleted == 0 && !refused || deleted == len(of.Delete) {
		of.Delete = nil
	}
	if created == 0 && !refused || created == len(of.Create) {
		of.Create = nil
	}
	if of.Delete == nil && of.Create == nil {
		return nil
	}
	return &of
}

func createdFor(write apiserver.Write) (string, bool) {
	pod, ok := write.Sent.(*corev1.Pod)
	if !ok || write.Verb != "create" {
		return "", false
	}
	sent := pod.DeepCopy()
	sent.Spec.NodeName = ""
	node, err := util.GetTargetNodeName(sent)
	return node, err == nil
}

// withoutChoice replaces what was chosen by a star.
func withoutChoice(log []apiserver.Write, of *choice) []apiserver.Write {
	log = slices.Clone(log)
	for i, write := range log {
		if write.Resource != apiserver.Pods {
			continue
		}
		if write.Verb == "delete" && slices.Contains(of.Delete, write.Name) {
			log[i].Name = "*"
		}
		if node, ok := createdFor(write); ok && slices.Contains(of.Create, node) {
			pod := write.Sent.(*corev1.Pod).DeepCopy()
			pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0].MatchFields[0].Values[0] = "*"
			log[i].Sent = pod
		}
	}
	return log
}

func eventsWithoutChoice(events []string, of *choice) []string {
	events = slices.Clone(events)
	for i, event := range events {
		if before, name, found := strings.Cut(event, "Deleted pod: "); found && slices.Contains(of.Delete, name) {
			events[i] = before + "Deleted pod: *"
		}
	}
	return events
}

// syncNode passes on what a change of a node queues.
func (w *daemonWorld) syncNode(node *corev1.Node) {
	queued, err := controllers.SyncNodeUpdate(w.store, w.nodes, node.Name)
	if err != nil {
		return
	}
	pods := []any{}
	for _, pod := range daemonPods(w.store) {
		if pod.(map[string]any)["spec"].(map[string]any)["nodeName"] == node.Name {
			pods = append(pods, pod)
		}
	}
	w.emit(cases.Case{
		Name: w.kind.name, Op: "daemonSet.syncNode", Source: cases.Source, Gates: w.gates, Now: cases.Time(time.Now()),
		Input: map[string]any{
			"node": shortNodes([]*corev1.Node{node})[0], "pods": pods, "daemonSets": cases.Value(w.store.List(apiserver.DaemonSets)),
		},
		Expected: map[string]any{"queued": append([]string{}, queued...)},
	})
}

// shortNodes returns nodes with what the controller reads of them.
func shortNodes(nodes []*corev1.Node) []any {
	short := []any{}
	for _, node := range nodes {
		value := map[string]any{"metadata": map[string]any{"name": node.Name, "labels": cases.Value(node.Labels)}}
		if len(node.Spec.Taints) > 0 {
			value["spec"] = map[string]any{"taints": cases.Value(node.Spec.Taints)}
		}
		short = append(short, value)
	}
	return short
}

// daemonPods returns the pods of a store, with the parts of their specs that matter here.
func daemonPods(store *apiserver.Store) []any {
	pods := []any{}
	for _, object := range store.List(apiserver.Pods) {
		value := cases.Value(object).(map[string]any)
		whole, spec := value["spec"].(map[string]any), map[string]any{}
		for _, key := range []string{"nodeName", "terminationGracePeriodSeconds", "affinity"} {
			if field, ok := whole[key]; ok {
				spec[key] = field
			}
		}
		value["spec"] = spec
		pods = append(pods, value)
	}
	return pods
}

// daemonRefusals makes the API server refuse some of the sync's calls. Creations are sent in batches of 1, 2, 4 …: all of a batch
// fail or none, since their order means nothing. Deletions are sent at once, so they are refused by their names.
func (w *daemonWorld) daemonRefusals() (refusals []apiserver.Refusal) {
	if !w.kind.refuses || !w.chance(60) {
		return nil
	}
	for range w.between(1, 4) {
		refusal := pick(w.World, daemonRefusals)
		if refusal.Resource == "pods" {
			switch refusal.Verb {
			case "create":
				refusal.After = pick(w.World, []int{0, 0, 1, 3})
			case "delete":
				if pod, ok := some[*corev1.Pod](w.World, apiserver.Pods); ok {
					refusal.Name = pod.Name
				}
			}
		}
		refusals = append(refusals, refusal)
	}
	return refusals
}

var daemonRefusals = []apiserver.Refusal{
	{Verb: "create", Resource: "pods", Code: 403, Message: `pods "agent-" is forbidden: exceeded quota: pods, requested: pods=1, used: pods=5, limited: pods=5`},
	{Verb: "create", Resource: "pods", Code: 403, Message: `pods "agent-" is forbidden: unable to create new content in namespace default because it is being terminated`, Cause: "NamespaceTerminating"},
	{Verb: "delete", Resource: "pods", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "delete", Resource: "pods", Code: 404, Message: `pods "agent" not found`},
	{Verb: "patch", Resource: "pods", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "patch", Resource: "pods", Code: 404, Message: `pods "agent" not found`},
	{Verb: "patch", Resource: "pods", Code: 422, Message: `pods "agent" is invalid`},
	{Verb: "create", Resource: "controllerrevisions", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "create", Resource: "controllerrevisions", Code: 409, Message: `controllerrevisions.apps "agent" already exists`},
	{Verb: "update", Resource: "controllerrevisions", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "update", Resource: "controllerrevisions", After: 1, Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "delete", Resource: "controllerrevisions", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "patch", Resource: "controllerrevisions", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "patch", Resource: "controllerrevisions", Code: 404, Message: `controllerrevisions.apps "agent" not found`},
	{Verb: "updateStatus", Resource: "daemonsets", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "updateStatus", Resource: "daemonsets", Code: 409, Message: "Operation cannot be fulfilled"},
	{Verb: "updateStatus", Resource: "daemonsets", After: 1, Code: 500, Message: "etcdserver: request timed out"},
}
