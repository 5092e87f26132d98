package controllers

import (
	"context"
	"fmt"
	"sort"
	"time"
	_ "unsafe" // for go:linkname

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/controller/deployment"
	deploymentutil "k8s.io/kubernetes/pkg/controller/deployment/util"
	"k8s.io/kubernetes/pkg/controller/replicaset"

	"changeover.dev/recorder/apiserver"
)

// Rollout is the input of the Deployment controller's functions.
type Rollout struct {
	Deployment      *appsv1.Deployment
	New             *appsv1.ReplicaSet
	Old             []*appsv1.ReplicaSet
	MaxCleanupCount int32
}

// old and all return new lists, because upstream sorts in place.
func (r Rollout) old() []*appsv1.ReplicaSet { return append([]*appsv1.ReplicaSet(nil), r.Old...) }
func (r Rollout) all() []*appsv1.ReplicaSet {
	if r.New == nil {
		return r.old()
	}
	return append(r.old(), r.New)
}

// withDeploymentController starts a Deployment controller on the store for one call.
func withDeploymentController(store *apiserver.Store, call func(context.Context, *deployment.DeploymentController)) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	dc, err := deployment.NewDeploymentController(ctx,
		deployments{newInformer(store, apiserver.Deployments)},
		replicaSets{newInformer(store, apiserver.ReplicaSets)},
		pods{newInformer(store, apiserver.Pods)},
		store.Client(),
	)
	if err != nil {
		panic(err)
	}
	defer private[record.EventBroadcaster](dc, "eventBroadcaster").Shutdown()
	defer private[workqueue.TypedRateLimitingInterface[string]](dc, "queue").ShutDown()
	call(ctx, dc)
}

// Writing has the functions that scale ReplicaSets, by the name of their operation. Each returns its count, if it has
// one, and its error.
var Writing = map[string]func(*apiserver.Store, Rollout) (map[string]any, error){
	"deployment.scale": func(store *apiserver.Store, r Rollout) (result map[string]any, err error) {
		withDeploymentController(store, func(ctx context.Context, dc *deployment.DeploymentController) {
			err = scale(dc, ctx, r.Deployment, r.New, r.old())
		})
		return map[string]any{}, err
	},
	"deployment.reconcileNewReplicaSet": func(store *apiserver.Store, r Rollout) (result map[string]any, err error) {
		var scaled bool
		withDeploymentController(store, func(ctx context.Context, dc *deployment.DeploymentController) {
			scaled, err = reconcileNewReplicaSet(dc, ctx, r.all(), r.New, r.Deployment)
		})
		return map[string]any{"scaled": scaled}, err
	},
	"deployment.reconcileOldReplicaSets": func(store *apiserver.Store, r Rollout) (result map[string]any, err error) {
		var scaled bool
		withDeploymentController(store, func(ctx context.Context, dc *deployment.DeploymentController) {
			scaled, err = reconcileOldReplicaSets(dc, ctx, r.all(), r.old(), r.New, r.Deployment)
		})
		return map[string]any{"scaled": scaled}, err
	},
	"deployment.cleanupUnhealthyReplicas": func(store *apiserver.Store, r Rollout) (result map[string]any, err error) {
		var count int32
		withDeploymentController(store, func(ctx context.Context, dc *deployment.DeploymentController) {
			_, count, err = cleanupUnhealthyReplicas(dc, ctx, r.old(), r.Deployment, r.MaxCleanupCount)
		})
		return map[string]any{"count": count}, err
	},
	"deployment.scaleDownOldReplicaSetsForRollingUpdate": func(store *apiserver.Store, r Rollout) (result map[string]any, err error) {
		var count int32
		withDeploymentController(store, func(ctx context.Context, dc *deployment.DeploymentController) {
			count, err = scaleDownOldReplicaSetsForRollingUpdate(dc, ctx, r.all(), r.old(), r.Deployment)
		})
		return map[string]any{"count": count}, err
	},
	"deployment.scaleDownOldReplicaSetsForRecreate": func(store *apiserver.Store, r Rollout) (result map[string]any, err error) {
		var scaled bool
		withDeploymentController(store, func(ctx context.Context, dc *deployment.DeploymentController) {
			scaled, err = scaleDownOldReplicaSetsForRecreate(dc, ctx, r.old(), r.Deployment)
		})
		return map[string]any{"scaled": scaled}, err
	},
}

// CleanUp deletes old ReplicaSets beyond the history limit.
func CleanUp(store *apiserver.Store, r Rollout) (err error) {
	withDeploymentController(store, func(ctx context.Context, dc *deployment.DeploymentController) {
		err = cleanupDeployment(dc, ctx, r.old(), r.Deployment)
	})
	return err
}

