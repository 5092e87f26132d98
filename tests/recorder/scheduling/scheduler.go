// Package scheduling asks the real scheduler about seeded worlds of nodes and pods.
package scheduling

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	api "k8s.io/kubernetes/pkg/apis/core"
	defaults "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/scheduler"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

// Scheduler is a real scheduler whose informers don't run: it knows what a world puts into their stores.
type Scheduler struct {
	sched     *scheduler.Scheduler
	framework framework.Framework
	snapshot  *internalcache.Snapshot
	factory   informers.SharedInformerFactory
	ctx       context.Context
	logger    klog.Logger
	loaded    []func()
}

// New returns a scheduler with the default profile. With objects, its informers run, and have these objects: plugins for
// volumes read them through caches of their own.
func New(ctx context.Context, objects ...runtime.Object) (*Scheduler, error) {
	client := fake.NewSimpleClientset(objects...)
	factory := scheduler.NewInformerFactory(client, 0, nil)
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
	snapshot := internalcache.NewEmptySnapshot()
	all := int32(100)
	sched, err := scheduler.New(ctx, client, factory, nil, profile.NewRecorderFactory(broadcaster),
		scheduler.WithParallelism(1), scheduler.WithPercentageOfNodesToScore(&all), scheduler.WithNodeInfoSnapshot(snapshot))
	if err != nil {
		return nil, err
	}
	if len(objects) > 0 {
		factory.Start(ctx.Done())
		factory.WaitForCacheSync(ctx.Done())
		if err := sched.WaitForHandlersSync(ctx); err != nil {
			return nil, err
		}
	}
	return &Scheduler{sched: sched, framework: sched.Profiles["default-scheduler"], snapshot: snapshot, factory: factory, ctx: ctx, logger: klog.FromContext(ctx)}, nil
}

// typed decodes an object as the API server stores it.
func typed[T any](object m) *T {
	encoded, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	decoded := new(T)
	if err := json.Unmarshal(encoded, decoded); err != nil {
		panic(fmt.Sprintf("%v: %s", err, encoded))
	}
	return decoded
}

func (s *Scheduler) store(indexer interface {
	Add(any) error
	Delete(any) error
}, object any) {
	if err := indexer.Add(object); err != nil {
		panic(err)
	}
	s.loaded = append(s.loaded, func() { _ = indexer.Delete(object) })
}

// pod decodes a pod with the API server's defaults.
func pod(object m) *corev1.Pod {
	decoded := typed[corev1.Pod](object)
	decoded.UID = types.UID(decoded.Namespace + "/" + decoded.Name)
	defaults.SetObjectDefaults_Pod(decoded)
	// The rest of the defaults is set by the strategy of the internal type.
	var internal api.Pod
	if err := defaults.Convert_v1_Pod_To_core_Pod(decoded, &internal, nil); err != nil {
		panic(err)
	}
	podutil.DefaultPodLevelResources(&internal)
	stored := new(corev1.Pod)
	if err := defaults.Convert_core_Pod_To_v1_Pod(&internal, stored, nil); err != nil {
		panic(err)
	}
	return stored
}

