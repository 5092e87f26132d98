package webhook

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"changeover.dev/controlplane/plane"
)

// Host serves the policy to the API server.
type Host interface {
	// Start serves the policy with these settings and returns its address. The policy reads from the cluster: an address
	// without TLS, also given as a kubeconfig.
	Start(ctx context.Context, p *plane.Plane, settings map[string]any, cluster Cluster) (url string, stop func(), err error)
}

// Cluster is how a host reads from the cluster.
type Cluster struct{ Address, Kubeconfig string }

// Server is this project's own server.
type Server struct{ Program, Policy string }

// Start implements Host.
func (s Server) Start(ctx context.Context, p *plane.Plane, settings map[string]any, cluster Cluster) (string, func(), error) {
	certificate, key, err := p.Certificate("webhook")
	if err != nil {
		return "", nil, err
	}
	file, err := write(p, "settings.json", settings)
	if err != nil {
		return "", nil, err
	}
	address, err := freeAddress()
	if err != nil {
		return "", nil, err
	}
	url := "https://" + address
	stop, err := p.Beside(ctx, "server", nil, answers(trusting(p.CertificateAuthority()), url+"/healthz"), s.Program,
		"--policy", s.Policy, "--addr", address, "--cert", certificate, "--key", key, "--settings", file, "--context", cluster.Address)
	return url + "/validate", stop, err
}

// PolicyServer is Kubewarden's host. Policy is the annotated module with everything; the others are next to it.
type PolicyServer struct{ Program, Policy string }

// Start implements Host.
func (s PolicyServer) Start(ctx context.Context, p *plane.Plane, settings map[string]any, cluster Cluster) (string, func(), error) {
	kinds := [][2]string{
		{"apps/v1", "DaemonSet"}, {"apps/v1", "Deployment"}, {"apps/v1", "ReplicaSet"}, {"apps/v1", "StatefulSet"}, {"batch/v1", "CronJob"},
		{"batch/v1", "Job"}, {"policy/v1", "PodDisruptionBudget"}, {"v1", "ReplicationController"}, {"v1", "ResourceQuota"},
	}
	var granted []map[string]string
	for _, kind := range kinds {
		granted = append(granted, map[string]string{"apiVersion": kind[0], "kind": kind[1]})
	}
	url, stop, err := s.serve(ctx, p, "policy-server", cluster.Kubeconfig, map[string]any{"changeover": map[string]any{
		"module": "file://" + s.Policy, "policyMode": "protect", "allowedToMutate": true, "settings": settings,
		"contextAwareResources": granted,
		"hostCapabilities":      []string{"kubernetes/get_resource", "kubernetes/list_resources_by_namespace"},
	}})
	return url + "/validate/changeover", stop, err
}

// serve starts a policy-server with these policies and returns its address. Its files and its log have its name.
func (s PolicyServer) serve(
	ctx context.Context, p *plane.Plane, name, kubeconfig string, policies map[string]any,
) (url string, stop func(), err error) {
	certificate, key, err := p.Certificate(name)
	if err != nil {
		return "", nil, err
	}
	file, err := write(p, name+".json", policies)
	if err != nil {
		return "", nil, err
	}
	trust, err := write(p, "trust.json", map[string]any{})
	if err != nil {
		return "", nil, err
	}
	var addresses [2]string
	for index := range addresses {
		if addresses[index], err = freeAddress(); err != nil {
			return "", nil, err
		}
	}
	port := func(address string) string { return address[len("127.0.0.1:"):] }
	ready := answers(http.DefaultClient, "http://"+addresses[1]+"/readiness")
	stop, err = p.Beside(ctx, name, []string{"KUBECONFIG=" + kubeconfig}, ready, s.Program,
		"--addr", "127.0.0.1", "--port", port(addresses[0]), "--readiness-probe-port", port(addresses[1]), "--policies", file,
		"--cert-file", certificate, "--key-file", key, "--sigstore-trust-config", trust, "--policies-download-dir", name,
		"--sigstore-cache-dir", "sigstore", "--log-fmt", "json")
	return "https://" + addresses[0], stop, err
}

// write writes JSON to the folder of the control plane.
func write(p *plane.Plane, name string, value any) (string, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	file := filepath.Join(p.Folder(), name)
	return file, os.WriteFile(file, text, 0o600)
}

func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// answers returns a function that reports whether an address responds.
func answers(client *http.Client, url string) func(context.Context) error {
	return func(ctx context.Context) error { return plane.Get(ctx, client, url) }
}