// SyncRolloutStatus returns the Progressing condition of a rollout's status.
func SyncRolloutStatus(store *apiserver.Store, r Rollout) (*appsv1.DeploymentCondition, error) {
	var err error
	withDeploymentController(store, func(ctx context.Context, dc *deployment.DeploymentController) {
		err = syncRolloutStatus(dc, ctx, r.all(), r.New, r.Deployment)
	})
	stored, getErr := store.Get(apiserver.Deployments, r.Deployment.Namespace, r.Deployment.Name)
	if getErr != nil {
		return nil, getErr
	}
	return deploymentutil.GetDeploymentCondition(stored.(*appsv1.Deployment).Status, appsv1.DeploymentProgressing), err
}

// RequeueStuck returns the time until the next check of a Deployment; -1 if there is none.
func RequeueStuck(store *apiserver.Store, d *appsv1.Deployment, status appsv1.DeploymentStatus) (after time.Duration) {
	withDeploymentController(store, func(ctx context.Context, dc *deployment.DeploymentController) {
		after = requeueStuckDeployment(dc, ctx, d, status)
	})
	return after
}

// RelatedPods returns the pods of the ReplicaSets with the same owner.
func RelatedPods(store *apiserver.Store, set *appsv1.ReplicaSet) []*corev1.Pod {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	rsc := replicaset.NewReplicaSetController(ctx,
		replicaSets{newInformer(store, apiserver.ReplicaSets)}, pods{newInformer(store, apiserver.Pods)}, store.Client(), burst)
	defer private[record.EventBroadcaster](rsc, "eventBroadcaster").Shutdown()
	defer private[workqueue.TypedRateLimitingInterface[string]](rsc, "queue").ShutDown()
	related, err := getIndirectlyRelatedPods(rsc, klog.Background(), set)
	if err != nil {
		panic(err)
	}
	return related
}

// PodsToDelete returns the pods to delete, in order. After the choice, a metric divides by zero if the youngest ready
// pod is younger than a millisecond; the choice has been made by then.
func PodsToDelete(pods, related []*corev1.Pod, count int) []*corev1.Pod {
	pods = append([]*corev1.Pod(nil), pods...)
	func() {
		defer func() { _ = recover() }()
		getPodsToDelete(pods, related, count)
	}()
	return pods[:count]
}

// PodLess compares two pods both ways.
func PodLess(pods [2]*corev1.Pod, ranks [2]int, now time.Time) (less01, less10 bool) {
	ranked := controller.ActivePodsWithRanks{Pods: pods[:], Rank: ranks[:], Now: metav1.NewTime(now)}
	var order sort.Interface = ranked
	return order.Less(0, 1), order.Less(1, 0)
}

// SlowStart returns the number of calls of a slow start in which this many succeed.
func SlowStart(count, initialBatchSize, callsThatSucceed int) (successes, calls int, err error) {
	lock := make(chan struct{}, 1)
	successes, err = slowStartBatch(count, initialBatchSize, func() error {
		lock <- struct{}{}
		defer func() { <-lock }()
		calls++
		if calls > callsThatSucceed {
			return fmt.Errorf("refused")
		}
		return nil
	})
	return successes, calls, err
}

// ReplicaSetStatus returns a ReplicaSet's new status.
func ReplicaSetStatus(set *appsv1.ReplicaSet, active, terminating []*corev1.Pod, err error) appsv1.ReplicaSetStatus {
	return calculateReplicaSetStatus(set, active, terminating, err, replicaset.DefaultReplicaSetControllerFeatures(), time.Now())
}

//go:linkname scale k8s.io/kubernetes/pkg/controller/deployment.(*DeploymentController).scale
func scale(*deployment.DeploymentController, context.Context, *appsv1.Deployment, *appsv1.ReplicaSet, []*appsv1.ReplicaSet) error

//go:linkname reconcileNewReplicaSet k8s.io/kubernetes/pkg/controller/deployment.(*DeploymentController).reconcileNewReplicaSet
func reconcileNewReplicaSet(*deployment.DeploymentController, context.Context, []*appsv1.ReplicaSet, *appsv1.ReplicaSet, *appsv1.Deployment) (bool, error)

//go:linkname reconcileOldReplicaSets k8s.io/kubernetes/pkg/controller/deployment.(*DeploymentController).reconcileOldReplicaSets
func reconcileOldReplicaSets(*deployment.DeploymentController, context.Context, []*appsv1.ReplicaSet, []*appsv1.ReplicaSet, *appsv1.ReplicaSet, *appsv1.Deployment) (bool, error)