// load makes the scheduler know a world.
func (s *Scheduler) load(world *world) {
	for _, object := range world.nodes {
		node := typed[corev1.Node](object)
		defaults.SetObjectDefaults_Node(node)
		s.sched.Cache.AddNode(s.logger, node)
		s.store(s.factory.Core().V1().Nodes().Informer().GetIndexer(), node)
		s.loaded = append(s.loaded, func() { _ = s.sched.Cache.RemoveNode(s.logger, node) })
	}
	for _, object := range world.pods {
		existing := pod(object)
		if existing.Status.Phase == corev1.PodSucceeded || existing.Status.Phase == corev1.PodFailed {
			continue
		}
		s.store(s.factory.Core().V1().Pods().Informer().GetIndexer(), existing)
		if existing.Spec.NodeName != "" {
			if err := s.sched.Cache.AddPod(s.logger, existing); err != nil {
				panic(err)
			}
			s.loaded = append(s.loaded, func() { _ = s.sched.Cache.RemovePod(s.logger, existing) })
			continue
		}
		s.sched.SchedulingQueue.Add(s.ctx, existing)
		s.loaded = append(s.loaded, func() { s.sched.SchedulingQueue.Delete(s.logger, existing) })
	}
	for _, object := range world.namespaces {
		s.store(s.factory.Core().V1().Namespaces().Informer().GetIndexer(), typed[corev1.Namespace](object))
	}
	for _, object := range world.services {
		s.store(s.factory.Core().V1().Services().Informer().GetIndexer(), typed[corev1.Service](object))
	}
	for _, object := range world.replicaSets {
		s.store(s.factory.Apps().V1().ReplicaSets().Informer().GetIndexer(), typed[appsv1.ReplicaSet](object))
	}
	for _, object := range world.budgets {
		s.store(s.factory.Policy().V1().PodDisruptionBudgets().Informer().GetIndexer(), typed[policyv1.PodDisruptionBudget](object))
	}
	if err := s.sched.Cache.UpdateSnapshot(s.logger, s.snapshot); err != nil {
		panic(err)
	}
}

// unload makes it forget the world.
func (s *Scheduler) unload() {
	slices.Reverse(s.loaded)
	for _, forget := range s.loaded {
		forget()
	}
	s.loaded = nil
}

// volumeObjects are the objects that only running informers pass on.
func volumeObjects(world *world) []runtime.Object {
	var objects []runtime.Object
	for _, object := range world.claims {
		objects = append(objects, typed[corev1.PersistentVolumeClaim](object))
	}
	for _, object := range world.volumes {
		objects = append(objects, typed[corev1.PersistentVolume](object))
	}
	for _, object := range world.classes {
		objects = append(objects, typed[storagev1.StorageClass](object))
	}
	return objects
}

func status(of *fwk.Status) any {
	if of.IsSuccess() {
		return nil
	}
	if of.Code() == fwk.Error {
		panic(of.AsError())
	}
	// The plugin for resources reports them in the order of a map.
	return m{"plugin": of.Plugin(), "code": of.Code().String(), "reasons": slices.Sorted(slices.Values(of.Reasons()))}
}

// outcome is what the scheduler says of a pod.
type outcome struct {
	preFilter any
	filter    m
	scores    m
	best      []string
}

// ask runs one scheduling cycle up to the choice of a node. It returns false if the scheduler fails.
func (s *Scheduler) ask(ctx context.Context, pod *corev1.Pod) (result outcome, ok bool) {
	defer func() {
		if failure := recover(); failure != nil {
			if _, is := failure.(error); !is {
				panic(failure)
			}
			ok = false
		}
	}()
	state := framework.NewCycleState()
	prefilter, preStatus, _ := s.framework.RunPreFilterPlugins(ctx, state, pod)
	result.preFilter = status(preStatus)
	nodes, err := s.snapshot.NodeInfos().List()
	if err != nil {
		panic(err)
	}
	if preStatus.IsSuccess() {
		result.filter = m{}
		var feasible []fwk.NodeInfo
		for _, node := range nodes {
			name := node.Node().Name
			if !prefilter.AllNodes() && !prefilter.NodeNames.Has(name) {
				continue
			}
			filtered := s.framework.RunFilterPluginsWithNominatedPods(ctx, state, pod, node)
			result.filter[name] = status(filtered)
			if filtered.IsSuccess() {
				feasible = append(feasible, node)
			}
		}
		if len(feasible) > 0 {
			result.scores = s.scores(ctx, state, pod, feasible)
			most := int64(-1)
			for _, node := range feasible {
				total := result.scores[node.Node().Name].(m)["total"].(int64)
				if total > most {
					most, result.best = total, nil
				}
				if total == most {
					result.best = append(result.best, node.Node().Name)
				}
			}
			slices.Sort(result.best)
		}
	}
	return result, true
}

