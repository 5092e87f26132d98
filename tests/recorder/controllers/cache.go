// Package controllers drives the real controllers: each sync runs in a newly started controller, whose caches hold what
// the store holds, listed by name.
package controllers

import (
	"sort"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	appsinformers "k8s.io/client-go/informers/apps/v1"
	batchinformers "k8s.io/client-go/informers/batch/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	appslisters "k8s.io/client-go/listers/apps/v1"
	batchlisters "k8s.io/client-go/listers/batch/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"

	"changeover.dev/recorder/apiserver"
)

// byName is an index that lists by namespace and name; the real one lists in the order of a Go map.
type byName struct {
	cache.Indexer
	store    *apiserver.Store
	resource *apiserver.Resource
}

// GetByKey reads an object from the store: a controller that looks one up in the middle of a sync, because its name is
// taken, finds the sync's own writes in its cache, as after a watch event.
func (i byName) GetByKey(key string) (any, bool, error) {
	if i.store == nil {
		return i.Indexer.GetByKey(key)
	}
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return nil, false, err
	}
	object, err := i.store.Get(i.resource, namespace, name)
	if apierrors.IsNotFound(err) {
		return nil, false, nil
	}
	return object, err == nil, err
}

func sorted(objects []any) []any {
	key := func(i int) string {
		key, _ := cache.MetaNamespaceKeyFunc(objects[i])
		return key
	}
	sort.Slice(objects, func(i, j int) bool { return key(i) < key(j) })
	return objects
}

func (i byName) List() []any { return sorted(i.Indexer.List()) }

func (i byName) Index(name string, object any) ([]any, error) {
	objects, err := i.Indexer.Index(name, object)
	return sorted(objects), err
}

func (i byName) ByIndex(name, value string) ([]any, error) {
	objects, err := i.Indexer.ByIndex(name, value)
	return sorted(objects), err
}

// informer has a filled cache. It only reports a change if the test triggers it (see Live).
type informer struct {
	cache.SharedIndexInformer
	indexer  cache.Indexer
	handlers []cache.ResourceEventHandler
}

func newInformer(store *apiserver.Store, resource *apiserver.Resource) *informer {
	indexer := newIndexer()
	for _, object := range store.List(resource) {
		// Add a copy: a controller's changes to its cache must not reach the store.
		if err := indexer.Add(object.DeepCopyObject()); err != nil {
			panic(err)
		}
	}
	return &informer{indexer: byName{indexer, store, resource}}
}

// newNodeInformer has nodes, which no store has.
func newNodeInformer(list []*corev1.Node) *informer {
	indexer := newIndexer()
	for _, node := range list {
		if err := indexer.Add(node.DeepCopy()); err != nil {
			panic(err)
		}
	}
	return &informer{indexer: byName{Indexer: indexer}}
}

func newIndexer() cache.Indexer {
	return cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
}

func (i *informer) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	i.handlers = append(i.handlers, handler)
	return nil, nil
}
func (i *informer) AddIndexers(indexers cache.Indexers) error { return i.indexer.AddIndexers(indexers) }
func (i *informer) GetIndexer() cache.Indexer                 { return i.indexer }
func (i *informer) GetStore() cache.Store                     { return i.indexer }
func (i *informer) HasSynced() bool                           { return true }

type deployments struct{ *informer }

func (d deployments) Informer() cache.SharedIndexInformer { return d.informer }
func (d deployments) Lister() appslisters.DeploymentLister {
	return appslisters.NewDeploymentLister(d.indexer)
}

type replicaSets struct{ *informer }

func (r replicaSets) Informer() cache.SharedIndexInformer { return r.informer }
func (r replicaSets) Lister() appslisters.ReplicaSetLister {
	return appslisters.NewReplicaSetLister(r.indexer)
}

type replicationControllers struct{ *informer }

func (r replicationControllers) Informer() cache.SharedIndexInformer { return r.informer }
func (r replicationControllers) Lister() corelisters.ReplicationControllerLister {
	return corelisters.NewReplicationControllerLister(r.indexer)
}

type jobs struct{ *informer }

func (j jobs) Informer() cache.SharedIndexInformer { return j.informer }
func (j jobs) Lister() batchlisters.JobLister      { return batchlisters.NewJobLister(j.indexer) }

type cronJobs struct{ *informer }

func (c cronJobs) Informer() cache.SharedIndexInformer { return c.informer }
func (c cronJobs) Lister() batchlisters.CronJobLister {
	return batchlisters.NewCronJobLister(c.indexer)
}

type statefulSets struct{ *informer }

func (s statefulSets) Informer() cache.SharedIndexInformer { return s.informer }
func (s statefulSets) Lister() appslisters.StatefulSetLister {
	return appslisters.NewStatefulSetLister(s.indexer)
}

type daemonSets struct{ *informer }

func (d daemonSets) Informer() cache.SharedIndexInformer { return d.informer }
func (d daemonSets) Lister() appslisters.DaemonSetLister {
	return appslisters.NewDaemonSetLister(d.indexer)
}

type nodes struct{ *informer }

func (n nodes) Informer() cache.SharedIndexInformer { return n.informer }
func (n nodes) Lister() corelisters.NodeLister      { return corelisters.NewNodeLister(n.indexer) }

type revisions struct{ *informer }

func (r revisions) Informer() cache.SharedIndexInformer { return r.informer }
func (r revisions) Lister() appslisters.ControllerRevisionLister {
	return appslisters.NewControllerRevisionLister(r.indexer)
}

type claims struct{ *informer }

func (c claims) Informer() cache.SharedIndexInformer { return c.informer }
func (c claims) Lister() corelisters.PersistentVolumeClaimLister {
	return corelisters.NewPersistentVolumeClaimLister(c.indexer)
}

type pods struct{ *informer }

func (p pods) Informer() cache.SharedIndexInformer { return p.informer }
func (p pods) Lister() corelisters.PodLister       { return corelisters.NewPodLister(p.indexer) }

var (
	_ appsinformers.DeploymentInformer            = deployments{}
	_ appsinformers.ReplicaSetInformer            = replicaSets{}
	_ coreinformers.ReplicationControllerInformer = replicationControllers{}
	_ batchinformers.JobInformer                  = jobs{}
	_ batchinformers.CronJobInformer              = cronJobs{}
	_ appsinformers.StatefulSetInformer           = statefulSets{}
	_ appsinformers.DaemonSetInformer             = daemonSets{}
	_ coreinformers.NodeInformer                  = nodes{}
	_ appsinformers.ControllerRevisionInformer    = revisions{}
	_ coreinformers.PersistentVolumeClaimInformer = claims{}
	_ coreinformers.PodInformer                   = pods{}
)
