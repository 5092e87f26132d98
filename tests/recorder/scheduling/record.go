package scheduling

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/util"

	"changeover.dev/recorder/cases"
)

// VolumesEvery says that one of so many worlds has claims: these need a scheduler of their own.
const VolumesEvery = 12

// Run records what the scheduler says of a world. The scheduler is used for worlds without claims.
func Run(ctx context.Context, s *Scheduler, seed uint64, number int, emit func(cases.Case)) error {
	withVolumes := number%VolumesEvery == 0
	w := newWorld(seed, number, withVolumes)
	if withVolumes {
		own, cancel := context.WithCancel(ctx)
		defer cancel()
		var err error
		if s, err = New(own, volumeObjects(w)...); err != nil {
			return err
		}
	}
	s.load(w)
	defer s.unload()
	incoming := pod(w.pod)
	s.store(s.factory.Core().V1().Pods().Informer().GetIndexer(), incoming)
	kind := "plain"
	if withVolumes {
		kind = "volumes"
	}
	record := func(op string, input, expected map[string]any, hint string) {
		emit(cases.Case{Hint: hint, Name: kind, Op: op, Source: cases.Source, Input: cases.Value(input).(map[string]any), Expected: cases.Value(expected).(map[string]any)})
	}
	if number%4 == 0 {
		record("scheduler.requests", map[string]any{"pod": w.pod}, requests(incoming), "")
	}
	result, ok := s.ask(ctx, incoming)
	if !ok {
		return nil
	}
	record("scheduler.filter", w.input(), map[string]any{"preFilter": result.preFilter, "nodes": result.filter}, "")
	if len(result.scores) > 0 {
		record("scheduler.score", w.input(), map[string]any{"nodes": result.scores, "best": result.best}, hint(result.scores))
	}
	if message, plugins, victims, ok := s.schedule(ctx, incoming); ok && message != "" {
		record("scheduler.schedule", w.input(), map[string]any{"message": message, "plugins": plugins}, "")
		if len(victims) > 0 {
			record("scheduler.preempt", w.input(), map[string]any{"oneOf": victims}, "")
		}
	}
	return nil
}

// hint tells which plugins prefer some nodes to others, and for which scores.
func hint(scores m) string {
	values := map[string]map[string]bool{}
	for _, of := range scores {
		for plugin, score := range of.(m) {
			if values[plugin] == nil {
				values[plugin] = map[string]bool{}
			}
			values[plugin][fmt.Sprint(score)] = true
		}
	}
	var parts []string
	for _, plugin := range slices.Sorted(maps.Keys(values)) {
		parts = append(parts, fmt.Sprint(plugin, len(values[plugin])))
	}
	return strings.Join(parts, " ")
}

// requests are a pod's requests as they are counted on a node, and while it looks for one.
func requests(pod *corev1.Pod) map[string]any {
	info, err := framework.NewPodInfo(pod)
	if err != nil {
		panic(err)
	}
	counted := info.CalculateResource()
	amounts := m{"cpu": counted.Resource.GetMilliCPU(), "memory": counted.Resource.GetMemory(), "ephemeral-storage": counted.Resource.GetEphemeralStorage()}
	for name, amount := range counted.Resource.GetScalarResources() {
		amounts[string(name)] = amount
	}
	var ports []any
	for _, port := range util.GetHostPorts(pod) {
		ports = append(ports, fmt.Sprintf("%s %s:%d", port.Protocol, cmp.Or(port.HostIP, fwk.DefaultBindAllHostIP), port.HostPort))
	}
	return map[string]any{"requests": amounts, "nonZero": m{"cpu": counted.Non0CPU, "memory": counted.Non0Mem}, "ports": ports}
}
