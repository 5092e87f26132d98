package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"changeover.dev/controlplane/nodes"
	"changeover.dev/controlplane/plane"
)

// reader is the policy's user in the cluster: the service account of the PolicyServer in the preset that reads the cluster.
const reader = "system:serviceaccount:kubewarden:changeover-policy-server"

// Player plays sessions on a control plane.
type Player struct {
	Plane *plane.Plane
	Nodes *nodes.Nodes
	Host  Host
	// Folder contains the policy's metadata and examples.
	Folder string

	// kubeconfigs are the users' kubeconfigs.
	kubeconfigs map[string]string
}

// Play plays a session and returns its transcript. The webhook is removed at the end.
func (p *Player) Play(ctx context.Context, script *Script, session Session) (*Transcript, error) {
	steps, err := script.steps(session)
	if err != nil {
		return nil, err
	}
	own := []nodes.Node{{Name: session.Name + "-a"}, {Name: session.Name + "-b"}}
	if err := p.Nodes.Play(ctx, session.Name, session.Name, script.Kubelet, own); err != nil {
		return nil, err
	}
	defer p.Nodes.End(context.WithoutCancel(ctx), session.Name)
	if err := p.prepare(ctx, script, session); err != nil {
		return nil, err
	}
	if len(session.Policies) > 0 {
		return p.playPolicies(ctx, script, session, steps)
	}
	policy, err := session.Policy(p.Folder)
	if err != nil {
		return nil, err
	}
	if err := p.apply(ctx, policy.Others...); err != nil {
		return nil, err
	}
	witness, end, err := p.Register(ctx, session.Name, session.Name, policy, Witnessed)
	if err != nil {
		return nil, err
	}
	defer end()
	transcript := &Transcript{Session: session, Settings: policy.Settings, kept: map[string]string{}}
	for _, step := range steps {
		if err := p.step(ctx, witness, transcript, step); err != nil {
			return nil, err
		}
	}
	if failed := witness.Failed(); len(failed) > 0 {
		return nil, fmt.Errorf("%d reviews failed, the first one with %s", len(failed), failed[0])
	}
	return transcript, nil
}

// prepare creates the namespace and gives the users access to it.
func (p *Player) prepare(ctx context.Context, script *Script, session Session) error {
	var users []any
	for _, user := range script.Users {
		users = append(users, map[string]any{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": user})
	}
	err := p.apply(ctx,
		// The service accounts of presets that read the cluster are there.
		map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "kubewarden"}},
		map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": session.Name}},
		map[string]any{
			"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
			"metadata": map[string]any{"name": "users", "namespace": session.Name},
			"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "admin"},
			"subjects": users,
		})
	if err != nil {
		return err
	}
	return p.must(ctx, "wait", "--namespace="+session.Name, "--for=create", "--timeout=60s", "serviceaccount/default")
}

// Way is how the API server reaches the webhook.
type Way int

const (
	// Witnessed puts a witness in between.
	Witnessed Way = iota
	// Direct leaves it out.
	Direct
)

// Register starts the webhook and registers it with the API server for a namespace.
func (p *Player) Register(ctx context.Context, name, namespace string, policy *Policy, way Way) (*Witness, func(), error) {
	kubeconfig, err := p.kubeconfig(reader)
	if err != nil {
		return nil, nil, err
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, nil, err
	}
	witness := NewWitness(p.Plane.CertificateAuthority())
	address, err := witness.ServeCluster(config)
	if err != nil {
		return nil, nil, err
	}
	url, stop, err := p.Host.Start(ctx, p.Plane, policy.Settings, Cluster{Address: address, Kubeconfig: kubeconfig})
	if err != nil {
		witness.Stop()
		return nil, nil, err
	}
	end := func() {
		// Without a running webhook, the API server would refuse every write.
		_ = p.must(context.WithoutCancel(ctx), "delete", "mutatingwebhookconfiguration", name)
		stop()
		witness.Stop()
	}
	if way == Witnessed {
		url, err = witness.Serve(p.Plane, url)
	}
	if err == nil {
		err = p.apply(ctx, configuration(name, namespace, url, p.Plane.CertificateAuthority(), policy.Rules))
	}
	if err == nil {
		err = p.asked(ctx, domain(name), namespace, administrator)
	}
	if err != nil {
		end()
		return nil, nil, err
	}
	return witness, end, nil
}

// configuration registers a webhook for one namespace.
func configuration(name, namespace, url string, authority []byte, rules []any) map[string]any {
	return map[string]any{
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration",
		"metadata": map[string]any{"name": name},
		"webhooks": []any{map[string]any{
			"name":                    domain(name),
			"clientConfig":            map[string]any{"url": url, "caBundle": authority},
			"admissionReviewVersions": []string{"v1"}, "sideEffects": "None", "timeoutSeconds": 10,
			"namespaceSelector": map[string]any{"matchLabels": map[string]any{"kubernetes.io/metadata.name": namespace}},
			"rules":             rules,
		}},
	}
}

// domain returns a webhook's name.
func domain(name string) string { return name + ".changeover.example.com" }

