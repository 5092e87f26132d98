package world

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"changeover.dev/recorder/apiserver"
	"changeover.dev/recorder/cases"
	"changeover.dev/recorder/controllers"
)

// jobKind is a sort of world with Jobs: how they begin, and what can happen to them.
type jobKind struct {
	name    string
	steps   int
	refuses bool
	shape   func(*World, *batchv1.JobSpec)
	actions []action
}

var jobKinds = []jobKind{
	{name: "count", steps: 22, shape: counted, actions: []action{{2, scaleJob}, {1, podTrouble}}},
	{name: "queue", steps: 20, shape: workQueue, actions: []action{{2, scaleJob}, {1, podTrouble}}},
	{name: "indexed", steps: 22, shape: indexed, actions: []action{{3, scaleJob}, {2, podTrouble}, {1, bendIndex}}},
	{name: "per-index", steps: 25, shape: perIndex, actions: []action{{2, scaleJob}, {2, disrupt}, {2, bendIndex}}},
	{name: "failure-policy", steps: 20, shape: failurePolicy, actions: []action{{3, disrupt}, {1, scaleJob}}},
	{name: "success-policy", steps: 22, shape: successPolicy, actions: []action{{2, scaleJob}, {1, podTrouble}, {1, bendSpecOfJob}}},
	{name: "replacement", steps: 22, shape: replacement, actions: []action{{4, disrupt}, {3, podTrouble}, {2, scaleJob}, {1, suspendJob}}},
	{name: "suspend", steps: 22, shape: anyJob, actions: []action{{6, suspendJob}, {2, scaleJob}, {1, podTrouble}}},
	{name: "deadline", steps: 20, shape: hurriedJob, actions: []action{{2, suspendJob}, {2, moveDeadline}, {1, podTrouble}}},
	{name: "adoption", steps: 20, shape: selecting, actions: []action{{5, relabelJobPod}, {5, strayJobPod}, {2, podTrouble}, {1, stripPod}}},
	{name: "deleted", steps: 20, shape: anyJob, actions: []action{{4, deleteJob}, {3, podTrouble}, {2, suspendJob}, {2, strayJobPod}}},
	{name: "trouble", steps: 22, shape: anyJob, actions: []action{{6, podTrouble}, {4, disrupt}, {2, stripPod}, {2, duplicateIndex}}},
	{name: "odd-indexes", steps: 16, shape: perIndex, actions: []action{{4, bendStatus}, {6, bendIndex}, {6, duplicateIndex}, {3, scaleJob}, {5, strayJobPod}, {3, disrupt}}},
	{name: "odd-counts", steps: 10, shape: counted, actions: []action{{6, bendCounts}, {1, scaleJob}}},
	{name: "restarts", steps: 12, shape: restarting, actions: []action{{1, podTrouble}, {1, scaleJob}}},
	{name: "recreated", steps: 14, shape: counted, actions: []action{{6, recreateJob}, {1, podTrouble}}},
	{name: "refused-end", steps: 14, refuses: true, shape: failing, actions: []action{{3, disrupt}, {2, deleteJob}}},
	{name: "odd", steps: 20, shape: anyJob, actions: []action{{6, bendStatus}, {3, bendIndex}, {3, duplicateIndex}, {2, stripPod}, {2, bendSpecOfJob}}},
	{name: "forgetful", steps: 22, shape: anyJob, actions: []action{{3, suspendJob}, {3, scaleJob}, {2, podTrouble}}},
	{name: "managed", steps: 8, shape: managed, actions: []action{{2, podTrouble}, {2, suspendJob}, {5, strayJobPod}}},
	{name: "refused", steps: 22, refuses: true, shape: anyJob, actions: []action{{3, scaleJob}, {2, suspendJob}, {2, podTrouble}}},
	{name: "refused-indexed", steps: 22, refuses: true, shape: perIndex, actions: []action{{3, scaleJob}, {2, disrupt}}},
	{name: "refused-adoption", steps: 18, refuses: true, shape: selecting, actions: []action{{6, relabelJobPod}, {6, strayJobPod}}},
	{name: "refused-flush", steps: 18, refuses: true, shape: counted, actions: []action{{2, disrupt}}},
	{name: "refused-orphans", steps: 12, refuses: true, shape: managed, actions: []action{{5, strayJobPod}, {2, podTrouble}}},
	{name: "namespace-goes", steps: 8, refuses: true, shape: anyJob, actions: []action{{2, scaleJob}, {1, podTrouble}}},
	{name: "long-backoff", steps: 14, shape: patient, actions: []action{{2, podTrouble}, {1, scaleJob}}},
	{name: "success-gaps", steps: 14, shape: successPolicy, actions: []action{{4, bendStatus}, {1, scaleJob}}},
	{name: "many", steps: 8, shape: manyPods, actions: []action{{3, scaleJob}, {2, suspendJob}}},
}

