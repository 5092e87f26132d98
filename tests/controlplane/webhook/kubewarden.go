package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Manifest is a policy as an administrator writes it.
type Manifest struct {
	// Preset is a manifest of policy/examples, without its extension.
	Preset string `json:"preset"`
	// Group makes it a ClusterAdmissionPolicyGroup with this name.
	Group string `json:"group,omitempty"`
	// Spec replaces keys of the preset's spec.
	Spec map[string]any `json:"spec,omitempty"`
}

// clusterPolicy is a ClusterAdmissionPolicy or a ClusterAdmissionPolicyGroup.
type clusterPolicy struct {
	// name is unique among both.
	name string
	spec policySpec
}

type policySpec struct {
	member
	PolicyServer      string `json:"policyServer"`
	Mode              string `json:"mode"`
	Mutating          bool   `json:"mutating"`
	FailurePolicy     string `json:"failurePolicy"`
	TimeoutSeconds    int    `json:"timeoutSeconds"`
	NamespaceSelector struct {
		MatchExpressions []any `json:"matchExpressions"`
	} `json:"namespaceSelector"`
	MatchConditions []any             `json:"matchConditions"`
	Rules           []any             `json:"rules"`
	Expression      string            `json:"expression"`
	Message         string            `json:"message"`
	Policies        map[string]member `json:"policies"`
}

// member is what a policy and a member of a group have in common.
type member struct {
	Module                string         `json:"module"`
	Settings              map[string]any `json:"settings"`
	ContextAwareResources []any          `json:"contextAwareResources"`
	TimeoutEvalSeconds    int            `json:"timeoutEvalSeconds"`
}

// read reads the policy, and the other objects of its preset.
func (m Manifest) read(folder string) (clusterPolicy, []map[string]any, error) {
	preset, err := Session{Preset: m.Preset}.Policy(folder)
	if err != nil {
		return clusterPolicy{}, nil, err
	}
	// Kubewarden's defaults.
	policy := clusterPolicy{name: "clusterwide-" + preset.Name, spec: policySpec{
		PolicyServer: "default", Mode: "protect", FailurePolicy: "Fail", TimeoutSeconds: 10,
	}}
	if m.Group != "" {
		policy.name = "clusterwide-group-" + m.Group
	}
	spec := maps.Clone(preset.spec)
	maps.Copy(spec, m.Spec)
	text, err := json.Marshal(spec)
	if err != nil {
		return policy, nil, err
	}
	return policy, preset.Others, json.Unmarshal(text, &policy.spec)
}

// entry is what Kubewarden's controller writes for policy-server.
//
// Upstream: internal/controller/policyserver_controller_configmap.go buildPoliciesMap
func (c clusterPolicy) entry(modules string) map[string]any {
	entry := map[string]any{
		"namespacedName": map[string]string{"Namespace": "", "Name": c.name}, "policyMode": c.spec.Mode, "message": c.spec.Message,
	}
	if c.spec.Message == "" {
		delete(entry, "message")
	}
	if len(c.spec.Policies) == 0 {
		entry["allowedToMutate"] = c.spec.Mutating
		maps.Copy(entry, c.spec.entry(modules))
		return entry
	}
	members := map[string]any{}
	for name, member := range c.spec.Policies {
		members[name] = member.entry(modules)
	}
	entry["policies"], entry["expression"] = members, c.spec.Expression
	return entry
}

func (m member) entry(modules string) map[string]any {
	// registry://registry.example.com/policies/changeover-rollouts:v0.1.0 is annotated-rollouts.wasm.
	title, _, _ := strings.Cut(path.Base(m.Module), ":")
	name := strings.TrimPrefix(strings.TrimPrefix(title, "changeover"), "-")
	if name == "" {
		name = "policy"
	}
	entry := map[string]any{
		"module":   "file://" + filepath.Join(modules, "annotated-"+name+".wasm"),
		"settings": m.Settings, "hostCapabilities": []string{"*"},
	}
	if len(m.ContextAwareResources) > 0 {
		entry["contextAwareResources"] = m.ContextAwareResources
	}
	if m.TimeoutEvalSeconds > 0 {
		entry["timeoutEvalSeconds"] = m.TimeoutEvalSeconds
	}
	return entry
}

// webhook returns the policy's webhook, which only asks about one namespace, so that sessions don't see each other.
//
// Upstream: internal/controller/policy_subreconciler_webhook.go reconcileValidatingWebhookConfiguration, reconcileMutatingWebhookConfiguration
func (c clusterPolicy) webhook(namespace, url string, authority []byte) map[string]any {
	kind := "ValidatingWebhookConfiguration"
	if c.spec.Mutating {
		kind = "MutatingWebhookConfiguration"
	}
	of := func(operator, name string) any {
		return map[string]any{"key": "kubernetes.io/metadata.name", "operator": operator, "values": []string{name}}
	}
	expressions := append([]any{of("NotIn", "kubewarden"), of("In", namespace)}, c.spec.NamespaceSelector.MatchExpressions...)
	return map[string]any{
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind,
		"metadata": map[string]any{"name": c.name},
		"webhooks": []any{map[string]any{
			"name":         c.domain(),
			"clientConfig": map[string]any{"url": url + "/validate/" + c.name, "caBundle": authority},
			"rules":        c.spec.Rules, "failurePolicy": c.spec.FailurePolicy, "sideEffects": "None",
			"namespaceSelector": map[string]any{"matchExpressions": expressions},
			"timeoutSeconds":    c.spec.TimeoutSeconds, "matchConditions": c.spec.MatchConditions,
			"admissionReviewVersions": []string{"v1"},
		}},
	}
}

