package controllers

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/kubernetes/pkg/controller/deployment"
	"k8s.io/kubernetes/pkg/controller/replicaset"

	"changeover.dev/recorder/apiserver"
)

// Live is a Deployment controller and a ReplicaSet controller that keep running: every write reaches their caches and
// queues.
type Live struct {
	store       *apiserver.Store
	informers   map[*apiserver.Resource]*informer
	controllers [2]running
	delivered   int
}

// running is a controller with its queue, which is drained by hand.
type running struct {
	queue       workqueue.TypedRateLimitingInterface[string]
	sync        func(context.Context, string) error
	broadcaster record.EventBroadcaster
}

// How often in a row a sync may fail. Retries are immediate.
const maxRetries = 15

// NewLive starts the controllers. Their caches list in the order of a Go map, like the real ones.
func NewLive(ctx context.Context, store *apiserver.Store) *Live {
	live := &Live{store: store, informers: map[*apiserver.Resource]*informer{}}
	for _, resource := range apiserver.Resources {
		live.informers[resource] = &informer{indexer: newIndexer()}
	}
	d, r, p := live.informers[apiserver.Deployments], live.informers[apiserver.ReplicaSets], live.informers[apiserver.Pods]
	dc, err := deployment.NewDeploymentController(ctx, deployments{d}, replicaSets{r}, pods{p}, store.Client())
	if err != nil {
		panic(err)
	}
	rsc := replicaset.NewReplicaSetController(ctx, replicaSets{r}, pods{p}, store.Client(), burst)
	live.controllers = [2]running{reach(dc), reach(rsc)}
	return live
}

func reach(controller any) running {
	return running{
		queue:       private[workqueue.TypedRateLimitingInterface[string]](controller, "queue"),
		sync:        private[func(context.Context, string) error](controller, "syncHandler"),
		broadcaster: private[record.EventBroadcaster](controller, "eventBroadcaster"),
	}
}

// Settle syncs the controllers, the Deployment controller first, until there is nothing left to do. It returns the
// number of syncs.
func (l *Live) Settle(ctx context.Context) (syncs int) {
	l.deliver()
	for l.controllers[0].queue.Len()+l.controllers[1].queue.Len() > 0 {
		for _, controller := range l.controllers {
			for waiting := controller.queue.Len(); waiting > 0; waiting-- {
				key, _ := controller.queue.Get()
				if err := controller.sync(ctx, key); err == nil {
					controller.queue.Forget(key)
				} else if controller.queue.NumRequeues(key) < maxRetries {
					controller.queue.Add(key)
				} else {
					panic(err)
				}
				controller.queue.Done(key)
				syncs++
				l.deliver()
			}
		}
	}
	return syncs
}

// deliver sends the new writes to the caches.
func (l *Live) deliver() {
	for ; l.delivered < len(l.store.Log); l.delivered++ {
		write := l.store.Log[l.delivered]
		l.Look(write.Resource, write.Namespace, write.Name)
	}
}

// Look updates the caches with one object and notifies the controllers.
func (l *Live) Look(resource *apiserver.Resource, namespace, name string) {
	informer := l.informers[resource]
	before, known, _ := informer.indexer.GetByKey(namespace + "/" + name)
	after, err := l.store.Get(resource, namespace, name)
	switch {
	case apierrors.IsNotFound(err) && known:
		_ = informer.indexer.Delete(before)
	case err == nil && known:
		_ = informer.indexer.Update(after)
	case err == nil:
		_ = informer.indexer.Add(after)
	}
	for _, handler := range informer.handlers {
		switch {
		case apierrors.IsNotFound(err) && known:
			handler.OnDelete(before)
		case err == nil && known:
			handler.OnUpdate(before, after)
		case err == nil:
			handler.OnAdd(after, false)
		}
	}
}

// Stop stops the controllers.
func (l *Live) Stop() {
	for _, controller := range l.controllers {
		controller.queue.ShutDown()
		controller.broadcaster.Shutdown()
	}
}
