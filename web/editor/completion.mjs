// Completion of the fields that decide what a rollout does.

/** Fields by the path of the map that they are in. A list item has the path of its list. Each has what it is, and its default. */
const PROBE = {
  initialDelaySeconds: "seconds before the first probe (default 0)",
  periodSeconds: "seconds between probes (default 10)",
  failureThreshold: "failures in a row that count (default 3)",
  successThreshold: "successes in a row that count (default 1)",
};
const FIELDS = {
  Deployment: {
    "": { apiVersion: "apps/v1", kind: "Deployment", metadata: "", spec: "" },
    metadata: { name: "", namespace: "default", labels: "", annotations: "" },
    spec: {
      replicas: "desired pods (default 1)",
      strategy: "how old pods are replaced",
      minReadySeconds: "seconds until a ready pod is available (default 0)",
      progressDeadlineSeconds: "seconds without progress (default 600)",
      revisionHistoryLimit: "old ReplicaSets that are kept (default 10)",
      paused: "whether the rollout is paused (default false)",
      podReplacementPolicy: "when pods are replaced; proposed (KEP-5882)",
      selector: "",
      template: "",
    },
    "spec.strategy": { type: "RollingUpdate or Recreate", rollingUpdate: "" },
    "spec.strategy.rollingUpdate": { maxSurge: "extra pods (default 25%)", maxUnavailable: "unavailable pods (default 25%)" },
    "spec.selector": { matchLabels: "" },
    "spec.template": { metadata: "", spec: "" },
    "spec.template.metadata": { labels: "", annotations: "" },
    "spec.template.spec": {
      containers: "",
      initContainers: "",
      terminationGracePeriodSeconds: "seconds to stop (default 30)",
      nodeName: "",
      volumes: "",
    },
    "spec.template.spec.containers": {
      name: "",
      image: "",
      readinessProbe: "when the container is ready",
      startupProbe: "when the container has started",
      lifecycle: "what runs before the pod stops",
      resources: "what the container requests",
    },
    "spec.template.spec.containers.readinessProbe": PROBE,
    "spec.template.spec.containers.startupProbe": PROBE,
    "spec.template.spec.containers.lifecycle": { preStop: "" },
    "spec.template.spec.containers.lifecycle.preStop": { sleep: "", exec: "" },
    "spec.template.spec.containers.lifecycle.preStop.sleep": { seconds: "whole seconds, at most the grace period" },
    "spec.template.spec.containers.lifecycle.preStop.exec": { command: "a hook that only sleeps takes that long; any other hook takes no time" },
    "spec.template.spec.containers.resources": { requests: "", limits: "" },
    "spec.template.spec.containers.resources.requests": { cpu: "500m", memory: "256Mi" },
    "spec.template.spec.containers.resources.limits": { cpu: "1", memory: "512Mi" },
  },
  ResourceQuota: {
    "": { apiVersion: "v1", kind: "ResourceQuota", metadata: "", spec: "" },
    metadata: { name: "", namespace: "default" },
    spec: { hard: "the limit for each resource" },
    "spec.hard": { pods: "terminating pods count", "requests.cpu": "", "requests.memory": "", "limits.cpu": "", "limits.memory": "" },
  },
  LimitRange: {
    "": { apiVersion: "v1", kind: "LimitRange", metadata: "", spec: "" },
    metadata: { name: "", namespace: "default" },
    spec: { limits: "" },
    "spec.limits": {
      type: "Container, Pod or PersistentVolumeClaim",
      default: "limits of containers without their own",
      defaultRequest: "requests of containers without their own",
      max: "the most; also the limits if there is no default",
      min: "the least",
    },
    ...Object.fromEntries(["default", "defaultRequest", "max", "min"].map((key) => [`spec.limits.${key}`, { cpu: "500m", memory: "256Mi" }])),
  },
  PersistentVolumeClaim: {
    "": { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: "", spec: "" },
    metadata: { name: "", namespace: "default" },
    spec: { accessModes: "how many nodes or pods can use it at a time", volumeName: "", storageClassName: "", resources: "" },
    "spec.resources": { requests: "" },
    "spec.resources.requests": { storage: "10Gi" },
  },
  PodDisruptionBudget: {
    "": { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: "", spec: "" },
    metadata: { name: "", namespace: "default" },
    spec: { minAvailable: "a number or a percentage", maxUnavailable: "a number or a percentage", selector: "" },
    "spec.selector": { matchLabels: "" },
  },
  Node: {
    "": { apiVersion: "v1", kind: "Node", metadata: "", spec: "", status: "" },
    metadata: { name: "" },
    spec: { unschedulable: "whether it is cordoned (default false)" },
    status: { allocatable: "what its pods may request", capacity: "what it has in total, including the system's share" },
    "status.allocatable": { pods: "110", cpu: "4", memory: "16Gi" },
    "status.capacity": { pods: "110", cpu: "4", memory: "16Gi" },
  },
};

