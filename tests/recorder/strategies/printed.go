package strategies

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/client-go/kubernetes/scheme"
	componentversion "k8s.io/component-base/version"
)

// typesHeader says where the lists come from.
const typesHeader = "# Generated from k8s.io/api v0.37.2 by the recorder: UPDATE=1 go test -run TestAPITypes . (in tests/recorder)\n"

// TemplateTypes lists the Go types below a pod template of the API, sorted by name, one per line: the name and the
// underlying type, as Go writes them. A field of a struct is its name (with `=` and its JSON name, if that does not
// follow from the name; without a name for an embedded struct) and its type. core/src/apiserver/api_types reads them:
// the decoder knows these fields, and the pod-template-hash is that of Go's printout of the whole struct.
func TemplateTypes() string {
	return typesHeader + templateTypes().lines(nil)
}

// ObjectTypes lists the other types below the recorded kinds.
func ObjectTypes() string {
	p := printed{}
	for _, k := range kinds {
		p.add(reflect.TypeOf(k.versioned()).Elem())
	}
	return typesHeader + p.lines(templateTypes())
}

func templateTypes() printed {
	p := printed{}
	p.add(reflect.TypeFor[corev1.PodTemplateSpec]())
	return p
}

// lines lists all types that are not in another list.
func (p printed) lines(known printed) string {
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if _, ok := known[name]; !ok {
			fmt.Fprintln(&lines, name, p[name].definition)
		}
	}
	return lines.String()
}

// RegisteredKinds lists the kinds of objects of each version of the built-in API groups, one version per line, without those that the
// release no longer serves.
func RegisteredKinds() string {
	versions := map[string][]string{}
	for gvk, type_ := range scheme.Scheme.AllKnownTypes() {
		if gvk.Version != runtime.APIVersionInternal && reflect.PointerTo(type_).Implements(reflect.TypeFor[metav1.Object]()) && !isRemoved(type_) {
			version := gvk.GroupVersion().String()
			versions[version] = append(versions[version], gvk.Kind)
		}
	}
	var lines strings.Builder
	lines.WriteString(strings.Replace(typesHeader, "k8s.io/api", "k8s.io/client-go", 1))
	for _, version := range slices.Sorted(maps.Keys(versions)) {
		fmt.Fprintln(&lines, version, strings.Join(slices.Sorted(slices.Values(versions[version])), " "))
	}
	return lines.String()
}

// isRemoved says whether a type's lifecycle, which Kubernetes generates from its comments, ended with the mirrored release or before.
func isRemoved(type_ reflect.Type) bool {
	ending, ok := reflect.New(type_).Interface().(interface{ APILifecycleRemoved() (major, minor int) })
	if !ok {
		return false
	}
	major, minor := ending.APILifecycleRemoved()
	removed := version.MajorMinor(uint(major), uint(minor))
	return !version.MustParse(componentversion.DefaultKubeBinaryVersion).LessThan(removed)
}

type printed map[string]struct {
	type_      reflect.Type
	definition string
}

// speltByCore are the types whose JSON differs from that of their fields. The core prints them itself.
var speltByCore = []string{"intstr.IntOrString", "resource.Quantity", "v1.FieldsV1", "v1.Time"}

// add adds a type and all types that it consists of.
func (p printed) add(type_ reflect.Type) {
	switch type_.Kind() {
	case reflect.Pointer, reflect.Slice:
		if type_.Name() == "" {
			p.add(type_.Elem())
			return
		}
	case reflect.Map:
		if type_.Name() == "" {
			p.add(type_.Key())
			p.add(type_.Elem())
			return
		}
	}
	name := type_.String()
	if type_.PkgPath() == "" || slices.Contains(speltByCore, name) {
		return
	}
	if known, ok := p[name]; ok {
		if known.type_ != type_ {
			panic(name + ": two types have this name")
		}
		return
	}
	if reflect.PointerTo(type_).Implements(reflect.TypeFor[json.Marshaler]()) {
		panic(name + ": its JSON is not that of its fields: teach it to the core")
	}
	p[name] = struct {
		type_      reflect.Type
		definition string
	}{type_, ""}
	definition := type_.Kind().String()
	switch type_.Kind() {
	case reflect.Struct:
		var fields []string
		for i := range type_.NumField() {
			field := type_.Field(i)
			fields = append(fields, printedName(field)+" "+field.Type.String())
			p.add(field.Type)
		}
		definition = strings.TrimSpace("struct " + strings.Join(fields, ";"))
	case reflect.Map:
		definition = "map[" + type_.Key().String() + "]" + type_.Elem().String()
		p.add(type_.Key())
		p.add(type_.Elem())
	case reflect.Slice:
		definition = "[]" + type_.Elem().String()
		p.add(type_.Elem())
	}
	p[name] = struct {
		type_      reflect.Type
		definition string
	}{type_, definition}
}

// printedName returns a field's name and its JSON name.
func printedName(field reflect.StructField) string {
	switch inJSON, _, _ := strings.Cut(field.Tag.Get("json"), ","); inJSON {
	case jsonName(field.Name):
		return field.Name
	default:
		return field.Name + "=" + inJSON
	}
}
