// Package scenario reads the scenarios for a control plane: YAML files with a list of scenarios each.
package scenario

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"changeover.dev/controlplane/nodes"
)

// Scenario is the initial objects and the steps that follow.
type Scenario struct {
	// Name is unique among all files.
	Name string `json:"name"`
	// About is a sentence about what it shows.
	About string `json:"about"`
	// Web, DB and Agent are merged into the spec of the Deployment web, the StatefulSet db and the DaemonSet agent. Without one,
	// there is no such object.
	Web   map[string]any `json:"web"`
	DB    map[string]any `json:"db"`
	Agent map[string]any `json:"agent"`
	// Objects are created before these.
	Objects []map[string]any `json:"objects,omitempty"`
	// Kubelet sets how pods behave.
	Kubelet []nodes.Timing `json:"kubelet,omitempty"`
	// Nodes are nodes for this scenario only. NAMESPACE in names and commands stands for the run's namespace.
	Nodes []nodes.Node `json:"nodes,omitempty"`
	// Scheduler asks for kube-scheduler, which uses only the scenario's own nodes.
	Scheduler bool `json:"scheduler,omitempty"`
	// Quiet is how long there must be no writes before the recording ends.
	Quiet nodes.Span `json:"quiet"`
	// Steps run one after the other.
	Steps []Step `json:"steps"`
}

// Step is one action, after a delay.
type Step struct {
	After nodes.Span `json:"after"`
	// Kubectl has the arguments of kubectl, separated by spaces or as a list.
	Kubectl Arguments `json:"kubectl,omitempty"`
	// Input is an object for its standard input.
	Input map[string]any `json:"input,omitempty"`
	// Lose and Return name a node whose kubelet stops or starts again.
	Lose   string `json:"lose,omitempty"`
	Return string `json:"return,omitempty"`
	// Join adds a node.
	Join *nodes.Node `json:"join,omitempty"`
	// State names the live state that is saved at this moment.
	State string `json:"state,omitempty"`
	// Cause names the live state with everything that may explain it, which is saved at this moment.
	Cause string `json:"cause,omitempty"`
}

// Noted returns what a recording says about the step: the arguments of kubectl, or what happens to a node. A state that is
// saved changes nothing, so it is not noted.
func (s Step) Noted() []string {
	switch {
	case s.Lose != "":
		return []string{"lose", s.Lose}
	case s.Return != "":
		return []string{"return", s.Return}
	case s.Join != nil:
		return []string{"join", s.Join.Name}
	}
	return s.Kubectl
}

// Arguments of a command.
type Arguments []string

// UnmarshalJSON reads a string or a list.
func (a *Arguments) UnmarshalJSON(text []byte) error {
	var line string
	if err := json.Unmarshal(text, &line); err == nil {
		*a = strings.Fields(line)
		return nil
	}
	return json.Unmarshal(text, (*[]string)(a))
}

const (
	// defaultQuiet is longer than any default time of a pod.
	defaultQuiet = 3 * time.Second
	namespace    = "NAMESPACE"
)

// workload is the workload of most scenarios: a Deployment, for example.
const workload = `
apiVersion: apps/v1
kind: KIND
metadata: {name: NAME, labels: {app: NAME}}
spec:
  selector: {matchLabels: {app: NAME}}
  template:
    metadata: {labels: {app: NAME}}
    spec:
      terminationGracePeriodSeconds: 4
      containers: [{name: NAME, image: "NAME:1"}]
`

// Read reads all scenarios of a folder, or those with the given names.
func Read(folder string, names []string) ([]Scenario, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return nil, err
	}
	var all []Scenario
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var scenarios []Scenario
		if err := yaml.UnmarshalStrict(text, &scenarios); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, scenarios...)
	}
	seen := map[string]bool{}
	for index := range all {
		if seen[all[index].Name] {
			return nil, fmt.Errorf("scenario %q: there are two of that name", all[index].Name)
		}
		seen[all[index].Name] = true
		if all[index].Scheduler && len(all[index].Nodes) == 0 {
			return nil, fmt.Errorf("scenario %q: nodes: Required value: kube-scheduler uses only the scenario's own nodes", all[index].Name)
		}
		if all[index].Quiet.Duration == 0 {
			all[index].Quiet.Duration = defaultQuiet
		}
	}
	return named(all, folder, names)
}

// named returns all scenarios of a folder, or those with the given names.
func named(all []Scenario, folder string, names []string) ([]Scenario, error) {
	if len(names) == 0 {
		return all, nil
	}
	for _, name := range names {
		if !slices.ContainsFunc(all, func(s Scenario) bool { return s.Name == name }) {
			return nil, fmt.Errorf("scenario %q: not found in %s", name, folder)
		}
	}
	return slices.DeleteFunc(all, func(s Scenario) bool { return !slices.Contains(names, s.Name) }), nil
}

// In returns the scenario with the namespace of a run.
func (s Scenario) In(name string) (Scenario, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return s, err
	}
	var named Scenario
	err = json.Unmarshal([]byte(strings.ReplaceAll(string(text), namespace, name)), &named)
	return named, err
}

// Created returns the objects that exist before the first step, as JSON documents for kubectl. It returns nil if there are none.
func (s Scenario) Created() ([]byte, error) {
	items := slices.Clone(s.Objects)
	for _, of := range []struct {
		kind, name string
		spec       map[string]any
	}{{"Deployment", "web", s.Web}, {"StatefulSet", "db", s.DB}, {"DaemonSet", "agent", s.Agent}} {
		if of.spec == nil {
			continue
		}
		var object map[string]any
		text := strings.NewReplacer("KIND", of.kind, "NAME", of.name).Replace(workload)
		if err := yaml.Unmarshal([]byte(text), &object); err != nil {
			return nil, err
		}
		object["spec"] = merged(object["spec"], of.spec)
		items = append(items, object)
	}
	if len(items) == 0 {
		return nil, nil
	}
	return json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
}

// merged applies a merge patch (RFC 7396).
func merged(before any, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	fields, _ := before.(map[string]any)
	result := map[string]any{}
	for key, value := range fields {
		result[key] = value
	}
	for key, change := range changes {
		if change == nil {
			delete(result, key)
		} else {
			result[key] = merged(result[key], change)
		}
	}
	return result
}
