// Package nodes simulates a small scheduler and the kubelets of nodes that do not exist. A pod gets a node, starts,
// becomes ready and ends after given times; the writes to the API server are those of real kubelets.
package nodes

import (
	"context"
	"fmt"
	"hash/fnv"
	"log"
	"maps"
	"math/rand/v2"
	"sync"
	"time"

	coordination "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
)

// leases is the namespace of the kubelets' leases.
const leases = "kube-node-lease"

// Node is a node to simulate.
type Node struct {
	Name string `json:"name"`
	// Labels are those besides its host name.
	Labels map[string]string `json:"labels,omitempty"`
	Taints []v1.Taint        `json:"taints,omitempty"`
	// Allocatable has what differs from 64 CPUs, 256Gi of memory and 1000 pods, and other resources.
	Allocatable v1.ResourceList `json:"allocatable,omitempty"`
}

// Nodes are all simulated nodes of one control plane.
type Nodes struct {
	client kubernetes.Interface
	// binds is false if kube-scheduler binds pods.
	binds bool

	mutex  sync.Mutex
	known  map[string]*node
	worlds map[string]*world
	lives  map[types.UID]*life
}

// node is a simulated node.
type node struct {
	// namespace is the only one whose pods it takes. An empty one takes the pods of namespaces without their own nodes.
	namespace string
	pods      int
	lost      bool
	stop      context.CancelFunc
}

// world is what the pods of one namespace have in common.
type world struct {
	timings []Timing
	seed    uint64
	own     bool
}

// Start simulates the nodes until the context ends.
func Start(ctx context.Context, config *rest.Config, binds bool) (*Nodes, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	n := &Nodes{client: client, binds: binds, known: map[string]*node{}, worlds: map[string]*world{}, lives: map[types.UID]*life{}}
	for _, name := range []string{"node-1", "node-2", "node-3"} {
		if err := n.Add(ctx, Node{Name: name}, ""); err != nil {
			return nil, err
		}
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	if _, err := factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { n.see(ctx, object) },
		UpdateFunc: func(_, object any) { n.see(ctx, object) },
		DeleteFunc: n.forget,
	}); err != nil {
		return nil, err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return n, ctx.Err()
}

// Play sets how the pods of a namespace behave, and adds the nodes that only they use. The seed makes runs differ.
func (n *Nodes) Play(ctx context.Context, namespace, seed string, timings []Timing, own []Node) error {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(seed))
	n.mutex.Lock()
	n.worlds[namespace] = &world{timings: timings, seed: hash.Sum64(), own: len(own) > 0}
	n.mutex.Unlock()
	if len(own) > 0 && !n.binds {
		// kube-scheduler does not know which nodes belong to a namespace: the shared ones go.
		n.End(ctx, "")
	}
	for _, node := range own {
		if err := n.Add(ctx, node, namespace); err != nil {
			return err
		}
	}
	return nil
}

// End removes the nodes of a namespace.
func (n *Nodes) End(ctx context.Context, namespace string) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	for name, node := range n.known {
		if node.namespace == namespace {
			node.stop()
			delete(n.known, name)
			if err := n.client.CoreV1().Nodes().Delete(ctx, name, meta.DeleteOptions{}); err != nil && !errors.IsNotFound(err) {
				log.Printf("node %s: %v", name, err)
			}
		}
	}
}

// Lose stops the node's kubelet: its pods no longer change, and its lease is not renewed.
func (n *Nodes) Lose(name string) error { return n.setLost(name, true) }

// Return starts the node's kubelet again.
func (n *Nodes) Return(ctx context.Context, name string) error {
	if err := n.setLost(name, false); err != nil {
		return err
	}
	return n.report(ctx, name)
}

func (n *Nodes) setLost(name string, lost bool) error {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	node := n.known[name]
	if node == nil {
		return fmt.Errorf("node %q not found", name)
	}
	node.lost = lost
	return nil
}

// isLost is also true for a node that was removed.
func (n *Nodes) isLost(name string) bool {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	node := n.known[name]
	return node == nil || node.lost
}

