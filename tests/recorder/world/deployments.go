package world

import (
	"fmt"
	"math"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"changeover.dev/recorder/apiserver"
)

// one creates a world with one Deployment.
func one(shape func(*World, *appsv1.Deployment)) func(*World) {
	return func(w *World) {
		w.create("web", map[string]string{"app": "web"}, shape)
		if w.chance(15) {
			w.create("api", map[string]string{"app": "api"}, shape)
		}
	}
}

// canary creates two Deployments that share a label and differ in another.
func canary(w *World) {
	w.create("web", map[string]string{"app": "web", "track": "stable"}, small)
	w.create("web-canary", map[string]string{"app": "web", "track": "canary"}, tiny)
}

// overlap creates two Deployments with the same selector.
func overlap(w *World) {
	w.create("web", map[string]string{"app": "web"}, small)
	w.create("web2", map[string]string{"app": "web"}, tiny)
}

func (w *World) create(name string, labels map[string]string, shape func(*World, *appsv1.Deployment)) {
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, Labels: labels},
		Spec: appsv1.DeploymentSpec{
			Selector: w.selector(labels),
			Template: w.template(name, labels),
		},
	}
	if w.chance(30) {
		deployment.Annotations = map[string]string{"kubernetes.io/change-cause": "first"}
	}
	if w.chance(10) {
		deployment.Annotations = map[string]string{
			"team": "t1", "kubectl.kubernetes.io/last-applied-configuration": "{}",
			"deployment.kubernetes.io/revision": "7",
		}
	}
	w.strategy(deployment)
	shape(w, deployment)
	// An object that the API server rejects is left out.
	_, _ = w.store.Create(apiserver.Deployments, namespace, deployment)
}

func (w *World) selector(labels map[string]string) *metav1.LabelSelector {
	if w.chance(85) {
		return &metav1.LabelSelector{MatchLabels: labels}
	}
	return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
		{Key: "app", Operator: metav1.LabelSelectorOpIn, Values: []string{labels["app"], "other"}},
	}}
}

func (w *World) template(name string, labels map[string]string) corev1.PodTemplateSpec {
	template := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "app", Image: fmt.Sprintf("%s:v%d", name, w.between(1, 5)),
		}}},
	}
	if w.chance(15) {
		template.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "LEVEL", Value: pick(w, []string{"info", "debug"})}}
	}
	if w.chance(20) {
		always := corev1.ContainerRestartPolicyAlways
		template.Spec.InitContainers = []corev1.Container{{Name: "sidecar", Image: "proxy:v1", RestartPolicy: &always}}
	}
	if w.chance(15) {
		grace := int64(w.between(0, 40))
		template.Spec.TerminationGracePeriodSeconds = &grace
	}
	if w.chance(8) {
		template.Annotations = map[string]string{"controller.kubernetes.io/pod-deletion-cost": pick(w, validCosts)}
	}
	return template
}

func (w *World) strategy(deployment *appsv1.Deployment) {
	deployment.Spec.Strategy = appsv1.DeploymentStrategy{}
	if w.chance(25) {
		return
	}
	surge, unavailable := w.amount(), w.amount()
	deployment.Spec.Strategy.RollingUpdate = &appsv1.RollingUpdateDeployment{MaxSurge: &surge, MaxUnavailable: &unavailable}
}

func (w *World) amount() intstr.IntOrString {
	if w.chance(50) {
		return intstr.FromInt32(pick(w, []int32{0, 0, 1, 1, 1, 2, 3, 5, 10, 100, 1000000}))
	}
	return intstr.FromString(pick(w, []string{"0%", "1%", "10%", "20%", "25%", "33%", "34%", "50%", "67%", "99%", "100%", "200%"}))
}

func tiny(w *World, d *appsv1.Deployment)   { w.shape(d, w.between(0, 4)) }
func small(w *World, d *appsv1.Deployment)  { w.shape(d, w.between(0, 12)) }
func medium(w *World, d *appsv1.Deployment) { w.shape(d, w.between(10, 40)) }
func large(w *World, d *appsv1.Deployment)  { w.shape(d, w.between(5, 400)) }
func huge(w *World, d *appsv1.Deployment) {
	w.shape(d, pick(w, []int{50_000, 62_500, 1_000_000, 46_341, math.MaxInt32, math.MaxInt32 - 1, 2_000_000_000}))
}

func recreating(w *World, d *appsv1.Deployment) {
	w.shape(d, w.between(0, 6))
	d.Spec.Strategy = appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}
}

func forgetful(w *World, d *appsv1.Deployment) {
	w.shape(d, w.between(0, 5))
	d.Spec.RevisionHistoryLimit = pointer(int32(w.between(0, 3)))
}

func hurried(w *World, d *appsv1.Deployment) {
	w.shape(d, w.between(1, 8))
	d.Spec.ProgressDeadlineSeconds = pointer(d.Spec.MinReadySeconds + int32(w.between(1, 30)))
}

func (w *World) shape(d *appsv1.Deployment, replicas int) {
	d.Spec.Replicas = pointer(int32(replicas))
	if w.chance(35) {
		d.Spec.MinReadySeconds = int32(w.between(1, 15))
	}
	if w.chance(40) {
		d.Spec.ProgressDeadlineSeconds = pick(w, []*int32{
			pointer(d.Spec.MinReadySeconds + 5), pointer(int32(60)), pointer(int32(math.MaxInt32)), pointer(int32(600)),
		})
	}
	if w.chance(40) {
		d.Spec.RevisionHistoryLimit = pointer(pick(w, []int32{0, 1, 2, 10, math.MaxInt32}))
	}
	d.Spec.Paused = w.chance(4)
}

// standalone creates a ReplicaSet without an owner, or two that share an owner other than a Deployment.
func standalone(w *World) {
	labels := map[string]string{"app": "alone"}
	set := &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: "alone", Namespace: namespace, Labels: labels},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: pointer(int32(w.between(0, 6))), Selector: w.selector(labels), Template: w.template("alone", labels),
		},
	}
	if w.chance(5) {
		// The longest name: no pod's name can begin with it and a dash.
		set.Name = strings.Repeat("alone", 50) + "abc"
	}
	if w.chance(40) {
		set.Spec.MinReadySeconds = int32(w.between(1, 15))
	}
	if w.chance(30) {
		owner := metav1.OwnerReference{APIVersion: "example.org/v1", Kind: "Rollout", Name: "own", UID: "00000000-0000-0000-0000-000000000001", Controller: pointer(true)}
		set.OwnerReferences = []metav1.OwnerReference{owner}
		other := set.DeepCopy()
		other.Name = "other"
		other.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "other"}}
		other.Spec.Template.Labels = map[string]string{"app": "other"}
		_, _ = w.store.Create(apiserver.ReplicaSets, namespace, other)
	}
	_, _ = w.store.Create(apiserver.ReplicaSets, namespace, set)
}

func replicationController(w *World) {
	labels := map[string]string{"app": "db"}
	template := w.template("db", labels)
	rc := &corev1.ReplicationController{
		ObjectMeta: metav1.ObjectMeta{Name: "db", Namespace: namespace, Labels: labels},
		Spec:       corev1.ReplicationControllerSpec{Replicas: pointer(int32(w.between(0, 6))), Selector: labels, Template: &template},
	}
	if w.chance(40) {
		rc.Spec.MinReadySeconds = int32(w.between(1, 15))
	}
	_, _ = w.store.Create(apiserver.ReplicationControllers, namespace, rc)
}

func pointer[T any](value T) *T { return &value }
