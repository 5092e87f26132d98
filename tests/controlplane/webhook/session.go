// Package webhook registers the policy as a webhook for every write, or policies as Kubewarden's controller does, plays what users
// do with kubectl, and records what they see.
package webhook

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"changeover.dev/controlplane/nodes"
	"changeover.dev/controlplane/scenario"
)

// Session is a list of user actions while a webhook has these settings.
type Session struct {
	// Name is unique, and is also the name of the namespace.
	Name string `json:"name"`
	// About is a sentence about what it shows.
	About string `json:"about"`
	// Preset is a manifest of policy/examples, without its extension.
	Preset string `json:"preset,omitempty"`
	// Settings replace those of a preset.
	Settings map[string]any `json:"settings,omitempty"`
	// Policies are in policy-server, each with a webhook of its own, instead of a preset or settings.
	Policies []Manifest `json:"policies,omitempty"`
	// Steps run after the steps that all sessions have in common.
	Steps []Step `json:"steps,omitempty"`
}

// Step is a kubectl command, or something else that happens.
type Step struct {
	// Note describes the step in a few words.
	Note string `json:"note,omitempty"`
	// As is the user; the administrator if empty.
	As string `json:"as,omitempty"`
	// Kubectl has the arguments of kubectl, separated by spaces or as a list.
	Kubectl scenario.Arguments `json:"kubectl,omitempty"`
	// Meanwhile are steps that run until kubectl ends, and must end before it.
	Meanwhile []Step `json:"meanwhile,omitempty"`
	// Audit is a policy that the audit scanner asks about each object of the list that kubectl prints.
	Audit string `json:"audit,omitempty"`
	// Log is a policy in monitor mode. The step shows what policy-server has logged about it.
	Log string `json:"log,omitempty"`
	// Cluster lets the API server hang for the policies, or answer again.
	Cluster string `json:"cluster,omitempty"`
	// Input is an object for its standard input.
	Input map[string]any `json:"input,omitempty"`
	// Keep names the output, so that later steps can use it.
	Keep string `json:"keep,omitempty"`
	// Quiet marks a step that only prepares the next one. It must succeed and is not in the transcript; nor is a step with
	// Keep.
	Quiet bool `json:"quiet,omitempty"`
}

// Script is everything that is played.
type Script struct {
	// Kubelet sets how pods behave.
	Kubelet []nodes.Timing `json:"kubelet,omitempty"`
	// Users have the permissions of the ClusterRole admin in a session's namespace.
	Users []string `json:"users"`
	// Common are the steps of every session.
	Common   []Step    `json:"common"`
	Sessions []Session `json:"sessions"`
}

// namespace stands for the session's namespace in commands and objects.
const namespace = "NAMESPACE"

// administrator is the user of steps without another one.
const administrator = "admin"

// Read reads a script with all its sessions, or those with the given names.
func Read(file string, names []string) (*Script, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var script Script
	if err := yaml.UnmarshalStrict(text, &script); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, name := range names {
		if !slices.ContainsFunc(script.Sessions, func(s Session) bool { return s.Name == name }) {
			return nil, fmt.Errorf("session %q: not found in %s", name, file)
		}
	}
	if len(names) > 0 {
		script.Sessions = slices.DeleteFunc(script.Sessions, func(s Session) bool { return !slices.Contains(names, s.Name) })
	}
	return &script, nil
}

// steps returns all steps of a session.
func (s *Script) steps(session Session) ([]Step, error) {
	text, err := json.Marshal(slices.Concat(s.Common, session.Steps))
	if err != nil {
		return nil, err
	}
	var steps []Step
	err = json.Unmarshal([]byte(strings.ReplaceAll(string(text), namespace, session.Name)), &steps)
	return steps, err
}

// Policy is what an administrator configures: a manifest of policy/examples.
type Policy struct {
	// Name is the manifest's.
	Name     string
	Settings map[string]any
	Rules    []any
	// Others are the manifest's other objects.
	Others []map[string]any
	spec   map[string]any
}

// Policy reads a session's preset. Without one, the rules are those of the policy's metadata.
func (s Session) Policy(folder string) (*Policy, error) {
	if s.Preset == "" {
		var metadata struct {
			Rules []any `json:"rules"`
		}
		text, err := os.ReadFile(filepath.Join(folder, "metadata.yml"))
		if err != nil {
			return nil, err
		}
		if err := yaml.Unmarshal(text, &metadata); err != nil {
			return nil, err
		}
		return &Policy{Settings: s.Settings, Rules: metadata.Rules}, nil
	}
	file := filepath.Join(folder, "examples", s.Preset+".yml")
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var policy *Policy
	var others []map[string]any
	for _, document := range strings.Split(string(text), "\n---\n") {
		var object struct {
			Kind     string `json:"kind"`
			Metadata struct {
				Name string `json:"name"`
			} `json:"metadata"`
			Spec struct {
				Rules    []any          `json:"rules"`
				Settings map[string]any `json:"settings"`
			} `json:"spec"`
		}
		var other map[string]any
		for _, into := range []any{&object, &other} {
			if err := yaml.Unmarshal([]byte(document), into); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
		}
		if object.Kind == "ClusterAdmissionPolicy" {
			spec, _ := other["spec"].(map[string]any)
			policy = &Policy{Name: object.Metadata.Name, Settings: object.Spec.Settings, Rules: object.Spec.Rules, spec: spec}
		} else {
			others = append(others, other)
		}
	}
	if policy == nil {
		return nil, fmt.Errorf("%s: there is no ClusterAdmissionPolicy", file)
	}
	policy.Others = others
	return policy, nil
}
