package world

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"changeover.dev/recorder/apiserver"
	"changeover.dev/recorder/cases"
	"changeover.dev/recorder/controllers"
)

// recorded is a case whose outcome may be of an older release.
type recorded struct {
	Name  string                     `json:"name"`
	Op    string                     `json:"op"`
	Note  string                     `json:"note"`
	Gates map[string]bool            `json:"gates"`
	Now   string                     `json:"now"`
	Input map[string]json.RawMessage `json:"input"`
}

// ErrKept means that cases of this operation are not recorded again.
var ErrKept = errors.New("kept as it is")

// Rerecord gives the input of a recorded case to the mirrored release, and passes on the case with what it does now.
func Rerecord(line []byte, emit func(cases.Case)) error {
	var given recorded
	if err := json.Unmarshal(line, &given); err != nil {
		return err
	}
	now, err := time.Parse(time.RFC3339Nano, given.Now)
	if err != nil {
		return fmt.Errorf("%s: %w", given.Name, err)
	}
	time.Sleep(time.Until(now))
	w := &World{
		kind: kind{name: given.Name}, rng: rand.New(rand.NewPCG(1, 1)), lost: map[string]bool{}, rerecords: true,
		store: apiserver.New(rand.New(rand.NewPCG(1, 1<<63))), gates: given.Gates,
	}
	w.emit = func(c cases.Case) {
		c.Note = given.Note
		emit(c)
	}
	w.given = read[[]apiserver.Refusal](given, "refuse")
	defer controllers.SetGates(w.gates)()
	if err := w.repeat(given); err != nil {
		return fmt.Errorf("%s: %w", given.Name, err)
	}
	// The goroutines of queues that were shut down end at their next tick.
	time.Sleep(20 * time.Second)
	return nil
}

func (w *World) repeat(given recorded) error {
	restore(w, apiserver.Deployments, optional[appsv1.Deployment](given, "deployment")...)
	restore(w, apiserver.ReplicaSets, optional[appsv1.ReplicaSet](given, "newReplicaSet")...)
	restore(w, apiserver.ReplicaSets, optional[appsv1.ReplicaSet](given, "replicaSet")...)
	restore(w, apiserver.ReplicaSets, read[[]*appsv1.ReplicaSet](given, "oldReplicaSets")...)
	restore(w, apiserver.ReplicaSets, read[[]*appsv1.ReplicaSet](given, "replicaSets")...)
	restore(w, apiserver.ReplicationControllers, optional[corev1.ReplicationController](given, "replicationController")...)
	restore(w, apiserver.Pods, read[[]*corev1.Pod](given, "pods")...)
	restore(w, apiserver.CronJobs, optional[batchv1.CronJob](given, "cronJob")...)
	restore(w, apiserver.Jobs, read[[]*batchv1.Job](given, "jobs")...)
	rollout := func() controllers.Rollout {
		return controllers.Rollout{
			Deployment: read[*appsv1.Deployment](given, "deployment"),
			New:        read[*appsv1.ReplicaSet](given, "newReplicaSet"),
			Old:        read[[]*appsv1.ReplicaSet](given, "oldReplicaSets"),
		}
	}
	switch given.Op {
	case "deployment.sync":
		w.syncDeployment(stored[*appsv1.Deployment](w, apiserver.Deployments, given, "deployment"))
	case "replicaSet.sync":
		w.syncReplicaSet(stored[*appsv1.ReplicaSet](w, apiserver.ReplicaSets, given, "replicaSet"))
	case "replicationController.sync":
		w.syncReplicationController(
			stored[*corev1.ReplicationController](w, apiserver.ReplicationControllers, given, "replicationController"))
	case "cronJob.sync":
		w.store.ByName()
		world := &cronJobWorld{World: w}
		world.syncCronJob(stored[*batchv1.CronJob](w, apiserver.CronJobs, given, "cronJob"))
	case "deployment.scale":
		w.askWriting(given.Op, rollout())
	case "deployment.cleanup":
		w.askCleanUp(rollout())
	case "deployment.newReplicas":
		w.askNewReplicas(rollout())
	case "deployment.fraction":
		w.askFraction(rollout().Deployment, read[*appsv1.ReplicaSet](given, "replicaSet"))
	case "deployment.equalIgnoreHash":
		w.askEqual(read[*corev1.PodTemplateSpec](given, "a"), read[*corev1.PodTemplateSpec](given, "b"))
	case "deployment.resolveFenceposts":
		w.askFenceposts(read[intstr.IntOrString](given, "maxSurge"), read[intstr.IntOrString](given, "maxUnavailable"),
			read[int32](given, "desired"))
	default:
		return ErrKept
	}
	return nil
}

// read returns a part of the input; the zero value if it is absent or null.
func read[T any](given recorded, name string) (value T) {
	if text, ok := given.Input[name]; ok {
		if err := json.Unmarshal(text, &value); err != nil {
			panic(fmt.Sprintf("%s: %s: %v", given.Name, name, err))
		}
	}
	return value
}

// optional returns the object of the input as a list.
func optional[T any](given recorded, name string) []*T {
	if object := read[*T](given, name); object != nil {
		return []*T{object}
	}
	return nil
}

func restore[T runtime.Object](w *World, resource *apiserver.Resource, objects ...T) {
	for _, object := range objects {
		w.store.Restore(resource, object)
	}
}

// stored returns the object of the input as the store has it.
func stored[T runtime.Object](w *World, resource *apiserver.Resource, given recorded, name string) T {
	named := read[struct {
		Metadata struct{ Name, Namespace string }
	}](given, name).Metadata
	object, err := w.store.Get(resource, named.Namespace, named.Name)
	if err != nil {
		panic(err)
	}
	return object.(T)
}
