package strategies

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"
	utilfeature "k8s.io/apiserver/pkg/util/feature"

	"changeover.dev/recorder/cases"
)

// named is a case that is not left to chance: additions to the minimal manifest; for an update, those of the old
// manifest, and what is in the store regardless of it.
type named struct {
	kind, name        string
	says, old, stored []mutation
	// unknown are fields that Kubernetes does not know.
	unknown        []mutation
	update, status bool
	gates          map[string]bool
	// emulates is a release in which the gates could still be set.
	emulates string
	// bare objects are judged as they are, without defaults; sent ones as a client sends them, with the checks that every
	// kind has.
	bare, sent bool
	// ops are the operations to record; only validation if there are none.
	ops []string
}

// Named records the named cases.
func Named(record func(cases.Case)) {
	for _, n := range slices.Concat(sizes(), costs(), probes(), replacements(), pods(), bare(), ratchets(), gatesOff(), jobs(), annotations(), unknown(), others(), sent()) {
		n.run(record)
	}
}

func (n named) run(record func(cases.Case)) {
	if n.emulates != "" {
		gate := utilfeature.DefaultMutableFeatureGate
		before := gate.EmulationVersion()
		must(gate.SetEmulationVersion(version.MustParse(n.emulates)))
		defer func() { must(gate.SetEmulationVersion(before)) }()
	}
	if len(n.gates) > 0 {
		defer setGates(n.gates)()
	}
	k := kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.name == n.kind })]
	random := rand.New(rand.NewPCG(0, 0))
	kept := 0
	defer func() {
		if kept == 0 {
			panic(n.kind + "/" + n.name + ": nothing was recorded")
		}
	}()
	keep := func(c cases.Case) {
		if slices.Contains(n.ops, c.Op) || n.ops == nil && (n.sent || c.Op == "apiserver.validate") {
			c.Name = strings.ToLower(n.kind) + "/" + n.name
			record(c)
			kept++
		}
	}
	r := recorder{random: random, kind: k, gates: n.gates, record: keep}
	if n.unknown != nil {
		r.unknown = func(object map[string]any) { apply(random, object, n.unknown) }
	}
	if !n.update && !n.status {
		manifest := r.manifest(0)
		apply(random, manifest, n.says)
		switch {
		case n.bare:
			r.judgeBare(manifest)
		case n.sent:
			r.sent("", manifest, nil)
		default:
			r.create(manifest)
		}
		return
	}
	old := r.storedAs(func(manifest map[string]any) { apply(random, manifest, n.old) })
	apply(random, old, n.stored)
	if n.sent {
		old = inStore(old)
	}
	changed := clone(old)
	apply(random, changed, n.says)
	switch {
	case n.status:
		r.change("", "status", old, changed, k.status)
	case n.sent:
		r.sent("", changed, old)
	default:
		r.change("", "", old, changed, k.strategy)
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func apply(random *rand.Rand, object map[string]any, mutations []mutation) {
	for _, m := range mutations {
		m.apply(random, object)
	}
}

// repeated returns a JSON string with this many equal letters.
func repeated(letter string, times int) string { return strconv.Quote(strings.Repeat(letter, times)) }

// sizes are the lengths and letters of names, labels and annotations that are allowed, in each kind and its template.
func sizes() []named {
	prefix := strings.Repeat("a", 253)
	long := `{"app": "web", ` + repeated("k", 63) + `: ` + repeated("v", 63) + `, "` + prefix + `/k": ""}`
	longer := `{"app": "web", ` + repeated("k", 64) + `: "", "value": ` + repeated("v", 64) + `, "` + prefix + `a/k": ""}`
	labels := `{"app": "web", "": "", "/k": "", "a/": "", "a/b/c": "", "A.b/k": "", "k ": "", "-k": "", "k-": "", "value": "-x", "blank": "a b", "last": "x_", "k.1_2": "X.1_2"}`
	annotations := `{"": "", "/k": "", "a/": "", "a/b/c": "", "A.B/K": "any: [text]\n", "a_b/k": "", "k ": "", "-k": "", "k-": "", "ÄB": ""}`
	var all []named
	for _, k := range kinds {
		for _, place := range [][]any{{"metadata"}, append(slices.Clone(k.template), "metadata")} {
			where := "its"
			if len(place) > 1 {
				where = "its template's"
			} else if k.template == nil && len(all) > 0 && all[len(all)-1].kind == k.name {
				continue
			}
			label, annotation := append(slices.Clone(place), "labels"), append(slices.Clone(place), "annotations")
			all = append(all,
				named{kind: k.name, name: where + " labels that are too long", says: of(label, longer)},
				named{kind: k.name, name: where + " labels of other letters", says: of(label, labels)},
				named{kind: k.name, name: where + " labels and annotations as long as may be", says: slices.Concat(of(label, long), of(annotation, long))},
				named{kind: k.name, name: where + " annotations with too long keys", says: of(annotation, longer)},
				named{kind: k.name, name: where + " annotations of other letters", says: of(annotation, annotations)},
			)
		}
		name := []any{"metadata", "name"}
		for _, length := range map[bool][]int{false: {63, 64, 253, 254}, true: {52, 53}}[k.name == "CronJob"] {
			all = append(all, named{kind: k.name, name: "a name of " + strconv.Itoa(length) + " letters", says: of(name, repeated("a", length))})
		}
		for _, text := range []string{"a.b", "A", "a-"} {
			all = append(all, named{kind: k.name, name: "the name " + text, says: of(name, strconv.Quote(text))})
		}
	}
	// The only case of this size.
	return append(all, named{
		kind: "Deployment", name: "annotations of one byte more than may be",
		says: of([]any{"metadata", "annotations"}, `{"k": `+repeated("v", 256<<10)+`}`),
	})
}

// costs are the deletion costs of Pods and in the templates of every kind.
func costs() []named {
	var all []named
	for _, k := range kinds {
		cost := append(slices.Clone(k.template), "metadata", "annotations", costKey)
		off := map[string]bool{"PodDeletionCost": false}
		texts := []string{"-2147483648", "2147483648", "+1"}
		if k.name == "Pod" {
			texts = append(texts, "2147483647", "-2147483649", "-0", "01", "1.0", " 1", "", "x")
		}
		for _, text := range texts {
			all = append(all, named{kind: k.name, name: "the cost " + strconv.Quote(text), says: of(cost, strconv.Quote(text))})
		}
		all = append(all,
			named{kind: k.name, name: "a broken cost while the gate is off", says: of(cost, `"x"`), gates: off},
			named{kind: k.name, name: "a broken cost that was broken before", old: of(cost, `"x"`), says: of(cost, `"+1"`), update: true},
			named{kind: k.name, name: "a broken cost that was none before", says: of(cost, `"+1"`), update: true},
			named{kind: k.name, name: "a broken cost that was right before", old: of(cost, `"1"`), says: of(cost, `"+1"`), update: true},
		)
	}
	return all
}

// probes are probes without a handler and with several, and other fields of a template that random cases rarely
// reached.
func probes() []named {
	var all []named
	for _, k := range kinds {
		container := append(slices.Clone(k.template), "spec", "containers", 0)
		for _, probe := range []string{"livenessProbe", "readinessProbe", "startupProbe"} {
			place := append(slices.Clone(container), probe)
			all = append(all,
				named{kind: k.name, name: "a " + probe + " without a handler", says: of(place, `{}`)},
				named{kind: k.name, name: "a " + probe + " with every handler", says: of(place,
					`{"grpc": {"port": 1}, "tcpSocket": {"port": 1}, "httpGet": {"port": 1}, "exec": {"command": ["a"]}}`)},
			)
		}
		spec := append(slices.Clone(k.template), "spec")
		both := together(spec, `{"hostNetwork": true, "hostUsers": false}`)
		all = append(all,
			named{kind: k.name, name: "the node's network with users of its own", says: both},
			named{kind: k.name, name: "the node's network with users of its own as before", old: both, says: of([]any{"metadata", "labels", "a"}, `"b"`), update: true},
		)
		all = append(all, named{kind: k.name, name: "the node's network with users of its own, gate on", says: both, gates: map[string]bool{"UserNamespacesHostNetworkSupport": true}})
		all = append(all, named{kind: k.name, name: "an empty runtimeClassName", says: of(append(slices.Clone(spec), "runtimeClassName"), `""`)})
		for _, seconds := range []string{"-1", "0", "2147483648"} {
			grace := append(slices.Clone(spec), "terminationGracePeriodSeconds")
			all = append(all, named{kind: k.name, name: "a grace period of " + seconds + " s", says: of(grace, seconds),
				ops: []string{"apiserver.prepare", "apiserver.validate"}})
		}
	}
	return all
}

// replacements are the policies of Jobs (KEP-3939), and what happens to a field whose gate is off. For what 1.36 did
// with gates that 1.37 no longer has, see ../conformance/cases/apiserver/older.jsonl.
func replacements() []named {
	every := []string{"apiserver.default", "apiserver.prepare", "apiserver.validate"}
	off := map[string]bool{"JobManagedBy": false}
	says := together([]any{"spec"}, `{"managedBy": "a.io/b"}`)
	all := []named{
		{kind: "Job", name: "JobManagedBy off", says: says, gates: off, emulates: "1.34", ops: every},
		{kind: "CronJob", name: "JobManagedBy off", says: under([]any{"spec", "jobTemplate"}, says), gates: off, emulates: "1.34", ops: every},
		{kind: "Job", name: "JobManagedBy off, set later", says: says, update: true, gates: off, emulates: "1.34", ops: every},
		{kind: "Job", name: "JobManagedBy off, as before", stored: says, says: of([]any{"spec", "suspend"}, "true"), update: true, gates: off, emulates: "1.34", ops: every},
	}
	finished := together([]any{"status"}, `{"startTime": "2026-01-01T00:00:00Z", "completionTime": "2026-01-01T00:01:00Z", "terminating": 1, "ready": 2, "conditions": [`+
		condition("SuccessCriteriaMet", "True")+`, `+condition("Complete", "True")+`]}`)
	for _, off := range []map[string]bool{nil, off} {
		name := "the status of a Job that ends too early, " + strconv.Itoa(len(off)) + " gates off"
		all = append(all, named{kind: "Job", name: name, says: finished, status: true, gates: off, emulates: "1.34", ops: every})
	}
	for _, policy := range []string{`"Failed"`, `"TerminatingOrFailed"`, `"TerminationStarted"`, `""`, "null"} {
		for _, rules := range []string{"null", `{"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]}`} {
			says := together([]any{"spec"}, `{"podReplacementPolicy": `+policy+`, "podFailurePolicy": `+rules+`}`)
			name := "the policy " + policy + map[bool]string{true: " with a podFailurePolicy"}[rules != "null"]
			all = append(all,
				named{kind: "Job", name: name, says: says, ops: every},
				named{kind: "CronJob", name: name, says: under([]any{"spec", "jobTemplate"}, says), ops: every},
				named{kind: "Job", name: name + ", set later", says: says, update: true, ops: every[1:]},
			)
		}
	}
	return all
}

// pods are the changes that an update of a Pod or its status may make, and other fields of Pods that random cases
// rarely reached.
func pods() []named {
	spec := []any{"spec"}
	gated := of([]any{"spec", "schedulingGates"}, `[{"name": "a.io/b"}]`)
	required := `{"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [TERM]}}`
	term := `{"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}`
	node := `{"nodeAffinity": ` + strings.ReplaceAll(required, "TERM", term) + `}`
	anti := `{"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "a", "labelSelector": {"matchLabels": {"a": "b"}}}]}}`
	both := node[:len(node)-1] + ", " + anti[1:]
	affinity := []any{"spec", "affinity"}
	status := func(state string) []mutation {
		return of([]any{"status", "containerStatuses"},
			`[{"name": "app", "image": "web:v1", "imageID": "", "ready": false, "restartCount": 0, "state": `+state+`}]`)
	}
	failed, succeeded, running := status(`{"terminated": {"exitCode": 1}}`), status(`{"terminated": {"exitCode": 0}}`), status(`{"running": {}}`)
	all := []named{
		{name: "a gated Pod gets a node affinity", old: gated, says: of(affinity, node), update: true},
		{name: "a gated Pod with others' affinity gets a node affinity", old: slices.Concat(gated, of(affinity, anti)), says: of(affinity, both), update: true},
		{name: "a gated Pod gets both affinities", old: gated, says: of(affinity, both), update: true},
		{name: "a gated Pod loses another affinity", old: slices.Concat(gated, of(affinity, anti)), says: of(affinity, ""), update: true},
		{name: "a gated Pod loses its node affinity", old: slices.Concat(gated, of(affinity, node)), says: of(affinity, ""), update: true},
		{name: "a Pod gets a node affinity", says: of(affinity, node), update: true},
		{name: "a gated Pod gets a node selector", old: gated, says: of([]any{"spec", "nodeSelector"}, `{"a": "b"}`), update: true},
		{name: "a gated Pod loses a node selector", old: slices.Concat(gated, of([]any{"spec", "nodeSelector"}, `{"a": "b"}`)), says: of([]any{"spec", "nodeSelector"}, `{"c": "d"}`), update: true},
		{name: "a Pod loses its gate", old: gated, says: of([]any{"spec", "schedulingGates"}, ""), update: true},
		{name: "a Pod gets a gate", says: gated, update: true},
		{name: "a negative grace period becomes 1", stored: of([]any{"spec", "terminationGracePeriodSeconds"}, "-5"), says: of([]any{"spec", "terminationGracePeriodSeconds"}, "1"), update: true},
		{name: "a grace period changes", says: of([]any{"spec", "terminationGracePeriodSeconds"}, "1"), update: true},
		{name: "a container is added", says: of([]any{"spec", "containers"}, `[{"name": "app", "image": "web:v1"}, {"name": "b", "image": "b"}]`), update: true},
		{name: "an image is removed", says: of([]any{"spec", "containers", 0, "image"}, `""`), update: true},
		{name: "an image changes", says: of([]any{"spec", "containers", 0, "image"}, `"web:v2"`), update: true},
		{name: "ephemeral containers of its own", says: of([]any{"spec", "ephemeralContainers"}, `[{"name": "e", "image": "e", "imagePullPolicy": "Always", "terminationMessagePolicy": "File"}]`)},
		{name: "init containers with probes", says: of([]any{"spec", "initContainers"}, `[{"name": "i", "image": "i", "livenessProbe": {"exec": {"command": ["a"]}}, "readinessProbe": {"exec": {"command": ["a"]}}, "startupProbe": {"exec": {"command": ["a"]}}, "lifecycle": {"preStop": {"exec": {"command": ["a"]}}}}]`)},
		{name: "init containers with limits", says: of([]any{"spec", "initContainers"}, `[{"name": "i", "image": "i", "resources": {"limits": {"cpu": "1", "memory": "1Gi"}}}]`), ops: []string{"apiserver.default", "apiserver.prepare"}},
		{name: "containers with limits that are not the same", says: of([]any{"spec", "containers"}, `[{"name": "a", "image": "a", "resources": {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "1", "memory": "1Gi"}}}, {"name": "b", "image": "b", "resources": {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "2", "memory": "1Gi"}}}]`), ops: []string{"apiserver.prepare"}},
		{name: "containers with equal limits", says: of([]any{"spec", "containers"}, `[{"name": "a", "image": "a", "resources": {"limits": {"cpu": "1", "memory": "1Gi"}}}, {"name": "b", "image": "b", "resources": {"limits": {"cpu": "1", "memory": "1Gi"}}}]`), ops: []string{"apiserver.prepare"}},
	}
	for _, seconds := range []string{"-1", "0", "2147483648", "500", "700"} {
		deadline := []any{"spec", "activeDeadlineSeconds"}
		all = append(all, named{name: "a deadline becomes " + seconds + " s", old: of(deadline, "600"), says: of(deadline, seconds), update: true})
	}
	for _, policy := range []string{"Always", "OnFailure", "Never"} {
		for _, own := range []string{"", "Always", "OnFailure", "Never"} {
			old := together(spec, `{"restartPolicy": "`+policy+`"}`)
			if own != "" {
				old = slices.Concat(old, of([]any{"spec", "containers", 0, "restartPolicy"}, strconv.Quote(own)))
			}
			name := "restarted, of a Pod with " + policy + map[bool]string{true: " and a container with " + own}[own != ""]
			all = append(all,
				named{name: "failed and " + name, old: old, stored: failed, says: running, status: true},
				named{name: "succeeded and " + name, old: old, stored: succeeded, says: running, status: true},
			)
		}
	}
	for i := range all {
		all[i].kind = "Pod"
	}
	affinities := slices.Concat(of([]any{"spec", "suspend"}, "true"), of([]any{"spec", "template", "spec", "affinity"}, node))
	conditions := []any{"status", "conditions"}
	return append(all,
		named{kind: "Job", name: "a suspended Job loses an affinity", old: affinities, says: of([]any{"spec", "template", "spec", "affinity"}, ""), update: true},
		named{kind: "Job", name: "all of a template's metadata changes", says: of([]any{"spec", "template", "metadata"}, `{"name": "a", "generateName": "b", "selfLink": "c", "labels": {"app": "web"},
			"ownerReferences": [{"kind": "A", "blockOwnerDeletion": true, "uid": "1"}], "finalizers": ["a"], "managedFields": [{"operation": "Apply", "manager": "a", "subresource": "b", "apiVersion": "v1"}]}`), update: true},
		named{kind: "Job", name: "a Job that succeeds and fails", status: true, says: of(conditions, `[`+condition("SuccessCriteriaMet", "True")+`, `+condition("FailureTarget", "True")+`]`)},
	)
}

// bare are objects without their defaults: the API server's errors if it set none.
func bare() []named {
	var all []named
	for _, k := range kinds {
		container := append(slices.Clone(k.template), "spec", "containers", 0)
		all = append(all,
			named{kind: k.name, name: "without defaults", bare: true},
			named{kind: k.name, name: "a port without its protocol", bare: true, says: of(append(container, "ports"), `[{"containerPort": 80}]`)},
			named{kind: k.name, name: "a grace period below 0", bare: true, says: of(append(slices.Clone(k.template), "spec", "terminationGracePeriodSeconds"), "-1")},
			named{kind: k.name, name: "nothing at all", bare: true, says: slices.Concat(of([]any{"spec"}, ""), of([]any{"template"}, ""), of([]any{"metadata"}, ""))},
		)
	}
	strategy := []any{"spec", "strategy"}
	return append(all,
		named{kind: "Deployment", name: "RollingUpdate without numbers", bare: true, says: of(strategy, `{"type": "RollingUpdate"}`)},
		named{kind: "Deployment", name: "RollingUpdate with one number", bare: true, says: of(strategy, `{"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}`)},
		named{kind: "DaemonSet", name: "RollingUpdate without numbers", bare: true, says: of([]any{"spec", "updateStrategy"}, `{"type": "RollingUpdate"}`)},
		named{kind: "StatefulSet", name: "RollingUpdate without numbers", bare: true, says: of([]any{"spec", "updateStrategy"}, `{"type": "RollingUpdate"}`)},
		named{kind: "Job", name: "a condition without its status", bare: true,
			says: of([]any{"spec", "podFailurePolicy"}, `{"rules": [{"action": "Count", "onPodConditions": [{"type": "A"}]}]}`)},
	)
}

// ratchets are values that an update may keep although no new object may have them, for each rule of this sort.
func ratchets() []named {
	label := of([]any{"metadata", "labels", "x"}, `"y"`)
	name := []any{"spec", "template", "spec", "containers", 0, "name"}
	mounts := of([]any{"spec", "template", "spec", "containers", 0, "volumeMounts"}, `[{"name": "absent", "mountPath": "/data"}]`)
	expressions := `{"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["-x"]}]}`
	selector := of([]any{"spec", "selector"}, expressions)
	own := slices.Concat(of([]any{"spec", "manualSelector"}, "true"), selector)
	zone, schedule := []any{"spec", "timeZone"}, []any{"spec", "schedule"}
	all := []named{
		{kind: "StatefulSet", name: "a broken template as before", old: of(name, `"Bad_Name"`), says: label},
		{kind: "StatefulSet", name: "a template broken again", says: of(name, `"Bad_Name"`)},
		{kind: "StatefulSet", name: "a template broken in another way", old: of(name, `"Bad_Name"`), says: of(name, `"Worse_Name"`)},
		{kind: "StatefulSet", name: "broken replicas beside a broken template", old: of(name, `"Bad_Name"`), says: of([]any{"spec", "replicas"}, "-1")},
		{kind: "StatefulSet", name: "an absent volume beside replicas broken as before", stored: of([]any{"spec", "replicas"}, "-1"), says: mounts},
		{kind: "StatefulSet", name: "an absent volume", says: mounts},
		{kind: "CronJob", name: "an unknown time zone as before", old: of(zone, `"Nowhere/Else"`), says: label},
		{kind: "CronJob", name: "an unknown time zone", old: of(zone, `"Europe/Berlin"`), says: of(zone, `"Nowhere/Else"`)},
		{kind: "CronJob", name: "a zone in the schedule as before", old: of(schedule, `"TZ=UTC 0 0 * * *"`), says: of(schedule, `"CRON_TZ=UTC 0 1 * * *"`)},
		{kind: "CronJob", name: "a zone in the schedule", says: of(schedule, `"TZ=UTC 0 0 * * *"`)},
		{kind: "CronJob", name: "a zone in the schedule as before and beside it", old: of(schedule, `"TZ=UTC 0 0 * * *"`), says: of(zone, `"Etc/UTC"`)},
	}
	for _, kind := range []string{"Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"} {
		all = append(all,
			named{kind: kind, name: "a selector of broken values as before", old: selector, says: label},
			named{kind: kind, name: "a selector of broken values", says: selector},
		)
	}
	all = append(all,
		named{kind: "Job", name: "a selector of broken values as before", old: own, says: label},
		named{kind: "Job", name: "a selector of broken values", says: own},
	)
	// A term that the template's affinity already had is accepted in the selector as well.
	term := `{"topologyKey": "a", "labelSelector": {"matchExpressions": [{"key": "a", "operator": "In", "values": ["-x"]}]}}`
	for i, affinity := range []string{
		`{"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [` + term + `]}}`,
		`{"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": ` + term + `}]}}`,
	} {
		name := []string{"required", "preferred"}[i]
		broken := of([]any{"spec", "template", "spec", "affinity"}, affinity)
		all = append(all,
			named{kind: "DaemonSet", name: "a selector of broken values beside an affinity of such that was " + name, stored: broken, says: selector},
			named{kind: "Job", name: "a selector of broken values beside an affinity of such that was " + name, stored: slices.Concat(of([]any{"spec", "manualSelector"}, "true"), broken), says: selector},
		)
	}
	for i := range all {
		all[i].update = true
	}
	return all
}

// gatesOff are the fields that the gates that can still be set add and drop.
func gatesOff() []named {
	every := []string{"apiserver.default", "apiserver.prepare", "apiserver.validate"}
	terminating := of([]any{"status", "terminatingReplicas"}, "2")
	more := of([]any{"status", "terminatingReplicas"}, "3")
	off := map[string]bool{"DeploymentReplicaSetTerminatingReplicas": false}
	var all []named
	for _, kind := range []string{"Deployment", "ReplicaSet"} {
		all = append(all,
			named{kind: kind, name: "terminating replicas", says: terminating, status: true, ops: every},
			named{kind: kind, name: "terminating replicas, gate off", says: terminating, status: true, gates: off, ops: every},
			named{kind: kind, name: "terminating replicas as before, gate off", stored: terminating, says: more, status: true, gates: off, ops: every},
		)
	}
	strategy := []any{"spec", "updateStrategy"}
	unavailableOff := map[string]bool{"MaxUnavailableStatefulSet": false}
	recreateOn := map[string]bool{"StatefulSetRecreateStrategy": true}
	unavailable := of(strategy, `{"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 2}}`)
	all = append(all,
		named{kind: "StatefulSet", name: "maxUnavailable not set", ops: every},
		named{kind: "StatefulSet", name: "maxUnavailable not set, gate off", gates: unavailableOff, ops: every},
		named{kind: "StatefulSet", name: "maxUnavailable", says: unavailable, ops: every},
		named{kind: "StatefulSet", name: "maxUnavailable, gate off", says: unavailable, gates: unavailableOff, ops: every},
		named{kind: "StatefulSet", name: "maxUnavailable as before, gate off", stored: unavailable, says: of([]any{"spec", "replicas"}, "2"), update: true, gates: unavailableOff, ops: every},
		named{kind: "StatefulSet", name: "maxUnavailable 0", says: of(strategy, `{"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 0}}`)},
		named{kind: "StatefulSet", name: "maxUnavailable 101%", says: of(strategy, `{"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "101%"}}`)},
	)
	for _, gates := range []map[string]bool{nil, recreateOn} {
		suffix := map[bool]string{true: ", gate on"}[gates != nil]
		for _, value := range []string{`{"type": "Recreate"}`, `{"type": "recreate"}`, `{"type": "Recreate", "rollingUpdate": {"partition": 1}}`} {
			all = append(all, named{kind: "StatefulSet", name: "the strategy " + value + suffix, says: of(strategy, value), gates: gates})
		}
		all = append(all, named{kind: "StatefulSet", name: "Recreate as before" + suffix, stored: of(strategy, `{"type": "Recreate"}`), says: of([]any{"spec", "replicas"}, "2"), update: true, gates: gates})
	}
	bound := of([]any{"spec", "nodeName"}, `"node-1"`)
	nominated := of([]any{"status", "nominatedNodeName"}, `"node-2"`)
	all = append(all,
		named{kind: "Pod", name: "another node for a bound Pod", stored: bound, says: nominated, status: true},
		named{kind: "Pod", name: "another node for a bound Pod, gate off", stored: bound, says: nominated, status: true, gates: map[string]bool{"ClearingNominatedNodeNameAfterBinding": false}},
	)
	noRules := map[string]bool{"ContainerRestartRules": false}
	for _, k := range kinds {
		below := func(keys ...any) []any { return append(append(slices.Clone(k.template), "spec"), keys...) }
		own := slices.Concat(of(below("containers", 0, "restartPolicy"), `"OnFailure"`), of(below("initContainers"),
			`[{"name": "a", "image": "a", "restartPolicy": "Always"}, {"name": "b", "image": "b", "restartPolicy": "Never"}]`))
		label := of([]any{"metadata", "labels", "x"}, `"y"`)
		all = append(all,
			named{kind: k.name, name: "containers that restart in their own way", says: own, ops: every},
			named{kind: k.name, name: "containers that restart in their own way, gate off", says: own, gates: noRules, ops: every},
			named{kind: k.name, name: "containers that restart in their own way as before, gate off", stored: own, says: label, update: true, gates: noRules, ops: every},
		)
	}
	ended := `[{"name": "app", "image": "web:v1", "imageID": "", "ready": false, "restartCount": 0, "state": {"terminated": {"exitCode": 1}}}]`
	for _, policy := range []string{"Always", "OnFailure", "Never"} {
		all = append(all, named{kind: "Pod", name: "restarted, of a Pod with " + policy + ", gate off", gates: noRules, status: true,
			old: of([]any{"spec", "restartPolicy"}, strconv.Quote(policy)), stored: of([]any{"status", "containerStatuses"}, ended),
			says: of([]any{"status", "containerStatuses"}, strings.ReplaceAll(ended, `"terminated": {"exitCode": 1}`, `"running": {}`))})
	}
	for _, rule := range []string{`"action": "Restart", "exitCodes": {"operator": "In", "values": [1, 2]}`, `"action": "Restart", "exitCodes": {"operator": "NotIn", "values": [1, 2]}`,
		`"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [3]}`} {
		all = append(all, named{kind: "Pod", name: "restarted, of a container with the rule " + rule, status: true,
			old: together([]any{"spec", "containers", 0}, `{"restartPolicy": "Never", "restartPolicyRules": [{`+rule+`}]}`), stored: of([]any{"status", "containerStatuses"}, ended),
			says: of([]any{"status", "containerStatuses"}, strings.ReplaceAll(ended, `"terminated": {"exitCode": 1}`, `"running": {}`))})
	}
	suspended := of([]any{"spec", "suspend"}, "true")
	resources := of([]any{"spec", "template", "spec", "containers", 0, "resources"}, `{"limits": {"cpu": "1"}}`)
	directives := together([]any{"spec", "template", "spec"}, `{"nodeSelector": {"a": "b"}, "tolerations": [{"key": "a", "operator": "Exists"}]}`)
	for _, gate := range []string{"", "MutablePodResourcesForSuspendedJobs", "MutableSchedulingDirectivesForSuspendedJobs"} {
		gates := map[string]bool{}
		if gate != "" {
			gates[gate] = false
		}
		suffix := map[bool]string{true: ", " + gate + " off"}[gate != ""]
		all = append(all,
			named{kind: "Job", name: "resources of a suspended Job" + suffix, old: suspended, says: resources, update: true, gates: gates, ops: every[1:]},
			named{kind: "Job", name: "resources of a Job" + suffix, says: resources, update: true, gates: gates, ops: every[1:]},
			named{kind: "Job", name: "where the pods of a suspended Job go" + suffix, old: suspended, says: directives, update: true, gates: gates, ops: every[1:]},
			named{kind: "Job", name: "where the pods of a Job go" + suffix, says: directives, update: true, gates: gates, ops: every[1:]},
		)
	}
	return all
}

// jobs are the limits of a Job's numbers, lists and policies.
func jobs() []named {
	spec := []any{"spec"}
	indexed := func(rest string) []mutation {
		return together(spec, `{"completionMode": "Indexed", "completions": 5, "parallelism": 2, `+rest+`}`)
	}
	codes := strings.TrimSuffix(strings.Repeat("1,", 256), ",")
	all := []named{
		{name: "a successPolicy above the completions", says: indexed(`"successPolicy": {"rules": [{"succeededCount": 6}]}`)},
		{name: "a successPolicy above its indexes", says: indexed(`"successPolicy": {"rules": [{"succeededIndexes": "0-1", "succeededCount": 3}]}`)},
		{name: "a successPolicy of nothing", says: indexed(`"successPolicy": {"rules": [{}]}`)},
		{name: "a successPolicy of no index", says: indexed(`"successPolicy": {"rules": [{"succeededIndexes": "5"}, {"succeededIndexes": "2-1"}, {"succeededIndexes": "x"}, {"succeededIndexes": "1,1"}, {"succeededIndexes": "1-"}]}`)},
		{name: "more failed indexes than completions", says: indexed(`"backoffLimitPerIndex": 1, "maxFailedIndexes": 6`)},
		{name: "failed indexes without a limit for each", says: indexed(`"maxFailedIndexes": 1`)},
		{name: "too much at once", says: together(spec, `{"completionMode": "Indexed", "completions": 100001, "parallelism": 100001, "backoffLimitPerIndex": 1, "maxFailedIndexes": 100001}`)},
		{name: "too many completions for a limit for each", says: together(spec, `{"completionMode": "Indexed", "completions": 100001, "parallelism": 10001, "backoffLimitPerIndex": 1}`)},
		{name: "indexes without completions", says: together(spec, `{"completionMode": "Indexed", "completions": null}`)},
		{name: "limits for each index without indexes", says: together(spec, `{"backoffLimitPerIndex": 1, "maxFailedIndexes": 1}`)},
		{name: "too many exit codes", says: together(spec, `{"podFailurePolicy": {"rules": [{"action": "Count", "onExitCodes": {"operator": "NotIn", "values": [`+codes+`]}}]}}`)},
		{name: "every number below 0", says: together(spec, `{"parallelism": -1, "completions": -1, "activeDeadlineSeconds": -1, "backoffLimit": -1, "ttlSecondsAfterFinished": -1, "backoffLimitPerIndex": -1, "maxFailedIndexes": -1}`)},
	}
	for _, n := range all {
		n.kind, n.says = "CronJob", under([]any{"spec", "jobTemplate"}, n.says)
		all = append(all, n)
	}
	for i := range all {
		if all[i].kind == "" {
			all[i].kind = "Job"
		}
	}
	target := `[` + condition("FailureTarget", "True") + `]`
	return append(all,
		named{kind: "Job", name: "no UID", says: of([]any{"metadata", "uid"}, `""`)},
		named{kind: "Job", name: "an end that is reverted", stored: of([]any{"status", "conditions"}, target), says: of([]any{"status", "conditions"}, ""), status: true},
		named{kind: "Job", name: "indexes of too many letters", says: indexed(`"successPolicy": {"rules": [{"succeededIndexes": "` + strings.Repeat("0,", 32769) + `0"}]}`)},
	)
}

// annotations are those that conversions, strategies and validation read.
func annotations() []named {
	deprecated := `{"scheduler.alpha.kubernetes.io/critical-pod": "", "security.alpha.kubernetes.io/sysctls": "", "security.alpha.kubernetes.io/unsafe-sysctls": ""}`
	dropped := `{"pod.alpha.kubernetes.io/init-containers": "[]", "pod.alpha.kubernetes.io/init-container-statuses": "[]", "pod.beta.kubernetes.io/init-containers": "[]", "pod.beta.kubernetes.io/init-container-statuses": "[]"}`
	prepared := []string{"apiserver.prepare", "apiserver.validate"}
	var all []named
	for _, k := range kinds {
		place := append(slices.Clone(k.template), "metadata", "annotations")
		all = append(all,
			named{kind: k.name, name: "deprecated annotations", says: of(place, deprecated)},
			named{kind: k.name, name: "deprecated annotations set later", says: of(place, deprecated), update: true},
			named{kind: k.name, name: "annotations of old init containers", says: of(place, dropped), ops: prepared},
			named{kind: k.name, name: "no tolerations in an annotation", says: of(place, `{"scheduler.alpha.kubernetes.io/tolerations": ""}`)},
		)
	}
	rollback := []any{"metadata", "annotations", "deprecated.deployment.rollback.to"}
	generation := []any{"metadata", "annotations", "deprecated.daemonset.template.generation"}
	for _, revision := range []string{`"-3"`, `"0"`, `"+4"`, `"05"`, `""`} {
		all = append(all,
			named{kind: "Deployment", name: "a rollback to " + revision, says: of(rollback, revision), ops: prepared},
			named{kind: "Deployment", name: "a rollback to " + revision + " in a status", says: of(rollback, revision), status: true, ops: prepared},
			named{kind: "Deployment", name: "a rollback to " + revision + " removed in a status", stored: of(rollback, revision), says: of(rollback, ""), status: true, ops: prepared},
			named{kind: "DaemonSet", name: "the generation " + revision, says: of(generation, strings.ReplaceAll(revision, `""`, `"1"`)), ops: prepared},
			named{kind: "DaemonSet", name: "the generation " + revision + " as before", stored: of(generation, strings.ReplaceAll(revision, `""`, `"1"`)), says: of([]any{"metadata", "labels", "x"}, `"y"`), update: true, ops: prepared},
		)
	}
	all = append(all, named{kind: "Deployment", name: "no rollback set later", says: of(rollback, `""`), update: true, ops: prepared})
	lost := of([]any{"metadata", "annotations"}, `{"non-convertible.kubernetes.io/spec.selector": "x", "non-convertible.kubernetes.io/spec.other": "y"}`)
	return append(all, named{kind: "ReplicationController", name: "a selector that can't be converted", update: true,
		stored: lost, says: of([]any{"spec", "selector"}, `{"app": "other"}`)})
}

// unknown are fields that Kubernetes does not know, and faults that were in the store before.
func unknown() []named {
	prepared := []string{"apiserver.prepare", "apiserver.validate"}
	label := of([]any{"metadata", "labels", "x"}, `"y"`)
	var all []named
	for _, k := range kinds {
		template := func(keys ...any) []any { return append(slices.Clone(k.template), keys...) }
		fields := slices.Concat(of([]any{"sinceLater"}, "true"), of([]any{"metadata", "sinceLater"}, `{"a": "b"}`),
			of(template("spec", "sinceLater"), `["a"]`), of(template("spec", "containers", 0, "sinceLater"), "0"),
			of(template("spec", "securityContext", "sinceLater"), `"x"`))
		faults := slices.Concat(of([]any{"metadata", "name"}, `"a b"`), of([]any{"metadata", "generateName"}, `"A-"`), of([]any{"metadata", "labels"}, `{"app": "web", "bad key": "x"}`),
			of([]any{"metadata", "finalizers"}, `["x", "a b"]`), of([]any{"metadata", "ownerReferences"}, `[{"apiVersion": "a/", "kind": "", "name": "", "uid": ""}]`),
			of(template("metadata", "annotations"), `{"bad key!": "x"}`), of(template("spec", "priorityClassName"), `"High"`))
		all = append(all,
			named{kind: k.name, name: "unknown fields", unknown: fields, ops: prepared},
			named{kind: k.name, name: "unknown fields, as before", unknown: fields, says: label, update: true, ops: prepared},
			named{kind: k.name, name: "broken names and letters as before", stored: faults, says: label, update: true},
		)
		if k.status != nil {
			all = append(all, named{kind: k.name, name: "broken names and letters beside a status", stored: faults, says: of([]any{"status", "observedGeneration"}, "2"), status: true})
		}
	}
	affinity := []any{"spec", "affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution"}
	claim := []any{"spec", "volumeClaimTemplates", 0}
	claims := of([]any{"spec", "volumeClaimTemplates"}, strings.ReplaceAll(claimTemplates, "SIZE", "1Gi"))
	ephemeral := `[{"name": "v", "ephemeral": {"volumeClaimTemplate": {"metadata": {"labels": {"a": "b"}}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}}}]`
	return append(all,
		named{kind: "Pod", name: "unknown fields in a selector", says: of(affinity, `[{"topologyKey": "a", "labelSelector": {"matchLabels": {"a": "b"}}}]`),
			unknown: of(append(affinity, 0, "labelSelector", "sinceLater"), "true"), ops: prepared[:1]},
		named{kind: "Pod", name: "unknown fields in a claim's metadata", says: of([]any{"spec", "volumes"}, ephemeral),
			unknown: of([]any{"spec", "volumes", 0, "ephemeral", "volumeClaimTemplate", "metadata", "sinceLater"}, "true"), ops: prepared[:1]},
		named{kind: "StatefulSet", name: "unknown fields in a claim", says: claims, ops: prepared,
			unknown: slices.Concat(of(append(slices.Clone(claim), "sinceLater"), "0"), of(append(slices.Clone(claim), "metadata", "sinceLater"), "0"), of(append(slices.Clone(claim), "spec", "sinceLater"), "0"))},
	)
}

// others are messages that were left to chance before.
func others() []named {
	container := func(key string) []any { return []any{"spec", "containers", 0, key} }
	spec, conditions := []any{"spec"}, []any{"status", "conditions"}
	met, complete := condition("SuccessCriteriaMet", "True"), condition("Complete", "True")
	success := together(spec, `{"completionMode": "Indexed", "completions": 5, "successPolicy": {"rules": [{"succeededCount": 1}]}}`)
	all := []named{
		{kind: "Pod", name: "a port with an address and without", says: of(container("ports"), `[{"containerPort": 80, "hostPort": 80}, {"containerPort": 80, "hostPort": 80, "hostIP": "10.0.0.1"}, {"containerPort": 81, "hostIP": "10.0.0.1"}]`)},
		{kind: "Pod", name: "a deadline is removed", old: of([]any{"spec", "activeDeadlineSeconds"}, "600"), says: of([]any{"spec", "activeDeadlineSeconds"}, ""), update: true},
		{kind: "Job", name: "indexes in the names of a subdomain", says: slices.Concat(of([]any{"metadata", "name"}, `"web.example"`), together(spec, `{"completionMode": "Indexed", "completions": 3}`))},
		{kind: "Job", name: "an end before the start", says: together([]any{"status"}, `{"startTime": "2026-01-01T00:01:00Z", "completionTime": "2026-01-01T00:00:00Z"}`), status: true},
		{kind: "Pod", name: "a resolver's option becomes empty", old: of([]any{"spec", "dnsConfig"}, `{"options": [{"name": "debug"}]}`), says: of([]any{"spec", "dnsConfig"}, `{"options": [{"name": "debug", "value": ""}]}`), update: true},
		{kind: "Pod", name: "a driver's volume says what is so in any case", old: of([]any{"spec", "volumes"}, `[{"name": "v", "csi": {"driver": "a.io"}}]`), says: of([]any{"spec", "volumes"}, `[{"name": "v", "csi": {"driver": "a.io", "readOnly": false, "fsType": "", "volumeAttributes": {"a": ""}}}]`), update: true},
		{kind: "CronJob", name: "indexes of too many letters", says: together([]any{"spec", "jobTemplate", "spec"}, `{"completionMode": "Indexed", "completions": 5, "successPolicy": {"rules": [{"succeededIndexes": "`+strings.Repeat("0,", 32769)+`0"}]}}`)},
		{kind: "CronJob", name: "a successPolicy without rules", says: of([]any{"spec", "jobTemplate", "spec", "successPolicy"}, `{"rules": []}`)},
		{kind: "CronJob", name: "a successPolicy below 0", says: together([]any{"spec", "jobTemplate", "spec"}, `{"completionMode": "Indexed", "completions": 5, "successPolicy": {"rules": [{"succeededCount": -1}]}}`)},
		{kind: "Job", name: "a successPolicy without rules", says: of([]any{"spec", "successPolicy"}, `{"rules": []}`)},
		{kind: "Job", name: "no restart policy that there is", says: of([]any{"spec", "template", "spec", "restartPolicy"}, `"Sometimes"`)},
		{kind: "Job", name: "too many rules", says: together(spec, `{"podFailurePolicy": {"rules": [`+strings.Repeat(`{"action": "Count", "onPodConditions": [{"type": "A"}]},`, 20)+`{"action": "Count", "onPodConditions": [{"type": "A"}]}]}}`)},
		{kind: "Job", name: "a successPolicy below 0", says: together(spec, `{"completionMode": "Indexed", "completions": 5, "successPolicy": {"rules": [{"succeededCount": -1}]}}`)},
		{kind: "Job", name: "a successPolicy of fewer than no completions", says: together(spec, `{"completionMode": "Indexed", "completions": -1, "successPolicy": {"rules": [{"succeededCount": 1}]}}`)},
		{kind: "Job", name: "fewer than no completions", old: together(spec, `{"completionMode": "Indexed", "completions": 3, "parallelism": 3}`), says: of([]any{"spec", "completions"}, "-1"), update: true},
		{kind: "Job", name: "criteria that are met after the end", stored: of(conditions, `[`+complete+`]`), says: of(conditions, `[`+complete+`, `+met+`]`), status: true},
		{kind: "Job", name: "an end without its criteria", stored: success, says: of(conditions, `[`+complete+`]`), status: true},
		{kind: "Job", name: "an interval of three", stored: together(spec, `{"completionMode": "Indexed", "completions": 5}`), says: of([]any{"status"}, `{"failedIndexes": "1-2-3", "completedIndexes": "0-1-2"}`), status: true},
		{kind: "Job", name: "fewer have succeeded", stored: of([]any{"status", "succeeded"}, "2"), says: of([]any{"status", "succeeded"}, "1"), status: true},
	}
	for _, k := range kinds {
		below := func(keys ...any) []any { return append(append(slices.Clone(k.template), "spec"), keys...) }
		ports, network := below("containers", 0, "ports"), of(below("hostNetwork"), "true")
		all = append(all,
			named{kind: k.name, name: "ports twice", says: of(ports, `[{"containerPort": 80}, {"containerPort": 80}, {"containerPort": 80, "hostPort": 80}]`)},
			named{kind: k.name, name: "an init container's port", says: slices.Concat(of(below("initContainers"), `[{"name": "i", "image": "i", "ports": [{"containerPort": 80}]}]`), of(ports, `[{"containerPort": 80, "hostPort": 80}]`))},
			named{kind: k.name, name: "another port on the node's network", says: slices.Concat(network, of(ports, `[{"containerPort": 80, "hostPort": -1}, {"containerPort": 81, "hostPort": 80}]`))},
			named{kind: k.name, name: "fractions of a byte", says: of(below("containers", 0, "resources"), `{"requests": {"memory": "1.5", "ephemeral-storage": "100m"}, "limits": {"memory": "2.5", "ephemeral-storage": "1.5"}}`)},
			named{kind: k.name, name: "a deadline below 0", says: of(below("activeDeadlineSeconds"), "-5")},
		)
	}
	for _, uid := range []string{"controller-uid", "batch.kubernetes.io/controller-uid"} {
		says := of([]any{"spec", "template", "metadata", "labels"}, `{"app": "web", "`+uid+`": ""}`)
		all = append(all,
			named{kind: "Job", name: "an empty " + uid, says: says, ops: []string{"apiserver.prepare", "apiserver.validate"}},
			named{kind: "Job", name: "an empty " + uid + " set later", says: says, update: true},
			named{kind: "Job", name: "an empty " + uid + " and a selector of its own", says: slices.Concat(says, of([]any{"spec", "manualSelector"}, "true"), of([]any{"spec", "selector"}, `{"matchLabels": {"app": "web"}}`))},
		)
	}
	return all
}
