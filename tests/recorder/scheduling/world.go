package scheduling

import (
	"fmt"
	"math/rand/v2"
)

// m is an object as a client sends it.
type m = map[string]any

type world struct {
	rng                                                     *rand.Rand
	nodes, pods, namespaces, services, replicaSets, budgets []m
	claims, volumes, classes                                []m
	pod                                                     m
}

func (w *world) chance(percent int) bool { return w.rng.IntN(100) < percent }

func (w *world) between(least, most int) int { return least + w.rng.IntN(most-least+1) }

func pick[T any](w *world, of ...T) T { return of[w.rng.IntN(len(of))] }

const (
	hostname = "kubernetes.io/hostname"
	zone     = "topology.kubernetes.io/zone"
	region   = "topology.kubernetes.io/region"
)

// newWorld makes a world, with volumes or without: those need a scheduler of their own.
func newWorld(seed uint64, number int, withVolumes bool) *world {
	w := &world{rng: rand.New(rand.NewPCG(seed, uint64(number)))}
	for i := range w.between(0, 6) {
		w.nodes = append(w.nodes, w.node(fmt.Sprintf("n%d", i)))
	}
	if w.chance(97) && len(w.nodes) == 0 {
		w.nodes = append(w.nodes, w.node("n0"))
	}
	for _, name := range []string{"default", "other", "third"} {
		if w.chance(80) {
			w.namespaces = append(w.namespaces, m{"metadata": m{"name": name, "labels": m{"team": pick(w, "a", "b")}}})
		}
	}
	if w.chance(30) {
		for i := range w.between(1, 2) {
			w.services = append(w.services, m{"metadata": m{"name": fmt.Sprint("s", i), "namespace": "default"}, "spec": m{"selector": w.someLabels()}})
		}
	}
	w.replicaSets = append(w.replicaSets, m{"metadata": m{"name": "web", "namespace": "default"}, "spec": m{"selector": m{"matchLabels": m{"app": "a"}}}})
	if w.chance(25) {
		w.budgets = append(w.budgets, m{"metadata": m{"name": "b", "namespace": "default"}, "spec": m{"selector": w.selector()}, "status": m{"disruptionsAllowed": w.between(0, 2)}})
	}
	if withVolumes {
		w.storage()
	}
	sort := w.between(0, 9)
	for i := range w.between(0, 10) {
		existing := w.newPod(fmt.Sprintf("p%d", i), sort, withVolumes)
		spec := existing["spec"].(m)
		if len(w.nodes) == 0 {
			break
		}
		node := pick(w, w.nodes...)["metadata"].(m)["name"].(string)
		if w.chance(92) {
			spec["nodeName"] = node
			if w.chance(15) {
				existing["metadata"].(m)["deletionTimestamp"] = "2026-01-01T00:00:30Z"
			}
			existing["status"] = m{"startTime": fmt.Sprintf("2026-01-01T00:%02d:00Z", w.between(0, 20))}
			if w.chance(4) {
				existing["status"].(m)["phase"] = pick(w, "Succeeded", "Failed")
			}
		} else {
			existing["status"] = m{"nominatedNodeName": node}
		}
		w.pods = append(w.pods, existing)
	}
	w.pod = w.newPod("new", sort, withVolumes)
	if w.chance(5) && len(w.nodes) > 0 {
		w.pod["status"] = m{"nominatedNodeName": pick(w, w.nodes...)["metadata"].(m)["name"]}
	}
	return w
}

