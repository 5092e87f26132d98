// Package plane runs a control plane as plain processes on 127.0.0.1.
package plane

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	_ "embed"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"changeover.dev/controlplane/pki"
	"changeover.dev/controlplane/programs"
)

// Ports is the number of consecutive ports that a control plane listens on.
const Ports = 5

// KubeletUser is the user of the simulated nodes: the audit log leaves their requests out.
const KubeletUser = "changeover-nodes"

//go:embed audit.yaml
var auditPolicy []byte

// Options are the options of a control plane.
type Options struct {
	Programs *programs.Programs
	// Folder is for its state, logs and certificates. Its previous contents are removed.
	Folder string
	// Port is the first of its ports.
	Port int
	// Scheduler starts kube-scheduler.
	Scheduler bool
	// Gates are feature gates, in the form A=true,B=false.
	Gates string
}

// Plane is a running control plane.
type Plane struct {
	options   Options
	authority *pki.Authority
	processes []*process
}

// Start starts a control plane and waits until it serves. If it fails, it stops what was started before.
func Start(ctx context.Context, options Options) (*Plane, error) {
	if err := CheckPorts(options.Port, Ports); err != nil {
		return nil, err
	}
	folder, err := filepath.Abs(options.Folder)
	if err != nil {
		return nil, err
	}
	options.Folder = folder
	if err := os.RemoveAll(folder); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	authority, err := pki.NewAuthority()
	if err != nil {
		return nil, err
	}
	p := &Plane{options: options, authority: authority}
	if err := p.start(ctx); err != nil {
		p.Stop()
		return nil, err
	}
	return p, nil
}

// CheckPorts returns an error if one of count ports of 127.0.0.1 is busy.
func CheckPorts(first, count int) error {
	for port := first; port < first+count; port++ {
		listener, err := net.Listen("tcp", address(port))
		if err != nil {
			return fmt.Errorf("port %d of 127.0.0.1 is busy: end what listens there, or choose others with PORT= (make prove) or -port", port)
		}
		if err := listener.Close(); err != nil {
			return err
		}
	}
	return nil
}

func address(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }

func (p *Plane) etcd() string      { return "http://" + address(p.options.Port) }
func (p *Plane) peer() string      { return "http://" + address(p.options.Port+1) }
func (p *Plane) apiServer() string { return "https://" + address(p.options.Port+2) }

// AuditLog returns the file in which the API server logs each request.
func (p *Plane) AuditLog() string { return p.path("audit.log") }

// Kubeconfig returns the kubeconfig of an administrator.
func (p *Plane) Kubeconfig() string { return p.path("admin.kubeconfig") }

// Kubectl returns the path of kubectl.
func (p *Plane) Kubectl() string { return p.options.Programs.Kubectl }

func (p *Plane) path(name string) string { return filepath.Join(p.options.Folder, name) }

// Client returns the configuration with which the simulated nodes and the recorder reach the API server, without a rate
// limit.
func (p *Plane) Client() (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", p.path("nodes.kubeconfig"))
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = 1000, 1000
	return config, nil
}

// User writes a kubeconfig for a user and returns its path. RBAC decides what the user may do.
func (p *Plane) User(name string, groups ...string) (string, error) {
	pair, err := p.authority.Issue(pki.Subject{Name: name, Groups: groups})
	if err != nil {
		return "", err
	}
	file := p.path(strings.ReplaceAll(name, ":", "_") + ".kubeconfig")
	return file, clientcmd.WriteToFile(p.kubeconfig(pair), file)
}

// Certificate writes the certificate and key of a server on 127.0.0.1 and returns their paths.
func (p *Plane) Certificate(name string) (certificate, key string, err error) {
	pair, err := p.authority.Issue(pki.Subject{Name: name, Hosts: []string{"127.0.0.1"}})
	if err != nil {
		return "", "", err
	}
	certificate, key = p.path(name+".crt"), p.path(name+".key")
	return certificate, key, pair.Write(certificate, key)
}

// CertificateAuthority returns the certificate that signs all others, as PEM.
func (p *Plane) CertificateAuthority() []byte { return p.authority.PEM }

// Log returns the log of a program with this name.
func (p *Plane) Log(name string) string { return p.path(name + ".log") }

// Folder returns the folder of its state, logs and certificates.
func (p *Plane) Folder() string { return p.options.Folder }

// Beside runs another program next to the control plane, in its folder, and waits until it is ready. Its log has its name.
// The returned function stops it; so does Stop.
func (p *Plane) Beside(
	ctx context.Context, name string, environment []string, ready func(context.Context) error, program string, arguments ...string,
) (func(), error) {
	started, err := startProcess(p.options.Folder, name, environment, program, arguments...)
	if err != nil {
		return nil, err
	}
	p.processes = append(p.processes, started)
	stop := func() {
		started.stop()
		p.processes = slices.DeleteFunc(p.processes, func(other *process) bool { return other == started })
	}
	if err := started.until(ctx, ready); err != nil {
		stop()
		return nil, err
	}
	return stop, nil
}

// Stop stops all processes, the last one first.
func (p *Plane) Stop() {
	for len(p.processes) > 0 {
		last := len(p.processes) - 1
		p.processes[last].stop()
		p.processes = p.processes[:last]
	}
}

func (p *Plane) run(program string, arguments ...string) (*process, error) {
	started, err := startProcess(p.options.Folder, filepath.Base(program), nil, program, arguments...)
	if err == nil {
		p.processes = append(p.processes, started)
	}
	return started, err
}

