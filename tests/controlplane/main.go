// Command controlplane runs a real control plane (etcd, kube-apiserver, kube-controller-manager and, if a scenario
// needs it, kube-scheduler) as plain processes on 127.0.0.1, plays scenarios with the real kubectl, and records what
// the controllers write.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"changeover.dev/controlplane/plane"
	"changeover.dev/controlplane/programs"
	"changeover.dev/controlplane/scenario"
)

const usage = `usage: go run . COMMAND [FLAG...]

  build    build the programs, which takes minutes the first time
  up       start a control plane, say how to reach it, and end it on Ctrl-C
  record   play scenarios and record them: record [FLAG...] [SCENARIO...]
  policy   play sessions of kubectl with policies in Kubewarden's policy-server: policy -policy-server FILE [FLAG...] [SESSION...]
  shards   let the Job controller create the pods that predict a fleet in parts, and run them: shards [FLAG...]
  webhook  play sessions of kubectl with the policy as a webhook: webhook [FLAG...] [SESSION...]

`

// settings are the flags.
type settings struct {
	cache     string
	run       string
	port      int
	gates     string
	scheduler bool
	scenarios string
	charts    string
	out       string
	states    string
	runs      int
	lanes     int
	sessions  webhookSettings
	shards    shardSettings
}

func main() {
	log.SetFlags(log.Ltime)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	err := command(ctx, os.Args[1:])
	interrupted := ctx.Err() != nil
	stop()
	switch {
	case interrupted:
		fmt.Fprintln(os.Stderr, "controlplane: interrupted; everything that was started has ended")
		os.Exit(130)
	case err != nil:
		fmt.Fprintln(os.Stderr, "controlplane:", err)
		os.Exit(1)
	}
}

func command(ctx context.Context, arguments []string) error {
	if len(arguments) == 0 {
		fmt.Print(usage)
		return nil
	}
	var s settings
	flags := flag.NewFlagSet(arguments[0], flag.ContinueOnError)
	target := filepath.Join("..", "..", "target", "controlplane")
	flags.StringVar(&s.cache, "cache", filepath.Join(target, "programs"), "where the built programs are kept")
	flags.StringVar(&s.run, "run", filepath.Join(target, "run"), "where state, logs and certificates go")
	flags.IntVar(&s.port, "port", 26440, "the first port; each control plane needs five")
	flags.StringVar(&s.gates, "gates", "", "feature gates, like A=true,B=false")
	switch arguments[0] {
	case "build":
	case "up":
		flags.BoolVar(&s.scheduler, "scheduler", false, "start kube-scheduler")
	case "record":
		flags.StringVar(&s.scenarios, "scenarios", "scenarios", "the folder of the scenarios")
		flags.StringVar(&s.charts, "charts", "", "a folder of rendered charts (CHART/old.yaml and CHART/new.yaml) to play instead")
		flags.StringVar(&s.out, "out", filepath.Join(target, "recordings"), "where the recordings go")
		flags.StringVar(&s.states, "states", filepath.Join(target, "states"), "where the live states go")
		flags.IntVar(&s.runs, "runs", 3, "how often each scenario is played")
		flags.IntVar(&s.lanes, "lanes", 2, "how many control planes run at once, each with one scenario at a time")
	case "shards":
		s.shards.flags(flags, target)
	case "policy":
		s.sessions.flags(flags, target, "policies.yaml")
	case "webhook":
		s.sessions.flags(flags, target, "sessions.yaml")
	default:
		return fmt.Errorf("there is no command %q\n\n%s", arguments[0], usage)
	}
	if err := flags.Parse(arguments[1:]); err != nil {
		return err
	}
	built, err := programs.Build(ctx, s.cache, os.Stdout)
	if err != nil {
		return err
	}
	for _, program := range []*string{&built.Etcd, &built.APIServer, &built.ControllerManager, &built.Scheduler, &built.Kubectl} {
		if *program, err = filepath.Abs(*program); err != nil {
			return err
		}
	}
	switch arguments[0] {
	case "up":
		return up(ctx, s, built)
	case "record":
		return record(ctx, s, built, flags.Args())
	case "shards":
		return predictFleet(ctx, s, built)
	case "policy":
		return playPolicies(ctx, s, built, flags.Args())
	case "webhook":
		return playSessions(ctx, s, built, flags.Args())
	}
	return nil
}

// up runs a control plane for manual use.
func up(ctx context.Context, s settings, built *programs.Programs) error {
	options := plane.Options{Programs: built, Folder: s.run, Port: s.port, Scheduler: s.scheduler, Gates: s.gates}
	running, err := start(ctx, options)
	if err != nil {
		return err
	}
	defer running.stop()
	fmt.Printf("KUBECONFIG=%s %s get nodes\n", running.plane.Kubeconfig(), running.plane.Kubectl())
	<-ctx.Done()
	return nil
}

// record plays the scenarios; those that need kube-scheduler come last.
func record(ctx context.Context, s settings, built *programs.Programs, names []string) error {
	read, folder := scenario.Read, s.scenarios
	if s.charts != "" {
		read, folder = scenario.Charts, s.charts
	}
	scenarios, err := read(folder, names)
	if err != nil {
		return err
	}
	for _, folder := range []string{s.out, s.states} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	// One lane with a busy port would leave all the work to the others.
	if err := plane.CheckPorts(s.port, s.lanes*plane.Ports); err != nil {
		return err
	}
	var failed error
	for _, scheduler := range []bool{false, true} {
		var plays []play
		for run := 1; run <= s.runs; run++ {
			for _, scenario := range scenarios {
				if scenario.Scheduler == scheduler {
					plays = append(plays, play{scenario, run})
				}
			}
		}
		failed = errors.Join(failed, playAll(ctx, s, built, plays, scheduler))
	}
	return failed
}
