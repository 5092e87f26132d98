package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	batch "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"changeover.dev/controlplane/plane"
	"changeover.dev/controlplane/programs"
)

// shardSettings are the flags of the shards command.
type shardSettings struct {
	changeover string
	manifest   string
}

func (s *shardSettings) flags(flags *flag.FlagSet, target string) {
	flags.StringVar(&s.changeover, "changeover", filepath.Join(filepath.Dir(target), "release", "changeover"), "this project's command")
	flags.StringVar(&s.manifest, "manifest", filepath.Join("..", "..", "docs", "fleet-job.yaml"), "the manifest of the Job")
}

// predictFleet lets the Job controller create the pods of the documented Job, runs the command of each as a process with the pod's
// index, and compares the merged results with the prediction of the whole fleet.
func predictFleet(ctx context.Context, s settings, built *programs.Programs) error {
	command, err := filepath.Abs(s.shards.changeover)
	if err != nil {
		return err
	}
	manifest, err := os.ReadFile(s.shards.manifest)
	if err != nil {
		return err
	}
	fleet, err := filepath.Abs(filepath.Join(s.run, "shards", "fleet"))
	if err != nil {
		return err
	}
	running, err := plane.Start(ctx, plane.Options{Programs: built, Folder: filepath.Join(s.run, "shards"), Port: s.port, Gates: s.gates})
	if err != nil {
		return err
	}
	defer running.Stop()
	config, err := running.Client()
	if err != nil {
		return err
	}
	if err := writeFleet(fleet); err != nil {
		return err
	}
	const namespace = "fleet"
	// No nodes: the pods run as processes.
	l := &lane{cluster: &cluster{plane: running, config: config, stop: running.Stop}, settings: s, version: built.Version}
	if _, err := l.kubectl(ctx, "", nil, "create", "namespace", namespace); err != nil {
		return err
	}
	if err := l.waitForAccount(ctx, namespace); err != nil {
		return err
	}
	if _, err := l.kubectl(ctx, namespace, manifest, "create", "-f", "-"); err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	kubelet := &processKubelet{client: client, volume: fleet, path: filepath.Dir(command), seen: map[string]bool{}}
	if err := kubelet.runJob(ctx, namespace, "predict-fleet"); err != nil {
		return err
	}
	merged, err := report(ctx, command, "merge", filepath.Join(fleet, "results"))
	if err != nil {
		return err
	}
	whole, err := report(ctx, command, "predict", filepath.Join(fleet, "old"), filepath.Join(fleet, "new"), "--mode", "exact", "-o", "json")
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(withoutOrder(merged), withoutOrder(whole)) {
		return errors.New("the merged results differ from the prediction of the whole fleet")
	}
	log.Printf("%d pods: the merged results are the prediction of the whole fleet", len(kubelet.seen))
	return nil
}

