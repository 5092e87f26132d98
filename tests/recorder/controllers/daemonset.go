package controllers

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing/synctest"
	"time"
	_ "unsafe" // for go:linkname

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/controller/daemon"

	"changeover.dev/recorder/apiserver"
)

// DaemonSetMemory is what the controller remembers about a DaemonSet between two syncs. Fulfilled expectations are left out.
type DaemonSetMemory struct {
	Expectations *Expectations `json:"expectations,omitempty"`
	// FailedPodsBackoff is by uid, observed generation and node.
	FailedPodsBackoff map[string]BackoffEntry `json:"failedPodsBackoff,omitempty"`
}

// BackoffEntry is a back-off of failed pods.
type BackoffEntry struct {
	Backoff    time.Duration `json:"backoff"`
	LastUpdate time.Time     `json:"lastUpdate"`
}

// DaemonSetResult is the result of a sync of a DaemonSet.
type DaemonSetResult struct {
	Result
	Memory DaemonSetMemory
	// After is the time until the next sync; -1 if the sync does not schedule one.
	After time.Duration
	// Rolled tells that the sync got to the rolling update, before which it has created and deleted nothing.
	Rolled bool
}

// counted counts how often the controller sets out to create and delete pods.
type counted struct {
	controller.ControllerExpectationsInterface
	plans int
}

func (c *counted) SetExpectations(logger klog.Logger, key string, add, del int) error {
	c.plans++
	return c.ControllerExpectationsInterface.SetExpectations(logger, key, add, del)
}

// backoffEntry has the fields of upstream's type with that name.
type backoffEntry struct {
	backoff    time.Duration
	lastUpdate time.Time
}

func newDaemonSetsController(ctx context.Context, store *apiserver.Store, list []*corev1.Node) (*daemon.DaemonSetsController, *flowcontrol.Backoff) {
	// As in cmd/kube-controller-manager/app/apps.go.
	backoff := flowcontrol.NewBackOff(time.Second, 15*time.Minute)
	dsc, err := daemon.NewDaemonSetsController(ctx,
		daemonSets{newInformer(store, apiserver.DaemonSets)},
		revisions{newInformer(store, apiserver.ControllerRevisions)},
		pods{newInformer(store, apiserver.Pods)},
		nodes{newNodeInformer(list)},
		store.Client(), backoff,
	)
	if err != nil {
		panic(err)
	}
	return dsc, backoff
}

// SyncDaemonSet starts a DaemonSet controller with that memory and syncs one DaemonSet.
func SyncDaemonSet(store *apiserver.Store, list []*corev1.Node, key string, memory DaemonSetMemory) (result DaemonSetResult) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	dsc, backoff := newDaemonSetsController(ctx, store, list)
	entries := *field[map[string]*backoffEntry](backoff, "perItemBackoff")
	for key, entry := range memory.FailedPodsBackoff {
		entries[key] = &backoffEntry{entry.Backoff, entry.LastUpdate}
	}
	expectations := private[controller.ControllerExpectationsInterface](dsc, "expectations")
	if e := memory.Expectations; e != nil {
		if err := expectations.SetExpectations(klog.Background(), key, int(e.Add), int(e.Del)); err != nil {
			panic(err)
		}
		set, _, _ := expectations.GetExpectations(key)
		*field[time.Time](set, "timestamp") = e.Timestamp
	}
	plans := &counted{ControllerExpectationsInterface: expectations}
	*field[controller.ControllerExpectationsInterface](dsc, "expectations") = plans
	queue := &delays{TypedRateLimitingInterface: private[workqueue.TypedRateLimitingInterface[string]](dsc, "queue"), least: -1}
	*field[workqueue.TypedRateLimitingInterface[string]](dsc, "queue") = queue
	var mu sync.Mutex
	private[record.EventBroadcaster](dsc, "eventBroadcaster").StartEventWatcher(func(event *corev1.Event) {
		mu.Lock()
		defer mu.Unlock()
		result.Events = append(result.Events, fmt.Sprintf("%s %s %s", event.Type, event.Reason, event.Message))
	})
	handler := private[func(context.Context, string) error](dsc, "syncHandler")
	func() {
		defer func() { result.Panic = recover() }()
		result.Err = handler(ctx, key)
	}()
	synctest.Wait()
	stopDaemonSets(dsc)
	result.After, result.Rolled = queue.least, plans.plans > 1
	if set, exists, _ := expectations.GetExpectations(key); exists && !set.Fulfilled() {
		add, del := set.GetExpectations()
		result.Memory.Expectations = &Expectations{add, del, private[time.Time](set, "timestamp").UTC()}
	}
	for key, entry := range entries {
		if result.Memory.FailedPodsBackoff == nil {
			result.Memory.FailedPodsBackoff = map[string]BackoffEntry{}
		}
		result.Memory.FailedPodsBackoff[key] = BackoffEntry{entry.backoff, entry.lastUpdate.UTC()}
	}
	return result
}

// SyncNodeUpdate returns the DaemonSets that a change of a node queues.
func SyncNodeUpdate(store *apiserver.Store, list []*corev1.Node, node string) (queued []string, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	dsc, _ := newDaemonSetsController(ctx, store, list)
	defer stopDaemonSets(dsc)
	*field[func(*appsv1.DaemonSet)](dsc, "enqueueDaemonSet") = func(set *appsv1.DaemonSet) {
		queued = append(queued, set.Namespace+"/"+set.Name)
	}
	err = syncNodeUpdate(dsc, ctx, node)
	slices.Sort(queued)
	return queued, err
}

// ShouldRun tells whether a node should run a DaemonSet's pod.
func ShouldRun(node *corev1.Node, set *appsv1.DaemonSet) bool {
	should, _ := daemon.NodeShouldRunDaemonPod(klog.Background(), node, set)
	return should
}

func stopDaemonSets(dsc *daemon.DaemonSetsController) {
	private[workqueue.TypedRateLimitingInterface[string]](dsc, "queue").ShutDown()
	private[workqueue.TypedRateLimitingInterface[string]](dsc, "nodeUpdateQueue").ShutDown()
	private[record.EventBroadcaster](dsc, "eventBroadcaster").Shutdown()
}

//go:linkname syncNodeUpdate k8s.io/kubernetes/pkg/controller/daemon.(*DaemonSetsController).syncNodeUpdate
func syncNodeUpdate(dsc *daemon.DaemonSetsController, ctx context.Context, nodeName string) error
