package recorder

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"changeover.dev/recorder/apiserver"
	"changeover.dev/recorder/controllers"
)

// TestTimeRollout times the rollouts of `tests/benches` with the real controllers; `make bench` runs both. Each printed
// line is machine-readable: replicas, total nanoseconds, nanoseconds in the store, syncs.
func TestTimeRollout(t *testing.T) {
	if os.Getenv("TIME") == "" {
		t.Skip("TIME: not set")
	}
	silence()
	// Here, no copy is ever outdated: every write is delivered at once.
	defer controllers.SetGates(map[string]bool{
		"StaleControllerConsistencyReplicaSet": false,
	})()
	for _, replicas := range []int32{100, 1000} {
		r := newRollout(replicas)
		r.play()
		r.setImage("web:v2")
		began, busy, syncs := time.Now(), r.store.Busy(), r.syncs
		r.play()
		took := time.Since(began)
		fmt.Printf("rollout %d %d %d %d\n", replicas, took, r.store.Busy()-busy, r.syncs-syncs)
		r.check(t, replicas)
		r.live.Stop()
	}
}

// rollout is a Deployment, its controllers, and a kubelet that does one thing after the other.
type rollout struct {
	store *apiserver.Store
	live  *controllers.Live
	// seen is the number of log entries that the kubelet has read.
	seen  int
	todo  []func()
	syncs int
}

const namespace = "default"

func newRollout(replicas int32) *rollout {
	store := apiserver.New(rand.New(rand.NewPCG(1, 1)))
	r := &rollout{store: store, live: controllers.NewLive(context.Background(), store)}
	one, none := intstr.FromInt32(1), intstr.FromInt32(0)
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: namespace},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
			Strategy: appsv1.DeploymentStrategy{
				Type:          appsv1.RollingUpdateDeploymentStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &one, MaxUnavailable: &none},
			},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "web:v1"}}},
			},
		},
	}
	if _, err := store.Create(apiserver.Deployments, namespace, deployment); err != nil {
		panic(err)
	}
	return r
}

func (r *rollout) setImage(image string) {
	object, err := r.store.Get(apiserver.Deployments, namespace, "web")
	if err != nil {
		panic(err)
	}
	deployment := object.(*appsv1.Deployment)
	deployment.Spec.Template.Spec.Containers[0].Image = image
	if _, err := r.store.Update(apiserver.Deployments, namespace, deployment, ""); err != nil {
		panic(err)
	}
}

// play runs everything that happens.
func (r *rollout) play() {
	for {
		r.syncs += r.live.Settle(context.Background())
		r.plan()
		if len(r.todo) == 0 {
			return
		}
		next := r.todo[0]
		r.todo = r.todo[1:]
		next()
	}
}

// plan finds the pods in the log that are new, and those that must stop.
func (r *rollout) plan() {
	for ; r.seen < len(r.store.Log); r.seen++ {
		write := r.store.Log[r.seen]
		switch {
		case write.Resource != apiserver.Pods:
		case write.Verb == "create":
			r.todo = append(r.todo, func() { r.bind(write.Name) })
		case write.Verb == "delete":
			r.todo = append(r.todo, func() {
				r.store.Remove(apiserver.Pods, namespace, write.Name)
				r.live.Look(apiserver.Pods, namespace, write.Name)
			})
		}
	}
}

func (r *rollout) bind(name string) {
	r.put(name, func(pod *corev1.Pod) { pod.Spec.NodeName = "node" })
	r.todo = append(r.todo, func() { r.start(name) })
}

func (r *rollout) start(name string) {
	r.put(name, func(pod *corev1.Pod) {
		now := metav1.Now()
		pod.Status.Phase, pod.Status.StartTime = corev1.PodRunning, &now
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse, LastTransitionTime: now}}
	})
	r.todo = append(r.todo, func() { r.ready(name) })
}

func (r *rollout) ready(name string) {
	r.put(name, func(pod *corev1.Pod) {
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()}}
	})
}

func (r *rollout) put(name string, change func(*corev1.Pod)) {
	object, err := r.store.Get(apiserver.Pods, namespace, name)
	if err != nil {
		panic(err)
	}
	pod := object.(*corev1.Pod)
	change(pod)
	r.store.Put(apiserver.Pods, pod)
	r.live.Look(apiserver.Pods, namespace, name)
}

func (r *rollout) check(t *testing.T, replicas int32) {
	object, err := r.store.Get(apiserver.Deployments, namespace, "web")
	if err != nil {
		t.Fatal(err)
	}
	status := object.(*appsv1.Deployment).Status
	if status.UpdatedReplicas != replicas || status.AvailableReplicas != replicas || status.Replicas != replicas {
		t.Errorf("the rollout of %d replicas ended with %+v", replicas, status)
	}
}