// mirrored are the plugins that score in the core; the others must give every node 0.
var mirrored = []string{"TaintToleration", "NodeAffinity", "NodeResourcesFit", "PodTopologySpread", "InterPodAffinity", "NodeResourcesBalancedAllocation", "ImageLocality"}

func (s *Scheduler) scores(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, feasible []fwk.NodeInfo) m {
	if failed := s.framework.RunPreScorePlugins(ctx, state, pod, feasible); !failed.IsSuccess() {
		panic(failed.AsError())
	}
	scored, failed := s.framework.RunScorePlugins(ctx, state, pod, feasible)
	if !failed.IsSuccess() {
		panic(failed.AsError())
	}
	scores := m{}
	for _, node := range scored {
		of := m{"total": node.TotalScore}
		for i, score := range node.Scores {
			if slices.Contains(mirrored, score.Name) {
				of[score.Name] = []int64{node.RawScores[i].Score, score.Score}
			} else if score.Score != 0 {
				panic(fmt.Sprintf("%s scores %d", score.Name, score.Score))
			}
		}
		scores[node.Name] = of
	}
	return scores
}

// schedule runs the whole cycle, with preemption if no node takes the pod. The message is empty if one does.
func (s *Scheduler) schedule(ctx context.Context, pod *corev1.Pod) (message string, plugins []string, victims m, ok bool) {
	info, err := framework.NewPodInfo(pod)
	if err != nil {
		return "", nil, nil, false
	}
	state := framework.NewCycleState()
	_, err = s.sched.SchedulePod(ctx, s.framework, state, &framework.QueuedPodInfo{PodInfo: info})
	if err == nil {
		return "", nil, nil, true
	}
	fit, is := err.(*framework.FitError)
	if !is {
		return err.Error(), nil, nil, err == scheduler.ErrNoNodesAvailable
	}
	if victims, ok = s.preempt(ctx, state, pod, fit); !ok {
		return "", nil, nil, false
	}
	_, after := s.framework.RunPostFilterPlugins(ctx, state, pod, fit.Diagnosis.NodeToStatus)
	fit.Diagnosis.PostFilterMsg = after.Message()
	for plugin := range fit.Diagnosis.UnschedulablePlugins {
		plugins = append(plugins, plugin)
	}
	slices.Sort(plugins)
	return fit.Error(), plugins, victims, true
}

// preempt returns the nodes that preemption may choose, each with the pods that would have to go. Of equally good nodes, it
// chooses the one that a map lists first: it is asked until every one of them has been chosen, most likely.
func (s *Scheduler) preempt(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, fit *framework.FitError) (m, bool) {
	const asked = 60
	nodes, err := fit.Diagnosis.NodeToStatus.NodesForStatusCode(s.snapshot.NodeInfos(), fwk.Unschedulable)
	if err != nil || len(nodes) == 0 || fit.Diagnosis.PreFilterMsg != "" {
		return nil, err == nil
	}
	budgets, err := s.factory.Policy().V1().PodDisruptionBudgets().Lister().List(labels.Everything())
	if err != nil {
		panic(err)
	}
	for _, plugin := range s.framework.PreEnqueuePlugins() {
		preemption, is := plugin.(*defaultpreemption.DefaultPreemption)
		if !is {
			continue
		}
		if eligible, _ := preemption.PodEligibleToPreemptOthers(ctx, pod, fit.Diagnosis.NodeToStatus.Get(pod.Status.NominatedNodeName)); !eligible {
			return nil, true
		}
		candidates, _, err := preemption.Evaluator.DryRunPreemption(ctx, state, pod, nodes, budgets, 0, int32(len(nodes)))
		if err != nil {
			return nil, false
		}
		chosen := m{}
		for range asked {
			if best := preemption.Evaluator.SelectCandidate(ctx, candidates); best != nil {
				names := []string{}
				for _, victim := range best.Victims().Pods {
					names = append(names, victim.Name)
				}
				chosen[best.Name()] = names
			}
		}
		return chosen, true
	}
	panic("no preemption")
}
