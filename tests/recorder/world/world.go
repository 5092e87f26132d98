// Package world creates random worlds from a seed and lets them evolve: users act, pods start, fail and end, time
// passes, and the real controllers sync. Each sync becomes a case.
package world

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/controller"

	"changeover.dev/recorder/apiserver"
	"changeover.dev/recorder/cases"
	"changeover.dev/recorder/controllers"
)

const namespace = "default"

// World is a namespace and what happens in it.
type World struct {
	kind  kind
	rng   *rand.Rand
	store *apiserver.Store
	gates map[string]bool
	emit  func(cases.Case)
	forks uint64
	// lost are the nodes whose kubelet no longer answers.
	lost map[string]bool
	// rerecords tells that the world repeats a recorded case, with its refusals.
	rerecords bool
	given     []apiserver.Refusal
}

// The gates that can be off in a world; all are on by default.
var gates = []string{"DeploymentReplicaSetTerminatingReplicas", "PodDeletionCost"}

// Start is when each world begins. The clock of a synctest bubble begins in 2000.
var Start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Run creates the world with this number, lets it evolve, and passes on every sync as a case.
func Run(seed uint64, number int, emit func(cases.Case)) {
	rng := rand.New(rand.NewPCG(seed, uint64(number)))
	time.Sleep(time.Until(Start))
	// Not always at the beginning of a second.
	time.Sleep(time.Duration(rng.IntN(1000)) * time.Millisecond)
	w := &World{
		kind: kinds[number%len(kinds)], rng: rng, emit: emit, lost: map[string]bool{},
		store: apiserver.New(rand.New(rand.NewPCG(seed, uint64(number)^1<<63))),
	}
	w.gates = map[string]bool{}
	for _, gate := range gates {
		if w.chance(25) {
			w.gates[gate] = false
		}
	}
	defer controllers.SetGates(w.gates)()
	w.kind.initial(w)
	for range w.kind.steps {
		w.pass()
		for range w.between(0, 2) {
			w.act()
		}
		w.evolve()
		w.reconcile()
	}
	// The goroutines of queues that were shut down end at their next tick.
	time.Sleep(20 * time.Second)
}

// pass lets time pass: mostly little, sometimes longer than every deadline.
func (w *World) pass() {
	limit := []time.Duration{
		time.Second, 3 * time.Second, 3 * time.Second, 10 * time.Second, 30 * time.Second, 700 * time.Second,
	}[w.rng.IntN(6)]
	time.Sleep(time.Duration(w.rng.Int64N(int64(limit/time.Millisecond))) * time.Millisecond)
}

// act performs one action of a user or another outside actor.
func (w *World) act() {
	sum := 0
	for _, action := range w.kind.actions {
		sum += action.weight
	}
	if sum == 0 {
		return
	}
	chosen := w.rng.IntN(sum)
	for _, action := range w.kind.actions {
		if chosen -= action.weight; chosen < 0 {
			action.act(w)
			return
		}
	}
}

// evolve changes pods or, in worlds without pods, the statuses of ReplicaSets.
func (w *World) evolve() {
	if w.kind.pods {
		w.kubelets()
	} else {
		w.progress()
	}
	if w.chance(70) {
		w.collectGarbage()
	}
}

// reconcile syncs the controllers, each with some probability.
func (w *World) reconcile() {
	for range w.between(1, 2) {
		for _, object := range w.store.List(apiserver.Deployments) {
			if w.chance(30) {
				pick(w, asks)(w, object.DeepCopyObject().(*appsv1.Deployment))
			}
			if w.chance(80) {
				w.syncDeployment(object.(*appsv1.Deployment))
			}
		}
		if !w.kind.pods {
			continue
		}
		if w.chance(25) {
			w.askPods()
		}
		for _, object := range w.store.List(apiserver.ReplicaSets) {
			if w.chance(75) {
				w.syncReplicaSet(object.(*appsv1.ReplicaSet))
			}
		}
		for _, object := range w.store.List(apiserver.ReplicationControllers) {
			if w.chance(80) {
				w.syncReplicationController(object.(*corev1.ReplicationController))
			}
		}
	}
}

