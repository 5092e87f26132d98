package apiserver

import (
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Refusal describes the calls that get an API error: those that match, after the first After.
type Refusal struct {
	Verb     string `json:"verb"`
	Resource string `json:"resource"`
	// Name is the object's name; none matches all.
	Name    string `json:"name,omitempty"`
	After   int    `json:"after"`
	Code    int32  `json:"code"`
	Message string `json:"message"`
	Cause   string `json:"cause,omitempty"`
}

var reasons = map[int32]metav1.StatusReason{
	http.StatusForbidden:           metav1.StatusReasonForbidden,
	http.StatusNotFound:            metav1.StatusReasonNotFound,
	http.StatusConflict:            metav1.StatusReasonConflict,
	http.StatusUnprocessableEntity: metav1.StatusReasonInvalid,
	http.StatusTooManyRequests:     metav1.StatusReasonTooManyRequests,
	http.StatusInternalServerError: metav1.StatusReasonInternalError,
}

func (r Refusal) error() error {
	reason := reasons[r.Code]
	if strings.HasSuffix(r.Message, "already exists") {
		reason = metav1.StatusReasonAlreadyExists
	}
	status := metav1.Status{
		Status: metav1.StatusFailure, Code: r.Code, Reason: reason, Message: r.Message,
	}
	if r.Cause != "" {
		status.Details = &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: metav1.CauseType(r.Cause)}}}
	}
	return &apierrors.StatusError{ErrStatus: status}
}

// refuse counts a call and returns its error, if it gets one.
func (s *Store) refuse(verb string, resource *Resource, name string) error {
	s.calls[verb+resource.Name]++
	for i := range s.refusals {
		refusal := &s.refusals[i]
		if refusal.Verb != verb || refusal.Resource != resource.Name || refusal.Name != "" && refusal.Name != name {
			continue
		}
		if refusal.After > 0 {
			refusal.After--
			return nil
		}
		return refusal.error()
	}
	return nil
}

// invalid records that a strategy rejected a call. Patches of pods are sent concurrently, so their order means nothing; so
// are all writes of a StatefulSet's pods.
func (s *Store) invalid(verb string, resource *Resource, name string, err error) {
	refusal := Refusal{
		Verb: verb, Resource: resource.Name, After: s.calls[verb+resource.Name] - 1,
		Code: http.StatusUnprocessableEntity, Message: err.Error(),
	}
	if s.byName && (verb == "patch" || verb == "update" && resource == Pods) {
		refusal.Name, refusal.After = name, 0
	}
	s.Invalid = append(s.Invalid, refusal)
}