/** Fields of maps that stand below another one. */
function below(path, fields) {
  return Object.fromEntries(Object.entries(fields).map(([inner, value]) => [inner ? `${path}.${inner}` : path, value]));
}

/** The template of a Deployment and what is in it. */
const POD_TEMPLATE = Object.fromEntries(Object.entries(FIELDS.Deployment).filter(([path]) => path.startsWith("spec.template")));

FIELDS.ReplicaSet = {
  "": { apiVersion: "apps/v1", kind: "ReplicaSet", metadata: "", spec: "" },
  metadata: FIELDS.Deployment.metadata,
  spec: {
    replicas: "desired pods (default 1)",
    minReadySeconds: "seconds until a ready pod is available (default 0)",
    selector: "",
    template: "",
  },
  "spec.selector": { matchLabels: "" },
  ...POD_TEMPLATE,
};

/** What a template has in its `spec`, a Pod has in its own. */
const POD_SPEC = Object.fromEntries(
  Object.entries(POD_TEMPLATE)
    .filter(([path]) => path.startsWith("spec.template.spec"))
    .map(([path, fields]) => [path.replace("spec.template.", ""), fields]),
);
FIELDS.Pod = {
  "": { apiVersion: "v1", kind: "Pod", metadata: "", spec: "" },
  metadata: FIELDS.Deployment.metadata,
  ...POD_SPEC,
  spec: { restartPolicy: "Always, OnFailure or Never (default Always)", ...POD_SPEC.spec },
};

/** Fields of a Job. Its pods say how they end. */
const JOB = {
  spec: {
    parallelism: "pods at once (default 1)",
    completions: "pods that must succeed",
    completionMode: "NonIndexed or Indexed",
    backoffLimit: "failures allowed (default 6)",
    backoffLimitPerIndex: "failures allowed for each index",
    maxFailedIndexes: "failed indexes allowed",
    podReplacementPolicy: "when a pod is replaced",
    podFailurePolicy: "how failed pods are handled",
    successPolicy: "when the Job is complete",
    activeDeadlineSeconds: "seconds until the Job fails",
    ttlSecondsAfterFinished: "seconds until it is deleted",
    suspend: "whether it is suspended (default false)",
    template: "",
  },
  "spec.podFailurePolicy": { rules: "" },
  "spec.podFailurePolicy.rules": { action: "FailJob, FailIndex, Ignore or Count", onExitCodes: "", onPodConditions: "" },
  "spec.podFailurePolicy.rules.onExitCodes": { containerName: "", operator: "In or NotIn", values: "" },
  "spec.podFailurePolicy.rules.onPodConditions": { type: "DisruptionTarget", status: "True" },
  ...POD_TEMPLATE,
  "spec.template.spec": { restartPolicy: "Never or OnFailure", ...POD_TEMPLATE["spec.template.spec"] },
};
FIELDS.Job = {
  "": { apiVersion: "batch/v1", kind: "Job", metadata: "", spec: "" },
  metadata: FIELDS.Deployment.metadata,
  ...JOB,
};
FIELDS.CronJob = {
  "": { apiVersion: "batch/v1", kind: "CronJob", metadata: "", spec: "" },
  metadata: FIELDS.Deployment.metadata,
  spec: {
    schedule: "minute, hour, day, month, weekday",
    concurrencyPolicy: "Allow, Forbid or Replace (default Allow)",
    startingDeadlineSeconds: "seconds after which a run is missed",
    suspend: "whether it is suspended (default false)",
    successfulJobsHistoryLimit: "complete Jobs that are kept (default 3)",
    failedJobsHistoryLimit: "failed Jobs that are kept (default 1)",
    jobTemplate: "",
  },
  "spec.jobTemplate": { metadata: "", spec: "" },
  ...below("spec.jobTemplate", JOB),
};

