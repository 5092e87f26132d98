package scenario

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"changeover.dev/controlplane/nodes"
)

func TestArgumentsAreALineOrAList(t *testing.T) {
	for text, expected := range map[string]Arguments{
		`"scale deployment/web  --replicas=3"`:            {"scale", "deployment/web", "--replicas=3"},
		`["annotate", "deployment/web", "why=two words"]`: {"annotate", "deployment/web", "why=two words"},
	} {
		var arguments Arguments
		if err := json.Unmarshal([]byte(text), &arguments); err != nil || !reflect.DeepEqual(arguments, expected) {
			t.Errorf("%s: %q, %v", text, arguments, err)
		}
	}
	var arguments Arguments
	if err := json.Unmarshal([]byte("3"), &arguments); err == nil {
		t.Errorf("3: %q", arguments)
	}
}

func TestARecordingNotesCommandsAndLostNodes(t *testing.T) {
	for _, test := range []struct {
		step     Step
		expected []string
	}{
		{Step{Kubectl: Arguments{"delete", "node", "a"}}, []string{"delete", "node", "a"}},
		{Step{Lose: "a"}, []string{"lose", "a"}},
		{Step{Return: "a"}, []string{"return", "a"}},
		{Step{Join: &nodes.Node{Name: "a"}}, []string{"join", "a"}},
		{Step{State: "stuck"}, nil},
	} {
		if noted := test.step.Noted(); !reflect.DeepEqual(noted, test.expected) {
			t.Errorf("%+v: %q", test.step, noted)
		}
	}
}

func TestNamespacesAreReplacedEverywhere(t *testing.T) {
	scenario := Scenario{
		Web:   map[string]any{"nodeName": "NAMESPACE-a"},
		Steps: []Step{{Lose: "NAMESPACE-a"}, {Kubectl: Arguments{"drain", "NAMESPACE-b"}}},
	}
	named, err := scenario.In("drain-2")
	if err != nil {
		t.Fatal(err)
	}
	if named.Web["nodeName"] != "drain-2-a" || named.Steps[0].Lose != "drain-2-a" || named.Steps[1].Kubectl[1] != "drain-2-b" {
		t.Errorf("%+v", named)
	}
	if scenario.Steps[0].Lose != "NAMESPACE-a" {
		t.Errorf("the scenario itself was changed: %+v", scenario)
	}
}

func TestAMergePatchSetsAndRemovesFields(t *testing.T) {
	before := map[string]any{"kept": 1.0, "removed": 2.0, "map": map[string]any{"a": 1.0, "b": 2.0}, "list": []any{1.0}}
	patch := map[string]any{"removed": nil, "map": map[string]any{"b": nil, "c": 3.0}, "list": []any{2.0}}
	expected := map[string]any{"kept": 1.0, "map": map[string]any{"a": 1.0, "c": 3.0}, "list": []any{2.0}}
	if result := merged(before, patch); !reflect.DeepEqual(result, expected) {
		t.Errorf("%v", result)
	}
	if before["removed"] != 2.0 {
		t.Errorf("the first map was changed: %v", before)
	}
}

func TestTheWorkloadsComeAfterTheObjects(t *testing.T) {
	quota := map[string]any{"kind": "ResourceQuota"}
	text, err := Scenario{Web: map[string]any{"replicas": 4.0}, DB: map[string]any{}, Agent: map[string]any{}, Objects: []map[string]any{quota}}.Created()
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Items []struct {
			Kind string
			Spec struct {
				Replicas int
				Selector struct{ MatchLabels map[string]string }
			}
		}
	}
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	for index, expected := range []string{"ResourceQuota", "Deployment web", "StatefulSet db", "DaemonSet agent"} {
		item := list.Items[index]
		if shown := strings.TrimSpace(item.Kind + " " + item.Spec.Selector.MatchLabels["app"]); shown != expected {
			t.Errorf("%d: %q", index, shown)
		}
	}
	if spec := list.Items[1].Spec; spec.Replicas != 4 {
		t.Errorf("%s", text)
	}
}

