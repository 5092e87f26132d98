package nodes

import (
	"context"
	"fmt"
	"time"

	"github.com/distribution/reference"
	v1 "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

const (
	// relist is how often a kubelet looks at the containers. After a failed pull, the new sandbox makes it sync the pod again.
	relist = time.Second
	// The waits between two pulls of an image, each twice as long as the one before.
	firstBackOff = 10 * time.Second
	maxBackOff   = 300 * time.Second
)

// failToPull reports an image that can't be pulled, as a kubelet does until the pod is deleted: a failed pull, and then that the
// next one waits.
func (n *Nodes) failToPull(ctx context.Context, pod *v1.Pod, l *life) {
	since, image := meta.Now(), pod.Spec.Containers[0].Image
	for backOff := firstBackOff; n.isUp(ctx, l.node); backOff = min(2*backOff, maxBackOff) {
		n.patch(ctx, pod, waiting(pod, since, "ErrImagePull", notFound(image)))
		if !sleep(ctx, relist, l.deleted) || !n.isUp(ctx, l.node) {
			return
		}
		n.patch(ctx, pod, waiting(pod, since, "ImagePullBackOff", fmt.Sprintf("Back-off pulling image %q: ErrImagePull: %s", image, notFound(image))))
		if !sleep(ctx, backOff-relist, l.deleted) {
			return
		}
	}
}

// waiting returns the status of a pod whose first container waits for its image; the others run.
func waiting(pod *v1.Pod, since meta.Time, reason, message string) v1.PodStatus {
	status := sandboxed(since, unready())
	status.ContainerStatuses = containers(pod, true, v1.ContainerState{Running: &v1.ContainerStateRunning{StartedAt: since}})
	first := pod.Spec.Containers[0]
	status.ContainerStatuses[0] = v1.ContainerStatus{
		Name: first.Name, Image: first.Image, Started: ptr.To(false),
		State: v1.ContainerState{Waiting: &v1.ContainerStateWaiting{Reason: reason, Message: message}},
	}
	return status
}

// notFound returns what containerd says about an image that its registry does not have.
func notFound(image string) string {
	if name, err := reference.ParseDockerRef(image); err == nil {
		image = name.String()
	}
	return fmt.Sprintf("rpc error: code = NotFound desc = failed to pull and unpack image %q: failed to resolve image: %s: not found", image, image)
}
