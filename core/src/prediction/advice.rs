//! What kubelets, registries, runtimes, webhooks and controllers say if something is wrong, and what to do about it.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Words of another component, what stands before and after the name of what they are about, and what to do: `{}` is that name. "its node" and
/// "its registry" are named where they are known.
pub(super) type Advice = (&'static [&'static str], [&'static str; 2], &'static str);

/// What to do about a container that ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ToDo {
    /// Its status or its events say why.
    Known(String),
    /// Only its own log says why; there may be something to try as well.
    SeeLog { try_first: Option<String> },
}

/// The words are about nothing with a name.
const NO_NAME: [&str; 2] = ["", ""];

const EXEC_FORMAT: Advice = (&["exec format error"], NO_NAME, "use an image for the architecture of its node");

const NO_SPACE: Advice = (&["no space left on device"], NO_NAME, "free disk space on its node");

/// How a node says that its runtime is too slow: another template does not help it.
const SLOW_RUNTIME: Advice = (
    &["is reserved for", "DeadlineExceeded", "deadline exceeded"],
    NO_NAME,
    "check the container runtime of its node, which is too slow",
);

/// The scheduler's Event about a pod that it ended to make room.
pub(super) const PREEMPTED: &str = "Preempted";

/// How the API server refuses pods.
pub(super) const REFUSALS: [Advice; 19] = [
    (
        &["violates PodSecurity"],
        ["PodSecurity \"", "\""],
        "change the template to meet the standard {}; a workload that can't, such as a node agent, needs a namespace with a lower level (label pod-security.kubernetes.io/enforce)",
    ),
    (
        &["security context constraint"],
        NO_NAME,
        "correct the securityContext in the template (last resort: let its service account use a SecurityContextConstraint that allows it)",
    ),
    (
        &["etcdserver: ", "quota evaluation timed out", "within requested timeout"],
        NO_NAME,
        "check why etcd and the API server are too slow",
    ),
    (
        &["cannot create resource"],
        ["User \"", "\""],
        "let {} create pods again: its ClusterRole or ClusterRoleBinding does not",
    ),
    (
        &["error looking up service account"],
        ["service account ", ":"],
        "create service account {}, or correct spec.template.spec.serviceAccountName",
    ),
    (
        &["no PriorityClass with name"],
        ["PriorityClass with name ", " was"],
        "create PriorityClass {}, or correct spec.template.spec.priorityClassName",
    ),
    (
        &["RuntimeClass \""],
        ["RuntimeClass \"", "\""],
        "create RuntimeClass {}, or correct spec.template.spec.runtimeClassName",
    ),
    (
        &["insufficient quota to match these scopes"],
        NO_NAME,
        "create a ResourceQuota with that scope in the namespace, or change what puts the pods in that scope, such as priorityClassName",
    ),
    (&["must specify"], ["failed quota: ", ":"], "set in the template what quota {} requires"),
    (&["exceeded quota"], ["exceeded quota: ", ","], "raise quota {}, or free what it counts"),
    (
        &["usage per"],
        NO_NAME,
        "set requests and limits in the template that the LimitRange allows, or change the LimitRange",
    ),
    (
        &["because it is being terminated"],
        ["namespace ", " because"],
        "its namespace {} is being deleted: use another one, or create it again with all that was in it once it is gone",
    ),
    (
        &["ValidatingAdmissionPolicy"],
        ["ValidatingAdmissionPolicy '", "'"],
        "change the template to satisfy ValidatingAdmissionPolicy {}, or change that policy",
    ),
    (
        &["denied the request"],
        ["webhook \"", "\""],
        "change the template to satisfy webhook {}, or change the webhook's rules",
    ),
    (
        &["no endpoints available for service"],
        ["service \"", "\""],
        "bring the pods of service {} back, which answers for the webhook (last resort: failurePolicy Ignore, which lets pods pass unchecked)",
    ),
    (
        &["service \""],
        ["service \"", "\""],
        "install what runs service {} again, or delete the webhook if it was uninstalled for good",
    ),
    (&["x509"], ["webhook \"", "\""], "renew the certificate of webhook {}, and the caBundle in its configuration"),
    (
        &["failed calling webhook"],
        ["webhook \"", "\""],
        "find out why the server of webhook {} does not answer (last resort: failurePolicy Ignore, which lets pods pass unchecked)",
    ),
    (&[" is invalid: "], [" is invalid: ", ":"], "correct {} in the template"),
];

