package strategies

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// mutation sets a path to one of several values. Values are JSON; an empty one removes the field.
type mutation struct {
	path   []any
	values []string
}

func of(path []any, values ...string) []mutation { return []mutation{{path, values}} }

// each returns one mutation for each of these fields under a path.
func each(parent []any, keys []string, values ...string) []mutation {
	var all []mutation
	for _, key := range keys {
		all = append(all, mutation{append(slices.Clone(parent), key), values})
	}
	return all
}

func under(parent []any, mutations []mutation) []mutation {
	var all []mutation
	for _, m := range mutations {
		all = append(all, mutation{append(slices.Clone(parent), m.path...), m.values})
	}
	return all
}

// together returns one mutation that changes several fields under a path at once: each value is a map of them.
func together(path []any, values ...string) []mutation {
	return []mutation{{append(slices.Clone(path), several{}), values}}
}

// several, at the end of a path, stands for all fields of the value.
type several struct{}

// apply changes the object at the mutation's path.
func (m mutation) apply(random *rand.Rand, object map[string]any) {
	text := m.values[random.IntN(len(m.values))]
	var value any
	if text != "" {
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			panic(text + ": " + err.Error())
		}
	}
	put(object, m.path, value, text == "")
}

// put returns the value after the change at a path; it leaves lists that are too short alone.
func put(at any, path []any, value any, remove bool) any {
	if len(path) == 0 {
		return value
	}
	switch key := path[0].(type) {
	case string:
		fields, ok := at.(map[string]any)
		if !ok {
			if remove {
				return at
			}
			fields = map[string]any{}
		}
		if len(path) == 1 && remove {
			delete(fields, key)
		} else {
			fields[key] = put(fields[key], path[1:], value, remove)
		}
		return fields
	case several:
		fields, ok := at.(map[string]any)
		if !ok {
			fields = map[string]any{}
		}
		changes := value.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(changes)) {
			if changes[name] == nil {
				delete(fields, name)
			} else {
				fields[name] = changes[name]
			}
		}
		return fields
	case int:
		items, ok := at.([]any)
		if !ok || key >= len(items) {
			return at
		}
		items[key] = put(items[key], path[1:], value, remove)
		return items
	}
	panic("a path has names and numbers")
}

// otherKeys are maps whose keys clients choose, and maps that are not set by clients.
var otherKeys = []string{
	"annotations", "capacity", "labels", "limits", "matchLabels", "nodeSelector", "overhead", "requests", "status",
}

// sprinkle adds fields that Kubernetes does not know in random places of an object.
func sprinkle(random *rand.Rand, object map[string]any) {
	var structs []map[string]any
	var find func(key string, value any)
	find = func(key string, value any) {
		switch value := value.(type) {
		case map[string]any:
			if slices.Contains(otherKeys, key) || key == "selector" && isStringMap(value) {
				return
			}
			structs = append(structs, value)
			for _, key := range slices.Sorted(maps.Keys(value)) {
				find(key, value[key])
			}
		case []any:
			for _, item := range value {
				find("", item)
			}
		}
	}
	find("", object)
	for range 1 + random.IntN(3) {
		structs[random.IntN(len(structs))]["sinceLater"] = []any{true, "x", 0.0, map[string]any{"a": "b"}, []any{"a"}}[random.IntN(5)]
	}
}

// isStringMap distinguishes the selector of a ReplicationController from all others.
func isStringMap(selector map[string]any) bool {
	for _, value := range selector {
		if _, ok := value.(string); !ok {
			return false
		}
	}
	return true
}

var spec = []any{"spec"}

const long64 = `"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"`

var counts = []string{"0", "1", "2", "3", "9", "-1", ""}

var metadataFields = slices.Concat(
	of([]any{"metadata", "name"}, `"web.example"`, `"Web"`, `"web-"`, long64, `""`),
	of([]any{"metadata", "generateName"}, `"web-"`, `"Web-"`, `"-"`),
	of([]any{"metadata", "namespace"}, `"Bad"`, `""`, `"a.b"`),
	of([]any{"metadata", "labels"}, `{"app": "web"}`, `{"bad key": "x"}`, `{"a/b/c": "x"}`, `{"app": "-x"}`, `{"/x": ""}`,
		`{`+long64+`: `+long64+`}`, `{"a/": "x", "A.b/c": "a b"}`),
	of([]any{"metadata", "annotations"}, `{"a": "b"}`, `{"bad key!": "x"}`, `{"Example.COM/a": ""}`),
	of([]any{"metadata", "finalizers"}, `["orphan"]`, `["orphan", "foregroundDeletion"]`, `["x"]`, `["a.io/b"]`, `["a b"]`),
	of([]any{"metadata", "ownerReferences"},
		`[{"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "1", "controller": true}]`,
		`[{"apiVersion": "a/", "kind": "", "name": "", "uid": ""}]`,
		`[{"apiVersion": "v1", "kind": "Event", "name": "e", "uid": "1"}]`,
		`[{"apiVersion": "a/v1", "kind": "A", "name": "a", "uid": "1", "controller": true},
		  {"apiVersion": "a/v1", "kind": "B", "name": "b", "uid": "2", "controller": true, "blockOwnerDeletion": false}]`),
	of([]any{"metadata", "generation"}, "5", "-1"),
	ownAnnotations,
)

