package scenario

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	apps "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	documents "k8s.io/apimachinery/pkg/util/yaml"
)

// Charts returns a scenario for each folder CHART of a folder, or for those with the given names: the Deployments of
// CHART/old.yaml are applied, and then those of CHART/new.yaml. Both files are as `helm template` prints them. Of the other
// objects, only the service accounts that the pods need exist.
func Charts(folder string, names []string) ([]Scenario, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var all []Scenario
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		scenario, err := chart(filepath.Join(folder, entry.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, scenario)
	}
	return named(all, folder, names)
}

// chart returns the scenario of one chart.
func chart(folder string) (Scenario, error) {
	scenario := Scenario{Name: filepath.Base(folder), About: "The Deployments of one version of a chart, then those of another."}
	scenario.Quiet.Duration = defaultQuiet
	accounts := map[string]bool{"": true, "default": true}
	for _, name := range []string{"old.yaml", "new.yaml"} {
		file := filepath.Join(folder, name)
		deployments, err := deploymentsOf(file)
		if err != nil {
			return scenario, fmt.Errorf("%s: %w", file, err)
		}
		items := make([]any, 0, len(deployments))
		for _, deployment := range deployments {
			items = append(items, deployment.Object)
			account, err := accountOf(deployment)
			if err != nil {
				return scenario, fmt.Errorf("%s: %s: %w", file, deployment.GetName(), err)
			}
			if !accounts[account] {
				accounts[account] = true
				scenario.Objects = append(scenario.Objects, serviceAccount(account))
			}
		}
		scenario.Steps = append(scenario.Steps, Step{
			Kubectl: Arguments{"apply", "-f", "-"}, Input: map[string]any{"apiVersion": "v1", "kind": "List", "items": items},
		})
		for _, deployment := range deployments {
			scenario.Steps = append(scenario.Steps, Step{
				Kubectl: Arguments{"rollout", "status", "deployment/" + deployment.GetName(), "--timeout=120s"},
			})
		}
	}
	return scenario, nil
}

// deploymentsOf returns the Deployments of a file, without their namespace: each run has its own.
func deploymentsOf(file string) ([]unstructured.Unstructured, error) {
	content, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer content.Close()
	decoder := documents.NewYAMLOrJSONDecoder(bufio.NewReader(content), 4096)
	var deployments []unstructured.Unstructured
	for {
		var object unstructured.Unstructured
		switch err := decoder.Decode(&object.Object); {
		case errors.Is(err, io.EOF):
			return deployments, nil
		case err != nil:
			return nil, err
		}
		if object.GetKind() == "Deployment" {
			object.SetNamespace("")
			deployments = append(deployments, object)
		}
	}
}

func accountOf(object unstructured.Unstructured) (string, error) {
	var deployment apps.Deployment
	err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &deployment)
	return deployment.Spec.Template.Spec.ServiceAccountName, err
}

func serviceAccount(name string) map[string]any {
	return map[string]any{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": map[string]any{"name": name}}
}