func (w *world) node(name string) m {
	labels := m{}
	if w.chance(90) {
		labels[hostname] = name
	}
	if w.chance(75) {
		labels[zone] = pick(w, "z1", "z2", "z3")
	}
	if w.chance(20) {
		labels[region] = pick(w, "r1", "r2")
	}
	if w.chance(40) {
		labels["disk"] = pick(w, "ssd", "hdd")
	}
	if w.chance(30) {
		labels["size"] = pick(w, "3", "5", "8", "big")
	}
	if w.chance(5) {
		labels["failure-domain.beta.kubernetes.io/zone"] = pick(w, "z1", "z2")
	}
	spec := m{}
	if w.chance(8) {
		spec["unschedulable"] = true
	}
	var taints []m
	for w.chance(18) {
		taint := m{"key": pick(w, "dedicated", "gpu", "node.kubernetes.io/unreachable", "node.kubernetes.io/unschedulable"), "effect": pick(w, "NoSchedule", "PreferNoSchedule", "NoExecute", "PreferNoSchedule")}
		if w.chance(50) {
			taint["value"] = pick(w, "a", "b")
		}
		taints = append(taints, taint)
	}
	if taints != nil {
		spec["taints"] = taints
	}
	allocatable := m{"cpu": pick(w, "1", "2", "4", "4", "1500m", "3920m"), "memory": pick(w, "1Gi", "2Gi", "4Gi", "4Gi", "3500Mi", "3977892Ki"), "pods": pick(w, "2", "4", "110", "110", "110")}
	if w.chance(60) {
		allocatable["ephemeral-storage"] = pick(w, "10Gi", "20Gi")
	}
	if w.chance(35) {
		allocatable["nvidia.com/gpu"] = pick(w, "0", "1", "2", "4")
	}
	if w.chance(15) {
		allocatable["hugepages-2Mi"] = pick(w, "64Mi", "128Mi")
	}
	if w.chance(3) {
		delete(allocatable, pick(w, "cpu", "memory", "pods"))
	}
	status := m{"allocatable": allocatable}
	if w.chance(30) {
		var images []m
		for range w.between(1, 2) {
			images = append(images, m{"names": []string{pick(w, "web:1", "web:2", "registry.test/web:1", "web:latest")}, "sizeBytes": pick(w, 10_000_000, 300_000_000, 2_000_000_000)})
		}
		status["images"] = images
	}
	return m{"metadata": m{"name": name, "labels": labels}, "spec": spec, "status": status}
}

func (w *world) someLabels() m {
	labels := m{"app": pick(w, "a", "a", "b")}
	if w.chance(30) {
		labels["tier"] = pick(w, "x", "y")
	}
	return labels
}

func (w *world) selector() m {
	selector := m{}
	if w.chance(85) {
		selector["matchLabels"] = m{"app": pick(w, "a", "a", "b")}
	}
	if w.chance(20) {
		requirement := m{"key": "tier", "operator": pick(w, "In", "NotIn", "Exists", "DoesNotExist")}
		if operator := requirement["operator"]; operator == "In" || operator == "NotIn" {
			requirement["values"] = []string{pick(w, "x", "y")}
		}
		selector["matchExpressions"] = []m{requirement}
	}
	return selector
}

func (w *world) resources(ofPod bool) m {
	requests, limits := m{}, m{}
	list := func() m {
		if w.chance(80) {
			return requests
		}
		return limits
	}
	if w.chance(55) {
		list()["cpu"] = pick(w, "100m", "250m", "500m", "1", "2", "0", "0.1m")
	}
	if w.chance(50) {
		list()["memory"] = pick(w, "64Mi", "200Mi", "500Mi", "1Gi", "2Gi", "100M")
	}
	if w.chance(10) && !ofPod {
		list()["ephemeral-storage"] = pick(w, "1Gi", "8Gi", "15Gi")
	}
	if w.chance(10) && !ofPod {
		limits["nvidia.com/gpu"] = pick(w, "1", "2", "0")
	}
	if w.chance(4) {
		limits["hugepages-2Mi"] = pick(w, "32Mi", "64Mi")
	}
	resources := m{}
	if len(requests) > 0 {
		resources["requests"] = requests
	}
	if len(limits) > 0 {
		resources["limits"] = limits
	}
	return resources
}

func (w *world) container(name string, init bool) m {
	container := m{"name": name, "image": pick(w, "web:1", "web:2", "registry.test/web:1", "web", "registry.test:5000/web")}
	if resources := w.resources(false); len(resources) > 0 {
		container["resources"] = resources
	}
	if init && w.chance(50) {
		container["restartPolicy"] = "Always"
	}
	if w.chance(10) {
		port := m{"containerPort": 80}
		if w.chance(80) {
			port["hostPort"] = pick(w, 80, 80, 443)
		}
		if w.chance(30) {
			port["hostIP"] = pick(w, "10.0.0.1", "10.0.0.2", "0.0.0.0")
		}
		if w.chance(20) {
			port["protocol"] = pick(w, "UDP", "TCP")
		}
		container["ports"] = []m{port}
	}
	return container
}