// writeFleet writes two versions of a fleet: some namespaces have a quota, and not all of it fits.
func writeFleet(folder string) error {
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	for _, name := range []string{"old", "new", "results"} {
		if err := os.MkdirAll(filepath.Join(folder, name), 0o755); err != nil {
			return err
		}
	}
	for version, name := range []string{"old", "new"} {
		var text strings.Builder
		for number := range 60 {
			namespace := fmt.Sprintf("team-%d", number%12)
			fmt.Fprintf(&text, `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: app-%d, namespace: %s}
spec:
  replicas: %d
  selector: {matchLabels: {app: app-%d}}
  template:
    metadata: {labels: {app: app-%d}}
    spec:
      containers:
        - {name: app, image: "app:%d", resources: {requests: {cpu: 250m}}}
`, number, namespace, number%5+1, number, number, version+1)
		}
		for team := range 6 {
			fmt.Fprintf(&text, "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: team, namespace: team-%d}\nspec: {hard: {pods: %d}}\n", team, 20+5*team)
		}
		if err := os.WriteFile(filepath.Join(folder, name, "fleet.yaml"), []byte(text.String()), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// processKubelet runs the containers of pods as processes of this machine.
type processKubelet struct {
	client kubernetes.Interface
	// volume is the folder that the pods' volume mounts stand for.
	volume string
	// path is the folder of the command.
	path string
	seen map[string]bool
}

// runJob runs each pod of a Job once, until the Job is complete.
func (k *processKubelet) runJob(ctx context.Context, namespace, name string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		pods, err := k.client.CoreV1().Pods(namespace).List(ctx, meta.ListOptions{LabelSelector: "batch.kubernetes.io/job-name=" + name})
		if err != nil {
			return err
		}
		for _, pod := range pods.Items {
			if k.seen[pod.Name] {
				continue
			}
			k.seen[pod.Name] = true
			if err := k.runPod(ctx, &pod); err != nil {
				return fmt.Errorf("%s: %w", pod.Name, err)
			}
		}
		job, err := k.client.BatchV1().Jobs(namespace).Get(ctx, name, meta.GetOptions{})
		if err != nil {
			return err
		}
		for _, condition := range job.Status.Conditions {
			switch {
			case condition.Status != v1.ConditionTrue:
			case condition.Type == batch.JobComplete:
				return nil
			case condition.Type == batch.JobFailed:
				return fmt.Errorf("the Job failed: %s", condition.Message)
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// runPod runs the command of a pod's only container, and reports how it ended.
func (k *processKubelet) runPod(ctx context.Context, pod *v1.Pod) error {
	container := pod.Spec.Containers[0]
	environment := append(os.Environ(), "PATH="+k.path+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, variable := range container.Env {
		value := variable.Value
		if variable.ValueFrom != nil && variable.ValueFrom.FieldRef != nil {
			value = fieldOf(pod, variable.ValueFrom.FieldRef.FieldPath)
		}
		environment = append(environment, variable.Name+"="+value)
	}
	words := append([]string{}, container.Command...)
	for _, mount := range container.VolumeMounts {
		for index := range words {
			words[index] = strings.ReplaceAll(words[index], mount.MountPath+"/", k.volume+"/")
		}
	}
	process := exec.CommandContext(ctx, words[0], words[1:]...)
	process.Env = environment
	output, err := process.CombinedOutput()
	if err != nil {
		log.Printf("%s: %v: %s", pod.Name, err, bytes.TrimSpace(output))
	}
	if process.ProcessState == nil {
		return err
	}
	code := int32(process.ProcessState.ExitCode())
	phase := v1.PodSucceeded
	if code != 0 {
		phase = v1.PodFailed
	}
	now := meta.Now()
	pod.Status.Phase = phase
	pod.Status.ContainerStatuses = []v1.ContainerStatus{{
		Name: container.Name, Image: container.Image,
		State: v1.ContainerState{Terminated: &v1.ContainerStateTerminated{ExitCode: code, StartedAt: now, FinishedAt: now}},
	}}
	_, err = k.client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, pod, meta.UpdateOptions{})
	return err
}

// withoutOrder leaves out whether one rollout after another would fit: between those of a shard, the whole fleet has others.
func withoutOrder(report map[string]any) map[string]any {
	verdicts := []any{report["verdict"]}
	if prediction, ok := report["prediction"].(map[string]any); ok {
		verdicts = append(verdicts, prediction["verdict"])
	}
	for _, verdict := range verdicts {
		if verdict, ok := verdict.(map[string]any); ok {
			defaults, _ := verdict["defaults"].([]any)
			verdict["defaults"] = slices.DeleteFunc(defaults, func(name any) bool { return name == "concurrent" })
		}
	}
	return report
}

// fieldOf returns the label or the annotation that a variable of a pod refers to. Releases differ in which of them has the index.
func fieldOf(pod *v1.Pod, path string) string {
	path = strings.TrimSuffix(path, "']")
	if key, isLabel := strings.CutPrefix(path, "metadata.labels['"); isLabel {
		return pod.Labels[key]
	}
	return pod.Annotations[strings.TrimPrefix(path, "metadata.annotations['")]
}

// report runs the command and reads what it prints. Findings are no failure.
func report(ctx context.Context, command string, arguments ...string) (map[string]any, error) {
	process := exec.CommandContext(ctx, command, arguments...)
	var failure bytes.Buffer
	process.Stderr = &failure
	output, err := process.Output()
	if err != nil && (process.ProcessState == nil || process.ProcessState.ExitCode() != 1) {
		return nil, fmt.Errorf("changeover %s: %w: %s", strings.Join(arguments, " "), err, failure.String())
	}
	var read map[string]any
	if err := json.Unmarshal(output, &read); err != nil {
		return nil, err
	}
	return read, nil
}