func (p *Plane) start(ctx context.Context) error {
	if err := p.writeFiles(); err != nil {
		return err
	}
	etcd, err := p.run(p.options.Programs.Etcd, "--data-dir=etcd", "--listen-client-urls="+p.etcd(), "--advertise-client-urls="+p.etcd(),
		"--listen-peer-urls="+p.peer(), "--initial-advertise-peer-urls="+p.peer(), "--initial-cluster=default="+p.peer(),
		"--unsafe-no-fsync", "--log-level=warn")
	if err != nil {
		return err
	}
	if err := etcd.until(ctx, func(ctx context.Context) error { return Get(ctx, http.DefaultClient, p.etcd()+"/health") }); err != nil {
		return err
	}
	port := func(offset int) string { return fmt.Sprintf("--secure-port=%d", p.options.Port+offset) }
	arguments := append([]string{
		"--etcd-servers=" + p.etcd(), "--bind-address=127.0.0.1", port(2), "--advertise-address=127.0.0.1",
		"--endpoint-reconciler-type=none", "--service-cluster-ip-range=10.0.0.0/24", "--tls-cert-file=server.crt",
		"--tls-private-key-file=server.key", "--client-ca-file=ca.crt", "--authorization-mode=Node,RBAC",
		"--service-account-issuer=https://kubernetes.default.svc", "--service-account-signing-key-file=service-accounts.key",
		"--service-account-key-file=service-accounts.pub", "--audit-policy-file=audit.yaml", "--audit-log-path=" + p.AuditLog(),
		"--audit-log-mode=blocking", "--audit-log-maxsize=100000",
	}, p.gates()...)
	server, err := p.run(p.options.Programs.APIServer, arguments...)
	if err != nil {
		return err
	}
	client, err := p.administrator()
	if err != nil {
		return err
	}
	if err := server.until(ctx, func(ctx context.Context) error { return Get(ctx, client, p.apiServer()+"/readyz") }); err != nil {
		return err
	}
	common := append([]string{"--leader-elect=false", "--bind-address=127.0.0.1", "--cert-dir=."}, p.gates()...)
	manager, err := p.run(p.options.Programs.ControllerManager, append([]string{
		"--kubeconfig=manager.kubeconfig", port(3), "--service-account-private-key-file=service-accounts.key",
		"--root-ca-file=ca.crt", "--use-service-account-credentials=true",
	}, common...)...)
	if err != nil {
		return err
	}
	if p.options.Scheduler {
		if _, err := p.run(p.options.Programs.Scheduler, append([]string{"--kubeconfig=scheduler.kubeconfig", port(4)}, common...)...); err != nil {
			return err
		}
	}
	account := p.apiServer() + "/api/v1/namespaces/default/serviceaccounts/default"
	return manager.until(ctx, func(ctx context.Context) error { return Get(ctx, client, account) })
}

func (p *Plane) gates() []string {
	if p.options.Gates == "" {
		return nil
	}
	return []string{"--feature-gates=" + p.options.Gates}
}

// writeFiles writes certificates, keys and kubeconfigs.
func (p *Plane) writeFiles() error {
	server, err := p.authority.Issue(pki.Subject{
		Name: "kube-apiserver", Hosts: []string{"127.0.0.1", "10.0.0.1", "localhost", "kubernetes.default.svc"},
	})
	if err != nil {
		return err
	}
	if err := server.Write(p.path("server.crt"), p.path("server.key")); err != nil {
		return err
	}
	private, public, err := pki.KeyPair()
	if err != nil {
		return err
	}
	files := map[string][]byte{
		"ca.crt": p.authority.PEM, "service-accounts.key": private, "service-accounts.pub": public, "audit.yaml": auditPolicy,
	}
	for name, text := range files {
		if err := os.WriteFile(p.path(name), text, 0o600); err != nil {
			return err
		}
	}
	users := map[string]pki.Subject{
		"admin":     {Name: "admin", Groups: []string{"system:masters"}},
		"nodes":     {Name: KubeletUser, Groups: []string{"system:masters"}},
		"manager":   {Name: "system:kube-controller-manager"},
		"scheduler": {Name: "system:kube-scheduler"},
	}
	for name, subject := range users {
		pair, err := p.authority.Issue(subject)
		if err != nil {
			return err
		}
		if err := clientcmd.WriteToFile(p.kubeconfig(pair), p.path(name+".kubeconfig")); err != nil {
			return err
		}
	}
	return nil
}

func (p *Plane) kubeconfig(user pki.Pair) clientcmdapi.Config {
	return clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"plane": {Server: p.apiServer(), CertificateAuthorityData: p.authority.PEM}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"user": {ClientCertificateData: user.Certificate, ClientKeyData: user.Key}},
		Contexts:       map[string]*clientcmdapi.Context{"plane": {Cluster: "plane", AuthInfo: "user"}},
		CurrentContext: "plane",
	}
}

// administrator returns a client with access to everything.
func (p *Plane) administrator() (*http.Client, error) {
	pair, err := p.authority.Issue(pki.Subject{Name: "admin", Groups: []string{"system:masters"}})
	if err != nil {
		return nil, err
	}
	certificate, err := tls.X509KeyPair(pair.Certificate, pair.Key)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	block, _ := pem.Decode(p.authority.PEM)
	root, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, err
	}
	roots.AddCert(root)
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12},
	}}, nil
}

// Get fails unless the status is 200.
func Get(ctx context.Context, client *http.Client, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, answer.Status)
	}
	return nil
}