func (w *World) syncDeployment(deployment *appsv1.Deployment) {
	input := map[string]any{
		"deployment":  cases.Value(deployment),
		"replicaSets": cases.Value(w.store.List(apiserver.ReplicaSets)),
		"pods":        []any{},
	}
	if deployment.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType {
		input["pods"] = cases.Value(w.store.List(apiserver.Pods))
	}
	hash := controller.ComputeHash(&deployment.Spec.Template, deployment.Status.CollisionCount)
	isTaken := taken(w.store, hash)
	c, asked := w.sync("deployment.sync", deployment.Name, input, controllers.SyncDeployment, w.refusals("replicasets"))
	if c == nil {
		return
	}
	if slices.Contains(asked, "replicasets/"+deployment.Name+"-"+hash) {
		// The core's hash differs, and so does the name it requests. If that name is taken here, it must be taken there too.
		c.Input = cases.WithoutHash(c.Input, hash).(map[string]any)
		c.Expected = cases.WithoutHash(c.Expected, hash).(map[string]any)
		if isTaken && writtenSets(*c) > 1 {
			// The order depends on the hash, so such a case proves nothing.
			return
		}
	}
	w.emit(*c)
}

// taken tells whether a ReplicaSet has a name with that hash.
func taken(store *apiserver.Store, hash string) bool {
	return slices.ContainsFunc(store.List(apiserver.ReplicaSets), func(object runtime.Object) bool {
		return strings.HasSuffix(object.(*appsv1.ReplicaSet).Name, "-"+hash)
	})
}

func writtenSets(c cases.Case) (count int) {
	for _, write := range c.Expected["writes"].([]any) {
		if write.(map[string]any)["resource"] == "replicasets" {
			count++
		}
	}
	return count
}

func (w *World) syncReplicaSet(set *appsv1.ReplicaSet) {
	input := map[string]any{
		"replicaSet":  cases.Value(set),
		"replicaSets": cases.Value(w.store.List(apiserver.ReplicaSets)),
		"pods":        cases.Value(w.store.List(apiserver.Pods)),
	}
	if c, _ := w.sync("replicaSet.sync", set.Name, input, controllers.SyncReplicaSet, w.refusals("pods")); c != nil {
		w.emit(*c)
	}
}

func (w *World) syncReplicationController(rc *corev1.ReplicationController) {
	input := map[string]any{
		"replicationController": cases.Value(rc),
		"replicaSets":           cases.Value(w.store.List(apiserver.ReplicaSets)),
		"pods":                  cases.Value(w.store.List(apiserver.Pods)),
	}
	c, _ := w.sync("replicationController.sync", rc.Name, input, controllers.SyncReplicationController, w.refusals("pods"))
	if c != nil {
		w.emit(*c)
	}
}

type syncer func(*apiserver.Store, string) controllers.Result

// sync syncs a controller on a store that accepts outdated copies, and continues from there; and on a strict one, to
// see how far it gets. The case is nil if upstream panics. The names that were to be created come with it.
func (w *World) sync(op, name string, input map[string]any, sync syncer, refusals []apiserver.Refusal) (*cases.Case, []string) {
	w.forks++
	now, handed := time.Now(), refusals
	lenient := w.store.Fork(false, refusals, w.forks)
	result := sync(lenient, namespace+"/"+name)
	if result.Panic != nil {
		return nil, nil
	}
	// The replayed store has no strategies, so their rejections are passed to it, before all others.
	refusals = append(slices.Clone(lenient.Invalid), handed...)
	if len(refusals) > 0 {
		input["refuse"] = cases.Refusals(refusals)
	}
	c := &cases.Case{
		Name: w.kind.name, Op: op, Source: cases.Source, Gates: w.gates, Now: cases.Time(now), Input: input,
		Expected: map[string]any{
			"error":  result.Err != nil,
			"writes": cases.Writes(lenient.Log),
			"events": cases.Events(result.Events),
		},
	}
	strict := w.store.Fork(true, handed, w.forks)
	if result := sync(strict, namespace+"/"+name); apierrors.IsConflict(result.Err) && strict.Conflicts > 0 {
		c.Conflict = &cases.Conflict{Writes: len(cases.Writes(strict.Log)), Events: len(result.Events)}
	}
	w.store.Take(lenient)
	return c, lenient.Asked
}