// updateFields are fields that only the store writes.
var updateFields = slices.Concat(
	of([]any{"metadata", "resourceVersion"}, `""`),
	of([]any{"metadata", "uid"}, `"other"`, `""`),
	of([]any{"metadata", "creationTimestamp"}, `"2026-01-01T00:00:00Z"`),
	of([]any{"metadata", "deletionTimestamp"}, `"2026-01-01T00:00:00Z"`),
	of([]any{"metadata", "deletionGracePeriodSeconds"}, "0", "30"),
)

// storedFaults are faults that an older release may have stored, or none did: an update finds them in both objects.
var storedFaults = slices.Concat(metadataFields,
	of([]any{"metadata", "name"}, repeated("a", 254), `"a b"`, `"web/x"`),
	of([]any{"metadata", "namespace"}, repeated("n", 64)),
)

const costKey = "controller.kubernetes.io/pod-deletion-cost"

// templateFields are fields of a pod template or a Pod.
var templateFields = slices.Concat(
	of([]any{"metadata", "labels"}, `{"app": "other"}`, `{"app": "web", "x": "y"}`, `{"app": "web", "bad key": "x"}`, ""),
	of([]any{"metadata", "annotations", costKey}, `"0"`, `"10"`, `"+10"`, `"-0"`, `"008"`, `""`, `"2147483648"`, `"-2147483648"`, `"x"`),
	of([]any{"metadata", "annotations"}, `{"bad key!": "x"}`, `{"x": ""}`),
	of([]any{"spec", "terminationGracePeriodSeconds"}, "0", "1", "5", "-1"),
	of([]any{"spec", "activeDeadlineSeconds"}, "0", "1", "600", "-5", "2147483648"),
	of([]any{"spec", "restartPolicy"}, `"Always"`, `"OnFailure"`, `"Never"`, `"Sometimes"`),
	of([]any{"spec", "containers"}, `[]`,
		`[{"name": "app", "image": "web:v1"}, {"name": "app", "image": "web:v1"}]`,
		`[{"name": "app", "image": "web:v1"}, {"name": "other", "image": "web"}]`),
	of([]any{"spec", "containers", 0, "name"}, `"Bad_Name"`, `""`, `"other"`, long64),
	of([]any{"spec", "containers", 0, "image"}, `""`, `" web"`, `"web:v2"`, `"web:latest"`, `"a/b@sha256:x"`),
	of([]any{"spec", "containers", 0, "image"}, images...),
	of([]any{"spec", "containers", 0, "imagePullPolicy"}, `"Always"`, `"Maybe"`),
	of([]any{"spec", "containers", 0, "terminationMessagePolicy"}, `"FallbackToLogsOnError"`, `"Maybe"`),
	of([]any{"spec", "containers", 0, "restartPolicy"}, `"Always"`, `"Never"`, `"Maybe"`),
	of([]any{"spec", "containers", 0, "resources"},
		`{"limits": {"cpu": "1", "memory": "1Gi"}}`, `{"requests": {"cpu": "500m"}}`,
		`{"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "1", "memory": "1Gi"}}`),
	of([]any{"spec", "containers", 0, "readinessProbe"},
		`{"httpGet": {"port": 80}}`, `{"httpGet": {"port": 80}, "periodSeconds": -1, "terminationGracePeriodSeconds": 0}`,
		`{"exec": {"command": ["true"]}, "successThreshold": 3, "failureThreshold": -1}`, `{"timeoutSeconds": -1}`,
		`{"grpc": {"port": 80}, "httpGet": {"port": 80}, "exec": {"command": ["true"]}}`),
	of([]any{"spec", "containers", 0, "startupProbe"}, `{"periodSeconds": 3}`, `{"tcpSocket": {"port": 80}, "successThreshold": 2}`),
	of([]any{"spec", "containers", 0, "livenessProbe"},
		`{"tcpSocket": {"port": 80}}`, `{"grpc": {"port": 80}, "successThreshold": 2, "terminationGracePeriodSeconds": -1}`),
	of([]any{"spec", "initContainers"}, `[{"name": "init", "image": "web:v1"}]`, `[{"name": "app", "image": "web:v1"}]`,
		`[{"name": "side", "image": "web:v1", "restartPolicy": "Always", "startupProbe": {"exec": {"command": ["true"]}}}]`,
		`[{"name": "init", "image": "web:v1", "readinessProbe": {"exec": {"command": ["true"]}}}]`),
	of([]any{"spec", "nodeName"}, `"node-1"`, `"Bad_Node"`),
	of([]any{"spec", "nodeSelector"}, `{"a": "b"}`, `{"bad key": "x"}`),
	of([]any{"spec", "dnsPolicy"}, `"Default"`, `"Maybe"`, `"None"`),
	together(spec, `{"dnsPolicy": "None", "dnsConfig": {"nameservers": ["10.0.0.1"]}}`, `{"dnsPolicy": "None", "dnsConfig": {"searches": ["a.b"]}}`),
	of([]any{"metadata", "annotations", "kubernetes.io/config.mirror"}, `"a"`),
	of([]any{"spec", "hostname"}, `"a"`, `"Bad"`),
	of([]any{"spec", "subdomain"}, `"a"`, `"a.b"`),
	of([]any{"spec", "serviceAccountName"}, `"robot"`, `"Robot"`),
	of([]any{"spec", "priorityClassName"}, `"high"`, `"High"`),
	of([]any{"spec", "preemptionPolicy"}, `"Never"`, `"Maybe"`),
	of([]any{"spec", "schedulingGates"}, `[{"name": "a.io/b"}]`, `[{"name": "a b"}, {"name": "a b"}]`, ""),
	of([]any{"spec", "readinessGates"}, `[{"conditionType": "a.io/b"}]`, `[{"conditionType": "a b"}]`),
	of([]any{"spec", "tolerations"}, `[{"key": "a", "operator": "Exists"}]`, `[{"key": "a", "operator": "Exists", "tolerationSeconds": 3, "effect": "NoExecute"}]`),
	of([]any{"spec", "containers", 0, "ports"},
		`[{"containerPort": 80}, {"containerPort": 80}]`, `[{"containerPort": 80, "hostPort": 80}, {"containerPort": 80}]`,
		`[{"containerPort": 80, "name": "a"}]`, `[{"containerPort": 80, "hostIP": "10.0.0.1"}]`,
		`[{"containerPort": 80, "hostPort": 80}, {"containerPort": 80, "hostPort": 80, "hostIP": "10.0.0.1"}]`),
	of([]any{"spec", "containers", 0, "ports"},
		`[{"name": "A_", "containerPort": 0}, {"name": "-1--", "containerPort": 70000, "hostPort": -1, "protocol": "tcp"}]`,
		`[{"name": "a", "containerPort": 80}, {"name": "a", "containerPort": 81, "protocol": "UDP"}, {"name": "abcdefghijklmnop", "containerPort": 1}]`,
		`[{"containerPort": 80, "hostPort": 80}, {"containerPort": 81, "hostPort": 80}, {"containerPort": 82, "hostPort": 80, "protocol": "SCTP"}]`),
	of([]any{"spec", "hostNetwork"}, "true"),
	of([]any{"spec", "hostUsers"}, "false"),
	of([]any{"spec", "initContainers"},
		`[{"name": "a", "image": "a", "ports": [{"containerPort": 1, "hostPort": 9}]}, {"name": "b", "image": "b", "ports": [{"containerPort": 1, "hostPort": 9}, {"containerPort": 2, "hostPort": 9}]}]`),
	of([]any{"spec", "containers", 0, "env"}, `[{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]`, `[{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]`,
		`[{"name": "A", "value": "1"}, {"name": "A", "value": "$(A)2"}]`, `[{"name": "A", "value": "1"}, {"name": "A", "value": "$(A)"}]`),
	of([]any{"spec", "containers", 0, "resources"}, `{"limits": {"memory": "1.5"}}`, `{"requests": {"memory": "100m", "cpu": "0.5"}}`,
		`{"limits": {"cpu": "1000m", "memory": "1024Mi"}}`, `{"limits": {"cpu": 1, "memory": "1e3"}}`, `{"limits": {"cpu": "0"}}`,
		`{"requests": {"ephemeral-storage": "1"}}`, `{"limits": {"cpu": "0.0001", "memory": "123456789012"}}`),
	of([]any{"spec", "containers", 0, "lifecycle"}, `{"preStop": {"exec": {"command": ["true"]}}}`, `{"postStart": {"httpGet": {"port": 80}}}`),
	of([]any{"spec", "initContainers", 0, "restartPolicy"}, `"Always"`, `"Never"`),
	of([]any{"spec", "initContainers", 0, "image"}, append([]string{`"web:v3"`}, images...)...),
	of([]any{"spec", "imagePullSecrets"}, `[{"name": "a"}, {"name": "a"}]`, `[{}]`),
	of([]any{"spec", "hostAliases"}, `[{"ip": "10.0.0.1"}, {"ip": "10.0.0.1"}]`),
	of([]any{"spec", "nodeSelector"}, `{"beta.kubernetes.io/arch": "arm64"}`, `{"node-role.kubernetes.io/master": ""}`),
	of([]any{"metadata", "annotations"}, `{"scheduler.alpha.kubernetes.io/critical-pod": ""}`),
	of([]any{"spec", "affinity"}, `{"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Exists"}]}]}}}`,
		`{"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "a", "labelSelector": {"matchLabels": {"a": "b"}}}]}}`, ""),
	of([]any{"spec", "volumes"}, `[{"name": "v", "emptyDir": {}}]`, `[{"name": "v"}]`, `[{"name": "v", "secret": {"secretName": "s"}}]`,
		`[{"name": "v", "configMap": {"name": "c"}}, {"name": "w", "hostPath": {"path": "/a"}}]`,
		`[{"name": "v", "projected": {"sources": [{"downwardAPI": {"items": [{"path": "a", "fieldRef": {"fieldPath": "metadata.name"}}]}}]}}]`,
		`[{"name": "v", "ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}}}]`, ""),
	of([]any{"spec", "securityContext"}, `{"runAsNonRoot": true}`, `{"runAsUser": 0}`, ""),
	of([]any{"spec", "serviceAccount"}, `"old"`, `""`),
	of([]any{"spec", "automountServiceAccountToken"}, "false", "true"),
	of([]any{"spec", "runtimeClassName"}, `"a"`, `"A"`),
	of([]any{"spec", "schedulerName"}, `"other"`),
	of([]any{"spec", "priority"}, "0", "5"),
	of([]any{"spec", "enableServiceLinks"}, "false"),
	templateAnnotations,
)

