package strategies

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
)

// Kind is a kind of object, exported for other packages.
type Kind struct {
	GVK schema.GroupVersionKind
	GVR schema.GroupVersionResource
	// Strategy decides about creations and updates.
	Strategy interface {
		rest.RESTCreateStrategy
		rest.RESTUpdateStrategy
	}
	// Status decides about updates of the status; nil if there is none.
	Status rest.RESTUpdateStrategy
	// Internal and Versioned create empty objects.
	Internal, Versioned func() runtime.Object
}

// Kinds returns all recorded kinds.
func Kinds() []Kind {
	var all []Kind
	for _, k := range kinds {
		gvk := schema.GroupVersionKind{Group: k.group, Version: "v1", Kind: k.name}
		gvr, _ := meta.UnsafeGuessKindToResource(gvk)
		all = append(all, Kind{gvk, gvr, k.strategy, k.status, k.internal, k.versioned})
	}
	return all
}

// Context returns the context of a request for a kind.
func Context(kind Kind) context.Context {
	return request.WithRequestInfo(request.NewDefaultContext(), &request.RequestInfo{APIGroup: kind.GVK.Group, APIVersion: kind.GVK.Version})
}
