package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"changeover.dev/controlplane/plane"
	"changeover.dev/controlplane/programs"
	"changeover.dev/controlplane/webhook"
)

// webhookSettings are the flags of the webhook command.
type webhookSettings struct {
	script       string
	policyFolder string
	server       string
	policy       string
	policyServer string
	annotated    string
	out          string
	compare      string
	latency      bool
}

// flags defines the flags; the sessions are in this file by default.
func (s *webhookSettings) flags(flags *flag.FlagSet, target, script string) {
	built := filepath.Join(filepath.Dir(target), "changeover")
	flags.StringVar(&s.script, "script", filepath.Join("sessions", script), "the file of the sessions")
	flags.StringVar(&s.policyFolder, "policy-folder", filepath.Join("..", "..", "policy"), "the folder of the policy's examples and metadata")
	flags.StringVar(&s.server, "server", filepath.Join(filepath.Dir(target), "debug", "changeover-www"), "this project's server")
	flags.StringVar(&s.policy, "policy", filepath.Join(built, "policy.wasm"), "the policy")
	flags.StringVar(&s.policyServer, "policy-server", "", "Kubewarden's policy-server, to play the sessions with it as well")
	flags.StringVar(&s.annotated, "annotated-policy", filepath.Join(built, "annotated-policy.wasm"), "the policy for policy-server")
	flags.StringVar(&s.out, "out", filepath.Join(target, "transcripts"), "where the transcripts go")
	flags.StringVar(&s.compare, "compare", "", "a folder of transcripts that must be the same")
	flags.BoolVar(&s.latency, "latency", false, "print a table of what the webhook costs a request")
}

// read reads the sessions with these names, and prepares the folder of the transcripts. The programs that they need must exist.
func (s *webhookSettings) read(names []string, needed ...*string) (*webhook.Script, error) {
	for _, path := range needed {
		if *path == "" {
			continue
		}
		if _, err := os.Stat(*path); err != nil {
			return nil, fmt.Errorf("%s: not found: build it first", *path)
		}
		absolute, err := filepath.Abs(*path)
		if err != nil {
			return nil, err
		}
		*path = absolute
	}
	if err := os.MkdirAll(s.out, 0o755); err != nil {
		return nil, err
	}
	return webhook.Read(s.script, names)
}

// playPolicies plays sessions in which policy-server has policies as Kubewarden's controller configures them.
func playPolicies(ctx context.Context, s settings, built *programs.Programs, names []string) error {
	if s.sessions.policyServer == "" {
		return fmt.Errorf("-policy-server: Required value")
	}
	script, err := s.sessions.read(names, &s.sessions.policyServer, &s.sessions.annotated)
	if err != nil {
		return err
	}
	host := webhook.PolicyServer{Program: s.sessions.policyServer, Policy: s.sessions.annotated}
	return playWith(ctx, s, built, script, host, false, func(t *webhook.Transcript) error {
		if err := t.WriteText(s.sessions.out); err != nil || s.sessions.compare == "" {
			return err
		}
		return t.Compare(s.sessions.compare)
	})
}

// playSessions plays all sessions with each host of the policy. A failed session does not stop the others.
func playSessions(ctx context.Context, s settings, built *programs.Programs, names []string) error {
	script, err := s.sessions.read(names, &s.sessions.server, &s.sessions.policy, &s.sessions.policyServer, &s.sessions.annotated)
	if err != nil {
		return err
	}
	server := webhook.Server{Program: s.sessions.server, Policy: s.sessions.policy}
	failed := playWith(ctx, s, built, script, server, s.sessions.latency, func(t *webhook.Transcript) error {
		if err := t.Write(s.sessions.out); err != nil || s.sessions.compare == "" {
			return err
		}
		return t.Compare(s.sessions.compare)
	})
	if s.sessions.policyServer == "" || ctx.Err() != nil {
		return failed
	}
	log.Print("the same with policy-server")
	host := webhook.PolicyServer{Program: s.sessions.policyServer, Policy: s.sessions.annotated}
	return errors.Join(failed, playWith(ctx, s, built, script, host, false, func(t *webhook.Transcript) error { return t.Compare(s.sessions.out) }))
}

// playWith plays the sessions on a control plane of their own.
func playWith(
	ctx context.Context, s settings, built *programs.Programs, script *webhook.Script, host webhook.Host, timed bool,
	check func(*webhook.Transcript) error,
) error {
	running, err := start(ctx, plane.Options{Programs: built, Folder: filepath.Join(s.run, "webhook"), Port: s.port, Gates: s.gates})
	if err != nil {
		return err
	}
	defer running.stop()
	player := &webhook.Player{Plane: running.plane, Nodes: running.nodes, Host: host, Folder: s.sessions.policyFolder}
	var failures []error
	for _, session := range script.Sessions {
		if ctx.Err() != nil {
			break
		}
		begun := time.Now()
		transcript, err := player.Play(ctx, script, session)
		if err == nil {
			err = check(transcript)
		}
		if err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", session.Name, err))
			log.Printf("%s: %v", session.Name, err)
			continue
		}
		log.Printf("%s: %.0f s", session.Name, time.Since(begun).Seconds())
	}
	if timed && ctx.Err() == nil {
		table, err := player.Latency(ctx, running.config)
		fmt.Print(table)
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}
