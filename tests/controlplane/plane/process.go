package plane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// patience is how long a process may take to stop by itself.
const patience = 10 * time.Second

// process is a running program in its own process group, so that Ctrl-C in a terminal only reaches us: we stop the
// programs in our order.
type process struct {
	name    string
	log     string
	command *exec.Cmd
	ended   chan struct{}
}

// startProcess starts a program, whose log gets the given name.
func startProcess(folder, name string, environment []string, program string, arguments ...string) (*process, error) {
	log := filepath.Join(folder, name+".log")
	file, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	command := exec.Command(program, arguments...)
	command.Dir, command.Stdout, command.Stderr = folder, file, file
	command.Env = append(os.Environ(), environment...)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("%s: not found: build it first", program)
		}
		return nil, err
	}
	p := &process{name: name, log: log, command: command, ended: make(chan struct{})}
	go func() {
		_ = command.Wait() // the log says why
		close(p.ended)
	}()
	return p, nil
}

// stop asks the process group to stop, and kills it if it does not.
func (p *process) stop() {
	_ = syscall.Kill(-p.command.Process.Pid, syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(patience):
		_ = syscall.Kill(-p.command.Process.Pid, syscall.SIGKILL)
		<-p.ended
	}
}

// until waits until ready reports success, and fails if the process ends first.
func (p *process) until(ctx context.Context, ready func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-p.ended:
			return fmt.Errorf("%s ended before it was ready; the end of %s:\n%s", p.name, p.log, tail(p.log))
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready (%w); the end of %s:\n%s", p.name, err, p.log, tail(p.log))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// tail returns the last lines of a file.
func tail(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "\n")
}