// RunJobs creates the world of Jobs with this number, lets it evolve, and passes on every sync as a case.
func RunJobs(seed uint64, number int, emit func(cases.Case)) {
	rng := rand.New(rand.NewPCG(seed, uint64(number)^1<<62))
	time.Sleep(time.Until(Start))
	time.Sleep(time.Duration(rng.IntN(1000)) * time.Millisecond)
	shape := jobKinds[number%len(jobKinds)]
	w := &jobWorld{
		World: &World{
			kind: kind{name: shape.name, pods: true, refuses: shape.refuses, actions: shape.actions},
			rng:  rng, emit: emit, lost: map[string]bool{},
			store: apiserver.New(rand.New(rand.NewPCG(seed, uint64(number)^3<<62))).ByName(),
			gates: map[string]bool{},
		},
		memories: map[types.UID]controllers.JobMemory{},
	}
	if w.chance(20) {
		w.gates["MutableSchedulingDirectivesForSuspendedJobs"] = false
	}
	defer controllers.SetGates(w.gates)()
	w.found("pi", shape.shape)
	if w.chance(20) {
		w.found("sum", shape.shape)
	}
	for range shape.steps {
		w.passJobs()
		for range w.between(0, 2) {
			w.act()
		}
		w.jobKubelets()
		if w.chance(70) {
			w.collectGarbage()
		}
		w.syncJobs()
	}
	time.Sleep(20 * time.Second)
}

type jobWorld struct {
	*World
	memories map[types.UID]controllers.JobMemory
}

// passJobs lets time pass, mostly less than a back-off.
func (w *jobWorld) passJobs() {
	limit := []time.Duration{
		time.Second, 5 * time.Second, 5 * time.Second, 12 * time.Second, 30 * time.Second, 100 * time.Second, 800 * time.Second,
	}[w.rng.IntN(7)]
	time.Sleep(time.Duration(w.rng.Int64N(int64(limit/time.Millisecond))) * time.Millisecond)
}

func (w *jobWorld) found(name string, shape func(*World, *batchv1.JobSpec)) {
	labels := map[string]string{"app": name}
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec: corev1.PodSpec{
				RestartPolicy: corev1.RestartPolicyNever,
				Containers:    []corev1.Container{{Name: "app", Image: "perl"}},
			},
		}},
	}
	template := &job.Spec.Template
	if w.chance(15) {
		always := corev1.ContainerRestartPolicyAlways
		template.Spec.InitContainers = []corev1.Container{{Name: "sidecar", Image: "proxy", RestartPolicy: &always}}
	}
	if w.chance(10) {
		template.Spec.InitContainers = append(template.Spec.InitContainers, corev1.Container{Name: "fetch", Image: "curl"})
	}
	if w.chance(15) {
		template.Spec.Containers[0].Env = []corev1.EnvVar{{Name: pick(w.World, []string{"LEVEL", "JOB_COMPLETION_INDEX"}), Value: "1"}}
	}
	if w.chance(15) {
		template.Spec.TerminationGracePeriodSeconds = pointer(int64(w.between(0, 40)))
	}
	if w.chance(8) {
		template.Finalizers = []string{pick(w.World, []string{"example.org/wait", batchv1.JobTrackingFinalizer})}
	}
	if w.chance(10) {
		template.Annotations = map[string]string{"team": "a"}
	}
	if w.chance(20) {
		template.Spec.RestartPolicy = corev1.RestartPolicyOnFailure
	}
	if w.chance(6) {
		// So long that the names of its pods are shortened.
		job.Name = name + "-0123456789-0123456789-0123456789-0123456789-0123456789-0123456789"[:w.between(50, 58)]
	}
	shape(w.World, &job.Spec)
	if job.Spec.ManualSelector != nil {
		job.Spec.Selector = w.selector(labels)
	}
	if w.chance(12) {
		job.Spec.Suspend = pointer(true)
	}
	if job.Spec.BackoffLimitPerIndex != nil || job.Spec.PodFailurePolicy != nil {
		template.Spec.RestartPolicy = corev1.RestartPolicyNever
	}
	_, _ = w.store.Create(apiserver.Jobs, namespace, job)
}

func counted(w *World, spec *batchv1.JobSpec) {
	spec.Completions = pointer(int32(w.between(0, 7)))
	spec.Parallelism = pointer(int32(w.between(0, 5)))
	w.limit(spec)
}

func workQueue(w *World, spec *batchv1.JobSpec) {
	spec.Parallelism = pointer(int32(w.between(0, 5)))
	w.limit(spec)
}