/// How registries and runtimes refuse an image.
pub(super) const PULL_FAILURES: [Advice; 7] = [
    (
        &["toomanyrequests", "pull rate limit", "429 Too Many Requests"],
        NO_NAME,
        "log in to its registry (imagePullSecrets), use a mirror, or wait",
    ),
    (
        &[
            "401 Unauthorized",
            "403 Forbidden",
            "unauthorized",
            "access denied",
            "authentication required",
            "no basic auth",
        ],
        NO_NAME,
        "give the pods access to its registry (imagePullSecrets), or correct the image's name",
    ),
    (&["no match for platform", "no matching manifest for"], NO_NAME, EXEC_FORMAT.2),
    (
        &["500 Internal Server Error", "502 Bad Gateway", "503 Service Unavailable", "504 Gateway Time"],
        NO_NAME,
        "bring its registry back, which answers with an error of its own, or wait",
    ),
    (&["x509"], NO_NAME, "let its node trust the certificate of its registry"),
    NO_SPACE,
    (
        &["no such host", "i/o timeout", "connection refused", "deadline exceeded", "no route to host"],
        NO_NAME,
        "let its node reach its registry (DNS, proxy, firewall), or correct the image's name",
    ),
];

/// How a registry says that it does not have an image.
pub(super) const NO_IMAGE: Advice = (
    &["not found", "manifest unknown", "does not exist"],
    NO_NAME,
    "push that image to its registry, or correct its name or tag",
);

/// How runtimes fail to create or start a container.
pub(super) const CREATION_FAILURES: [Advice; 8] = [
    (
        &["seccomp profile", "apparmor", "AppArmor"],
        NO_NAME,
        "install that profile on its node, or set another one in the securityContext",
    ),
    SLOW_RUNTIME,
    EXEC_FORMAT,
    (&["not a directory"], NO_NAME, "mount a single file with subPath, or mount the volume on a directory"),
    (&["memory limit too low"], NO_NAME, "raise its memory limit, which not even its start fits into"),
    (&["permission denied"], NO_NAME, "make its command executable in the image (chmod +x), or correct the command"),
    NO_SPACE,
    (&["exec: \""], ["exec: \"", "\""], "correct command {}, or use an image that has it"),
];

/// The last words of containers.
pub(super) const LAST_WORDS: [Advice; 8] = [
    EXEC_FORMAT,
    (
        &["Read-only file system", "read-only file system"],
        NO_NAME,
        "mount an emptyDir where it writes (last resort: readOnlyRootFilesystem: false, which lets it write to its image)",
    ),
    (&["address already in use"], NO_NAME, "let it listen on a port that nothing else in its pod has"),
    (
        &[": bind: permission denied", "bind() to "],
        NO_NAME,
        "let it listen on a port above 1023 (last resort: the capability NET_BIND_SERVICE)",
    ),
    (
        &[
            "Code: 401",
            "Code: 403",
            "Error 401",
            "Error 403",
            "AccessDenied",
            "401 Unauthorized",
            "403 Forbidden",
            "uthentication failed",
            "Access denied for user",
            "permission denied for ",
            "is forbidden: User",
        ],
        NO_NAME,
        "give it the credentials or the role that it is refused for, or correct them",
    ),
    (&["ermission denied"], NO_NAME, "let its user do that (runAsUser, fsGroup), or correct the path"),
    NO_SPACE,
    (
        &["no such host", "onnection refused", "could not connect", "i/o timeout"],
        NO_NAME,
        "bring up what it connects to, or correct the address",
    ),
];

/// How probes fail.
pub(super) const PROBE_FAILURES: [Advice; 9] = [
    (&["statuscode: 401", "statuscode: 403"], NO_NAME, "point its probe at a path that it answers without a login"),
    (&["statuscode: 404"], NO_NAME, "correct the path of its probe, which it does not have"),
    (&["statuscode: 405"], NO_NAME, "point its probe at a path that answers GET"),
    (&["statuscode: "], ["statuscode: ", " "], "repair what makes it answer its probe with {}"),
    (
        &["malformed HTTP response", "HTTP response to HTTPS client"],
        NO_NAME,
        "correct the scheme of its probe (HTTP or HTTPS)",
    ),
    (
        &["Client.Timeout", "context deadline exceeded", "timed out"],
        NO_NAME,
        "raise timeoutSeconds of its probe, or let it answer sooner",
    ),
    (
        &["connection refused"],
        NO_NAME,
        "let it listen on the port that its probe asks (on 0.0.0.0, not only on 127.0.0.1), or correct that port",
    ),
    (&["executable file not found"], NO_NAME, "correct the command of its probe"),
    // Upstream: `pkg/probe/grpc/grpc.go Probe`
    (&["responded with \""], ["responded with \"", "\""], "repair what makes it answer its probe with {}"),
];

