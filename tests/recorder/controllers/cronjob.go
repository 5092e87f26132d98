package controllers

import (
	"context"
	"fmt"
	"sync"
	"testing/synctest"
	"time"
	_ "unsafe" // for go:linkname

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/kubernetes/pkg/controller/cronjob"
	"k8s.io/kubernetes/pkg/controller/ttlafterfinished"

	"changeover.dev/recorder/apiserver"
)

// CronJobResult is the result of a sync of a CronJob or of a Job's TTL.
type CronJobResult struct {
	Result
	// After is the time until the next sync; -1 if the sync does not schedule one.
	After time.Duration
}

// SyncCronJob starts a CronJob controller whose caches hold the objects of that store, and syncs one CronJob.
func SyncCronJob(store, cached *apiserver.Store, key string) (result CronJobResult) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	jm, err := cronjob.NewControllerV2(ctx, jobs{newInformer(cached, apiserver.Jobs)}, cronJobs{newInformer(cached, apiserver.CronJobs)}, store.Client())
	if err != nil {
		panic(err)
	}
	broadcaster := private[record.EventBroadcaster](jm, "broadcaster")
	var mu sync.Mutex
	broadcaster.StartEventWatcher(func(event *corev1.Event) {
		mu.Lock()
		defer mu.Unlock()
		result.Events = append(result.Events, fmt.Sprintf("%s %s %s", event.Type, event.Reason, event.Message))
	})
	result.After = -1
	func() {
		defer func() { result.Panic = recover() }()
		var after *time.Duration
		if after, result.Err = syncCronJob(jm, ctx, key); after != nil {
			result.After = *after
		}
	}()
	synctest.Wait()
	private[workqueue.TypedRateLimitingInterface[string]](jm, "queue").ShutDown()
	broadcaster.Shutdown()
	return result
}

// SyncTTL starts a TTL-after-finished controller whose cache holds the objects of that store, and processes one Job.
func SyncTTL(store, cached *apiserver.Store, key string) (result CronJobResult) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	tc := ttlafterfinished.New(ctx, jobs{newInformer(cached, apiserver.Jobs)}, store.Client())
	queue := &delays{TypedRateLimitingInterface: private[workqueue.TypedRateLimitingInterface[string]](tc, "queue"), least: -1}
	*field[workqueue.TypedRateLimitingInterface[string]](tc, "queue") = queue
	func() {
		defer func() { result.Panic = recover() }()
		result.Err = processJob(tc, ctx, key)
	}()
	queue.ShutDown()
	result.After = queue.least
	return result
}

//go:linkname syncCronJob k8s.io/kubernetes/pkg/controller/cronjob.(*ControllerV2).sync
func syncCronJob(jm *cronjob.ControllerV2, ctx context.Context, key string) (*time.Duration, error)

//go:linkname processJob k8s.io/kubernetes/pkg/controller/ttlafterfinished.(*Controller).processJob
func processJob(tc *ttlafterfinished.Controller, ctx context.Context, key string) error