func indexed(w *World, spec *batchv1.JobSpec) {
	counted(w, spec)
	spec.CompletionMode = pointer(batchv1.IndexedCompletion)
}

func perIndex(w *World, spec *batchv1.JobSpec) {
	indexed(w, spec)
	spec.BackoffLimitPerIndex = pointer(int32(w.between(0, 2)))
	if w.chance(50) {
		spec.MaxFailedIndexes = pointer(int32(w.between(0, max(0, min(3, int(*spec.Completions))))))
	}
	if w.chance(80) {
		spec.BackoffLimit = nil
	}
	if w.chance(50) {
		w.policy(spec)
	}
}

func failurePolicy(w *World, spec *batchv1.JobSpec) {
	pick(w, []func(*World, *batchv1.JobSpec){counted, workQueue, indexed, perIndex})(w, spec)
	w.policy(spec)
}

func successPolicy(w *World, spec *batchv1.JobSpec) {
	pick(w, []func(*World, *batchv1.JobSpec){indexed, perIndex})(w, spec)
	spec.Completions = pointer(int32(w.between(2, 8)))
	last := int(*spec.Completions) - 1
	spec.SuccessPolicy = &batchv1.SuccessPolicy{}
	for range w.between(1, 2) {
		rule := batchv1.SuccessPolicyRule{}
		length := 0
		switch w.rng.IntN(4) {
		case 0:
			rule.SucceededIndexes, length = pointer(fmt.Sprint(w.between(0, last))), 1
		case 1:
			to := w.between(1, last)
			rule.SucceededIndexes, length = pointer(fmt.Sprintf("0-%d", to)), to+1
		case 2:
			if last >= 3 {
				rule.SucceededIndexes, length = pointer(fmt.Sprintf("0,%d-%d", last-1, last)), 3
			}
		}
		if length == 0 {
			rule.SucceededCount = pointer(int32(w.between(1, last+1)))
		} else if w.chance(50) {
			rule.SucceededCount = pointer(int32(w.between(1, length)))
		}
		spec.SuccessPolicy.Rules = append(spec.SuccessPolicy.Rules, rule)
	}
}

func replacement(w *World, spec *batchv1.JobSpec) {
	pick(w, []func(*World, *batchv1.JobSpec){counted, workQueue, indexed, perIndex})(w, spec)
	spec.PodReplacementPolicy = pointer(pick(w, []batchv1.PodReplacementPolicy{batchv1.Failed, batchv1.Failed, batchv1.TerminatingOrFailed}))
	if spec.PodFailurePolicy != nil {
		spec.PodReplacementPolicy = pointer(batchv1.Failed)
	}
}

func anyJob(w *World, spec *batchv1.JobSpec) {
	pick(w, []func(*World, *batchv1.JobSpec){counted, workQueue, indexed, perIndex, failurePolicy, successPolicy, replacement, hurriedJob, selecting})(w, spec)
}

func hurriedJob(w *World, spec *batchv1.JobSpec) {
	pick(w, []func(*World, *batchv1.JobSpec){counted, workQueue, indexed, perIndex})(w, spec)
	spec.ActiveDeadlineSeconds = pointer(int64(pick(w, []int{1, 5, 20, 60, 200})))
}

// restarting creates a Job whose containers restart in their pods.
func restarting(w *World, spec *batchv1.JobSpec) {
	pick(w, []func(*World, *batchv1.JobSpec){counted, workQueue, indexed})(w, spec)
	spec.Template.Spec.RestartPolicy = corev1.RestartPolicyOnFailure
	spec.BackoffLimit = pointer(int32(w.between(0, 2)))
}

// failing creates a Job that soon fails.
func failing(w *World, spec *batchv1.JobSpec) {
	pick(w, []func(*World, *batchv1.JobSpec){counted, workQueue, failurePolicy, hurriedJob})(w, spec)
	spec.Parallelism = pointer(int32(w.between(2, 5)))
	if spec.BackoffLimit != nil {
		spec.BackoffLimit = pointer(int32(w.between(0, 1)))
	}
}

// patient creates a Job that tolerates many failed pods.
func patient(w *World, spec *batchv1.JobSpec) {
	pick(w, []func(*World, *batchv1.JobSpec){counted, workQueue, indexed})(w, spec)
	spec.BackoffLimit = pointer(int32(50))
}

func selecting(w *World, spec *batchv1.JobSpec) {
	pick(w, []func(*World, *batchv1.JobSpec){counted, workQueue, indexed, perIndex})(w, spec)
	spec.ManualSelector = pointer(true)
}

func managed(w *World, spec *batchv1.JobSpec) {
	counted(w, spec)
	spec.ManagedBy = pointer(pick(w, []string{batchv1.JobControllerName, "example.org/other"}))
}

