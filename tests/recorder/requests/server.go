// Package requests makes the AdmissionReview requests that an API server sends to a mutating webhook: decoded and
// defaulted by the real scheme, with managed fields by the real field manager, in the API server's encoding.
package requests

import (
	"encoding/json"
	"fmt"

	admissionv1 "k8s.io/api/admission/v1"
	registration "k8s.io/api/admissionregistration/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/webhook"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/generic"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/request"
	"k8s.io/apiserver/pkg/authentication/user"
	apiopenapi "k8s.io/apiserver/pkg/endpoints/openapi"
	"k8s.io/apiserver/pkg/registry/rest"
	openapibuilder "k8s.io/kube-openapi/pkg/builder3"
	openapicommon "k8s.io/kube-openapi/pkg/common"
	openapiutil "k8s.io/kube-openapi/pkg/util"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	"k8s.io/kubernetes/pkg/generated/openapi"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"changeover.dev/recorder/strategies"
)

// Request is a request with a name for what it shows.
type Request struct {
	Name   string
	Review *admissionv1.AdmissionReview
}

// server has what the handlers of a resource have.
type server struct {
	types    managedfields.TypeConverter
	reviews  int
	uids     int
	versions int
	made     []Request
}

func newServer() (*server, error) {
	namer := apiopenapi.NewDefinitionNamer(legacyscheme.Scheme)
	config := &openapicommon.OpenAPIV3Config{
		GetDefinitionName: namer.GetDefinitionName,
		GetDefinitions:    openapi.GetOpenAPIDefinitions,
	}
	config.Definitions = openapi.GetOpenAPIDefinitions(func(name string) spec.Ref {
		definition, _ := config.GetDefinitionName(name)
		return spec.MustCreateRef("#/components/schemas/" + openapicommon.EscapeJsonPointer(definition))
	})
	var names []string
	for _, kind := range strategies.Kinds() {
		names = append(names, openapiutil.GetCanonicalTypeName(kind.Versioned()))
	}
	names = append(names, openapiutil.GetCanonicalTypeName(&autoscalingv1.Scale{}))
	schemas, err := openapibuilder.BuildOpenAPIDefinitionsForResources(config, names...)
	if err != nil {
		return nil, err
	}
	converter, err := managedfields.NewTypeConverter(schemas, false)
	return &server{types: converter}, err
}

// fields returns the field manager of a resource or of its status.
func (s *server) fields(kind strategies.Kind, subresource string) *managedfields.FieldManager {
	return s.fieldsOf(kind.GVK, subresource)
}

func (s *server) fieldsOf(gvk schema.GroupVersionKind, subresource string) *managedfields.FieldManager {
	hub := schema.GroupVersion{Group: gvk.Group, Version: runtime.APIVersionInternal}
	manager, err := managedfields.NewDefaultFieldManager(s.types, legacyscheme.Scheme, legacyscheme.Scheme,
		legacyscheme.Scheme, gvk, hub, subresource, nil)
	if err != nil {
		panic(err)
	}
	return manager
}

// decode reads a manifest as the handlers do: with defaults, into the internal version.
func decode(kind strategies.Kind, manifest map[string]any) runtime.Object {
	text, err := json.Marshal(manifest)
	if err != nil {
		panic(err)
	}
	versioned := kind.Versioned()
	if err := json.Unmarshal(text, versioned); err != nil {
		panic(err)
	}
	legacyscheme.Scheme.Default(versioned)
	internal := kind.Internal()
	if err := legacyscheme.Scheme.Convert(versioned, internal, nil); err != nil {
		panic(err)
	}
	return internal
}

// encode encodes an internal object in its versioned form.
func encode(kind strategies.Kind, internal runtime.Object) runtime.Object {
	if internal == nil {
		return nil
	}
	versioned := kind.Versioned()
	if err := legacyscheme.Scheme.Convert(internal.DeepCopyObject(), versioned, nil); err != nil {
		panic(err)
	}
	versioned.GetObjectKind().SetGroupVersionKind(kind.GVK)
	return versioned
}

func manifestOf(kind strategies.Kind, internal runtime.Object) map[string]any {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(encode(kind, internal))
	if err != nil {
		panic(err)
	}
	return fields
}