//go:linkname cleanupUnhealthyReplicas k8s.io/kubernetes/pkg/controller/deployment.(*DeploymentController).cleanupUnhealthyReplicas
func cleanupUnhealthyReplicas(*deployment.DeploymentController, context.Context, []*appsv1.ReplicaSet, *appsv1.Deployment, int32) ([]*appsv1.ReplicaSet, int32, error)

//go:linkname scaleDownOldReplicaSetsForRollingUpdate k8s.io/kubernetes/pkg/controller/deployment.(*DeploymentController).scaleDownOldReplicaSetsForRollingUpdate
func scaleDownOldReplicaSetsForRollingUpdate(*deployment.DeploymentController, context.Context, []*appsv1.ReplicaSet, []*appsv1.ReplicaSet, *appsv1.Deployment) (int32, error)

//go:linkname scaleDownOldReplicaSetsForRecreate k8s.io/kubernetes/pkg/controller/deployment.(*DeploymentController).scaleDownOldReplicaSetsForRecreate
func scaleDownOldReplicaSetsForRecreate(*deployment.DeploymentController, context.Context, []*appsv1.ReplicaSet, *appsv1.Deployment) (bool, error)

//go:linkname cleanupDeployment k8s.io/kubernetes/pkg/controller/deployment.(*DeploymentController).cleanupDeployment
func cleanupDeployment(*deployment.DeploymentController, context.Context, []*appsv1.ReplicaSet, *appsv1.Deployment) error

//go:linkname syncRolloutStatus k8s.io/kubernetes/pkg/controller/deployment.(*DeploymentController).syncRolloutStatus
func syncRolloutStatus(*deployment.DeploymentController, context.Context, []*appsv1.ReplicaSet, *appsv1.ReplicaSet, *appsv1.Deployment) error

//go:linkname requeueStuckDeployment k8s.io/kubernetes/pkg/controller/deployment.(*DeploymentController).requeueStuckDeployment
func requeueStuckDeployment(*deployment.DeploymentController, context.Context, *appsv1.Deployment, appsv1.DeploymentStatus) time.Duration

// OldPodsRunning says whether a Recreate must wait.
//
//go:linkname OldPodsRunning k8s.io/kubernetes/pkg/controller/deployment.oldPodsRunning
func OldPodsRunning(*appsv1.ReplicaSet, []*appsv1.ReplicaSet, map[types.UID][]*corev1.Pod) bool

// DeploymentStatus is the status that a Deployment gets.
//
//go:linkname DeploymentStatus k8s.io/kubernetes/pkg/controller/deployment.calculateStatus
func DeploymentStatus([]*appsv1.ReplicaSet, *appsv1.ReplicaSet, *appsv1.Deployment) appsv1.DeploymentStatus

// ReplicaSetName names a new ReplicaSet.
//
//go:linkname ReplicaSetName k8s.io/kubernetes/pkg/controller/deployment.generateReplicaSetName
func ReplicaSetName(deploymentName, hash string) string

// Fraction is a ReplicaSet's share of a scaling.
//
//go:linkname Fraction k8s.io/kubernetes/pkg/controller/deployment/util.getReplicaSetFraction
func Fraction(klog.Logger, appsv1.ReplicaSet, appsv1.Deployment) int32

//go:linkname getPodsToDelete k8s.io/kubernetes/pkg/controller/replicaset.getPodsToDelete
func getPodsToDelete(filteredPods, relatedPods []*corev1.Pod, diff int) []*corev1.Pod

//go:linkname slowStartBatch k8s.io/kubernetes/pkg/controller/replicaset.slowStartBatch
func slowStartBatch(count int, initialBatchSize int, fn func() error) (int, error)

//go:linkname calculateReplicaSetStatus k8s.io/kubernetes/pkg/controller/replicaset.calculateStatus
func calculateReplicaSetStatus(*appsv1.ReplicaSet, []*corev1.Pod, []*corev1.Pod, error, replicaset.ReplicaSetControllerFeatures, time.Time) appsv1.ReplicaSetStatus

//go:linkname getIndirectlyRelatedPods k8s.io/kubernetes/pkg/controller/replicaset.(*ReplicaSetController).getIndirectlyRelatedPods
func getIndirectlyRelatedPods(*replicaset.ReplicaSetController, klog.Logger, *appsv1.ReplicaSet) ([]*corev1.Pod, error)
