package strategies

import (
	"math/rand/v2"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kubernetes/pkg/capabilities"

	"changeover.dev/recorder/cases"
)

// The API server of most clusters allows privileged containers.
func init() { capabilities.Setup(true, 0) }

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
	case number%2 == 1 && how < 4:
		r.create(r.withFaults())
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

// podSpec has what people get wrong most, and is valid.
const podSpec = `{
	"volumes": [{"name": "a", "emptyDir": {}}, {"name": "b", "configMap": {"name": "b", "items": [{"key": "k", "path": "p"}]}},
		{"name": "c", "projected": {"sources": [{"secret": {"name": "c"}}, {"serviceAccountToken": {"path": "t"}}]}}, {"name": "d", "hostPath": {"path": "/d"}},
		{"name": "e", "downwardAPI": {"items": [{"path": "l", "fieldRef": {"fieldPath": "metadata.labels"}}]}}, {"name": "f", "persistentVolumeClaim": {"claimName": "f"}}],
	"initContainers": [{"name": "init", "image": "i", "volumeMounts": [{"name": "a", "mountPath": "/a"}]}],
	"containers": [{"name": "app", "image": "web:v1", "ports": [{"name": "http", "containerPort": 80}],
		"env": [{"name": "A", "value": "1"}, {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
			{"name": "C", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}, {"name": "D", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}}],
		"envFrom": [{"configMapRef": {"name": "b"}}], "volumeMounts": [{"name": "a", "mountPath": "/a"}, {"name": "b", "mountPath": "/b"}],
		"livenessProbe": {"httpGet": {"port": "http"}}, "readinessProbe": {"tcpSocket": {"port": 80}}, "startupProbe": {"exec": {"command": ["a"]}},
		"lifecycle": {"preStop": {"sleep": {"seconds": 1}}}, "resources": {"limits": {"cpu": "1"}, "requests": {"cpu": "1"}},
		"securityContext": {"runAsUser": 1, "allowPrivilegeEscalation": false, "seccompProfile": {"type": "RuntimeDefault"}}}],
	"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}]}},
		"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": {"topologyKey": "a", "labelSelector": {"matchLabels": {"a": "b"}}}}]}},
	"tolerations": [{"key": "a", "operator": "Equal", "value": "b", "effect": "NoExecute", "tolerationSeconds": 1}],
	"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "a", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"a": "b"}}}],
	"securityContext": {"fsGroup": 1}, "serviceAccountName": "a"}`

// withFaults returns a manifest with a few random changes in what people get wrong most.
func (r recorder) withFaults() map[string]any {
	manifest := r.manifest(0)
	spec := parse(podSpec)
	if r.kind.group == "batch" {
		spec["restartPolicy"] = "Never"
	}
	put(manifest, append(slices.Clone(r.kind.template), "spec"), spec, false)
	object := r.kind.decode(manifest)
	value := reflect.ValueOf(object).Elem()
	for _, name := range []string{"Spec", "JobTemplate", "Spec", "Template", "Spec"} {
		if field := value.FieldByName(name); field.IsValid() {
			value = reflect.Indirect(field)
		}
	}
	fields := []string{"Volumes", "InitContainers", "Containers", "Containers", "Containers", "Affinity", "Tolerations", "TopologySpreadConstraints", "SecurityContext"}
	for range 1 + r.random.IntN(3) {
		scramble(r.random, value.FieldByName(fields[r.random.IntN(len(fields))]))
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