func manyPods(w *World, spec *batchv1.JobSpec) {
	spec.Completions = pointer(int32(w.between(500, 620)))
	spec.Parallelism = pointer(int32(w.between(499, 620)))
	if w.chance(50) {
		spec.CompletionMode = pointer(batchv1.IndexedCompletion)
	}
}

func (w *World) limit(spec *batchv1.JobSpec) {
	if w.chance(70) {
		spec.BackoffLimit = pointer(pick(w, []int32{0, 1, 2, 3, 20}))
	}
	if w.chance(15) {
		spec.PodReplacementPolicy = pointer(batchv1.Failed)
	}
}

// policy gives the Job a podFailurePolicy.
func (w *World) policy(spec *batchv1.JobSpec) {
	actions := []batchv1.PodFailurePolicyAction{batchv1.PodFailurePolicyActionFailJob, batchv1.PodFailurePolicyActionIgnore, batchv1.PodFailurePolicyActionIgnore, batchv1.PodFailurePolicyActionCount, batchv1.PodFailurePolicyActionCount}
	if spec.BackoffLimitPerIndex != nil {
		actions = append(actions, batchv1.PodFailurePolicyActionFailIndex, batchv1.PodFailurePolicyActionFailIndex)
	}
	policy := &batchv1.PodFailurePolicy{}
	for range w.between(1, 3) {
		rule := batchv1.PodFailurePolicyRule{Action: pick(w, actions)}
		if w.chance(60) {
			codes := &batchv1.PodFailurePolicyOnExitCodesRequirement{
				Operator: pick(w, []batchv1.PodFailurePolicyOnExitCodesOperator{batchv1.PodFailurePolicyOnExitCodesOpIn, batchv1.PodFailurePolicyOnExitCodesOpIn, batchv1.PodFailurePolicyOnExitCodesOpNotIn}),
				Values:   [][]int32{{1}, {1}, {42}, {1, 42}, {2, 137}}[w.rng.IntN(5)],
			}
			if w.chance(30) {
				codes.ContainerName = pointer(pick(w, []string{"app", "app", "sidecar"}))
			}
			rule.OnExitCodes = codes
		} else {
			rule.OnPodConditions = []batchv1.PodFailurePolicyOnPodConditionsPattern{{
				Type:   pick(w, []corev1.PodConditionType{corev1.DisruptionTarget, corev1.DisruptionTarget, "ConfigIssue"}),
				Status: pick(w, []corev1.ConditionStatus{corev1.ConditionTrue, corev1.ConditionTrue, corev1.ConditionFalse}),
			}}
		}
		policy.Rules = append(policy.Rules, rule)
	}
	spec.PodFailurePolicy, spec.PodReplacementPolicy = policy, nil
}

// jobKubelets does the work of the scheduler and the kubelets for each pod of a Job.
func (w *jobWorld) jobKubelets() {
	for _, object := range w.store.List(apiserver.Pods) {
		pod := object.DeepCopyObject().(*corev1.Pod)
		switch {
		case pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed:
			if pod.DeletionTimestamp != nil {
				w.reap(pod)
			}
		case pod.DeletionTimestamp != nil:
			w.endJobPod(pod)
		case pod.Spec.NodeName == "":
			if w.chance(85) {
				pod.Spec.NodeName = fmt.Sprintf("node-%d", w.between(1, 4))
				w.report(pod)
			}
		case !w.lost[pod.Spec.NodeName]:
			w.liveJobPod(pod)
		}
	}
}

// reap removes a pod whose containers have ended, unless it has finalizers.
func (w *jobWorld) reap(pod *corev1.Pod) {
	if w.chance(70) {
		_ = w.store.Delete(apiserver.Pods, namespace, pod.Name, metav1.DeleteOptions{GracePeriodSeconds: pointer(int64(0))})
	}
}

func (w *jobWorld) endJobPod(pod *corev1.Pod) {
	over := !time.Now().Before(pod.DeletionTimestamp.Time)
	switch {
	case w.lost[pod.Spec.NodeName] && w.chance(70):
	case over && w.chance(80), w.chance(30):
		if pod.Spec.NodeName == "" && w.chance(50) {
			w.reap(pod)
		} else {
			w.finish(pod)
		}
	case w.chance(30):
		w.ready(pod, corev1.ConditionFalse)
	}
}

func (w *jobWorld) liveJobPod(pod *corev1.Pod) {
	chance := w.rng.IntN(100)
	switch pod.Status.Phase {
	case corev1.PodPending:
		if chance < 75 {
			pod.Status.Phase = corev1.PodRunning
			pod.Status.StartTime = pointer(metav1.Now())
			w.ready(pod, pick(w.World, []corev1.ConditionStatus{corev1.ConditionTrue, corev1.ConditionFalse}))
		}
	case corev1.PodRunning:
		switch {
		case chance < 15 && !isReady(pod):
			w.ready(pod, corev1.ConditionTrue)
		case chance < 45:
			w.finish(pod)
		case chance < 65 && pod.Spec.RestartPolicy == corev1.RestartPolicyOnFailure:
			w.restart(pod)
		}
	}
}