// images are names as people write them, and broken ones. They decide the default pull policy.
var images = []string{
	`"web"`, `"Web"`, `"web:LATEST"`, `"web:"`, `"web:v1 "`, `"\tweb:latest"`, `"/web"`, `"a//web"`, `"http://web"`, `"web:v1:v2"`, `"web:-x"`,
	`"registry:5000/web"`, `"registry:5000/web:latest"`, `"Registry.example:5000/a/web:latest"`, `"docker.io/library/web"`, `"localhost/web:latest"`,
	`"127.0.0.1/web"`, `"[::1]:5000/web:latest"`, `"a_b/web__c:latest"`, `"a.-b/web"`, `"web@sha256:` + digest + `"`, `"web:latest@sha256:` + digest + `"`,
	`"web:v1@sha256:` + digest + `"`, `"web@SHA256:` + digest + `"`, `"web@sha256:` + digest[1:] + `"`, `"` + digest + `"`, `"` + digest + `:latest"`,
	`"web:` + strings.Repeat("t", 128) + `"`, `"web:` + strings.Repeat("t", 129) + `"`, `"` + strings.Repeat("n", 255) + `"`, `"` + strings.Repeat("n", 256) + `:latest"`,
	`"wëb"`, `"web:latest\u00a0"`, `"\u0085web"`, `"@"`, `":"`,
}

