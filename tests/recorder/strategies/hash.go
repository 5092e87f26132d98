package strategies

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/controller"

	"changeover.dev/recorder/cases"
)

// Hashes records the pod-template-hash of templates, as kube-controller-manager computes it for a template that a
// client has sent: the API server decodes, defaults and stores it, and the controller's cache has what remains after
// the store's encoding.
func Hashes(seed uint64, number int, record func(cases.Case)) {
	// A time is printed in the machine's time zone, which is UTC in kube-controller-manager's image.
	if zone := time.Local.String(); zone != "UTC" {
		panic(zone + ": the time zone must be UTC: set TZ to nothing")
	}
	random := rand.New(rand.NewPCG(seed, uint64(number)))
	k := kinds[0]
	r := recorder{random: random, kind: k}
	manifest := r.manifest(random.IntN(6))
	for range random.IntN(3) {
		r.mutate(manifest, 1, under(k.template, quantityFields))
	}
	if random.IntN(3) > 0 {
		object := k.decode(manifest)
		if object == nil {
			return
		}
		for range 1 + random.IntN(12) {
			scramble(random, reflect.ValueOf(object).Elem().FieldByName("Spec").FieldByName("Template"))
		}
		manifest = encode(object)
	}
	for range random.IntN(4) {
		r.mutate(manifest, 1, under(k.template, hashFields))
	}
	if random.IntN(3) == 0 {
		put(manifest, append(slices.Clone(k.template), "spec", "containers", 0, "resources", "limits", "a.io/c"), quantity(random), false)
	}
	hollow(random, manifest["spec"].(map[string]any)["template"])
	template := cases.Value(withoutNulls(manifest["spec"].(map[string]any)["template"]))

	internal := k.taken(manifest)
	if internal == nil {
		return
	}
	var sent, cached appsv1.Deployment
	must(legacyscheme.Scheme.Convert(internal, &sent, nil))
	must(cached.Unmarshal(must1(sent.Marshal())))
	count := []*int32{nil, nil, new(int32(0)), new(int32(1)), new(int32(1000)), new(int32(-1))}[random.IntN(6)]
	record(cases.Case{
		Name: "template", Op: "podTemplate.computeHash", Source: cases.Source,
		Input:    map[string]any{"template": template, "collisionCount": count},
		Expected: map[string]any{"hash": controller.ComputeHash(&cached.Spec.Template, count)},
	})
}

// hashFields are template fields that the other mutations leave out.
var hashFields = slices.Concat(
	each([]any{"metadata"}, []string{"creationTimestamp", "deletionTimestamp"}, `"2026-01-01T00:00:00Z"`, `"2026-07-01T12:30:00+02:00"`, `"1969-12-31T23:59:59Z"`, `"2026-01-01T00:00:00.5Z"`),
	of([]any{"metadata", "labels"}, `{"a": "b", "A": "c", "a.io/b": "", "ä": "ö", "日本": "🚀"}`),
	of([]any{"metadata", "annotations"}, `{"text": "two\nlines \"quoted\" <&> \u0000 \u2028"}`),
	of([]any{"metadata", "managedFields"}, `[{"manager": "kubectl", "operation": "Apply", "time": "2026-01-01T00:00:00Z", "fieldsType": "FieldsV1", "fieldsV1": {"f:metadata":{"f:labels":{}}}}]`),
	of([]any{"spec", "runtimeClassName"}, `""`),
	of([]any{"spec", "priority"}, "0", "-2147483648", "2147483647"),
	of([]any{"spec", "activeDeadlineSeconds"}, "0", "9223372036854775807"),
	of([]any{"spec", "containers", 0, "ports"}, `[{"containerPort": 80}]`, `[{"containerPort": 80, "name": "http"}, {"containerPort": 53, "protocol": "UDP"}]`),
	of([]any{"spec", "containers", 0, "readinessProbe"}, `{"httpGet": {"port": "http"}}`, `{"httpGet": {"port": 80}}`, `{"tcpSocket": {"port": "80"}}`, `{"exec": {}}`),
	of([]any{"spec", "volumes"}, `[{"name": "v", "ephemeral": {"volumeClaimTemplate": {"spec": {"resources": {"requests": {"storage": "1.5Gi"}}}}}}]`,
		`[{"name": "v", "projected": {"sources": [{"configMap": {"name": "a"}}, {"secret": {"name": "b"}}, {"serviceAccountToken": {"path": "t"}}]}}]`,
		`[{"name": "v", "projected": {"sources": [{"podCertificate": {"signerName": "a.io/b", "maxExpirationSeconds": 3600, "userAnnotations": {"a.io/b": "c"}}}]}}]`),
)

// quantity returns an amount in any notation; the core can represent its billionths in 128 bits.
func quantity(random *rand.Rand) string {
	digits := func(most int) string {
		var text strings.Builder
		for range random.IntN(most + 1) {
			text.WriteByte("00123456789"[random.IntN(11)])
		}
		return text.String()
	}
	text := fmt.Sprint(random.IntN(10)) + digits([]int{2, 8, 19}[random.IntN(3)])
	if random.IntN(3) == 0 {
		text += "." + digits([]int{2, 8, 15}[random.IntN(3)])
	}
	suffixes := []string{"", "", "n", "u", "m", "k", "M", "Ki", "Mi", "e3", "E2", "e-2", "e-9"}
	if len(text) <= 10 {
		suffixes = append(suffixes, "G", "T", "P", "E", "Gi", "Ti", "Pi", "Ei", "e12")
	}
	return []string{"", "", "", "-", "+"}[random.IntN(5)] + text + suffixes[random.IntN(len(suffixes))]
}

// withoutNulls removes the nulls from an object.
func withoutNulls(value any) any {
	switch value := value.(type) {
	case map[string]any:
		maps.DeleteFunc(value, func(_ string, item any) bool { return item == nil })
		for _, item := range value {
			withoutNulls(item)
		}
	case []any:
		for _, item := range value {
			withoutNulls(item)
		}
	}
	return value
}

// hollow empties a few maps, lists and strings. Some of these then equal absent ones, and some don't.
func hollow(random *rand.Rand, template any) {
	for range random.IntN(4) {
		var places []func()
		var find func(value any)
		find = func(value any) {
			switch value := value.(type) {
			case map[string]any:
				for _, key := range slices.Sorted(maps.Keys(value)) {
					nothing := map[reflect.Kind]any{reflect.Map: map[string]any{}, reflect.Slice: []any{}, reflect.String: ""}
					if empty, ok := nothing[reflect.ValueOf(value[key]).Kind()]; ok {
						places = append(places, func() { value[key] = empty })
					}
					find(value[key])
				}
			case []any:
				for _, item := range value {
					find(item)
				}
			}
		}
		find(template)
		if len(places) > 0 {
			places[random.IntN(len(places))]()
		}
	}
}