// finish ends a pod's containers with a random exit code.
func (w *jobWorld) finish(pod *corev1.Pod) {
	code := pick(w.World, []int32{0, 0, 0, 0, 1, 1, 2, 42, 137})
	if pod.DeletionTimestamp != nil && w.chance(50) {
		code = 137
	}
	pod.Status.Phase = corev1.PodSucceeded
	if code != 0 {
		pod.Status.Phase = corev1.PodFailed
	}
	now := metav1.Now()
	ended := func(name string, code int32) corev1.ContainerStatus {
		status := corev1.ContainerStatus{Name: name, State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: code, FinishedAt: now, StartedAt: now, Reason: "Completed",
		}}}
		if w.chance(6) {
			status.State.Terminated.FinishedAt = metav1.Time{}
		}
		if w.chance(4) {
			status.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}}
		}
		return status
	}
	pod.Status.ContainerStatuses, pod.Status.InitContainerStatuses = nil, nil
	if w.chance(90) {
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{ended("app", code)}
		for _, container := range pod.Spec.InitContainers {
			if w.chance(80) {
				status := ended(container.Name, pick(w.World, []int32{0, 0, 2}))
				pod.Status.InitContainerStatuses = append(pod.Status.InitContainerStatuses, status)
			}
		}
	}
	if w.chance(85) {
		w.ready(pod, corev1.ConditionFalse)
	}
	w.report(pod)
}

// disrupt evicts a pod: it gets a condition, and is deleted or fails.
func disrupt(w *World) {
	pod, ok := some[*corev1.Pod](w, apiserver.Pods)
	if !ok || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
		return
	}
	pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{
		Type: pick(w, []corev1.PodConditionType{corev1.DisruptionTarget, corev1.DisruptionTarget, "ConfigIssue"}), Status: corev1.ConditionTrue,
		LastTransitionTime: metav1.Now(), Reason: "PreemptionByScheduler",
	})
	if w.chance(40) {
		pod.Status.Phase, pod.Status.Reason = corev1.PodFailed, "Evicted"
	}
	w.report(pod)
	if w.chance(70) {
		_ = w.store.Delete(apiserver.Pods, namespace, pod.Name, metav1.DeleteOptions{})
	}
}

func someJob(w *World) (*batchv1.Job, bool) { return some[*batchv1.Job](w, apiserver.Jobs) }

func (w *World) updateJob(job *batchv1.Job) {
	_, _ = w.store.Update(apiserver.Jobs, namespace, job, "")
}

func scaleJob(w *World) {
	job, ok := someJob(w)
	if !ok {
		return
	}
	before := *job.Spec.Parallelism
	job.Spec.Parallelism = pointer(int32(w.between(0, 6)))
	if before > 100 {
		job.Spec.Parallelism = pointer(pick(w, []int32{0, 10, 105, 520, 600}))
	}
	if job.Spec.CompletionMode != nil && *job.Spec.CompletionMode == batchv1.IndexedCompletion && w.chance(40) {
		// An Indexed Job can grow and shrink if both are equal.
		job.Spec.Completions = job.Spec.Parallelism
	}
	w.updateJob(job)
}

func suspendJob(w *World) {
	if job, ok := someJob(w); ok {
		job.Spec.Suspend = pointer(job.Spec.Suspend == nil || !*job.Spec.Suspend)
		w.updateJob(job)
	}
}

func moveDeadline(w *World) {
	if job, ok := someJob(w); ok {
		job.Spec.ActiveDeadlineSeconds = pointer(int64(pick(w, []int{1, 10, 60, 500})))
		w.updateJob(job)
	}
}

func deleteJob(w *World) {
	job, ok := someJob(w)
	if !ok {
		return
	}
	policy := pick(w, []metav1.DeletionPropagation{
		metav1.DeletePropagationForeground, metav1.DeletePropagationOrphan, metav1.DeletePropagationBackground,
	})
	_ = w.store.Delete(apiserver.Jobs, namespace, job.Name, metav1.DeleteOptions{PropagationPolicy: &policy})
	if w.chance(30) {
		w.createAgain(job)
	}
}

// recreateJob replaces a Job with another one of the same name.
func recreateJob(w *World) {
	if job, ok := someJob(w); ok {
		w.store.Remove(apiserver.Jobs, namespace, job.Name)
		w.createAgain(job)
	}
}

