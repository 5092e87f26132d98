package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"changeover.dev/controlplane/plane"
	"changeover.dev/controlplane/programs"
	"changeover.dev/controlplane/recording"
	"changeover.dev/controlplane/scenario"
)

// kindsOfState are the kinds of the objects in a live state.
const kindsOfState = "deployments,replicasets,jobs,resourcequotas,pods"

// kindsOfCause are those that may explain why a workload is stuck.
const kindsOfCause = "deployments,statefulsets,daemonsets,jobs,cronjobs,replicasets,controllerrevisions,pods," +
	"persistentvolumeclaims,resourcequotas,limitranges,poddisruptionbudgets,horizontalpodautoscalers,events"

// patience is how long the writes of a scenario may continue after its last step.
const patience = 3 * time.Minute

// play is one run of a scenario.
type play struct {
	scenario scenario.Scenario
	run      int
}

func (p play) name() string { return fmt.Sprintf("%s-%d", p.scenario.Name, p.run) }

// lane is a control plane that plays one scenario at a time, so that none waits for another's requests.
type lane struct {
	*cluster
	settings settings
	version  string
}

// playAll plays all scenarios in several lanes. A failed run does not stop the others.
func playAll(ctx context.Context, s settings, built *programs.Programs, plays []play, scheduler bool) error {
	todo := make(chan play, len(plays))
	for _, play := range plays {
		todo <- play
	}
	close(todo)
	var all sync.WaitGroup
	failures := make([]error, min(s.lanes, len(plays)))
	for number := range failures {
		all.Go(func() { failures[number] = playLane(ctx, s, built, number, todo, scheduler) })
	}
	all.Wait()
	return errors.Join(failures...)
}

func playLane(ctx context.Context, s settings, built *programs.Programs, number int, todo <-chan play, scheduler bool) error {
	running, err := start(ctx, plane.Options{
		Programs: built, Folder: filepath.Join(s.run, fmt.Sprint(number)), Port: s.port + number*plane.Ports,
		Scheduler: scheduler, Gates: s.gates,
	})
	if err != nil {
		return err
	}
	defer running.stop()
	l := &lane{cluster: running, settings: s, version: built.Version}
	var failures []error
	for play := range todo {
		if ctx.Err() != nil {
			break
		}
		begun := time.Now()
		if err := l.play(ctx, play); err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", play.name(), err))
			log.Printf("%s: %v", play.name(), err)
			continue
		}
		log.Printf("%s: %.0f s", play.name(), time.Since(begun).Seconds())
	}
	return errors.Join(failures...)
}

func (l *lane) play(ctx context.Context, p play) error {
	namespace := p.name()
	s, err := p.scenario.In(namespace)
	if err != nil {
		return err
	}
	if err := l.nodes.Play(ctx, namespace, namespace, s.Kubelet, s.Nodes); err != nil {
		return err
	}
	defer l.end(context.WithoutCancel(ctx), s.Scheduler, namespace)
	if _, err := l.kubectl(ctx, "", nil, "create", "namespace", namespace); err != nil {
		return err
	}
	if err := l.waitForAccount(ctx, namespace); err != nil {
		return err
	}
	recorder, err := recording.Start(ctx, l.config, l.plane.AuditLog(), namespace)
	if err != nil {
		return err
	}
	defer recorder.Stop()
	header := recording.Header{
		Scenario: s.Name, About: s.About, Run: p.run, Kubernetes: l.version, Gates: l.settings.gates,
	}
	note := func(arguments ...string) {
		header.Kubectl = append(header.Kubectl, recording.Command{At: recorder.Since(), Arguments: arguments})
	}
	objects, err := s.Created()
	if err != nil {
		return err
	}
	if objects != nil {
		note("create", "-f", "-")
		if _, err := l.kubectl(ctx, namespace, objects, "create", "-f", "-"); err != nil {
			return err
		}
	}
	for _, step := range s.Steps {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(step.After.Duration):
		}
		if arguments := step.Noted(); arguments != nil {
			note(arguments...)
		}
		if err := l.step(ctx, p, namespace, step); err != nil {
			return err
		}
	}
	if err := recorder.Quiet(ctx, s.Quiet.Duration, patience); err != nil {
		return err
	}
	recorder.Stop()
	return recorder.Write(filepath.Join(l.settings.out, p.name()+".jsonl.gz"), header)
}

// end removes the nodes of a run. If kube-scheduler would put pods that are left over on the next scenario's nodes, its
// namespace goes first.
func (l *lane) end(ctx context.Context, scheduler bool, namespace string) {
	if scheduler {
		if _, err := l.kubectl(ctx, "", nil, "delete", "namespace", namespace, "--timeout=90s"); err != nil {
			log.Printf("%s: %v", namespace, err)
		}
	}
	l.nodes.End(ctx, namespace)
}

func (l *lane) step(ctx context.Context, p play, namespace string, step scenario.Step) error {
	switch {
	case step.State != "":
		return l.state(ctx, p, namespace, kindsOfState, step.State)
	case step.Cause != "":
		return l.state(ctx, p, namespace, kindsOfCause, step.Cause)
	case step.Lose != "":
		return l.nodes.Lose(step.Lose)
	case step.Return != "":
		return l.nodes.Return(ctx, step.Return)
	case step.Join != nil:
		return l.nodes.Add(ctx, *step.Join, namespace)
	}
	var input []byte
	if step.Input != nil {
		text, err := json.Marshal(step.Input)
		if err != nil {
			return err
		}
		input = text
	}
	_, err := l.kubectl(ctx, namespace, input, step.Kubectl...)
	return err
}

// state saves what kubectl shows of these kinds now, in the first run.
func (l *lane) state(ctx context.Context, p play, namespace, kinds, name string) error {
	if p.run != 1 {
		return nil
	}
	text, err := l.kubectl(ctx, namespace, nil, "get", kinds, "-o", "yaml")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(l.settings.states, name+".yaml"), text, 0o644)
}

// waitForAccount waits until pods can be created in a new namespace.
func (l *lane) waitForAccount(ctx context.Context, namespace string) error {
	for {
		_, err := l.kubectl(ctx, namespace, nil, "get", "serviceaccount", "default")
		if err == nil || ctx.Err() != nil {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// kubectl runs kubectl and returns its output.
func (l *lane) kubectl(ctx context.Context, namespace string, input []byte, arguments ...string) ([]byte, error) {
	all := arguments
	if namespace != "" {
		all = slices.Concat([]string{"--namespace=" + namespace}, arguments)
	}
	command := exec.CommandContext(ctx, l.plane.Kubectl(), all...)
	command.Env = append(os.Environ(), "KUBECONFIG="+l.plane.Kubeconfig(), "KUBECACHEDIR="+filepath.Join(filepath.Dir(l.plane.Kubeconfig()), "cache"))
	command.Stdin = bytes.NewReader(input)
	var out, failure bytes.Buffer
	command.Stdout, command.Stderr = &out, &failure
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("kubectl %s: %w: %s", strings.Join(arguments, " "), err, strings.TrimSpace(failure.String()))
	}
	return out.Bytes(), nil
}