var digest = strings.Repeat("0123456789abcdef", 4)

// templateAnnotations are annotations that strategies, conversions and validation read, except those that become fields
// that are not checked.
var templateAnnotations = slices.Concat(
	of([]any{"metadata", "annotations"}, `{"security.alpha.kubernetes.io/sysctls": "", "security.alpha.kubernetes.io/unsafe-sysctls": "a=b"}`,
		`{"pod.alpha.kubernetes.io/init-containers": "[]"}`, `{"pod.beta.kubernetes.io/init-containers": "[]", "a": "b"}`,
		`{"pod.alpha.kubernetes.io/init-container-statuses": "x", "bad key!": ""}`, `{"pod.beta.kubernetes.io/init-container-statuses": "x"}`,
		`{"scheduler.alpha.kubernetes.io/tolerations": ""}`, `{"scheduler.alpha.kubernetes.io/critical-pod": "a", "kubernetes.io/config.source": "file"}`),
	of([]any{"metadata", "annotations", "kubernetes.io/config.mirror"}, `""`, `"a"`),
	of([]any{"metadata", "annotations", costKey}, `"007"`, `"1_0"`, `"0x1"`, `"-"`, `"+"`, `"- 1"`, `"٣"`, `"1e3"`, `"-2147483649"`),
)

// ownAnnotations are the same for an object's own annotations.
var ownAnnotations = slices.Concat(
	of([]any{"metadata", "annotations", "deprecated.daemonset.template.generation"}, `"0"`, `"7"`, `"-3"`, `"+4"`, `"05"`),
	of([]any{"metadata", "annotations", "deprecated.deployment.rollback.to"}, `"0"`, `"7"`, `"-3"`, `"+4"`, `"05"`, `""`),
	of([]any{"metadata", "annotations"}, `{"kubectl.kubernetes.io/last-applied-configuration": "{}\n", "deployment.kubernetes.io/revision": "x"}`,
		`{"non-convertible.kubernetes.io/spec.selector": "x"}`, `{"batch.kubernetes.io/job-tracking": ""}`, `{"batch.kubernetes.io/cronjob-scheduled-timestamp": "x"}`),
	of([]any{"metadata", "labels"}, `{"app": "web", "batch.kubernetes.io/controller-uid": "", "controller-uid": ""}`),
)

// quantityFields are amounts as people write them; decoding normalizes the notations.
var quantityFields = slices.Concat(
	each([]any{"spec", "containers", 0, "resources", "limits"}, []string{"cpu", "memory", "a.io/b"}, amountTexts...),
	each([]any{"spec", "containers", 0, "resources", "requests"}, []string{"cpu", "memory"}, amountTexts...),
	each([]any{"spec", "overhead"}, []string{"cpu"}, amountTexts...),
	of([]any{"spec", "volumes"}, `[{"name": "v", "emptyDir": {"sizeLimit": "0.5"}}]`, `[{"name": "v", "emptyDir": {"sizeLimit": "1024Mi"}}]`,
		`[{"name": "v", "emptyDir": {"sizeLimit": "0.0001"}}]`),
	of([]any{"spec", "containers", 0, "env"}, `[{"name": "A", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}}]`,
		`[{"name": "A", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "1000m"}}}]`),
)