func (w *World) createAgain(job *batchv1.Job) {
	again := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: job.Name, Namespace: namespace}, Spec: *job.Spec.DeepCopy()}
	again.Spec.Selector, again.Spec.ManualSelector = nil, nil
	again.Spec.Template.Labels = map[string]string{"app": job.Name}
	_, _ = w.store.Create(apiserver.Jobs, namespace, again)
}

// relabelJobPod takes a pod out of its Job's selector, or brings it back.
func relabelJobPod(w *World) {
	pod, ok := some[*corev1.Pod](w, apiserver.Pods)
	if !ok || pod.Labels == nil {
		return
	}
	if w.chance(60) {
		pod.Labels["app"] = "isolated"
	} else if job, ok := someJob(w); ok {
		pod.Labels["app"] = job.Spec.Template.Labels["app"]
	}
	w.report(pod)
}

// strayJobPod creates a pod without an owner that a Job selects, or removes a pod's owner.
func strayJobPod(w *World) {
	if pod, ok := some[*corev1.Pod](w, apiserver.Pods); ok && w.chance(60) {
		pod.OwnerReferences = nil
		if w.chance(20) {
			pod.OwnerReferences = []metav1.OwnerReference{{
				APIVersion: "v1", Kind: "Node", Name: "node-1", UID: "00000000-0000-0000-0000-00000000000a", Controller: pointer(w.chance(60)),
			}}
		}
		if w.chance(50) {
			pod.Finalizers = nil
		}
		w.report(pod)
		return
	}
	job, ok := someJob(w)
	if !ok {
		return
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("stray-%d", w.rng.IntN(5)), Namespace: namespace, Labels: map[string]string{},
			Finalizers: [][]string{nil, nil, {"example.org/wait"}, {batchv1.JobTrackingFinalizer}}[w.rng.IntN(4)],
		},
		Spec: *job.Spec.Template.Spec.DeepCopy(),
	}
	for key, value := range job.Spec.Template.Labels {
		pod.Labels[key] = value
	}
	if w.chance(25) {
		pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))}
	}
	if w.chance(50) {
		pod.Annotations = map[string]string{batchv1.JobCompletionIndexAnnotation: fmt.Sprint(w.between(0, 9))}
	}
	_, _ = w.store.Create(apiserver.Pods, namespace, pod)
	if w.chance(30) {
		if stored, err := w.store.Get(apiserver.Pods, namespace, pod.Name); err == nil {
			ended := stored.(*corev1.Pod)
			ended.Status.Phase = pick(w, []corev1.PodPhase{corev1.PodSucceeded, corev1.PodFailed})
			w.report(ended)
		}
	}
}

// stripPod removes a pod's finalizers.
func stripPod(w *World) {
	if pod, ok := some[*corev1.Pod](w, apiserver.Pods); ok {
		pod.Finalizers = nil
		if w.chance(30) {
			pod.Finalizers = []string{"example.org/wait"}
		}
		w.report(pod)
	}
}

// duplicateIndex gives a pod the index of another one.
func duplicateIndex(w *World) {
	one, ok := some[*corev1.Pod](w, apiserver.Pods)
	other, _ := some[*corev1.Pod](w, apiserver.Pods)
	if !ok || one.Annotations == nil {
		return
	}
	one.Annotations[batchv1.JobCompletionIndexAnnotation] = other.Annotations[batchv1.JobCompletionIndexAnnotation]
	w.report(one)
}

// bendIndex writes an invalid completion index into a pod's annotations.
func bendIndex(w *World) {
	pod, ok := some[*corev1.Pod](w, apiserver.Pods)
	if !ok || pod.Annotations == nil {
		return
	}
	key := pick(w, []string{batchv1.JobCompletionIndexAnnotation, batchv1.JobIndexFailureCountAnnotation, batchv1.JobIndexFailureCountAnnotation, batchv1.JobIndexIgnoredFailureCountAnnotation})
	switch value := pick(w, []string{"", "x", "x", "-1", "0", "1", "2", "7", "100", "2147483647", "2147483648", "+3"}); {
	case value == "":
		delete(pod.Annotations, key)
	default:
		pod.Annotations[key] = value
	}
	w.report(pod)
}

// bendSpecOfJob writes a spec that the API server would not accept.
func bendSpecOfJob(w *World) {
	job, ok := someJob(w)
	if !ok {
		return
	}
	switch w.rng.IntN(3) {
	case 0:
		job.Spec.CompletionMode = pointer(batchv1.CompletionMode("Sometimes"))
	case 1:
		job.Spec.Selector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "Near"}}}
	case 2:
		if job.Spec.SuccessPolicy != nil {
			job.Spec.SuccessPolicy.Rules[0].SucceededIndexes = pointer(pick(w, []string{"", "99", "x"}))
		}
	}
	w.store.Put(apiserver.Jobs, job)
}

