package controllers

import (
	"context"
	"fmt"
	"sync"
	"testing/synctest"
	_ "unsafe" // for go:linkname

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/kubernetes/pkg/controller/statefulset"

	"changeover.dev/recorder/apiserver"
)

// SyncStatefulSet starts a StatefulSet controller and syncs one StatefulSet.
func SyncStatefulSet(store *apiserver.Store, key string) (result CronJobResult) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ssc := statefulset.NewStatefulSetController(ctx,
		pods{newInformer(store, apiserver.Pods)},
		statefulSets{newInformer(store, apiserver.StatefulSets)},
		claims{newInformer(store, apiserver.Claims)},
		revisions{newInformer(store, apiserver.ControllerRevisions)},
		store.Client(),
	)
	queue := &delays{TypedRateLimitingInterface: private[workqueue.TypedRateLimitingInterface[string]](ssc, "queue"), least: -1}
	*field[workqueue.TypedRateLimitingInterface[string]](ssc, "queue") = queue
	broadcaster := private[record.EventBroadcaster](ssc, "eventBroadcaster")
	var mu sync.Mutex
	broadcaster.StartEventWatcher(func(event *corev1.Event) {
		mu.Lock()
		defer mu.Unlock()
		result.Events = append(result.Events, fmt.Sprintf("%s %s %s", event.Type, event.Reason, event.Message))
	})
	func() {
		defer func() { result.Panic = recover() }()
		result.Err = syncStatefulSet(ssc, ctx, key)
	}()
	synctest.Wait()
	queue.ShutDown()
	broadcaster.Shutdown()
	result.After = queue.least
	return result
}

// NewRevision returns the revision of a StatefulSet's template.
func NewRevision(set *appsv1.StatefulSet, revision int64, collisions int32) *appsv1.ControllerRevision {
	made, err := newRevision(set, revision, &collisions)
	if err != nil {
		panic(err)
	}
	return made
}

//go:linkname syncStatefulSet k8s.io/kubernetes/pkg/controller/statefulset.(*StatefulSetController).sync
func syncStatefulSet(ssc *statefulset.StatefulSetController, ctx context.Context, key string) error

//go:linkname newRevision k8s.io/kubernetes/pkg/controller/statefulset.newRevision
func newRevision(set *appsv1.StatefulSet, revision int64, collisions *int32) (*appsv1.ControllerRevision, error)