func (c clusterPolicy) domain() string { return c.name + ".kubewarden.admission" }

// deployed are the policies of a session in their PolicyServers.
type deployed struct {
	// servers are the addresses of the PolicyServers by policy, and logs their logs.
	servers, logs map[string]string
	client        *http.Client
	gate          *gate
	// read is how much of the logs was shown.
	read map[string]int
}

// deploy starts the PolicyServers of a session and registers its policies, as Kubewarden's controller does. They reach the
// API server through a gate.
func (p *Player) deploy(ctx context.Context, script *Script, session Session) (*deployed, func(), error) {
	host, isOurs := p.Host.(PolicyServer)
	if !isOurs {
		return nil, nil, fmt.Errorf("session %s: needs policy-server", session.Name)
	}
	entries := map[string]map[string]any{}
	var policies []clusterPolicy
	for _, manifest := range session.Policies {
		policy, others, err := manifest.read(p.Folder)
		if err != nil {
			return nil, nil, err
		}
		if err := p.apply(ctx, others...); err != nil {
			return nil, nil, err
		}
		policies = append(policies, policy)
		server := policy.spec.PolicyServer
		if entries[server] == nil {
			entries[server] = map[string]any{}
		}
		entries[server][policy.name] = policy.entry(filepath.Dir(host.Policy))
	}
	authority := p.Plane.CertificateAuthority()
	d := &deployed{servers: map[string]string{}, logs: map[string]string{}, read: map[string]int{}, client: trusting(authority)}
	var stops []func()
	end := func() {
		for _, stop := range slices.Backward(stops) {
			stop()
		}
	}
	kubeconfig, err := p.kubeconfig(reader)
	if err == nil {
		d.gate, kubeconfig, err = newGate(p.Plane, kubeconfig)
	}
	if err != nil {
		return nil, nil, err
	}
	stops = append(stops, d.gate.stop)
	urls := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		url, stop, err := host.serve(ctx, p.Plane, "policy-server-"+name, kubeconfig, entries[name])
		if err != nil {
			end()
			return nil, nil, err
		}
		stops, urls[name] = append(stops, stop), url
	}
	for _, policy := range policies {
		server := policy.spec.PolicyServer
		d.servers[policy.name], d.logs[policy.name] = urls[server], p.Plane.Log("policy-server-"+server)
		object := policy.webhook(session.Name, urls[server], authority)
		if err = p.apply(ctx, object); err != nil {
			break
		}
		// Without a running webhook, the API server would refuse every write.
		stops = append(stops, func() {
			_ = p.must(context.WithoutCancel(ctx), "delete", strings.ToLower(object["kind"].(string)), policy.name)
		})
		if err = p.asked(ctx, policy.domain(), session.Name, script.Users[0]); err != nil {
			break
		}
	}
	// What was logged about the questions that only waited for the webhooks is not shown.
	for _, policy := range policies {
		if err == nil {
			_, err = d.monitor(policy.name)
		}
	}
	if err != nil {
		end()
		return nil, nil, err
	}
	return d, end, nil
}

// scan asks a policy about stored objects, as Kubewarden's audit scanner does, and returns a line about each.
func (d *deployed) scan(ctx context.Context, policy string, printed []byte) (string, error) {
	var list unstructured.UnstructuredList
	if err := json.Unmarshal(printed, &list); err != nil {
		return "", err
	}
	var text strings.Builder
	for _, object := range list.Items {
		review, err := json.Marshal(scanned(object))
		if err != nil {
			return "", err
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, d.servers[policy]+"/audit/"+policy, bytes.NewReader(review))
		if err != nil {
			return "", err
		}
		request.Header.Set("Content-Type", "application/json")
		answer, err := d.client.Do(request)
		if err != nil {
			return "", err
		}
		body, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close() // it was read to its end
		if err != nil {
			return "", err
		}
		var answered admissionv1.AdmissionReview
		if err := json.Unmarshal(body, &answered); err != nil || answered.Response == nil {
			return "", fmt.Errorf("%s: %s", answer.Status, body)
		}
		fmt.Fprintf(&text, "%s/%s: %s\n", strings.ToLower(object.GetKind()), object.GetName(), verdict(answered.Response))
	}
	return text.String(), nil
}