var amountTexts = []string{
	"1", "0", "2000", "0.5", "1.5", `"1"`, `"0.5"`, `".5"`, `"1."`, `"0.500"`, `"1.500"`, `"1.5000"`, `"01"`, `"+1"`, `"-1"`, `"-0.0001"`, `"-"`, `"m"`,
	`"100u"`, `"1n"`, `"0.1n"`, `"1.0000001"`, `"1000m"`, `"2500m"`, `"1999.9999"`, `"1000"`, `"100000"`, `"1200"`, `"1e3"`, `"1E3"`, `"12e2"`, `"1000e1"`, `"1e-4"`,
	`"1e30"`, `"1k"`, `"1000k"`, `"1000E"`, `"1E"`, `"1Ki"`, `"1024Ki"`, `"1024Mi"`, `"512Mi"`, `"1.5Gi"`, `"0.5Ki"`, `"0.1Ki"`, `"1.3Mi"`, `"16Ei"`, `"8Ei"`, `"2048"`,
	`"123456789012345678"`, `"1234567890123456789"`, `"12345678901234567890123"`, `"0.1234567891"`, `" 1"`, `"1000000000000Ki"`, `"1048576Gi"`,
}

var selectorFields = of([]any{"spec", "selector"}, `{}`, `{"matchLabels": {"app": "other"}}`, `{"matchLabels": {"-bad": "x"}}`,
	`{"matchLabels": {"app": "-x"}}`,
	`{"matchExpressions": [{"key": "app", "operator": "In", "values": ["web", "x"]}]}`,
	`{"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["-x"]}]}`,
	`{"matchExpressions": [{"key": "app", "operator": "Foo"}]}`, `{"matchExpressions": [{"key": "app", "operator": "In"}]}`,
	`{"matchExpressions": [{"key": "bad key", "operator": "Exists", "values": ["x"]}]}`, "")

var replicas = of([]any{"spec", "replicas"}, "0", "1", "3", "-1", "")
var minReadySeconds = of([]any{"spec", "minReadySeconds"}, "0", "10", "600", "-1")
var history = of([]any{"spec", "revisionHistoryLimit"}, "0", "10", "-1")

var amounts = []string{"0", "1", "-1", "2147483647", `"0%"`, `"25%"`, `"100%"`, `"101%"`, `"10"`, `"x%"`, `"999999999999999999999%"`}

var deploymentFields = slices.Concat(replicas, minReadySeconds, history, selectorFields,
	of([]any{"spec", "progressDeadlineSeconds"}, "0", "600", "-1", "2147483647"),
	of([]any{"spec", "paused"}, "true"),
	of([]any{"spec", "strategy"}, `{"type": "Recreate"}`, `{"type": "Foo"}`, `{}`, `{"type": "Foo", "rollingUpdate": {"maxSurge": "5%"}}`,
		`{"type": "Recreate", "rollingUpdate": {"maxSurge": 1}}`, `{"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 0}}`,
		`{"rollingUpdate": {"maxSurge": "0%", "maxUnavailable": "0%"}}`),
	each([]any{"spec", "strategy", "rollingUpdate"}, []string{"maxSurge", "maxUnavailable"}, amounts...),
)

var replicaSetFields = slices.Concat(replicas, minReadySeconds, selectorFields)

var replicationControllerFields = slices.Concat(replicas, minReadySeconds,
	of([]any{"spec", "selector"}, `{}`, `{"app": "web"}`, `{"app": "other"}`, `{"-bad": "x"}`, ""),
	of([]any{"spec", "template"}, ""),
)

var statefulSetFields = slices.Concat(replicas, minReadySeconds, history, selectorFields,
	of([]any{"spec", "podManagementPolicy"}, `"Parallel"`, `"OrderedReady"`, `"Foo"`, ""),
	of([]any{"spec", "serviceName"}, `"other"`, `"Bad"`, `""`),
	of([]any{"spec", "updateStrategy"}, `{"type": "OnDelete"}`, `{"type": "OnDelete", "rollingUpdate": {"partition": 1}}`, `{"type": "Foo"}`,
		`{"type": "Foo", "rollingUpdate": {"maxUnavailable": 1}}`, `{"type": "RollingUpdate"}`, `{"type": "Recreate"}`, `{}`),
	of([]any{"spec", "updateStrategy", "rollingUpdate", "partition"}, "0", "2", "-1"),
	of([]any{"spec", "updateStrategy", "rollingUpdate", "maxUnavailable"}, amounts...),
	of([]any{"spec", "volumeClaimTemplates"}, strings.ReplaceAll(claimTemplates, "SIZE", "1Gi"), strings.ReplaceAll(claimTemplates, "SIZE", "1024Mi"), strings.ReplaceAll(claimTemplates, "SIZE", "2Gi"), ""),
	of([]any{"spec", "ordinals"}, `{"start": 0}`, `{"start": 5}`, `{"start": -1}`, `{}`),
	each([]any{"spec", "persistentVolumeClaimRetentionPolicy"}, []string{"whenDeleted", "whenScaled"}, `"Retain"`, `"Delete"`, `"Foo"`),
)

const claimTemplates = `[{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "SIZE"}}}}]`