// newPod makes a pod. The sort says what most pods of a world are about, so that they meet.
func (w *world) newPod(name string, sort int, withVolumes bool) m {
	likely := func(sorts ...int) bool {
		for _, likely := range sorts {
			if sort == likely {
				return w.chance(60)
			}
		}
		return w.chance(7)
	}
	namespace := "default"
	if w.chance(15) {
		namespace = pick(w, "other", "third")
	}
	spec := m{"containers": []m{w.container("c", false)}}
	if w.chance(20) {
		spec["containers"] = append(spec["containers"].([]m), w.container("d", false))
	}
	if w.chance(15) {
		spec["initContainers"] = []m{w.container("i", true), w.container("j", true)}
	}
	if w.chance(5) {
		spec["overhead"] = m{"cpu": "50m", "memory": "32Mi"}
	}
	if w.chance(6) {
		if resources := w.resources(true); len(resources) > 0 {
			spec["resources"] = resources
		}
	}
	if w.chance(3) {
		spec["hostNetwork"] = true
	}
	if likely(1) {
		var tolerations []m
		for range w.between(1, 2) {
			toleration := m{}
			if w.chance(85) {
				toleration["key"] = pick(w, "dedicated", "gpu", "node.kubernetes.io/unreachable", "node.kubernetes.io/unschedulable")
			}
			if w.chance(60) || toleration["key"] == nil {
				toleration["operator"] = "Exists"
			} else if w.chance(70) {
				toleration["value"] = pick(w, "a", "b")
			}
			if w.chance(60) {
				toleration["effect"] = pick(w, "NoSchedule", "PreferNoSchedule", "NoExecute")
			}
			tolerations = append(tolerations, toleration)
		}
		spec["tolerations"] = tolerations
	}
	if likely(2) && w.chance(50) {
		spec["nodeSelector"] = m{"disk": pick(w, "ssd", "hdd")}
	}
	affinity := m{}
	if likely(2, 2) {
		affinity["nodeAffinity"] = w.nodeAffinity()
	}
	if likely(3, 5) {
		affinity["podAntiAffinity"] = w.podAffinity()
	}
	if likely(4) {
		affinity["podAffinity"] = w.podAffinity()
	}
	if len(affinity) > 0 {
		spec["affinity"] = affinity
	}
	labels := w.someLabels()
	if w.chance(60) {
		labels["hash"] = pick(w, "1", "2")
	}
	if likely(6, 7) {
		var constraints []m
		for range w.between(1, 2) {
			constraints = append(constraints, w.constraint())
		}
		spec["topologySpreadConstraints"] = constraints
	}
	if likely(8) {
		spec["priority"] = pick(w, -5, 5, 10, 10, 100)
	}
	if w.chance(4) {
		spec["preemptionPolicy"] = "Never"
	}
	if w.chance(6) {
		spec["volumes"] = []m{{"name": "v", "gcePersistentDisk": m{"pdName": pick(w, "d", "e"), "readOnly": w.chance(50)}}}
	} else if w.chance(4) {
		spec["volumes"] = []m{{"name": "v", "awsElasticBlockStore": m{"volumeID": pick(w, "d", "e")}}}
	} else if w.chance(4) {
		spec["volumes"] = []m{{"name": "v", "rbd": m{"monitors": []string{pick(w, "a", "b"), "c"}, "pool": "p", "image": pick(w, "d", "e"), "readOnly": w.chance(50)}}}
	} else if w.chance(4) {
		spec["volumes"] = []m{{"name": "v", "iscsi": m{"targetPortal": "p", "lun": 0, "iqn": pick(w, "d", "e"), "readOnly": w.chance(50)}}}
	}
	if withVolumes && w.chance(60) {
		name := pick(w, "c0", "c1", "c2", "c3", "c4", "c5")
		spec["volumes"] = []m{{"name": "v", "persistentVolumeClaim": m{"claimName": name}}}
		if w.chance(5) {
			spec["volumes"] = []m{{"name": "v", "ephemeral": m{"volumeClaimTemplate": m{"spec": m{"accessModes": []string{"ReadWriteOnce"}, "resources": m{"requests": m{"storage": "1Gi"}}}}}}}
		}
	}
	metadata := m{"name": name, "namespace": namespace, "labels": labels}
	if w.chance(40) {
		metadata["ownerReferences"] = []m{{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": pick(w, "web", "none"), "uid": "1", "controller": true}}
	}
	return m{"metadata": metadata, "spec": spec}
}

func (w *world) nodeTerm() m {
	term := m{}
	var expressions []m
	for range w.between(0, 2) {
		switch w.between(0, 4) {
		case 0:
			expressions = append(expressions, m{"key": "disk", "operator": pick(w, "In", "NotIn"), "values": []string{pick(w, "ssd", "hdd")}})
		case 1:
			expressions = append(expressions, m{"key": "size", "operator": pick(w, "Gt", "Lt"), "values": []string{pick(w, "4", "5", "7")}})
		case 2:
			expressions = append(expressions, m{"key": pick(w, "disk", "size", zone), "operator": pick(w, "Exists", "DoesNotExist")})
		case 3:
			expressions = append(expressions, m{"key": zone, "operator": pick(w, "In", "NotIn"), "values": []string{"z1", pick(w, "z2", "z3")}})
		case 4:
			expressions = append(expressions, m{"key": hostname, "operator": "In", "values": []string{pick(w, "n0", "n1", "n2")}})
		}
	}
	if expressions != nil {
		term["matchExpressions"] = expressions
	}
	if w.chance(15) {
		term["matchFields"] = []m{{"key": "metadata.name", "operator": pick(w, "In", "In", "NotIn"), "values": []string{pick(w, "n0", "n1", "n9")}}}
		if w.chance(15) {
			term["matchFields"] = append(term["matchFields"].([]m), m{"key": "metadata.name", "operator": "In", "values": []string{pick(w, "n0", "n1")}})
		}
	}
	return term
}

func (w *world) nodeAffinity() m {
	affinity := m{}
	if w.chance(60) {
		var terms []m
		for range w.between(1, 2) {
			terms = append(terms, w.nodeTerm())
		}
		affinity["requiredDuringSchedulingIgnoredDuringExecution"] = m{"nodeSelectorTerms": terms}
	}
	if w.chance(50) {
		var terms []m
		for range w.between(1, 2) {
			terms = append(terms, m{"weight": w.between(1, 100), "preference": w.nodeTerm()})
		}
		affinity["preferredDuringSchedulingIgnoredDuringExecution"] = terms
	}
	return affinity
}

func (w *world) podTerm() m {
	term := m{"topologyKey": pick(w, hostname, hostname, zone, zone, region)}
	if w.chance(95) {
		term["labelSelector"] = w.selector()
	}
	if w.chance(15) {
		term["namespaces"] = []string{pick(w, "default", "other", "third")}
	}
	if w.chance(15) {
		term["namespaceSelector"] = m{}
		if w.chance(70) {
			term["namespaceSelector"] = pick(w, m{"matchLabels": m{"team": "a"}}, m{"matchExpressions": []m{{"key": "team", "operator": "NotIn", "values": []string{"b"}}}})
		}
	}
	return term
}

func (w *world) podAffinity() m {
	affinity := m{}
	if w.chance(60) {
		var terms []m
		for range pick(w, 1, 1, 1, 2) {
			terms = append(terms, w.podTerm())
		}
		affinity["requiredDuringSchedulingIgnoredDuringExecution"] = terms
	}
	if w.chance(50) {
		var terms []m
		for range pick(w, 1, 1, 1, 2) {
			terms = append(terms, m{"weight": w.between(1, 100), "podAffinityTerm": w.podTerm()})
		}
		affinity["preferredDuringSchedulingIgnoredDuringExecution"] = terms
	}
	return affinity
}

func (w *world) constraint() m {
	constraint := m{"maxSkew": pick(w, 1, 1, 1, 2, 3), "topologyKey": pick(w, hostname, zone, zone, region), "whenUnsatisfiable": pick(w, "DoNotSchedule", "ScheduleAnyway")}
	if w.chance(95) {
		constraint["labelSelector"] = w.selector()
		if w.chance(20) {
			constraint["matchLabelKeys"] = []string{pick(w, "hash", "app", "absent")}
		}
	}
	if constraint["whenUnsatisfiable"] == "DoNotSchedule" && w.chance(20) {
		constraint["minDomains"] = w.between(1, 4)
	}
	if w.chance(20) {
		constraint["nodeAffinityPolicy"] = pick(w, "Honor", "Ignore")
	}
	if w.chance(20) {
		constraint["nodeTaintsPolicy"] = pick(w, "Honor", "Ignore")
	}
	return constraint
}

// storage makes claims: bound to a volume in a zone, on a node or anywhere, for one pod, not bound, lost.
func (w *world) storage() {
	w.classes = append(w.classes,
		m{"metadata": m{"name": "waits"}, "provisioner": "csi.test", "volumeBindingMode": "WaitForFirstConsumer"},
		m{"metadata": m{"name": "somewhere"}, "provisioner": "csi.test", "volumeBindingMode": "WaitForFirstConsumer", "allowedTopologies": []m{{"matchLabelExpressions": []m{{"key": zone, "values": []string{"z1", pick(w, "z2", "z3")}}}}}},
		m{"metadata": m{"name": "by-hand"}, "provisioner": "kubernetes.io/no-provisioner", "volumeBindingMode": "WaitForFirstConsumer"},
		m{"metadata": m{"name": "at-once"}, "provisioner": "csi.test", "volumeBindingMode": "Immediate"})
	for i := range 5 {
		name := fmt.Sprint("c", i)
		for _, namespace := range []string{"default", "other"} {
			if namespace == "other" && w.chance(70) {
				continue
			}
			mode := pick(w, "ReadWriteOnce", "ReadWriteOncePod", "ReadWriteMany")
			spec := m{"accessModes": []string{mode}, "resources": m{"requests": m{"storage": "1Gi"}}}
			metadata := m{"name": name, "namespace": namespace}
			claim := m{"metadata": metadata, "spec": spec}
			if w.chance(70) {
				volume := namespace + "-" + name
				spec["storageClassName"], spec["volumeName"] = "waits", volume
				metadata["annotations"] = m{"pv.kubernetes.io/bind-completed": "yes"}
				claim["status"] = m{"phase": "Bound"}
				labels, volumeSpec := m{}, m{"capacity": m{"storage": "1Gi"}, "accessModes": []string{mode}, "storageClassName": "waits", "csi": m{"driver": "csi.test", "volumeHandle": volume}}
				if w.chance(30) {
					labels[zone] = pick(w, "z1", "z2", "z1__z3")
				}
				if w.chance(5) {
					labels["failure-domain.beta.kubernetes.io/zone"] = pick(w, "z1", "z2")
				}
				if w.chance(40) {
					volumeSpec["nodeAffinity"] = m{"required": m{"nodeSelectorTerms": []m{{"matchExpressions": []m{pick(w, m{"key": zone, "operator": "In", "values": []string{pick(w, "z1", "z2")}}, m{"key": hostname, "operator": "In", "values": []string{pick(w, "n0", "n1")}})}}}}}
				}
				volumeSpec["claimRef"] = m{"namespace": namespace, "name": name}
				if w.chance(95) {
					w.volumes = append(w.volumes, m{"metadata": m{"name": volume, "labels": labels}, "spec": volumeSpec})
				}
				if w.chance(4) {
					claim["status"] = m{"phase": "Lost"}
				}
			} else {
				spec["storageClassName"] = pick(w, "waits", "somewhere", "by-hand", "at-once")
			}
			w.claims = append(w.claims, claim)
		}
	}
}

// input lists the world's objects.
func (w *world) input() map[string]any {
	input := map[string]any{"pod": w.pod}
	for name, objects := range map[string][]m{
		"nodes": w.nodes, "pods": w.pods, "namespaces": w.namespaces, "services": w.services, "replicaSets": w.replicaSets,
		"podDisruptionBudgets": w.budgets, "persistentVolumeClaims": w.claims, "persistentVolumes": w.volumes, "storageClasses": w.classes,
	} {
		if len(objects) > 0 {
			input[name] = objects
		}
	}
	return input
}
