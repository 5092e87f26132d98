// Package programs builds the programs of a control plane from the module proxy.
package programs

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Programs are the paths of the built programs.
type Programs struct {
	Version           string
	Etcd              string
	APIServer         string
	ControllerManager string
	Scheduler         string
	Kubectl           string
}

// program is a main package and its name.
type program struct{ name, pack string }

var all = []program{
	{"etcd", "go.etcd.io/etcd/server/v3"},
	{"kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver"},
	{"kube-controller-manager", "k8s.io/kubernetes/cmd/kube-controller-manager"},
	{"kube-scheduler", "k8s.io/kubernetes/cmd/kube-scheduler"},
	{"kubectl", "k8s.io/kubernetes/cmd/kubectl"},
}

// Build builds the programs that are not in the folder yet, in a subfolder for the release in go.mod. It takes minutes
// the first time.
func Build(ctx context.Context, folder string, log io.Writer) (*Programs, error) {
	if _, err := exec.LookPath("go"); err != nil {
		return nil, fmt.Errorf("go is not on the PATH: Go builds the control plane")
	}
	version, err := release(ctx)
	if err != nil {
		return nil, err
	}
	bin := filepath.Join(folder, version)
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return nil, err
	}
	for _, program := range all {
		file := filepath.Join(bin, program.name)
		if _, err := os.Stat(file); err == nil {
			continue
		}
		fmt.Fprintf(log, "building %s %s\n", program.name, version)
		if err := build(ctx, program.pack, file, version, log); err != nil {
			return nil, fmt.Errorf("%s: %w", program.name, err)
		}
	}
	at := func(name string) string { return filepath.Join(bin, name) }
	return &Programs{
		Version: version, Etcd: at("etcd"), APIServer: at("kube-apiserver"), Kubectl: at("kubectl"),
		ControllerManager: at("kube-controller-manager"), Scheduler: at("kube-scheduler"),
	}, nil
}

// release returns the version of Kubernetes in go.mod.
func release(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Version}}", "k8s.io/kubernetes").Output()
	if err != nil {
		return "", fmt.Errorf("go list k8s.io/kubernetes: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// build writes the program to a temporary file first, so that an interrupted build leaves nothing behind.
func build(ctx context.Context, pack, file, version string, log io.Writer) error {
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(parts) != 3 {
		return fmt.Errorf("k8s.io/kubernetes: Invalid version: %q: must be like v1.37.2", version)
	}
	set := func(name, value string) string { return "-X k8s.io/component-base/version." + name + "=" + value }
	flags := strings.Join([]string{
		"-s -w", set("gitVersion", version), set("gitMajor", parts[0]), set("gitMinor", parts[1]), set("gitTreeState", "clean"),
	}, " ")
	unfinished := file + ".unfinished"
	command := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-trimpath", "-ldflags", flags, "-o", unfinished, pack)
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	command.Stdout, command.Stderr = log, log
	if err := command.Run(); err != nil {
		return err
	}
	return os.Rename(unfinished, file)
}