func TestAllScenariosCanBeRead(t *testing.T) {
	all, err := Read(filepath.Join("..", "scenarios"), nil)
	if err != nil || len(all) < 70 {
		t.Fatalf("%d scenarios: %v", len(all), err)
	}
	for _, scenario := range all {
		if scenario.About == "" || len(scenario.Web)+len(scenario.DB)+len(scenario.Agent)+len(scenario.Objects) == 0 && scenario.Agent == nil {
			t.Errorf("%s: has no sentence about it, or no objects", scenario.Name)
		}
		if scenario.Quiet.Duration <= 0 {
			t.Errorf("%s: is never quiet", scenario.Name)
		}
	}
}

func TestOnlyNamedScenariosAreRead(t *testing.T) {
	folder := t.TempDir()
	write := func(file, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a.yaml", "[{name: one, about: One.}, {name: two, about: Two., quiet: 5s}]")
	all, err := Read(folder, []string{"two"})
	if err != nil || len(all) != 1 || all[0].Name != "two" || all[0].Quiet.Duration != 5*time.Second {
		t.Errorf("%+v, %v", all, err)
	}
	if _, err := Read(folder, []string{"three"}); err == nil || !strings.Contains(err.Error(), `scenario "three": not found`) {
		t.Errorf("%v", err)
	}
	write("b.yaml", "[{name: one, about: Another one.}]")
	if _, err := Read(folder, nil); err == nil || !strings.Contains(err.Error(), `scenario "one": there are two of that name`) {
		t.Errorf("%v", err)
	}
	write("b.yaml", "[{name: four, about: Without nodes., scheduler: true}]")
	if _, err := Read(folder, nil); err == nil || !strings.Contains(err.Error(), `scenario "four": nodes: Required value`) {
		t.Errorf("%v", err)
	}
	write("b.yaml", "[{name: four, abuot: Misspelled.}]")
	if _, err := Read(folder, nil); err == nil || !strings.Contains(err.Error(), "b.yaml") {
		t.Errorf("%v", err)
	}
}

func TestAChartIsAppliedInTwoVersions(t *testing.T) {
	folder := t.TempDir()
	version := func(name, image string) {
		text := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n---\n# Source: web/deployment.yaml\napiVersion: apps/v1\nkind: Deployment\n" +
			"metadata: {name: web, namespace: shop, annotations: }\nspec:\n  template:\n    spec: {serviceAccountName: robot, containers: [{name: web, image: \"" + image + "\"}]}\n---\n"
		if err := os.MkdirAll(filepath.Join(folder, "web"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "web", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	version("old.yaml", "web:1")
	version("new.yaml", "web:2")
	scenarios, err := Charts(folder, nil)
	if err != nil || len(scenarios) != 1 {
		t.Fatalf("%+v, %v", scenarios, err)
	}
	chart := scenarios[0]
	if len(chart.Objects) != 1 || chart.Objects[0]["kind"] != "ServiceAccount" {
		t.Errorf("%v", chart.Objects)
	}
	var lines []string
	for _, step := range chart.Steps {
		lines = append(lines, strings.Join(step.Kubectl, " "))
	}
	status := "rollout status deployment/web --timeout=120s"
	if !reflect.DeepEqual(lines, []string{"apply -f -", status, "apply -f -", status}) {
		t.Errorf("%q", lines)
	}
	applied, err := json.Marshal(chart.Steps[2].Input)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(applied); !strings.Contains(text, "web:2") || strings.Contains(text, "ConfigMap") || strings.Contains(text, "shop") {
		t.Errorf("%s", text)
	}
	if _, err := Charts(folder, []string{"api"}); err == nil {
		t.Error("a chart that does not exist is found")
	}
}
