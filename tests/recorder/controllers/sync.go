package controllers

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"testing/synctest"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/kubernetes/pkg/controller/deployment"
	"k8s.io/kubernetes/pkg/controller/replicaset"
	"k8s.io/kubernetes/pkg/controller/replication"

	"changeover.dev/recorder/apiserver"
)

// Result is the result of a sync; its writes are in the store's log.
type Result struct {
	Err    error
	Panic  any
	Events []string
}

// The maximum number of pods that a ReplicaSet controller creates or deletes in a sync, as kube-controller-manager sets
// it.
const burst = replicaset.BurstReplicas

// SyncDeployment starts a Deployment controller and syncs one Deployment.
func SyncDeployment(store *apiserver.Store, key string) Result {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	controller, err := deployment.NewDeploymentController(ctx,
		deployments{newInformer(store, apiserver.Deployments)},
		replicaSets{newInformer(store, apiserver.ReplicaSets)},
		pods{newInformer(store, apiserver.Pods)},
		store.Client(),
	)
	if err != nil {
		panic(err)
	}
	return run(ctx, controller, key)
}

// SyncReplicaSet starts a ReplicaSet controller and syncs one ReplicaSet.
func SyncReplicaSet(store *apiserver.Store, key string) Result {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	return run(ctx, replicaset.NewReplicaSetController(ctx,
		replicaSets{newInformer(store, apiserver.ReplicaSets)},
		pods{newInformer(store, apiserver.Pods)},
		store.Client(), burst,
	), key)
}

// SyncReplicationController starts a replication manager and syncs one ReplicationController.
func SyncReplicationController(store *apiserver.Store, key string) Result {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	manager := replication.NewReplicationManager(ctx,
		pods{newInformer(store, apiserver.Pods)},
		replicationControllers{newInformer(store, apiserver.ReplicationControllers)},
		store.Client(), burst,
	)
	return run(ctx, &manager.ReplicaSetController, key)
}

// private returns an unexported field of the controller.
func private[T any](controller any, name string) T {
	field := reflect.ValueOf(controller).Elem().FieldByName(name)
	return *(*T)(unsafe.Pointer(field.UnsafeAddr()))
}

// run calls the controller's sync once, collects its events, and stops everything that it started.
func run(ctx context.Context, controller any, key string) (result Result) {
	queue := private[workqueue.TypedRateLimitingInterface[string]](controller, "queue")
	broadcaster := private[record.EventBroadcaster](controller, "eventBroadcaster")
	handler := private[func(context.Context, string) error](controller, "syncHandler")
	var mu sync.Mutex
	broadcaster.StartEventWatcher(func(event *corev1.Event) {
		mu.Lock()
		defer mu.Unlock()
		result.Events = append(result.Events, fmt.Sprintf("%s %s %s", event.Type, event.Reason, event.Message))
	})
	func() {
		defer func() { result.Panic = recover() }()
		result.Err = handler(ctx, key)
	}()
	// Wait until everything else in the bubble is blocked: all events are recorded then.
	synctest.Wait()
	queue.ShutDown()
	broadcaster.Shutdown()
	return result
}