/// Conditions that gate readiness, and the controllers that set them.
pub(super) const READINESS_GATES: [Advice; 3] = [
    (
        &["elbv2.k8s.aws"],
        NO_NAME,
        "check that the AWS Load Balancer Controller runs, and that the health check of its target group succeeds",
    ),
    (
        &["load-balancer-neg-ready"],
        NO_NAME,
        "check that the health check of GKE's load balancer succeeds (BackendConfig, firewall)",
    ),
    (&["readiness gate"], ["readiness gate \"", "\""], "check that the controller runs that sets condition {} of pods"),
];

/// Conditions that gate readiness and are not True, by the controllers that set them.
pub(super) const UNMET_READINESS_GATES: [Advice; 2] = [
    (
        &["elbv2.k8s.aws"],
        NO_NAME,
        "correct the health check of its target group (path, port, success codes), or what answers it",
    ),
    (
        &["load-balancer-neg-ready"],
        NO_NAME,
        "correct the health check of GKE's load balancer (BackendConfig, firewall), or what answers it",
    ),
];

/// How kubelets say that volumes and networks are not there.
pub(super) const START_FAILURES: [Advice; 12] = [
    (
        &["list of registered CSI drivers"],
        ["driver name ", " not found"],
        "bring the pod of CSI driver {} back on its node",
    ),
    // Upstream: `pkg/volume/hostpath/host_path.go checkTypeInternal`
    (
        &["hostPath type check failed"],
        ["failed: ", " is not"],
        "correct hostPath {} or its type, or create it on its node",
    ),
    (
        &["AccessDenied", "is not authorized", "PermissionDenied"],
        NO_NAME,
        "give its service account, or its node, the role that it is refused for",
    ),
    (
        &["no runtime for \""],
        ["no runtime for \"", "\""],
        "install runtime {} on its node, or correct runtimeClassName or the RuntimeClass",
    ),
    (
        &["Connection timed out", "No route to host", "Connection refused", "Host is down"],
        NO_NAME,
        "check that the volume's server answers, and that its node can reach it",
    ),
    (&["access denied by server", "Permission denied"], NO_NAME, "let the volume's server allow its node"),
    (
        &["AttachmentLimitExceeded", "maximum number of volumes", "attachment limit"],
        NO_NAME,
        "move pods with volumes away from its node, or add a node: no more volumes can be attached there",
    ),
    (
        &["wrong fs type", "bad superblock", "fsck"],
        NO_NAME,
        "check the volume's file system and its fsType, from a copy if its data matters",
    ),
    (&["AttachVolume.Attach failed"], NO_NAME, "check the CSI driver of the volume, and its access to the storage"),
    (
        &["assign an IP address", "no IP addresses available", "no available IP", "failed to allocate for range"],
        NO_NAME,
        "give its node more IP addresses (a larger subnet or podCIDR), or run fewer pods there",
    ),
    (&["plugin type="], ["plugin type=\"", "\""], "check network plugin {} on its node"),
    (
        &["FailedCreatePodSandBox: ", "NetworkNotReady: "],
        NO_NAME,
        "check the network plugin and the container runtime of its node",
    ),
];

/// How a volume says that it is attached elsewhere.
pub(super) const ATTACHED_ELSEWHERE: Advice = (
    &["Multi-Attach error"],
    ["used by pod(s) ", "; "],
    "let pod {} go that uses the volume, or use a volume that several nodes can attach",
);

