package controllers

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing/synctest"
	"time"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/controller/job"

	"changeover.dev/recorder/apiserver"
)

// JobMemory is what the controller remembers about a Job between two syncs. Empty entries are left out: fulfilled
// expectations, and a record without failures.
type JobMemory struct {
	Backoff      *Backoff      `json:"backoff,omitempty"`
	Expectations *Expectations `json:"expectations,omitempty"`
	Finalizers   []types.UID   `json:"finalizers,omitempty"`
	Finished     bool          `json:"finished,omitempty"`
}

// Backoff has the failures since the last success.
type Backoff struct {
	Failures    int32     `json:"failuresAfterLastSuccess"`
	LastFailure time.Time `json:"lastFailureTime"`
}

// Expectations are the creations and deletions that were not observed yet.
type Expectations struct {
	Add       int64     `json:"add"`
	Del       int64     `json:"del"`
	Timestamp time.Time `json:"timestamp"`
}

// JobResult is the result of a sync of a Job.
type JobResult struct {
	Result
	Memory JobMemory
	// After is the time until the next sync; -1 if the sync does not schedule one.
	After time.Duration
}

// SyncJob starts a Job controller with that memory and syncs one Job.
func SyncJob(store *apiserver.Store, key string, uid types.UID, memory JobMemory) JobResult {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	jm := newJobController(ctx, store)
	remember(jm, key, uid, memory)
	queue := &delays{TypedRateLimitingInterface: private[workqueue.TypedRateLimitingInterface[string]](jm, "queue"), least: -1}
	*field[workqueue.TypedRateLimitingInterface[string]](jm, "queue") = queue
	result := runJob(ctx, jm, key)
	return JobResult{Result: result, Memory: recall(jm, key, uid), After: queue.least}
}

// HandleOrphanPod removes the finalizer from a pod that no Job will count.
func HandleOrphanPod(store *apiserver.Store, pod *corev1.Pod) (err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	jm := newJobController(ctx, store)
	defer stopJob(jm)
	return handleSingleOrphanPod(jm, ctx, pod)
}

func newJobController(ctx context.Context, store *apiserver.Store) *job.Controller {
	jm, err := job.NewController(ctx, store.Client(),
		pods{newInformer(store, apiserver.Pods)}, jobs{newInformer(store, apiserver.Jobs)}, nil, nil)
	if err != nil {
		panic(err)
	}
	return jm
}

// delays records the delays with which keys are queued.
type delays struct {
	workqueue.TypedRateLimitingInterface[string]
	least time.Duration
}

func (d *delays) AddAfter(_ string, after time.Duration) {
	if d.least < 0 || after < d.least {
		d.least = max(after, 0)
	}
}

func runJob(ctx context.Context, jm *job.Controller, key string) (result Result) {
	var mu sync.Mutex
	private[record.EventBroadcaster](jm, "broadcaster").StartEventWatcher(func(event *corev1.Event) {
		mu.Lock()
		defer mu.Unlock()
		result.Events = append(result.Events, fmt.Sprintf("%s %s %s", event.Type, event.Reason, event.Message))
	})
	handler := private[func(context.Context, string) error](jm, "syncHandler")
	func() {
		defer func() { result.Panic = recover() }()
		result.Err = handler(ctx, key)
	}()
	synctest.Wait()
	stopJob(jm)
	return result
}

func stopJob(jm *job.Controller) {
	private[workqueue.TypedRateLimitingInterface[string]](jm, "queue").ShutDown()
	shutDown(jm, "orphanQueue")
	private[record.EventBroadcaster](jm, "broadcaster").Shutdown()
}

// shutDown shuts down a queue of any type.
func shutDown(jm *job.Controller, name string) {
	field := reflect.ValueOf(jm).Elem().FieldByName(name)
	reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().MethodByName("ShutDown").Call(nil)
}

func field[T any](controller any, name string) *T {
	return (*T)(unsafe.Pointer(reflect.ValueOf(controller).Elem().FieldByName(name).UnsafeAddr()))
}

// backoffRecord has the fields of upstream's type with that name.
type backoffRecord struct {
	key                      string
	failuresAfterLastSuccess int32
	lastFailureTime          *time.Time
}

func remember(jm *job.Controller, key string, uid types.UID, memory JobMemory) {
	logger := klog.Background()
	if b := memory.Backoff; b != nil {
		last := b.LastFailure
		if err := updateBackoffRecord(*field[unsafe.Pointer](jm, "podBackoffStore"), backoffRecord{key, b.Failures, &last}); err != nil {
			panic(err)
		}
	}
	if e := memory.Expectations; e != nil {
		expectations := private[controller.ControllerExpectationsInterface](jm, "expectations")
		if err := expectations.SetExpectations(logger, key, int(e.Add), int(e.Del)); err != nil {
			panic(err)
		}
		set, _, _ := expectations.GetExpectations(key)
		*field[time.Time](set, "timestamp") = e.Timestamp
	}
	if len(memory.Finalizers) > 0 {
		if err := expectFinalizersRemoved(*field[unsafe.Pointer](jm, "finalizerExpectations"), logger, key, memory.Finalizers); err != nil {
			panic(err)
		}
	}
	if memory.Finished {
		field[sync.Map](jm, "finishedJobExpectations").Store(uid, struct{}{})
	}
}

func recall(jm *job.Controller, key string, uid types.UID) (memory JobMemory) {
	b := newBackoffRecord(*field[unsafe.Pointer](jm, "podBackoffStore"), key, nil, nil)
	if b.lastFailureTime != nil {
		memory.Backoff = &Backoff{b.failuresAfterLastSuccess, b.lastFailureTime.UTC()}
	}
	if set, exists, _ := private[controller.ControllerExpectationsInterface](jm, "expectations").GetExpectations(key); exists && !set.Fulfilled() {
		add, del := set.GetExpectations()
		memory.Expectations = &Expectations{add, del, private[time.Time](set, "timestamp").UTC()}
	}
	memory.Finalizers = slices.Sorted(slices.Values(getExpectedUIDs(*field[unsafe.Pointer](jm, "finalizerExpectations"), key).UnsortedList()))
	_, memory.Finished = field[sync.Map](jm, "finishedJobExpectations").Load(uid)
	return memory
}

//go:linkname updateBackoffRecord k8s.io/kubernetes/pkg/controller/job.(*backoffStore).updateBackoffRecord
func updateBackoffRecord(store unsafe.Pointer, record backoffRecord) error

//go:linkname newBackoffRecord k8s.io/kubernetes/pkg/controller/job.(*backoffStore).newBackoffRecord
func newBackoffRecord(store unsafe.Pointer, key string, succeeded, failed []*corev1.Pod) backoffRecord

//go:linkname expectFinalizersRemoved k8s.io/kubernetes/pkg/controller/job.(*uidTrackingExpectations).expectFinalizersRemoved
func expectFinalizersRemoved(expectations unsafe.Pointer, logger klog.Logger, key string, uids []types.UID) error

//go:linkname getExpectedUIDs k8s.io/kubernetes/pkg/controller/job.(*uidTrackingExpectations).getExpectedUIDs
func getExpectedUIDs(expectations unsafe.Pointer, key string) sets.Set[types.UID]

//go:linkname handleSingleOrphanPod k8s.io/kubernetes/pkg/controller/job.(*Controller).handleSingleOrphanPod
func handleSingleOrphanPod(jm *job.Controller, ctx context.Context, pod *corev1.Pod) error