// Add adds a node that only a namespace uses; all namespaces without nodes of their own if it is empty.
func (n *Nodes) Add(ctx context.Context, declared Node, namespace string) error {
	room := v1.ResourceList{
		v1.ResourceCPU: resource.MustParse("64"), v1.ResourceMemory: resource.MustParse("256Gi"), v1.ResourcePods: resource.MustParse("1000"),
	}
	maps.Copy(room, declared.Allocatable)
	labels := map[string]string{v1.LabelHostname: declared.Name}
	maps.Copy(labels, declared.Labels)
	object := &v1.Node{
		ObjectMeta: meta.ObjectMeta{Name: declared.Name, Labels: labels},
		Spec:       v1.NodeSpec{Taints: declared.Taints},
		Status:     v1.NodeStatus{Capacity: room, Allocatable: room},
	}
	if _, err := n.client.CoreV1().Nodes().Create(ctx, object, meta.CreateOptions{}); err != nil {
		return err
	}
	beating, stop := context.WithCancel(ctx)
	n.mutex.Lock()
	n.known[declared.Name] = &node{namespace: namespace, stop: stop}
	n.mutex.Unlock()
	go n.beat(beating, declared.Name)
	return n.report(ctx, declared.Name)
}

// report sets the node's status to ready.
func (n *Nodes) report(ctx context.Context, name string) error {
	now := meta.Now()
	status := v1.NodeStatus{Conditions: []v1.NodeCondition{{
		Type: v1.NodeReady, Status: v1.ConditionTrue, Reason: "KubeletReady", Message: "kubelet is posting ready status",
		LastHeartbeatTime: now, LastTransitionTime: now,
	}}}
	patch, err := statusPatch("", status)
	if err != nil {
		return err
	}
	_, err = n.client.CoreV1().Nodes().Patch(ctx, name, types.StrategicMergePatchType, patch, meta.PatchOptions{}, "status")
	return err
}

// beat renews the node's lease, so that the node lifecycle controller keeps it.
func (n *Nodes) beat(ctx context.Context, name string) {
	for {
		wait := 10 * time.Second
		if !n.isLost(name) {
			if err := n.renew(ctx, name); err != nil && ctx.Err() == nil {
				wait = time.Second // its namespace may not be there yet
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

func (n *Nodes) renew(ctx context.Context, name string) error {
	client, now := n.client.CoordinationV1().Leases(leases), meta.NowMicro()
	lease, err := client.Get(ctx, name, meta.GetOptions{})
	if errors.IsNotFound(err) {
		_, err = client.Create(ctx, &coordination.Lease{
			ObjectMeta: meta.ObjectMeta{Name: name},
			Spec:       coordination.LeaseSpec{HolderIdentity: &name, LeaseDurationSeconds: ptr.To[int32](40), RenewTime: &now},
		}, meta.CreateOptions{})
		return err
	}
	if err != nil {
		return err
	}
	lease.Spec.RenewTime = &now
	_, err = client.Update(ctx, lease, meta.UpdateOptions{})
	return err
}

// choose picks the node with the fewest pods among those that can take one of the namespace.
func (n *Nodes) choose(ctx context.Context, namespace string) (string, error) {
	cordoned := map[string]bool{}
	list, err := n.client.CoreV1().Nodes().List(ctx, meta.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return "", err
	}
	for _, node := range list.Items {
		cordoned[node.Name] = node.Spec.Unschedulable
	}
	n.mutex.Lock()
	defer n.mutex.Unlock()
	owner := ""
	if world := n.worlds[namespace]; world != nil && world.own {
		owner = namespace
	}
	chosen := ""
	for name, node := range n.known {
		if node.namespace != owner || node.lost || cordoned[name] {
			continue
		}
		if chosen == "" || node.pods < n.known[chosen].pods || node.pods == n.known[chosen].pods && name < chosen {
			chosen = name
		}
	}
	if chosen != "" {
		n.known[chosen].pods++
	}
	return chosen, nil
}

// of returns how a pod behaves.
func (n *Nodes) of(pod *v1.Pod) (Timing, *rand.Rand) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	world := n.worlds[pod.Namespace]
	if world == nil {
		return Defaults, rand.New(rand.NewPCG(0, 0))
	}
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(pod.UID))
	return of(world.timings, pod.Spec.Containers[0].Image), rand.New(rand.NewPCG(world.seed, hash.Sum64()))
}
