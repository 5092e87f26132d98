package strategies

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// PrintedTypes lists the Go types below a pod template of the API, sorted by name, one per line: the name and the
// underlying type, as Go writes them. A field of a struct is its name (with `=` and its JSON name, if that does not
// follow from the name; without a name for an embedded struct) and its type. core/src/controller/hash/types.rs reads
// them: the pod-template-hash is that of Go's printout of the whole struct.
func PrintedTypes() string {
	p := printed{}
	p.add(reflect.TypeFor[corev1.PodTemplateSpec]())
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(p)) {
		fmt.Fprintln(&lines, name, p[name].definition)
	}
	return lines.String()
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