// who sends a request, and with which program.
type who struct {
	user    user.DefaultInfo
	manager string
}

type write struct {
	name        string
	who         who
	kind        strategies.Kind
	subresource string
	dryRun      bool
}

// send records the review that the webhook would get.
func (s *server) send(w write, operation admission.Operation, options runtime.Object, gvk schema.GroupVersionKind,
	object, old runtime.Object, namespace, name string) {
	attributes := admission.NewAttributesRecord(object, old, gvk, namespace, name, w.kind.GVR, w.subresource, operation,
		options, w.dryRun, &w.who.user)
	versioned := &admission.VersionedAttributes{
		Attributes: attributes, VersionedKind: gvk,
		VersionedObject: admission.NewLazyObject(object), VersionedOldObject: admission.NewLazyObject(old),
	}
	s.reviews++
	review := request.CreateV1AdmissionReview(s.uid(0x7e, s.reviews), versioned, &generic.WebhookInvocation{
		Webhook:  webhook.NewMutatingWebhookAccessor("changeover", "changeover", &registration.MutatingWebhook{}),
		Resource: w.kind.GVR, Subresource: w.subresource, Kind: gvk,
	})
	review.SetGroupVersionKind(admissionv1.SchemeGroupVersion.WithKind("AdmissionReview"))
	s.made = append(s.made, Request{w.name, review})
}

// propose sets the field of KEP-5882, which no release has, on the Deployment of the last review, as a server that
// knows the field would send it.
func (s *server) propose(policy string) {
	object := &s.made[len(s.made)-1].Review.Request.Object
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object.Object)
	if err != nil {
		panic(err)
	}
	set(fields, policy, "spec", "podReplacementPolicy")
	for _, entry := range fields["metadata"].(map[string]any)["managedFields"].([]any) {
		set(entry.(map[string]any), map[string]any{}, "fieldsV1", "f:spec", "f:podReplacementPolicy")
	}
	object.Object = &unstructured.Unstructured{Object: fields}
}

// uid returns a UID that is the same in each recording.
func (s *server) uid(kind, number int) types.UID {
	return types.UID(fmt.Sprintf("1f7c2e9a-%04x-4000-8000-%012x", kind, number))
}

// store turns a new object into the one that the store would hold.
func (s *server) store(kind strategies.Kind, internal runtime.Object) runtime.Object {
	stored := internal.DeepCopyObject()
	kind.Strategy.PrepareForCreate(strategies.Context(kind), stored)
	meta := stored.(metav1.Object)
	rest.FillObjectMetaSystemFields(meta)
	s.uids++
	meta.SetUID(s.uid(0x0b, s.uids))
	if meta.GetName() == "" {
		meta.SetName(meta.GetGenerateName() + fmt.Sprintf("%05d", s.uids))
	}
	s.stamp(meta)
	return stored
}

func (s *server) stamp(meta metav1.Object) {
	s.versions++
	meta.SetResourceVersion(fmt.Sprint(1000 + s.versions))
}

func dry(dryRun bool) []string {
	if dryRun {
		return []string{metav1.DryRunAll}
	}
	return nil
}

func createOptions(w write) runtime.Object {
	options := &metav1.CreateOptions{FieldManager: w.who.manager, DryRun: dry(w.dryRun)}
	options.SetGroupVersionKind(metav1.SchemeGroupVersion.WithKind("CreateOptions"))
	return options
}

func updateOptions(w write) runtime.Object {
	options := &metav1.UpdateOptions{FieldManager: w.who.manager, DryRun: dry(w.dryRun)}
	options.SetGroupVersionKind(metav1.SchemeGroupVersion.WithKind("UpdateOptions"))
	return options
}

// create sends a creation, and returns the stored object.
func (s *server) create(w write, manifest map[string]any) runtime.Object {
	object := decode(w.kind, manifest)
	meta := object.(metav1.Object)
	rest.WipeObjectMetaSystemFields(meta)
	object = s.fields(w.kind, "").UpdateNoErrors(w.kind.Internal(), object, w.who.manager)
	s.send(w, admission.Create, createOptions(w), w.kind.GVK, encode(w.kind, object), nil, meta.GetNamespace(), meta.GetName())
	return s.store(w.kind, object)
}

