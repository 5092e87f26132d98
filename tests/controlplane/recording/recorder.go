package recording

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	audit "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	retry "k8s.io/client-go/tools/watch"
)

// watched are the kinds whose versions are all recorded.
var watched = []schema.GroupVersionResource{
	{Group: "apps", Version: "v1", Resource: "deployments"}, {Group: "apps", Version: "v1", Resource: "replicasets"},
	{Group: "apps", Version: "v1", Resource: "statefulsets"}, {Group: "apps", Version: "v1", Resource: "daemonsets"},
	{Group: "apps", Version: "v1", Resource: "controllerrevisions"},
	{Group: "batch", Version: "v1", Resource: "jobs"}, {Group: "batch", Version: "v1", Resource: "cronjobs"},
	{Version: "v1", Resource: "pods"}, {Version: "v1", Resource: "events"}, {Version: "v1", Resource: "resourcequotas"},
	{Version: "v1", Resource: "replicationcontrollers"}, {Version: "v1", Resource: "persistentvolumeclaims"},
	{Version: "v1", Resource: "services"},
}

// clusterWide are the kinds in no namespace that are recorded, if a name begins with that of the run's namespace.
var clusterWide = []schema.GroupVersionResource{
	{Version: "v1", Resource: "nodes"}, {Version: "v1", Resource: "persistentvolumes"},
}

// kinds are the kinds of the resources in the audit log.
var kinds = map[string]string{
	"controllerrevisions": "ControllerRevision", "cronjobs": "CronJob", "daemonsets": "DaemonSet", "deployments": "Deployment",
	"jobs": "Job", "persistentvolumeclaims": "PersistentVolumeClaim", "pods": "Pod", "replicasets": "ReplicaSet",
	"replicationcontrollers": "ReplicationController", "statefulsets": "StatefulSet",
}

// Recorder records one namespace.
type Recorder struct {
	namespace string
	start     time.Time
	log       string
	offset    int64
	stop      context.CancelFunc
	watches   sync.WaitGroup

	mutex   sync.Mutex
	seen    []seen
	managed map[types.UID][]meta.ManagedFieldsEntry
	last    time.Time
	lost    error
}

// seen is an event of a watch.
type seen struct {
	version uint64
	at      time.Time
	key     string
	manager string
	deleted bool
	object  map[string]any
}

// request is an entry of the audit log.
type request struct {
	line Request
	// sent is an object or, for a JSON patch, a list.
	sent any
}

// Start begins a recording of a namespace that is still unused.
func Start(ctx context.Context, config *rest.Config, auditLog, namespace string) (*Recorder, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(auditLog)
	if err != nil {
		return nil, err
	}
	watching, stop := context.WithCancel(ctx)
	now := time.Now()
	r := &Recorder{
		namespace: namespace, start: now, last: now, log: auditLog, offset: info.Size(), stop: stop,
		managed: map[types.UID][]meta.ManagedFieldsEntry{},
	}
	for _, resource := range watched {
		if err := r.watch(watching, resource.Resource, client.Resource(resource).Namespace(namespace)); err != nil {
			stop()
			return nil, err
		}
	}
	for _, resource := range clusterWide {
		if err := r.watch(watching, resource.Resource, client.Resource(resource)); err != nil {
			stop()
			return nil, err
		}
	}
	return r, nil
}

// watch follows a resource from now on. What exists is a first version: the nodes are added before the recording begins.
func (r *Recorder) watch(ctx context.Context, name string, of dynamic.ResourceInterface) error {
	list, err := of.List(ctx, meta.ListOptions{})
	if err != nil {
		return err
	}
	for index := range list.Items {
		if err := r.add(watch.Added, &list.Items[index]); err != nil {
			return err
		}
	}
	// If the API server ends a watch, because we are slow or it has lasted long, it resumes where it was.
	stream, err := retry.NewRetryWatcherWithContext(ctx, list.GetResourceVersion(), &cache.ListWatch{
		WatchFuncWithContext: of.Watch,
	})
	if err != nil {
		return err
	}
	r.watches.Go(func() { r.follow(ctx, name, stream) })
	return nil
}

func (r *Recorder) follow(ctx context.Context, resource string, stream watch.Interface) {
	for event := range stream.ResultChan() {
		object, ok := event.Object.(*unstructured.Unstructured)
		if !ok || event.Type == watch.Error {
			r.fail(fmt.Errorf("the watch of %s says: %v", resource, event.Object))
			return
		}
		if err := r.add(event.Type, object); err != nil {
			r.fail(err)
			return
		}
	}
	if ctx.Err() == nil {
		r.fail(fmt.Errorf("the watch of %s has ended", resource))
	}
}

func (r *Recorder) fail(err error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.lost = errors.Join(r.lost, err)
}

func (r *Recorder) add(kind watch.EventType, object *unstructured.Unstructured) error {
	if object.GetNamespace() == "" && !strings.HasPrefix(object.GetName(), r.namespace+"-") {
		return nil
	}
	version, err := number(object.GetResourceVersion())
	if err != nil {
		return err
	}
	line := seen{
		version: version, at: time.Now(), key: object.GetKind() + "/" + object.GetName(), deleted: kind == watch.Deleted,
	}
	managed := object.GetManagedFields()
	r.mutex.Lock()
	defer r.mutex.Unlock()
	line.manager = manager(object, r.managed[object.GetUID()])
	r.managed[object.GetUID()] = managed
	object.SetManagedFields(nil)
	object.SetResourceVersion("")
	unstructured.RemoveNestedField(object.Object, "apiVersion")
	unstructured.RemoveNestedField(object.Object, "kind")
	line.object = object.Object
	r.seen = append(r.seen, line)
	r.last = line.at
	return nil
}

