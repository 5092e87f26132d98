package strategies

import (
	"reflect"
	"strconv"
	"strings"
	"unicode"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kubernetes/pkg/apis/core"
)

// Types lists the internal types below a pod template and a volume claim, one per line, the template's first: the
// fields in order, each with its name (with `=` and its JSON name, if they differ) and a sign for its type, as
// core/src/apiserver/internal_version/types.rs reads them. Error messages print these types.
func Types() string {
	t := types{numbers: map[string]int{}}
	t.add(reflect.TypeFor[core.PodTemplateSpec](), reflect.TypeFor[corev1.PodTemplateSpec]())
	t.add(reflect.TypeFor[core.PersistentVolumeClaim](), reflect.TypeFor[corev1.PersistentVolumeClaim]())
	return strings.Join(t.lines, "\n") + "\n"
}

type types struct {
	numbers map[string]int
	lines   []string
}

// add returns the number of a type's line.
func (t *types) add(internal, versioned reflect.Type) string {
	number, known := t.numbers[internal.Name()]
	if !known {
		number = len(t.lines)
		t.numbers[internal.Name()] = number
		t.lines = append(t.lines, "")
		var fields []string
		for i := range internal.NumField() {
			// The internal version does not keep kind and version.
			if field := internal.Field(i); field.Type != reflect.TypeFor[metav1.TypeMeta]() {
				fields = append(fields, t.field(field, versioned))
			}
		}
		t.lines[number] = strings.Join(fields, " ")
	}
	return strconv.Itoa(number)
}

func (t *types) field(field reflect.StructField, versioned reflect.Type) string {
	other, _ := versioned.FieldByName(field.Name)
	name := field.Name
	switch json, _, _ := strings.Cut(other.Tag.Get("json"), ","); {
	case field.Anonymous:
		name = ""
	case json != jsonName(name):
		name += "=" + json
	}
	return name + t.sign(field, other.Type)
}

func (t *types) sign(field reflect.StructField, other reflect.Type) string {
	kind := field.Type.Kind()
	switch field.Type {
	case reflect.TypeFor[metav1.ObjectMeta]():
		return "@"
	case reflect.TypeFor[*metav1.LabelSelector]():
		return "&"
	case reflect.TypeFor[intstr.IntOrString]():
		return "#"
	case reflect.TypeFor[metav1.Time]():
		return "?"
	case reflect.TypeFor[core.ResourceFieldSelector]().Field(2).Type:
		return "%"
	}
	if kind == reflect.Pointer || kind == reflect.Slice {
		below, otherBelow := field.Type.Elem(), other.Elem()
		if below.Kind() == reflect.Struct && strings.HasSuffix(below.PkgPath(), "pkg/apis/core") {
			return map[reflect.Kind]string{reflect.Pointer: "*", reflect.Slice: "["}[kind] + t.add(below, otherBelow)
		}
		return "?"
	}
	switch kind {
	case reflect.Struct:
		if other.Kind() == reflect.Pointer {
			other = other.Elem()
		}
		if field.Anonymous {
			return "^" + t.add(field.Type, other)
		}
		return "." + t.add(field.Type, other)
	case reflect.String:
		return "$"
	case reflect.Bool:
		return "!"
	case reflect.Map:
		return "?"
	default:
		return "#"
	}
}

// jsonName makes the first word of a Go name lowercase, as in most of the API's names.
func jsonName(name string) string {
	runes := []rune(name)
	for i := range runes {
		if i > 0 && (!unicode.IsUpper(runes[i]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			break
		}
		runes[i] = unicode.ToLower(runes[i])
	}
	return string(runes)
}