var daemonSetFields = slices.Concat(minReadySeconds, history, selectorFields,
	of([]any{"spec", "updateStrategy"}, `{"type": "OnDelete"}`, `{"type": "Foo"}`, `{"type": "Foo", "rollingUpdate": {"maxSurge": 1}}`, `{}`,
		`{"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}`, `{"rollingUpdate": {"maxSurge": "0%", "maxUnavailable": "0%"}}`),
	each([]any{"spec", "updateStrategy", "rollingUpdate"}, []string{"maxSurge", "maxUnavailable"}, amounts...),
	of([]any{"metadata", "annotations", "deprecated.daemonset.template.generation"}, `"3"`, `"-1"`),
)

var rule = []any{"spec", "podFailurePolicy", "rules"}

var jobSpecFields = slices.Concat(
	each(spec, []string{"parallelism", "completions"}, "0", "1", "3", "-1", "100001", ""),
	each(spec, []string{"backoffLimit", "ttlSecondsAfterFinished", "activeDeadlineSeconds"}, "0", "6", "-1"),
	each(spec, []string{"backoffLimitPerIndex", "maxFailedIndexes"}, "0", "1", "-1", "10001", "100001"),
	of([]any{"spec", "completionMode"}, `"Indexed"`, `"Indexed"`, `"NonIndexed"`, `"Foo"`),
	of([]any{"spec", "suspend"}, "true", "false"),
	of([]any{"spec", "manualSelector"}, "true", "false"),
	of([]any{"spec", "podReplacementPolicy"}, `"Failed"`, `"TerminatingOrFailed"`, `"Foo"`, ""),
	of([]any{"spec", "managedBy"}, `"a.io/b"`, `""`, `"Bad"`, `"A.io/b"`, `"a.io/b c"`, `"kubernetes.io/job-controller"`, `"a.io/`+long64[1:]),
	of([]any{"spec", "template", "spec", "restartPolicy"}, `"Never"`, `"OnFailure"`),
	together(spec,
		`{"completionMode": "Indexed", "completions": 100001, "parallelism": 10001, "backoffLimitPerIndex": 1}`,
		`{"completionMode": "Indexed", "completions": 100001, "parallelism": 10001, "backoffLimitPerIndex": 1, "maxFailedIndexes": 10001}`,
		`{"completionMode": "Indexed", "completions": 100001, "parallelism": 10001}`,
		`{"completionMode": "Indexed", "completions": 3, "parallelism": 3}`, `{"completionMode": "Indexed", "completions": 4, "parallelism": 4}`,
		`{"completionMode": "Indexed", "completions": 4, "parallelism": 3}`, `{"completionMode": "Indexed", "completions": null}`,
		`{"completionMode": "Indexed", "completions": 3, "maxFailedIndexes": 4, "backoffLimitPerIndex": 0}`,
		`{"completionMode": "Indexed", "completions": 5, "successPolicy": {"rules": [{"succeededIndexes": "0-2,4", "succeededCount": 3}]}}`,
		`{"completionMode": "Indexed", "completions": 5, "successPolicy": {"rules": [{"succeededCount": 6}, {"succeededIndexes": "0-1", "succeededCount": 3}, {}]}}`,
		`{"completionMode": "Indexed", "completions": 5, "successPolicy": {"rules": [{"succeededIndexes": "1-1"}, {"succeededIndexes": "2-a"}, {"succeededIndexes": "3-1"}, {"succeededIndexes": "1,1"}, {"succeededIndexes": "0-9,"}]}}`,
		`{"completionMode": "Indexed", "completions": 5, "successPolicy": {"rules": [`+strings.Repeat(`{"succeededCount": 1},`, 20)+`{"succeededCount": 1}]}}`,
		`{"completionMode": "Indexed", "completions": 5, "successPolicy": {"rules": [{"succeededIndexes": "`+strings.Repeat("0,", 33000)+`0"}]}}`,
		`{"podFailurePolicy": {"rules": [`+strings.Repeat(`{"action": "Count", "onPodConditions": [{"type": "A"}]},`, 20)+`{"action": "Count", "onPodConditions": [{"type": "A"}]}]}}`,
		`{"podFailurePolicy": {"rules": [{"action": "Count", "onPodConditions": [`+strings.Repeat(`{"type": "A"},`, 20)+`{"type": "B"}]}]}}`,
		`{"podFailurePolicy": {"rules": [{"action": "Count", "onExitCodes": {"operator": "In", "values": [`+strings.Repeat(`1,`, 255)+`2]}}]}}`,
		`{"podFailurePolicy": {"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1]}}]}, "podReplacementPolicy": "TerminatingOrFailed"}`,
		`{"podFailurePolicy": {"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1]}}]}, "podReplacementPolicy": null}`,
		`{"podFailurePolicy": {"rules": [{"action": "FailIndex", "onExitCodes": {"operator": "In", "values": [1]}}]}, "backoffLimitPerIndex": 1, "completionMode": "Indexed", "completions": 2}`),
	of(rule, `[]`, `[{"action": "FailJob"}]`, `[{"action": "Foo", "onExitCodes": {"operator": "In", "values": [1, 2]}}]`,
		`[{"action": "FailIndex", "onExitCodes": {"operator": "In", "values": [1]}}]`,
		`[{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]`,
		`[{"action": "", "onPodConditions": [{"type": "a b", "status": "Maybe"}]}]`,
		`[{"action": "Count", "onExitCodes": {"operator": "In", "values": [0, 3, 3, 1], "containerName": "no"}}]`,
		`[{"action": "Count", "onExitCodes": {"operator": "", "values": []}, "onPodConditions": [{"type": "A", "status": "True"}]}]`,
		`[{"action": "Count", "onExitCodes": {"operator": "NotIn", "values": [0], "containerName": "app"}}]`,
		`[{"action": "Count", "onExitCodes": {"operator": "Foo", "values": null}}]`),
	of([]any{"spec", "podFailurePolicy"}, `{"rules": null}`, ""),
	of([]any{"spec", "successPolicy"}, `{"rules": []}`, `{"rules": [{}]}`, `{"rules": [{"succeededCount": 1}]}`,
		`{"rules": [{"succeededIndexes": "0", "succeededCount": 2}]}`, `{"rules": [{"succeededIndexes": "0-9"}]}`,
		`{"rules": [{"succeededIndexes": "1,0"}]}`, `{"rules": [{"succeededIndexes": "a"}, {"succeededCount": -1}]}`, ""),
)

