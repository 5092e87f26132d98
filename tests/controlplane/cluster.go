package main

import (
	"context"

	"k8s.io/client-go/rest"

	"changeover.dev/controlplane/nodes"
	"changeover.dev/controlplane/plane"
)

// cluster is a control plane that runs, with its nodes.
type cluster struct {
	plane  *plane.Plane
	nodes  *nodes.Nodes
	config *rest.Config
	// stop ends the nodes, and then their API server.
	stop func()
}

// start starts a control plane and its nodes, which schedule pods unless kube-scheduler does.
func start(ctx context.Context, options plane.Options) (*cluster, error) {
	running, err := plane.Start(ctx, options)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	stop := func() {
		cancel()
		running.Stop()
	}
	config, err := running.Client()
	if err != nil {
		stop()
		return nil, err
	}
	played, err := nodes.Start(ctx, config, !options.Scheduler)
	if err != nil {
		stop()
		return nil, err
	}
	return &cluster{plane: running, nodes: played, config: config, stop: stop}, nil
}