// bendCounts writes counts that don't match the pods.
func bendCounts(w *World) {
	if job, ok := someJob(w); ok {
		job.Status.Succeeded = *job.Spec.Completions + int32(w.between(-1, 2))
		w.store.Put(apiserver.Jobs, job)
	}
}

// bendStatus writes a status that another controller might have left.
func bendStatus(w *World) {
	job, ok := someJob(w)
	if !ok {
		return
	}
	status := &job.Status
	condition := func(of batchv1.JobConditionType, reason string) {
		status.Conditions = append(status.Conditions, batchv1.JobCondition{
			Type: of, Status: pick(w, []corev1.ConditionStatus{corev1.ConditionTrue, corev1.ConditionTrue, corev1.ConditionFalse}),
			Reason: reason, Message: "somebody said so", LastTransitionTime: metav1.Now(),
		})
	}
	switch w.rng.IntN(11) {
	case 0, 9, 10:
		status.CompletedIndexes = pick(w, []string{"0", "0-1", "1,2", "x", "0,x-3,2", "1-y,4", "7-99", "0-2,3"})
	case 1:
		status.FailedIndexes = pointer(pick(w, []string{"", "0", "1-2", "x", "3,9"}))
	case 2:
		condition(batchv1.JobFailureTarget, pick(w, []string{batchv1.JobReasonDeadlineExceeded, "SomethingElse"}))
	case 3:
		condition(batchv1.JobSuccessCriteriaMet, batchv1.JobReasonSuccessPolicy)
	case 4:
		condition(batchv1.JobSuspended, "SomebodyElse")
	case 5:
		uids := []types.UID{"00000000-0000-0000-0000-00000000000b"}
		if pod, ok := some[*corev1.Pod](w, apiserver.Pods); ok {
			uids = append(uids, pod.UID)
		}
		status.UncountedTerminatedPods = &batchv1.UncountedTerminatedPods{}
		if w.chance(50) {
			status.UncountedTerminatedPods.Failed = uids
		} else {
			status.UncountedTerminatedPods.Succeeded = uids
		}
	case 6:
		status.Failed, status.Succeeded = int32(w.between(0, 4)), int32(w.between(0, 9))
	case 7:
		status.Failed = math.MaxInt32
	case 8:
		status.Ready, status.Terminating, status.Active = nil, nil, 3
	}
	w.store.Put(apiserver.Jobs, job)
}

// syncJobs syncs each Job with some probability.
func (w *jobWorld) syncJobs() {
	for range w.between(1, 2) {
		for _, object := range w.store.List(apiserver.Jobs) {
			if w.chance(85) {
				w.syncJob(object.(*batchv1.Job))
			}
		}
		if w.chance(15) || w.kind.name == "managed" || w.kind.name == "recreated" || w.kind.name == "deleted" && w.chance(40) {
			w.orphanPods()
		}
	}
}

func (w *jobWorld) syncJob(job *batchv1.Job) {
	before := w.memories[job.UID]
	if w.kind.name == "long-backoff" && w.chance(40) {
		// Enough failures for the longest back-off.
		last := time.Now().Add(-time.Duration(w.between(0, 700)) * time.Second).UTC()
		before.Backoff = &controllers.Backoff{Failures: int32(w.between(5, 12)), LastFailure: last}
	}
	var after controllers.JobResult
	sync := func(store *apiserver.Store, key string) controllers.Result {
		result := controllers.SyncJob(store, key, job.UID, before)
		if !store.Strict() {
			after = result
		}
		return result.Result
	}
	input := map[string]any{"job": cases.Value(job), "pods": podsOf(w.store)}
	held := w.store.Fork(true, nil, 0)
	c, _ := w.sync("job.sync", job.Name, input, sync, w.jobRefusals())
	if c == nil {
		return
	}
	if memory := cases.Value(before); len(memory.(map[string]any)) > 0 {
		c.Memory = memory
	}
	c.Expected["memory"] = cases.Value(after.Memory)
	if after.Err == nil {
		c.Expected["nanoseconds"] = int64(after.After)
	}
	w.emit(*c)
	w.memories[job.UID] = after.Memory
	if w.kind.name == "forgetful" && w.chance(15) {
		// The cache lags behind: it does not have the writes yet.
		w.store.Take(held)
		return
	}
	if w.kind.name != "forgetful" || w.chance(60) {
		w.observe(job.UID)
	}
}

// podsOf returns the pods of a store, shortened.
func podsOf(store *apiserver.Store) []any {
	pods := []any{}
	for _, object := range store.List(apiserver.Pods) {
		pods = append(pods, shortened(object))
	}
	return pods
}