// manager returns the field manager that wrote this version: its entry is new, or the latest if the second is the same.
func manager(object *unstructured.Unstructured, before []meta.ManagedFieldsEntry) string {
	var newest, changed meta.ManagedFieldsEntry
	for _, entry := range object.GetManagedFields() {
		if newest.Time == nil || entry.Time != nil && !entry.Time.Before(newest.Time) {
			newest = entry
		}
		same := func(other meta.ManagedFieldsEntry) bool { return reflect.DeepEqual(entry, other) }
		if !slices.ContainsFunc(before, same) {
			changed = entry
		}
	}
	return cmp.Or(changed.Manager, newest.Manager)
}

// Quiet waits until nothing was written for a while, or until the limit. The time before the call does not count: the last
// step may still have effects.
func (r *Recorder) Quiet(ctx context.Context, quiet, limit time.Duration) error {
	begun := time.Now()
	for {
		r.mutex.Lock()
		last, lost := r.last, r.lost
		r.mutex.Unlock()
		if lost != nil {
			return lost
		}
		if last.Before(begun) {
			last = begun
		}
		rest := min(time.Until(last.Add(quiet)), time.Until(begun.Add(limit)))
		if rest <= 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rest):
		}
	}
}

// Since returns the time since the recording began, in microseconds.
func (r *Recorder) Since() int64 { return time.Since(r.start).Microseconds() }

// Stop ends the recording.
func (r *Recorder) Stop() {
	r.stop()
	r.watches.Wait()
}

// requests reads the audit log from where the recording began.
func (r *Recorder) requests() ([]request, error) {
	file, err := os.Open(r.log)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if _, err := file.Seek(r.offset, io.SeekStart); err != nil {
		return nil, err
	}
	var requests []request
	reader := bufio.NewReaderSize(file, 1<<20)
	for {
		text, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break // a line without an end is still being written, and none of ours
		}
		if err != nil {
			return nil, err
		}
		var entry audit.Event
		if err := json.Unmarshal(text, &entry); err != nil {
			return nil, fmt.Errorf("%s: %w", r.log, err)
		}
		if entry.ObjectRef == nil || entry.ObjectRef.Namespace != r.namespace {
			continue
		}
		made, err := r.request(&entry)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.log, err)
		}
		requests = append(requests, made)
	}
	slices.SortStableFunc(requests, func(a, b request) int { return int(a.line.At - b.line.At) })
	return requests, nil
}

func (r *Recorder) request(entry *audit.Event) (request, error) {
	kind, ok := kinds[entry.ObjectRef.Resource]
	if !ok {
		kind = entry.ObjectRef.Resource
	}
	user := entry.User.Username
	user = user[strings.LastIndex(user, ":")+1:]
	line := Request{
		Request: entry.Verb, At: entry.RequestReceivedTimestamp.Sub(r.start).Microseconds(),
		Took: entry.StageTimestamp.Sub(entry.RequestReceivedTimestamp.Time).Microseconds(),
		User: user, Object: kind + "/" + entry.ObjectRef.Name, Subresource: entry.ObjectRef.Subresource,
	}
	if entry.ResponseStatus != nil {
		line.Code = entry.ResponseStatus.Code
	}
	body, err := decoded(entry.RequestObject)
	if err != nil {
		return request{}, err
	}
	sent, _ := body.(map[string]any)
	if line.Named, err = version(sent); err != nil {
		return request{}, err
	}
	answered, err := decoded(entry.ResponseObject)
	if err != nil {
		return request{}, err
	}
	answer, _ := answered.(map[string]any)
	switch {
	case line.Code >= 400:
		line.Refused, err = refusal(answer, entry.ResponseStatus)
	case answer["kind"] == kind:
		object := unstructured.Unstructured{Object: answer}
		line.Object, line.UID = kind+"/"+object.GetName(), string(object.GetUID())
		line.Version, err = version(answer)
	default: // a deletion that leaves nothing is answered by a Status
		line.UID, _, _ = unstructured.NestedString(answer, "details", "uid")
	}
	if err != nil {
		return request{}, err
	}
	for _, field := range []string{"apiVersion", "kind"} {
		delete(sent, field)
	}
	unstructured.RemoveNestedField(sent, "metadata", "resourceVersion")
	unstructured.RemoveNestedField(sent, "metadata", "managedFields")
	return request{line: line, sent: body}, nil
}

func decoded(raw *runtime.Unknown) (any, error) {
	if raw == nil || len(raw.Raw) == 0 {
		return nil, nil
	}
	var body any
	err := json.Unmarshal(raw.Raw, &body)
	return body, err
}

func version(object map[string]any) (uint64, error) {
	text, _, _ := unstructured.NestedString(object, "metadata", "resourceVersion")
	return number(text)
}

// refusal returns the Status in a response.
func refusal(answer map[string]any, status *meta.Status) (json.RawMessage, error) {
	if answer["kind"] == "Status" {
		return json.Marshal(map[string]any{"reason": answer["reason"], "message": answer["message"], "details": answer["details"]})
	}
	return json.Marshal(map[string]any{"reason": status.Reason, "message": status.Message, "details": status.Details})
}