// scanned is the audit scanner's question.
//
// Upstream: internal/audit-scanner/scanner/admission_request.go newAdmissionRequest
func scanned(object unstructured.Unstructured) *admissionv1.AdmissionReview {
	kind := object.GroupVersionKind()
	asked := meta.GroupVersionKind{Group: kind.Group, Version: kind.Version, Kind: kind.Kind}
	return &admissionv1.AdmissionReview{Request: &admissionv1.AdmissionRequest{
		UID: object.GetUID(), Name: object.GetName(), Namespace: object.GetNamespace(), Operation: admissionv1.Create,
		Kind: asked, RequestKind: &asked,
		// The scanner gives the kind here.
		Resource: meta.GroupVersionResource{Group: kind.Group, Version: kind.Version, Resource: kind.Kind},
		Object:   runtime.RawExtension{Object: object.DeepCopyObject()},
	}}
}

func verdict(answer *admissionv1.AdmissionResponse) string {
	switch {
	case !answer.Allowed:
		return "not allowed: " + answer.Result.Message
	case len(answer.Patch) > 0:
		return "allowed and changed"
	}
	return "allowed"
}

// monitored matches the parts of the answers that policy-server logs in monitor mode, as Rust prints them.
var monitored = []*regexp.Regexp{
	regexp.MustCompile(`allowed: (?:true|false)`), regexp.MustCompile(`message: Some\("(?:[^"\\]|\\.)*"\)`), regexp.MustCompile(`patch_type: Some\([^)]*\)`),
}

// monitor returns what policy-server has logged since the last call about answers in monitor mode that refuse or change something.
func (d *deployed) monitor(policy string) (string, error) {
	all, err := os.ReadFile(d.logs[policy])
	if err != nil {
		return "", err
	}
	// A line that is not complete is shown next time.
	end := bytes.LastIndexByte(all, '\n') + 1
	lines := all[d.read[policy]:end]
	d.read[policy] = end
	var text strings.Builder
	for line := range bytes.Lines(lines) {
		var logged struct {
			Fields struct {
				Message  string `json:"message"`
				Policy   string `json:"policy_id"`
				Response string `json:"response"`
			} `json:"fields"`
		}
		// Other lines are not shown.
		if json.Unmarshal(line, &logged) != nil || logged.Fields.Policy != policy || !strings.Contains(logged.Fields.Message, "monitor mode") {
			continue
		}
		response := logged.Fields.Response
		if strings.Contains(response, "allowed: true") && strings.Contains(response, "patch_type: None") {
			continue
		}
		var parts []string
		for _, part := range monitored {
			if found := part.FindString(response); found != "" {
				parts = append(parts, found)
			}
		}
		fmt.Fprintf(&text, "%s: %s\n", logged.Fields.Message, strings.Join(parts, ", "))
	}
	return text.String(), nil
}

// playPolicies plays a session whose policies are in policy-server.
func (p *Player) playPolicies(ctx context.Context, script *Script, session Session, steps []Step) (*Transcript, error) {
	d, end, err := p.deploy(ctx, script, session)
	if err != nil {
		return nil, err
	}
	defer end()
	transcript := &Transcript{Session: session, kept: map[string]string{}}
	for _, step := range steps {
		if err := p.policyStep(ctx, d, transcript, step); err != nil {
			return nil, err
		}
	}
	return transcript, nil
}

func (p *Player) policyStep(ctx context.Context, d *deployed, transcript *Transcript, step Step) error {
	switch {
	case step.Cluster != "":
		d.gate.hang(step.Cluster == "hangs")
		return transcript.add(step, PlayedStep{Note: step.Note, line: "(from here on, the API server " + step.Cluster + " for the policies)"})
	case step.Log != "":
		printed, err := d.monitor(step.Log)
		if err != nil {
			return err
		}
		return transcript.add(step, PlayedStep{Note: step.Note, line: "(policy-server's log of " + step.Log + ")", Printed: printed})
	}
	if len(step.Meanwhile) > 0 {
		return p.meanwhile(ctx, d, transcript, step)
	}
	played, err := p.command(ctx, transcript, step)
	if err != nil {
		return err
	}
	if step.Audit != "" {
		played.line = "(the audit scanner asks " + step.Audit + " about each: kubectl " + strings.Join(played.Kubectl, " ") + ")"
		if played.Printed, err = d.scan(ctx, step.Audit, []byte(played.Printed)); err != nil {
			return err
		}
	}
	return transcript.add(step, played)
}

// meanwhile plays steps while a command runs. It fails if the command does not outlast them.
func (p *Player) meanwhile(ctx context.Context, d *deployed, transcript *Transcript, step Step) error {
	type ending struct {
		played PlayedStep
		err    error
	}
	ended := make(chan ending, 1)
	// The steps may keep other outputs.
	before := &Transcript{Session: transcript.Session, kept: maps.Clone(transcript.kept)}
	go func() {
		played, err := p.command(ctx, before, step)
		ended <- ending{played, err}
	}()
	for _, other := range step.Meanwhile {
		if err := p.policyStep(ctx, d, transcript, other); err != nil {
			return err
		}
	}
	select {
	case <-ended:
		return fmt.Errorf("kubectl %s: ended before the steps that run meanwhile", strings.Join(step.Kubectl, " "))
	default:
	}
	last := <-ended
	if last.err != nil {
		return last.err
	}
	return transcript.add(step, last.played)
}