// asked waits until the API server calls the webhook, which it learns about by a watch.
func (p *Player) asked(ctx context.Context, webhook, namespace, user string) error {
	config, err := p.Plane.Client()
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		_, asked, err := admission(ctx, client, webhook)
		if err == nil && asked == 0 {
			_, _, err = p.kubectl(ctx, namespace, user, []byte(probes), "create", "--dry-run=server", "-f", "-")
		}
		if err != nil {
			return fmt.Errorf("the API server does not ask the webhook: %w", err)
		}
		if asked > 0 {
			return nil
		}
	}
}

// probes are objects for a dry run; each preset has a rule for one of them.
const probes = `{"apiVersion": "v1", "kind": "List", "items": [
  {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "probe"}, "spec": {
    "selector": {"matchLabels": {"app": "probe"}},
    "template": {"metadata": {"labels": {"app": "probe"}}, "spec": {"containers": [{"name": "probe", "image": "probe"}]}}}},
  {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "probe"}, "spec": {
    "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "probe", "image": "probe"}]}}}}]}`

// step plays a step and adds it to the transcript.
func (p *Player) step(ctx context.Context, witness *Witness, transcript *Transcript, step Step) error {
	witness.Watch(step.user())
	played, err := p.command(ctx, transcript, step)
	if err != nil {
		return err
	}
	played.Reviews = witness.Seen()
	return transcript.add(step, played)
}

// user returns the user of a step.
func (s Step) user() string {
	if s.As == "" {
		return administrator
	}
	return s.As
}

// command runs the command of a step.
func (p *Player) command(ctx context.Context, transcript *Transcript, step Step) (PlayedStep, error) {
	replace := func(text string) string {
		for name, value := range transcript.kept {
			text = strings.ReplaceAll(text, name, value)
		}
		return text
	}
	played := PlayedStep{Note: step.Note, As: step.user(), Kubectl: make([]string, len(step.Kubectl))}
	var input []byte
	if step.Input != nil {
		text, err := json.Marshal(step.Input)
		if err != nil {
			return played, err
		}
		input = []byte(replace(string(text)))
	}
	for index, argument := range step.Kubectl {
		played.Kubectl[index] = replace(argument)
	}
	var err error
	played.Printed, played.Code, err = p.kubectl(ctx, transcript.Session.Name, played.As, input, played.Kubectl...)
	return played, err
}

// add adds a step, unless it only prepares others.
func (t *Transcript) add(step Step, played PlayedStep) error {
	switch {
	case played.Code != 0 && (step.Quiet || step.Keep != ""):
		return fmt.Errorf("kubectl %s: exit code %d: %s", strings.Join(played.Kubectl, " "), played.Code, played.Printed)
	case step.Keep != "":
		t.kept[step.Keep] = strings.TrimSpace(played.Printed)
	case !step.Quiet:
		t.Steps = append(t.Steps, played)
	}
	return nil
}

func (p *Player) apply(ctx context.Context, objects ...map[string]any) error {
	if len(objects) == 0 {
		return nil
	}
	text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": objects})
	if err != nil {
		return err
	}
	printed, code, err := p.kubectl(ctx, "", administrator, text, "apply", "-f", "-")
	if err == nil && code != 0 {
		err = fmt.Errorf("kubectl apply: %s", printed)
	}
	return err
}

func (p *Player) must(ctx context.Context, arguments ...string) error {
	printed, code, err := p.kubectl(ctx, "", administrator, nil, arguments...)
	if err == nil && code != 0 {
		err = fmt.Errorf("kubectl %s: %s", strings.Join(arguments, " "), printed)
	}
	return err
}

// kubeconfig returns the kubeconfig of a user.
func (p *Player) kubeconfig(user string) (string, error) {
	if user == administrator {
		return p.Plane.Kubeconfig(), nil
	}
	if file := p.kubeconfigs[user]; file != "" {
		return file, nil
	}
	file, err := p.Plane.User(user)
	if err == nil {
		if p.kubeconfigs == nil {
			p.kubeconfigs = map[string]string{}
		}
		p.kubeconfigs[user] = file
	}
	return file, err
}

// kubectl runs kubectl for a user and returns its output and exit code.
func (p *Player) kubectl(ctx context.Context, namespace, user string, input []byte, arguments ...string) (string, int, error) {
	kubeconfig, err := p.kubeconfig(user)
	if err != nil {
		return "", 0, err
	}
	command := exec.CommandContext(ctx, p.Plane.Kubectl(), arguments...)
	if namespace != "" {
		command.Args = append(command.Args, "--namespace="+namespace)
	}
	command.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig, "KUBECACHEDIR="+filepath.Join(p.Plane.Folder(), "cache"))
	command.Stdin = bytes.NewReader(input)
	// One writer for both outputs, in the order of a terminal.
	var printed bytes.Buffer
	command.Stdout, command.Stderr = &printed, &printed
	err = command.Run()
	var failed *exec.ExitError
	if errors.As(err, &failed) && ctx.Err() == nil {
		return printed.String(), failed.ExitCode(), nil
	}
	return printed.String(), 0, err
}