/// How nodes end pods, after the reason.
pub(super) const FAILED_PODS: [Advice; 9] = [
    (
        &["low on resource"],
        ["low on resource: ", "."],
        "free {} on its node, or let the pods request and use less of it",
    ),
    (&["ephemeral"], NO_NAME, "raise its ephemeral-storage limit, or let it write less to its disk"),
    // Upstream: `pkg/kubelet/nodeshutdown/nodeshutdown_manager.go`
    (
        &["Terminated: ", "NodeShutdown: "],
        NO_NAME,
        "bring its node back, unless that was on purpose: other pods replace these",
    ),
    (&["UnexpectedAdmissionError: "], NO_NAME, "bring the device plugin back on its node"),
    (&["NodeAffinity: "], NO_NAME, "label its node again, or correct nodeSelector: they don't match any more"),
    // Upstream: `pkg/kubelet/cm/topologymanager/scope.go`
    (
        &["TopologyAffinityError: "],
        NO_NAME,
        "request what fits one NUMA node, or relax topologyManagerPolicy of its node",
    ),
    (&["OutOf"], NO_NAME, "make room on its node: more runs there than the scheduler counts"),
    (&["Preempting: "], NO_NAME, "add room on its node: a critical pod took theirs"),
    (&[": "], NO_NAME, "find out why they are refused on its node: until then, each replacement there fails, too"),
];

/// Why pods without room get none, as Events of autoscalers and of the scheduler say it.
pub(super) const SCALING: [Advice; 5] = [
    (
        &["max node group size", "max limit reached"],
        NO_NAME,
        "raise the maximum size of the node group, make room on a node, or request less",
    ),
    (&["TriggeredScaleUp"], NO_NAME, "wait: the cluster autoscaler adds a node"),
    (
        &["NotTriggerScaleUp"],
        NO_NAME,
        "let a node group of the cluster autoscaler fit the pods, make room on a node, or request less",
    ),
    (
        &[PREEMPTED],
        NO_NAME,
        "give the pods a priorityClassName as high as that of the pod that preempted them, add a node, or request less",
    ),
    (
        &["nodepool", "NodePool"],
        NO_NAME,
        "let a NodePool of Karpenter fit the pods (requirements, limits), make room on a node, or request less",
    ),
];

/// Why kubelets don't stop pods.
pub(super) const STOP_FAILURES: [Advice; 1] =
    [(&["FailedKillPod"], NO_NAME, "repair the container runtime of its node, or drain and reboot that node")];

/// What to do about autoscalers that say this about their metrics.
///
/// Upstream: `pkg/controller/podautoscaler/replica_calculator.go GetResourceReplicas`
pub(super) const METRICS: [Advice; 4] = [
    (
        &["missing request for"],
        NO_NAME,
        "set the request of that container in the template: the target is a percentage of it",
    ),
    (&["multiple HPAs"], NO_NAME, "delete all but one of them"),
    (&["metrics API", "metrics.k8s.io"], NO_NAME, "check that metrics-server, or the adapter for its metrics, runs"),
    (&[""], NO_NAME, "correct what its message names"),
];

/// Whether a message has one of these words.
fn says((words, ..): &Advice, message: &str) -> bool {
    words.iter().any(|words| message.contains(words))
}

/// Whether a runtime that could not create a container is too slow, so that no other template helps.
pub(super) fn is_slow_runtime(message: &str) -> bool {
    CREATION_FAILURES.iter().find(|known| says(known, message)) == Some(&SLOW_RUNTIME)
}

/// What to do about the first of these words in a message.
pub(super) fn advice(known: &[Advice], message: &str) -> Option<String> {
    let (_, [before, after], to_do) = known.iter().find(|known| says(known, message))?;
    let named = message.split_once(before).filter(|_| !before.is_empty());
    let named = named.map(|(_, rest)| rest.split_once(after).map_or(rest, |(name, _)| name).trim());
    Some(match named {
        Some(name) => to_do.replace("{}", name),
        None => to_do.replace(" {}", ""),
    })
}

/// The advice with the names of the nodes, if they are known.
pub(super) fn on_nodes(advice: &str, nodes: &BTreeSet<&str>) -> String {
    const NAMED: usize = 3;
    let nodes: Vec<&str> = nodes.iter().copied().collect();
    let named = match nodes.as_slice() {
        [] => return advice.into(),
        [node] => format!("node {node}"),
        [first @ .., last] if nodes.len() <= NAMED => format!("nodes {} and {last}", first.join(", ")),
        [first, second, others @ ..] => format!("nodes {first}, {second} and {} more", others.len()),
    };
    advice.replace("its node", &named)
}

/// The advice with the name of an image's registry: the first part of its name, if that is the name of a host, or else Docker Hub.
pub(super) fn with_registry(advice: &str, image: &str) -> String {
    let registry = image.split_once('/').map(|(registry, _)| registry);
    let is_registry = |name: &&str| *name == "localhost" || name.contains(['.', ':']);
    advice.replace("its registry", &format!("registry {}", registry.filter(is_registry).unwrap_or("docker.io")))
}
