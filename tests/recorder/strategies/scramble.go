package strategies

import (
	"math/rand/v2"
	"reflect"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"changeover.dev/recorder/cases"
)

// Scrambled records validation's errors for an object with random values anywhere, as its Go type allows: code that
// only checks some fields must report all others as unchecked.
func Scrambled(seed uint64, number int, record func(cases.Case)) {
	random := rand.New(rand.NewPCG(seed, uint64(number)))
	k := kinds[number%len(kinds)]
	r := recorder{random: random, kind: k, record: func(c cases.Case) {
		if c.Op == "apiserver.validate" {
			record(c)
		}
	}}
	switch how := random.IntN(6); {
	case how < 3:
		r.create(r.scrambled(r.manifest(0), ""))
	case how < 5 || k.status == nil:
		old := r.stored()
		// The faults may all be in fields that are not checked. (The template of a StatefulSet would then not be validated:
		// core/DEVIATIONS.md.)
		if how == 4 && k.name != "StatefulSet" {
			if old = r.read(r.scrambled(old, "")); old == nil {
				return
			}
		}
		r.change("-update", "", old, r.scrambled(old, ""), k.strategy)
	default:
		old := r.stored()
		old = r.scrambled(old, "Status")
		r.change("-status", "status", old, r.scrambled(old, "Status"), k.status)
	}
}

// scrambled returns an object with random changes anywhere, or in one field. Its kind stays the same.
func (r recorder) scrambled(manifest map[string]any, field string) map[string]any {
	object := r.kind.decode(manifest)
	value := reflect.ValueOf(object).Elem()
	if field != "" {
		value = value.FieldByName(field)
	}
	for range 1 + r.random.IntN(3) {
		scramble(r.random, value)
	}
	changed := encode(object)
	put(changed, []any{"apiVersion"}, r.kind.version(), false)
	put(changed, []any{"kind"}, r.kind.name, false)
	return changed
}

var words = []string{"", "a", "Bad_Name", "a b", "-x", "a.io/b", "Always", "None", "default", "/a", "10.0.0.1", "01.2.3.4", "0", "true", "In", "windows"}

// scramble changes one or a few things below a value, and creates what is missing on the way there.
func scramble(random *rand.Rand, value reflect.Value) {
	switch value.Interface().(type) {
	case metav1.Time, metav1.MicroTime, metav1.TypeMeta, metav1.FieldsV1:
		return
	case resource.Quantity:
		value.Set(reflect.ValueOf(resource.MustParse([]string{"0", "1", "-1", "0.5", "1Gi", "100m"}[random.IntN(6)])))
		return
	case intstr.IntOrString:
		value.Set(reflect.ValueOf(intstr.Parse([]string{"0", "80", "-1", "70000", "http", "25%"}[random.IntN(6)])))
		return
	}
	switch value.Kind() {
	case reflect.Struct:
		if value.NumField() == 0 {
			return
		}
		for range 1 + random.IntN(2) {
			scramble(random, value.Field(random.IntN(value.NumField())))
		}
	case reflect.Pointer:
		if value.IsNil() {
			value.Set(reflect.New(value.Type().Elem()))
		}
		if random.IntN(4) > 0 {
			scramble(random, value.Elem())
		}
		// Every release rejects an empty string there, so the core does not distinguish it from none.
		if value.Elem().Kind() == reflect.String && value.Elem().Len() == 0 {
			value.Elem().SetString("a")
		}
	case reflect.Slice:
		if value.Len() < 2 && random.IntN(2) == 0 || value.Len() == 0 {
			value.Set(reflect.Append(value, reflect.New(value.Type().Elem()).Elem()))
		}
		scramble(random, value.Index(random.IntN(value.Len())))
	case reflect.Map:
		if value.IsNil() {
			value.Set(reflect.MakeMap(value.Type()))
		}
		element := reflect.New(value.Type().Elem()).Elem()
		scramble(random, element)
		value.SetMapIndex(reflect.ValueOf(words[random.IntN(len(words))]).Convert(value.Type().Key()), element)
	case reflect.String:
		value.SetString(words[random.IntN(len(words))])
	case reflect.Bool:
		value.SetBool(!value.Bool())
	case reflect.Int32, reflect.Int64:
		value.SetInt([]int64{-1, 0, 1, 2, 70000}[random.IntN(5)])
	}
}