// apply sends a server-side apply, which is a creation if the object does not exist.
func (s *server) apply(w write, stored runtime.Object, manifest map[string]any) runtime.Object {
	live := stored
	if live == nil {
		live = w.kind.Internal()
		meta := live.(metav1.Object)
		applied := &unstructured.Unstructured{Object: manifest}
		meta.SetName(applied.GetName())
		meta.SetNamespace(applied.GetNamespace())
	}
	object, err := s.fields(w.kind, "").Apply(live.DeepCopyObject(), &unstructured.Unstructured{Object: manifest}, w.who.manager, true)
	if err != nil {
		panic(err)
	}
	meta := object.(metav1.Object)
	if stored == nil {
		s.send(w, admission.Create, createOptions(w), w.kind.GVK, encode(w.kind, object), nil, meta.GetNamespace(), meta.GetName())
		return s.store(w.kind, object)
	}
	return s.updated(w, object, stored, w.kind.Strategy)
}

// update sends an update of the object or of its status, and returns the stored object.
func (s *server) update(w write, stored runtime.Object, change func(manifest map[string]any)) runtime.Object {
	manifest := manifestOf(w.kind, stored)
	change(manifest)
	object := s.fields(w.kind, w.subresource).UpdateNoErrors(stored.DeepCopyObject(), decode(w.kind, manifest), w.who.manager)
	strategy := rest.RESTUpdateStrategy(w.kind.Strategy)
	if w.subresource == "status" {
		strategy = w.kind.Status
	}
	return s.updated(w, object, stored, strategy)
}

func (s *server) updated(w write, object, stored runtime.Object, strategy rest.RESTUpdateStrategy) runtime.Object {
	meta := object.(metav1.Object)
	s.send(w, admission.Update, updateOptions(w), w.kind.GVK, encode(w.kind, object), encode(w.kind, stored), meta.GetNamespace(), meta.GetName())
	after := object.DeepCopyObject()
	strategy.PrepareForUpdate(strategies.Context(w.kind), after, stored.DeepCopyObject())
	s.stamp(after.(metav1.Object))
	return after
}

// scale sends an update of the scale subresource, with the managed fields that the storage derives from the parent's
// (`pkg/registry/apps/deployment/storage/storage.go scaleUpdatedObjectInfo.UpdatedObject`).
func (s *server) scale(w write, stored runtime.Object, replicas int32) {
	w.subresource = "scale"
	gvk := schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}
	meta := stored.(metav1.Object)
	old := scaleOf(w.kind, stored)
	version := w.kind.GVK.GroupVersion()
	replicasPath := managedfields.ResourcePathMappings{version.String(): fieldpath.MakePathOrDie("spec", "replicas")}
	entries, err := managedfields.NewScaleHandler(meta.GetManagedFields(), version, replicasPath).ToSubresource()
	if err != nil {
		panic(err)
	}
	old.ManagedFields = entries
	changed := old.DeepCopy()
	changed.Spec.Replicas = replicas
	object, err := s.fieldsOf(gvk, w.subresource).Update(old.DeepCopy(), changed, w.who.manager)
	if err != nil {
		panic(err)
	}
	s.send(w, admission.Update, updateOptions(w), gvk, object, old, meta.GetNamespace(), meta.GetName())
}

// remove sends a deletion.
func (s *server) remove(w write, stored runtime.Object) {
	meta := stored.(metav1.Object)
	options := &metav1.DeleteOptions{DryRun: dry(w.dryRun)}
	options.SetGroupVersionKind(metav1.SchemeGroupVersion.WithKind("DeleteOptions"))
	s.send(w, admission.Delete, options, w.kind.GVK, nil, encode(w.kind, stored), meta.GetNamespace(), meta.GetName())
}

// audit sends a stored object as Kubewarden's audit scanner does: as a creation without a user.
func (s *server) audit(w write, stored runtime.Object) {
	meta := stored.(metav1.Object)
	s.send(w, admission.Create, nil, w.kind.GVK, encode(w.kind, stored), nil, meta.GetNamespace(), meta.GetName())
}
