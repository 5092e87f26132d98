package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// requests is the number of requests for each row of the table.
const requests = 300

// timed are the settings to time, with their names in the table.
var timed = []struct {
	name     string
	settings map[string]any
}{
	{"no webhook", nil},
	{"no settings", map[string]any{}},
	{"`forecast`", map[string]any{"forecast": true}},
	{"`forecast`, `context`, `quota: deny`", map[string]any{"forecast": true, "context": true, "quota": "deny"}},
}

// Latency times dry runs of a new image for two Deployments and returns a table. There is no witness in front of the
// webhook.
func (p *Player) Latency(ctx context.Context, config *rest.Config) (string, error) {
	const namespace = "latency"
	// The policy's warnings are not the subject here.
	config = rest.CopyConfig(config)
	config.WarningHandler = rest.NoWarnings{}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return "", err
	}
	preset, err := Session{Preset: "quota"}.Policy(p.Folder)
	if err != nil {
		return "", err
	}
	if err := p.settle(ctx, namespace, preset); err != nil {
		return "", err
	}
	load, _ := os.ReadFile("/proc/loadavg") // only Linux has it
	var table strings.Builder
	fmt.Fprintf(&table, "## The policy as a webhook of a real API server\n\nLoad when it began: %s\n\n", strings.SplitN(string(load), " ", 2)[0])
	table.WriteString("| settings | replicas | whole request: minimum | median | the webhook in it: mean |\n|---|---|---|---|---|\n")
	for number, row := range timed {
		name := fmt.Sprintf("latency-%d", number)
		end := func() {}
		if row.settings != nil {
			if _, end, err = p.Register(ctx, name, namespace, &Policy{Settings: row.settings, Rules: preset.Rules}, Direct); err != nil {
				return "", err
			}
		}
		for _, replicas := range sizes {
			text, err := p.time(ctx, client, name, namespace, replicas)
			if err != nil {
				end()
				return "", err
			}
			fmt.Fprintf(&table, "| %s | %d | %s |\n", row.name, replicas, text)
		}
		end()
	}
	return table.String(), nil
}

// sizes are the replicas of the timed Deployments.
var sizes = []int{3, 100}

// settle creates the namespace with a ResourceQuota that has room, and Deployments that are complete.
func (p *Player) settle(ctx context.Context, namespace string, preset *Policy) error {
	if err := p.Nodes.Play(ctx, namespace, namespace, nil, nil); err != nil {
		return err
	}
	objects := append([]map[string]any{
		{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": namespace}},
	}, preset.Others...)
	if err := p.apply(ctx, objects...); err != nil {
		return err
	}
	in := "--namespace=" + namespace
	if err := p.must(ctx, "wait", in, "--for=create", "--timeout=60s", "serviceaccount/default"); err != nil {
		return err
	}
	if err := p.must(ctx, "create", "quota", "compute", in, "--hard=pods=1000"); err != nil {
		return err
	}
	for _, replicas := range sizes {
		name := deployment(replicas)
		if err := p.must(ctx, "create", "deployment", name, in, "--image=web:1", fmt.Sprintf("--replicas=%d", replicas)); err != nil {
			return err
		}
		if err := p.must(ctx, "rollout", "status", "deployment/"+name, in, "--timeout=180s"); err != nil {
			return err
		}
	}
	return nil
}

func deployment(replicas int) string { return fmt.Sprintf("web-%d", replicas) }

// time sends the requests one after the other.
func (p *Player) time(ctx context.Context, client *kubernetes.Clientset, webhook, namespace string, replicas int) (string, error) {
	sumBefore, countBefore, err := admission(ctx, client, domain(webhook))
	if err != nil {
		return "", err
	}
	name := deployment(replicas)
	took := make([]time.Duration, 0, requests)
	for number := range requests {
		patch, err := json.Marshal([]map[string]any{
			{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": fmt.Sprintf("web:%d", number+2)},
		})
		if err != nil {
			return "", err
		}
		options := meta.PatchOptions{DryRun: []string{meta.DryRunAll}}
		begun := time.Now()
		if _, err := client.AppsV1().Deployments(namespace).Patch(ctx, name, types.JSONPatchType, patch, options); err != nil {
			return "", err
		}
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	sum, count, err := admission(ctx, client, domain(webhook))
	if err != nil {
		return "", err
	}
	mean := "-"
	if count > countBefore {
		mean = fmt.Sprintf("%.1f ms", 1000*(sum-sumBefore)/(count-countBefore))
	}
	milliseconds := func(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }
	return fmt.Sprintf("%s | %s | %s", milliseconds(took[0]), milliseconds(took[requests/2]), mean), nil
}

// admission returns how many seconds the API server has waited for a webhook, and how often.
func admission(ctx context.Context, client *kubernetes.Clientset, webhook string) (sum, count float64, err error) {
	text, err := client.RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		return 0, 0, err
	}
	const metric = "apiserver_admission_webhook_admission_duration_seconds_"
	for line := range strings.Lines(string(text)) {
		rest, found := strings.CutPrefix(line, metric)
		if !found || !strings.Contains(rest, fmt.Sprintf("name=%q", webhook)) {
			continue
		}
		fields := strings.Fields(rest)
		value, err := strconv.ParseFloat(fields[len(fields)-1], 64)
		if err != nil {
			return 0, 0, err
		}
		switch {
		case strings.HasPrefix(rest, "sum{"):
			sum += value
		case strings.HasPrefix(rest, "count{"):
			count += value
		}
	}
	return sum, count, nil
}