/** Values by field. */
const VALUES = {
  kind: Object.keys(FIELDS),
  apiVersion: ["apps/v1", "v1", "policy/v1", "batch/v1"],
  type: ["RollingUpdate", "Recreate"],
  paused: ["true", "false"],
  suspend: ["true", "false"],
  completionMode: ["NonIndexed", "Indexed"],
  podReplacementPolicy: ["TerminatingOrFailed", "Failed"],
  concurrencyPolicy: ["Allow", "Forbid", "Replace"],
  restartPolicy: ["Never", "OnFailure"],
  action: ["FailJob", "FailIndex", "Ignore", "Count"],
  unschedulable: ["true", "false"],
};

/** Values that only a field of this kind has. */
const VALUES_OF_KIND = {
  Deployment: { podReplacementPolicy: ["TerminationStarted", "TerminationComplete"] },
  LimitRange: { type: ["Container", "Pod", "PersistentVolumeClaim"] },
  Pod: { restartPolicy: ["Always", "OnFailure", "Never"] },
};

const KEY = /^(\s*)((?:- +)*)([\w.-]+):/;

/** The indentation of a line's key; that of an item is behind its dash. */
const depth = ([, spaces, dashes]) => spaces.length + dashes.length;

/** The kind of the object around a line of a List; undefined if it has none. */
function kindOfItem(doc, lineNumber) {
  let first = lineNumber;
  while (first > 1 && !doc.line(first - 1).text.startsWith("items:")) first -= 1;
  const dash = /^ *- +/.exec(doc.line(first).text)?.[0];
  if (!dash) return undefined;
  let start = lineNumber;
  while (start > first && !doc.line(start).text.startsWith(dash)) start -= 1;
  for (let number = start; number <= doc.lines; number += 1) {
    const text = doc.line(number).text;
    if (number > start && (text.startsWith(dash) || text.startsWith("---"))) return undefined;
    const found = KEY.exec(text);
    if (found?.[3] === "kind" && depth(found) === dash.length) return text.slice(text.indexOf(":") + 1).trim();
  }
  return undefined;
}

/** The kind of the object around a line, and the path of the map that a key of this indentation is in. */
function surroundings(doc, lineNumber, indentation) {
  const path = [];
  let below = indentation;
  let kind = "Deployment";
  for (let number = lineNumber - 1; number > 0; number -= 1) {
    const text = doc.line(number).text;
    if (text.startsWith("---")) break;
    const found = KEY.exec(text);
    if (!found) continue;
    const [, spaces, dashes, key] = found;
    // An item may be as deep as the key of its list.
    if (dashes && spaces.length < below && depth(found) >= below) below = spaces.length + 1;
    if (depth(found) < below) {
      path.unshift(key);
      below = depth(found);
    }
    if (depth(found) === 0 && key === "kind") kind = text.slice(text.indexOf(":") + 1).trim();
  }
  for (let number = lineNumber + 1; number <= Math.min(doc.lines, lineNumber + 200); number += 1) {
    const text = doc.line(number).text;
    if (text.startsWith("---")) break;
    const found = /^kind: *(\w+)/.exec(text);
    if (found) kind = found[1];
  }
  if (path[0] === "items") return { kind: kindOfItem(doc, lineNumber) ?? "Deployment", path: path.slice(1).join(".") };
  return { kind, path: path.join(".") };
}

/** What fits at the cursor. */
export function completeField(context) {
  const line = context.state.doc.lineAt(context.pos);
  const before = line.text.slice(0, context.pos - line.from);
  const value = /^(\s*(?:- +)*)([\w.-]+): *(\S*)$/.exec(before);
  if (value) {
    const { kind } = surroundings(context.state.doc, line.number, value[1].length);
    const values = VALUES_OF_KIND[kind]?.[value[2]] ?? VALUES[value[2]] ?? [];
    const options = values.map((label) => ({ label, type: "enum" }));
    return options.length ? { from: context.pos - value[3].length, options } : null;
  }
  const key = /^(\s*(?:- +)*)([\w.-]*)$/.exec(before);
  if (!key || (key[2] === "" && !context.explicit)) return null;
  const { kind, path } = surroundings(context.state.doc, line.number, key[1].length);
  const fields = FIELDS[kind]?.[path];
  if (!fields) return null;
  const options = Object.entries(fields).map(([label, detail]) => ({ label, detail, apply: `${label}: `, type: "property" }));
  return { from: context.pos - key[2].length, options, validFor: /^[\w.-]*$/ };
}