// shortened returns a pod without the parts of its spec that don't matter here.
func shortened(pod runtime.Object) any {
	value := cases.Value(pod).(map[string]any)
	whole := value["spec"].(map[string]any)
	spec := map[string]any{}
	for _, key := range []string{"nodeName", "terminationGracePeriodSeconds"} {
		if field, ok := whole[key]; ok {
			spec[key] = field
		}
	}
	if sidecars, ok := whole["initContainers"].([]any); ok {
		containers := []any{}
		for _, container := range sidecars {
			container := container.(map[string]any)
			containers = append(containers, map[string]any{"name": container["name"], "restartPolicy": container["restartPolicy"]})
		}
		spec["initContainers"] = containers
	}
	value["spec"] = spec
	return value
}

// observe shows the controller its own writes.
func (w *jobWorld) observe(uid types.UID) {
	memory := w.memories[uid]
	memory.Expectations = nil
	finalizers := map[types.UID]bool{}
	for _, object := range w.store.List(apiserver.Pods) {
		pod := object.(*corev1.Pod)
		finalizers[pod.UID] = slices.Contains(pod.Finalizers, batchv1.JobTrackingFinalizer)
	}
	memory.Finalizers = slices.DeleteFunc(slices.Clone(memory.Finalizers), func(uid types.UID) bool { return !finalizers[uid] })
	w.memories[uid] = memory
}

// orphanPods shows the controller pods that no Job may count.
func (w *jobWorld) orphanPods() {
	for _, object := range w.store.List(apiserver.Pods) {
		pod := object.(*corev1.Pod)
		if !w.chance(20) {
			continue
		}
		input := map[string]any{"pod": shortened(pod), "jobs": cases.Value(w.store.List(apiserver.Jobs))}
		sync := func(store *apiserver.Store, _ string) controllers.Result {
			return controllers.Result{Err: controllers.HandleOrphanPod(store, pod.DeepCopy())}
		}
		if c, _ := w.sync("job.orphan", pod.Name, input, sync, w.jobRefusals()); c != nil {
			w.emit(*c)
		}
	}
}

// jobRefusals makes the API server refuse some calls. Concurrent calls are refused as a whole batch or by name, because
// the order within a batch is random.
func (w *jobWorld) jobRefusals() []apiserver.Refusal {
	if w.kind.name == "refused-end" && w.chance(60) {
		// A Job ends once: all deletions of that sync are refused.
		return []apiserver.Refusal{jobRefusals[3]}
	}
	if !w.kind.refuses || !w.chance(50) {
		return nil
	}
	refusal := pick(w.World, jobRefusals)
	switch w.kind.name {
	case "refused-flush":
		refusal = jobRefusals[5]
	case "refused-orphans":
		return []apiserver.Refusal{jobRefusals[5]}
	case "namespace-goes":
		refusal = jobRefusals[1]
	}
	switch {
	case refusal.Verb == "create":
		refusal.After = pick(w.World, []int{0, 0, 1, 1, 3})
	case refusal.Resource == "pods":
		var likely []string
		for _, object := range w.store.List(apiserver.Pods) {
			pod := object.(*corev1.Pod)
			ended := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed || pod.DeletionTimestamp != nil
			if len(pod.Finalizers) > 0 && (refusal.Verb == "delete" || ended) {
				likely = append(likely, pod.Name)
			}
		}
		if len(likely) > 0 && w.chance(75) {
			refusal.Name = pick(w.World, likely)
		}
		if refusal.Verb == "patch" && (w.chance(35) || w.kind.name == "refused-flush") {
			return []apiserver.Refusal{refusal, {Verb: "updateStatus", Resource: "jobs", After: 1, Code: 500, Message: "etcdserver: request timed out"}}
		}
	default:
		refusal.After = pick(w.World, []int{0, 0, 1})
	}
	return []apiserver.Refusal{refusal}
}

var jobRefusals = []apiserver.Refusal{
	{Verb: "create", Resource: "pods", Code: 403, Message: `pods "pi-" is forbidden: exceeded quota: pods, requested: pods=1, used: pods=5, limited: pods=5`},
	{Verb: "create", Resource: "pods", Code: 403, Message: `pods "pi-" is forbidden: unable to create new content in namespace default because it is being terminated`, Cause: "NamespaceTerminating"},
	{Verb: "create", Resource: "pods", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "delete", Resource: "pods", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "delete", Resource: "pods", Code: 404, Message: `pods "pi" not found`},
	{Verb: "patch", Resource: "pods", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "patch", Resource: "pods", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "patch", Resource: "pods", Code: 404, Message: `pods "pi" not found`},
	{Verb: "patch", Resource: "pods", Code: 422, Message: `pods "pi" is invalid`},
	{Verb: "updateStatus", Resource: "jobs", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "updateStatus", Resource: "jobs", Code: 409, Message: "Operation cannot be fulfilled"},
}