// refusals makes the API server refuse some of the sync's calls, in the worlds that have refusals.
func (w *World) refusals(resource string) []apiserver.Refusal {
	if w.rerecords {
		return w.given
	}
	if !w.kind.refuses || !w.chance(50) {
		return nil
	}
	if resource == "replicasets" {
		return []apiserver.Refusal{w.refusal(replicaSetRefusals)}
	}
	refusal := w.refusal(podRefusals)
	if refusal.Verb == "create" {
		refusal.After = pick(w, []int{0, 0, 0, 1, 1, 2, 3, 5})
	}
	return []apiserver.Refusal{refusal}
}

// refusal picks a verb first, so that each is refused about as often.
func (w *World) refusal(from []apiserver.Refusal) apiserver.Refusal {
	verbs := w.kind.verbs
	if len(verbs) == 0 {
		verbs = []string{"create", "create", "patch", "patch", "delete", "update", "updateStatus"}
	}
	verb := pick(w, verbs)
	var of []apiserver.Refusal
	for _, refusal := range from {
		if refusal.Verb == verb {
			of = append(of, refusal)
		}
	}
	if len(of) == 0 {
		return pick(w, from)
	}
	return pick(w, of)
}

var replicaSetRefusals = []apiserver.Refusal{
	{Verb: "create", Resource: "replicasets", Code: 403, Message: `replicasets.apps "web" is forbidden: exceeded quota: sets, requested: count/replicasets.apps=1, used: count/replicasets.apps=2, limited: count/replicasets.apps=2`},
	{Verb: "create", Resource: "replicasets", Code: 403, Message: `replicasets.apps "web" is forbidden: unable to create new content in namespace default because it is being terminated`, Cause: "NamespaceTerminating"},
	{Verb: "create", Resource: "replicasets", Code: 409, Message: `replicasets.apps "web" already exists`},
	{Verb: "patch", Resource: "replicasets", Code: 404, Message: `replicasets.apps "web" not found`},
	{Verb: "patch", Resource: "replicasets", Code: 422, Message: `replicasets.apps "web" is invalid`},
	{Verb: "create", Resource: "replicasets", Code: 500, Message: "Internal error occurred: failed calling webhook"},
	{Verb: "update", Resource: "replicasets", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "update", Resource: "replicasets", After: 1, Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "patch", Resource: "replicasets", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "delete", Resource: "replicasets", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "delete", Resource: "replicasets", Code: 404, Message: `replicasets.apps "web" not found`},
	{Verb: "updateStatus", Resource: "deployments", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "updateStatus", Resource: "deployments", After: 1, Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "update", Resource: "deployments", Code: 500, Message: "etcdserver: request timed out"},
}

var podRefusals = []apiserver.Refusal{
	{Verb: "create", Resource: "pods", Code: 403, Message: `pods "web-" is forbidden: exceeded quota: pods, requested: pods=1, used: pods=5, limited: pods=5`},
	{Verb: "create", Resource: "pods", Code: 403, Message: `pods "web-" is forbidden: unable to create new content in namespace default because it is being terminated`, Cause: "NamespaceTerminating"},
	{Verb: "create", Resource: "pods", Code: 409, Message: `pods "web-x" already exists`},
	{Verb: "create", Resource: "pods", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "delete", Resource: "pods", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "delete", Resource: "pods", Code: 404, Message: `pods "web" not found`},
	{Verb: "patch", Resource: "pods", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "patch", Resource: "pods", Code: 404, Message: `pods "web" not found`},
	{Verb: "patch", Resource: "pods", Code: 422, Message: `pods "web" is invalid`},
	{Verb: "updateStatus", Resource: "replicasets", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "updateStatus", Resource: "replicasets", Code: 409, Message: "Operation cannot be fulfilled"},
	{Verb: "updateStatus", Resource: "replicationcontrollers", Code: 500, Message: "etcdserver: request timed out"},
}

func (w *World) chance(percent int) bool { return w.rng.IntN(100) < percent }

// between returns a number from low to high, both included.
func (w *World) between(low, high int) int { return low + w.rng.IntN(high-low+1) }

func pick[T any](w *World, from []T) T { return from[w.rng.IntN(len(from))] }

// some picks an object of a resource, or nil.
func some[T runtime.Object](w *World, resource *apiserver.Resource) (object T, ok bool) {
	objects := w.store.List(resource)
	if len(objects) == 0 {
		return object, false
	}
	return objects[w.rng.IntN(len(objects))].DeepCopyObject().(T), true
}