var jobFields = slices.Concat(jobSpecFields,
	of([]any{"spec", "selector"}, `{}`, `{"matchLabels": {"app": "web"}}`, `{"matchLabels": {"app": "other"}}`,
		`{"matchExpressions": [{"key": "app", "operator": "In", "values": ["web", "-x"]}]}`, `{"matchExpressions": [{"key": "a", "operator": "Foo"}]}`),
	of([]any{"spec", "template", "metadata", "labels", "job-name"}, `"web"`, `"other"`),
	of([]any{"metadata", "uid"}, `""`),
)

var cronJobFields = slices.Concat(under([]any{"spec", "jobTemplate"}, jobSpecFields),
	of([]any{"spec", "jobTemplate", "spec", "selector"}, `{}`, `{"matchLabels": {"app": "web"}}`),
	of([]any{"spec", "schedule"}, `"0 0 * * *"`, `"@daily"`, `"* * * *"`, `"60 * * * *"`, `"TZ=UTC 0 0 * * *"`, `"CRON_TZ=Mars/Here 0 0 * * *"`,
		`"@often"`, `"@every 5"`, `"@every 1h"`, `"TZ=UTC"`, `""`, `"5-1 * * jan,foo *"`, `"*/0 * * * *"`, `"1-2-3 * * * *"`, `"-1 * * * *"`),
	of([]any{"spec", "timeZone"}, `"Europe/Berlin"`, `"Nowhere/Else"`, `""`, `"Local"`, `"local"`, `"../x"`, `"-a"`, `"a b"`),
	together(spec, `{"timeZone": "Europe/Berlin", "schedule": "TZ=UTC 0 0 * * *"}`, `{"timeZone": "Etc/UTC", "schedule": "CRON_TZ=UTC 0 0 * * *"}`),
	of([]any{"spec", "concurrencyPolicy"}, `"Allow"`, `"Forbid"`, `"Replace"`, `"Foo"`),
	of([]any{"spec", "suspend"}, "true"),
	each(spec, []string{"startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit"}, "0", "5", "-1"),
)

// podFields are fields of a Pod that waits to be scheduled. There are no empty lists and maps: a case contains the
// object as it is encoded, which drops them, but a diff of two pod specs shows them.
var podFields = slices.Concat(
	of([]any{"spec", "schedulingGates"}, `[{"name": "a.io/b"}]`, `[{"name": "a.io/b"}, {"name": "a.io/c"}]`, ""),
	together(spec, `{"schedulingGates": [{"name": "a.io/b"}], "nodeSelector": {"a": "b"}}`, `{"schedulingGates": [{"name": "a.io/b"}], "nodeName": "node-1"}`),
	of([]any{"spec", "nodeSelector"}, `{"a": "b"}`, `{"a": "b", "c": "d"}`, `{"a": "x"}`, ""),
	of([]any{"spec", "activeDeadlineSeconds"}, "600", "300", "900", ""),
	of([]any{"spec", "tolerations"}, `[{"key": "a", "operator": "Exists"}]`, `[{"key": "b", "operator": "Exists"}]`,
		`[{"key": "a", "operator": "Exists"}, {"key": "b", "operator": "Exists"}]`, `[{"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5}]`),
	of([]any{"spec", "terminationGracePeriodSeconds"}, "0", "1", "60", "-1"),
	of([]any{"spec", "initContainers"}, `[{"name": "init", "image": "web:v2"}]`, ""),
	of([]any{"metadata", "annotations", "kubernetes.io/config.mirror"}, `"a"`, `"b"`, ""),
)

var deploymentStatuses = each([]any{"status"}, []string{"replicas", "updatedReplicas", "readyReplicas", "availableReplicas",
	"unavailableReplicas", "terminatingReplicas", "collisionCount", "observedGeneration"}, counts...)
var replicaSetStatuses = each([]any{"status"}, []string{"replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas",
	"terminatingReplicas", "observedGeneration"}, counts...)
var statefulSetStatuses = each([]any{"status"}, []string{"replicas", "readyReplicas", "currentReplicas", "updatedReplicas",
	"availableReplicas", "collisionCount", "observedGeneration"}, counts...)
var daemonSetStatuses = each([]any{"status"}, []string{"currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled",
	"numberReady", "observedGeneration", "updatedNumberScheduled", "numberAvailable", "numberUnavailable", "collisionCount"}, counts...)

func condition(kind, status string) string {
	return `{"type": "` + kind + `", "status": "` + status + `", "lastProbeTime": null, "lastTransitionTime": null}`
}

var jobStatuses = slices.Concat(
	each([]any{"status"}, []string{"active", "succeeded", "failed", "ready", "terminating"}, counts...),
	of([]any{"status", "conditions"}, `[`+condition("Complete", "True")+`]`,
		`[`+condition("SuccessCriteriaMet", "True")+`, `+condition("Complete", "True")+`]`,
		`[`+condition("SuccessCriteriaMet", "True")+`, `+condition("Failed", "True")+`]`,
		`[`+condition("FailureTarget", "True")+`, `+condition("Failed", "True")+`]`,
		`[`+condition("FailureTarget", "True")+`, `+condition("SuccessCriteriaMet", "True")+`]`,
		`[`+condition("Complete", "True")+`, `+condition("Failed", "True")+`]`,
		`[`+condition("Complete", "True")+`, `+condition("FailureTarget", "True")+`]`,
		`[`+condition("SuccessCriteriaMet", "True")+`]`, `[`+condition("FailureTarget", "True")+`]`, `[`+condition("Failed", "False")+`]`,
		`[`+condition("Complete", "False")+`, `+condition("SuccessCriteriaMet", "True")+`]`,
		`[`+condition("Suspended", "True")+`]`, `[`+condition("Suspended", "False")+`]`, `[`+condition("Failed", "True")+`]`, ""),
	each([]any{"status"}, []string{"startTime", "completionTime"}, `"2026-01-01T00:00:00Z"`, `"2026-01-01T00:01:00Z"`, ""),
	each([]any{"status"}, []string{"completedIndexes", "failedIndexes"}, `"0"`, `"0-1"`, `"1,2"`, `"1,0"`, `"x"`, `"1-2-3"`, `""`, "", `"0-1,3-4,6"`, `"2,5,7-8"`, `"2,4-7"`, `"1,1"`, `"3-1"`, `"1-x,2"`),
	together([]any{"status"}, `{"completedIndexes": "0-1,3-4,6", "failedIndexes": "2,5,7-8"}`, `{"completedIndexes": "0-1,3-4,6", "failedIndexes": "2,4-7"}`,
		`{"completedIndexes": "0-9,x,11", "failedIndexes": "y,10,11"}`),
	together([]any{"status"}, `{"startTime": "2026-01-01T00:00:00Z", "completionTime": "2026-01-01T00:01:00Z", "conditions": [`+condition("SuccessCriteriaMet", "True")+`, `+condition("Complete", "True")+`]}`,
		`{"startTime": "2026-01-01T00:00:00Z", "conditions": [`+condition("FailureTarget", "True")+`, `+condition("Failed", "True")+`]}`),
	of([]any{"status", "uncountedTerminatedPods"}, `{}`, `{"succeeded": ["a"]}`, `{"succeeded": ["a", ""], "failed": ["a"]}`, `{"failed": ["b"]}`,
		`{"succeeded": ["a", "a"], "failed": ["", "b", "b"]}`),
	together([]any{"spec"}, `{"completionMode": "Indexed", "completions": 10, "parallelism": 2}`, `{"completionMode": "Indexed", "completions": 3}`),
)

var podStatuses = slices.Concat(
	of([]any{"status", "qosClass"}, `"Guaranteed"`, `"Burstable"`, `""`),
	of([]any{"status", "observedGeneration"}, "3", "-1"),
	of([]any{"status", "phase"}, `"Running"`),
	of([]any{"status", "nominatedNodeName"}, `"n"`, `"N"`),
	of([]any{"status", "conditions"}, `[`+condition("Ready", "True")+`]`, `[`+condition("a b", "True")+`]`,
		`[{"type": "Ready", "status": "True", "observedGeneration": 2}]`, `[{"type": "Ready", "status": "True", "observedGeneration": -2}]`),
	of([]any{"status", "containerStatuses"},
		`[{"name": "app", "image": "web:v1", "imageID": "", "ready": false, "restartCount": 0, "state": {"terminated": {"exitCode": 0}}}]`,
		`[{"name": "app", "image": "web:v1", "imageID": "", "ready": false, "restartCount": 0, "state": {"terminated": {"exitCode": 1}}}]`,
		`[{"name": "app", "image": "web:v1", "imageID": "", "ready": true, "restartCount": 1, "state": {"running": {}}}]`),
)

// statusExtras are fields that an update of the status can't change, and fields that it depends on.
var statusExtras = slices.Concat(
	of([]any{"spec", "replicas"}, "5"),
	of([]any{"metadata", "labels"}, `{"x": "y"}`),
	of([]any{"metadata", "annotations"}, `{"x": "y"}`),
)
