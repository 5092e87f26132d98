/// <reference lib="esnext.disposable" />
import type {
  Action,
  Advice,
  AdviseOptions,
  Assumptions,
  Changes,
  End,
  Frame,
  FrameSummary,
  JobSeriesPoint,
  JobTotals,
  Manifest,
  NodeSpec,
  PredictOptions,
  Prediction,
  RankForOptions,
  RankOptions,
  RankedPod,
  Scenario,
  SeriesPoint,
  SettingsCheck,
  Step,
  TimelineExport,
  Totals,
  ValidateOptions,
  Validated,
  Verdict,
  Constraints,
} from './types.js';

export type * from './types.js';

/**
 * Kubernetes objects: YAML or JSON text with one or more documents, an object, or a list of objects. The items of a
 * `List` count as objects of their own, also in paths like `[3].spec.replicas`. Every object needs a `kind`, except for items
 * of a typed list such as a `PodList`.
 *
 * @group Objects
 */
export type Manifests = string | Manifest | readonly Manifest[];

/**
 * The nodes of a cluster: Node objects, a `List` of them, or text; or nodes as a scenario has them (`{ name, pods, cpu,
 * memory }`).
 *
 * @group Objects
 */
export type Nodes = Manifests | readonly (NodeSpec | Manifest)[];

/**
 * The failure that a `ChangeoverError` reports. Codes that begin with `Invalid` name the argument that is wrong.
 *
 * - `OutOfMemory`: the simulation or its result is too large. The message names the limit to lower.
 * - `TimelineFreed`: the timeline was freed.
 * - `NotInitialized`: a function of `changeover/slim` was called before `init` was done.
 * - `LoadFailed`: the WebAssembly module can't be fetched or compiled.
 * - `Internal`: a bug of this package.
 *
 * @group Errors
 */
export type ErrorCode =
  | 'InvalidAction'
  | 'InvalidChanges'
  | 'InvalidDeletionCost'
  | 'InvalidDeployment'
  | 'InvalidFrame'
  | 'InvalidJob'
  | 'InvalidManifest'
  | 'InvalidObjects'
  | 'InvalidOptions'
  | 'InvalidPods'
  | 'InvalidQuantity'
  | 'InvalidReview'
  | 'InvalidScenario'
  | 'InvalidSettings'
  | 'InvalidTime'
  | 'InvalidConstraints'
  | 'InvalidWorkload'
  | 'Internal'
  | 'LoadFailed'
  | 'NotInitialized'
  | 'OutOfMemory'
  | 'TimelineFreed';

/**
 * One problem of an input.
 *
 * @group Errors
 */
export interface InputProblem {
  /** The field that is wrong, like `deployment.spec.replicas`; empty for the whole input. */
  readonly path: string;
  /** One sentence: the path, the value, and what would be right. */
  readonly message: string;
}

/**
 * The error that every function of this package throws.
 *
 * @group Errors
 */
export declare class ChangeoverError extends Error {
  private constructor();
  /** `ChangeoverError`, however the package is bundled. */
  readonly name: 'ChangeoverError';
  /** The kind of failure. */
  readonly code: ErrorCode;
  /** The field that is wrong, like `changes.nodes[0].cpu`; empty for the whole input. */
  readonly path: string;
  /**
   * The problems that were found, of which the error's own path is the first one's: all fields of one object that the API
   * server refuses, or all that have a wrong type, which are checked first; or all that is wrong with the feature gates. An
   * unknown key and what is wrong with other objects are reported one at a time.
   */
  readonly problems: readonly InputProblem[];
  /** The line of a text that can't be read, from 1. */
  readonly line: number | undefined;
  /** The character within that line, from 1. */
  readonly column: number | undefined;
}

/**
 * Makes a scenario in which a Deployment has come to rest long ago, with all its pods available, and is then changed; or one in
 * which a Job or CronJob is created, and is then changed.
 *
 * @param manifest the manifest of the Deployment; without one, that of the CronJob, and without either, that of the Job.
 * Missing fields get the API server's defaults. Other objects beside it, such as a ResourceQuota, exist from the start, and
 * Jobs and CronJobs are created then. Nodes beside it are the nodes, unless `changes.nodes` lists some. Objects of kinds that
 * are not simulated are left out.
 * @param changes the changes, and the surroundings in which they happen; no change by default
 * @example
 * const rollout = scenario(deployment, { image: 'web:2' });
 * const release = scenario(oldYaml, { to: newYaml });
 * const run = scenario(job, { kubelet: [{ run: '2m', terminate: '30s' }] });
 * const night = scenario(cronJob, { limits: { time: '24h' } });
 * @throws {ChangeoverError} `InvalidDeployment`, `InvalidJob` (also for a CronJob), `InvalidManifest` for an object beside
 * them, `InvalidChanges`
 * @group Simulate
 */
export declare function scenario(
  manifest: Manifests,
  changes?: Omit<Changes, 'to' | 'objects' | 'nodes'> & {
    /**
     * The whole new manifest of the Deployment, Job or CronJob, as `kubectl apply` applies it: fields that only the first
     * manifest has are removed. Other objects beside it are applied, too, if they differ from those that exist. Nodes and
     * objects of kinds that are not simulated are left out.
     */
    to?: Manifests;
    /**
     * Objects that exist beside the Deployment, Job or CronJob: ResourceQuotas, PodDisruptionBudgets, other Deployments and
     * whatever else a scenario takes. Jobs and CronJobs among them are created at the start. Nodes among them count as nodes.
     */
    objects?: Manifests;
    /** The nodes of the cluster, in place of those among the objects; one without bounds by default. */
    nodes?: Nodes;
  },
): Scenario;

/**
 * Makes a scenario from the objects of a running cluster: what happens next if nothing is changed.
 *
 * Nodes give their allocatable resources and whether they are cordoned. Terminating pods have the time that they have left.
 * Objects of kinds that are not simulated are left out. The scenario starts at `now`, or later if an object is younger.
 * If there are Nodes, every pod must be on one of them. `limits.pods` is twice the
 * number of pods, and `limits.steps` is 40 for each pod, but neither is less than the default.
 *
 * @param objects the objects, as `kubectl get nodes,deployments,jobs,replicasets,pods,resourcequotas,pdb,pvc -o json` prints
 * them, or the lists that a client reads: `[deployments, replicaSets, pods]`. Their items alone have no `kind`.
 * @param options the time at which the objects were read
 * @example
 * const next = simulate(live(objects)).totals('web');
 * @throws {ChangeoverError} `InvalidObjects`, `InvalidOptions`
 * @group Simulate
 */
export declare function live(
  objects: Manifests,
  options?: {
    /** The time at which the objects were read; the time of the call by default. */
    now?: string | Date;
  },
): Scenario;

/**
 * A scenario, whose objects may also be text or a `List`.
 *
 * @group Simulate
 */
export type ScenarioInput = Omit<Scenario, 'objects'> & {
  /**
   * Deployments, CronJobs, Jobs, ReplicaSets, Pods, ResourceQuotas, PodDisruptionBudgets and PersistentVolumeClaims that are
   * there at the start, as `kubectl get -o json` prints them.
   */
  objects?: Manifests;
};

/**
 * Simulates a scenario to its end. The same scenario always gives the same timeline.
 *
 * @param scenario the scenario, from `scenario` or `live`, or written by hand
 * @throws {ChangeoverError} `InvalidScenario`, `OutOfMemory`
 * @group Simulate
 */
export declare function simulate(scenario: ScenarioInput): Timeline;

/**
 * Simulates a scenario for the totals of a Deployment only: the peak, the fewest available pods, and when the rollout was
 * complete. The result is that of `simulate(scenario).totals(deployment, from)`. The rollout of a single Deployment takes
 * about a third of the time and little memory, because identical pods are played as groups.
 *
 * @param scenario the scenario, from `scenario` or `live`, or written by hand
 * @param deployment `name` or `namespace/name`; not needed if there is only one Deployment
 * @param from how long after the start to begin, like `5s`; times in the result count from there
 * @example
 * const { peak, lowestAvailable } = totals(scenario(deployment, { image: 'web:2' }));
 * @throws {ChangeoverError} `InvalidScenario` (also if `limits.steps`, `pods` or `bytes` ends the simulation early),
 * `InvalidDeployment`, `InvalidTime`, `OutOfMemory`
 * @group Simulate
 */
export declare function totals(scenario: ScenarioInput, deployment?: string, from?: string): Totals;

/**
 * What surrounds a rollout that is predicted: quotas and nodes as text or objects, and a time as a `Date`.
 *
 * @group Predict
 */
export type Surroundings<Options> = Omit<Options, 'quotas' | 'nodes' | 'assumptions'> & {
  /** ResourceQuotas that the rollout must fit, beside those among the objects. */
  quotas?: Manifests;
  /** The nodes, in place of those among the objects. Without any, every pod finds a node. */
  nodes?: Nodes;
  /** What is assumed of pods and of the order of rollouts. */
  assumptions?: Omit<Assumptions, 'now'> & {
    /** When the objects of a running cluster were read; the time of the call by default. Manifests have no time. */
    now?: string | Date;
  };
};

/**
 * Predicts what a change takes: the most pods and resources at once, terminating pods included, the fewest available pods,
 * how long it takes, whether it fits each ResourceQuota, and which pods find no node. Everything is simulated, without
 * quotas first, and then with them.
 *
 * @param old the objects before: manifests, which have come to rest, or what `kubectl get -o json` prints of a running
 * cluster (a ReplicaSet or Pod with a uid), which goes on from where it is
 * @param manifest the manifests after, as `kubectl apply` applies them. Without any, the prediction is what comes next by
 * itself. Objects of kinds that are not simulated are listed in `notModeled`.
 * @param options quotas and nodes beside those among the objects, and what is assumed of pods
 * @returns times are nanoseconds from the change on
 * @example
 * const { workloads, quotas } = predict(oldYaml, newYaml, { quotas: quotaYaml, assumptions: { readyAfter: '5s' } });
 * const fits = quotas.every((quota) => quota.today.fits);
 * @throws {ChangeoverError} `InvalidObjects` for `old`, `InvalidManifest` for `manifest`, `InvalidOptions`, `OutOfMemory`
 * @group Predict
 */
export declare function predict(old: Manifests, manifest?: Manifests, options?: Surroundings<PredictOptions>): Prediction;

/**
 * Searches settings of a Deployment that meet the constraints while all its pods are replaced: maxSurge, maxUnavailable, the strategy,
 * minReadySeconds, and the proposed `podReplacementPolicy`, which no release has. Each setting is simulated.
 *
 * @param manifest the Deployment and the objects around it: manifests, or those of a running cluster
 * @param constraints at least one of `maxPods`, `minAvailable`, `within` and `quotas`
 * @param options quotas and nodes beside those among the objects, and what is assumed of pods
 * @returns `fits` lists settings that meet the constraints, with their cost and a JSON merge patch. If none of today's releases
 * does, `relax` says which constraint to relax.
 * @example
 * const { fits } = advise(yaml, { maxPods: 16, minAvailable: 9 });
 * console.log(`kubectl patch deployment web --type merge -p '${JSON.stringify(fits[0].patch)}'`);
 * @throws {ChangeoverError} `InvalidManifest`, `InvalidConstraints`, `InvalidOptions`, `OutOfMemory`
 * @group Predict
 */
export declare function advise(manifest: Manifests, constraints: Constraints, options?: Surroundings<AdviseOptions>): Advice;

/**
 * Reviews an admission request as the Kubewarden policy does, without a server.
 *
 * @param admissionReview an `admission.k8s.io/v1` AdmissionReview; only its `request` is read
 * @param settings the policy's settings; none by default
 * @throws {ChangeoverError} `InvalidReview`, `InvalidSettings`
 * @group Policy
 */
export declare function review(admissionReview: { request?: any; [key: string]: any }, settings?: object | null): Verdict;

/**
 * Checks settings of the Kubewarden policy and reports every problem.
 *
 * @param settings the policy's settings
 * @throws {ChangeoverError} `InvalidSettings` for what is not JSON
 * @group Policy
 */
export declare function validateSettings(settings: object | null): SettingsCheck;

/**
 * Says what the API server would say about objects that are created, or that replace others: for each the object with its
 * defaults, what is refused, and the warnings. The messages are the API server's own, except for fields of a wrong type
 * (`FieldValueTypeInvalid`) and for unknown versions of a kind.
 *
 * An object without problems is not proved valid: `notLookedAt` lists the fields that were not checked.
 *
 * @param manifest the objects. Only text gives lines and columns.
 * @param options the objects that exist, and feature gates that differ from Kubernetes 1.37's defaults
 * @returns a result for each object, in their order
 * @example
 * for (const { line, column, message } of validate(yaml)[0].problems) console.log(`${line}:${column} ${message}`);
 * @throws {ChangeoverError} `InvalidManifest` for what can't be read at all, with `line` and `column`; `InvalidOptions`,
 * also where a field of `old` has a wrong type
 * @group Check
 */
export declare function validate(
  manifest: Manifests,
  options?: Omit<ValidateOptions, 'old'> & {
    /**
     * The objects that exist. A manifest of the same kind, name and namespace replaces one, as `kubectl replace` does; all
     * others are created. Either side may leave the namespace out; if that fits several objects, the manifest must name it.
     */
    old?: Manifests;
  },
): Validated[];

/**
 * Reads the deletion cost of a pod: its annotation `controller.kubernetes.io/pod-deletion-cost`, or 0.
 *
 * @param annotations a pod's annotations, or the value of this one
 * @throws {ChangeoverError} `InvalidDeletionCost` where the API server would refuse the value
 * @group Rank
 */
export declare function deletionCost(annotations?: { readonly [key: string]: string } | string): number;

/**
 * Ranks pods in the order in which their ReplicaSet deletes them, and says what decides between them.
 *
 * @param pods the ReplicaSet's active pods, which may leave their `kind` out; `rankFor` selects them itself
 * @param options how many pods are deleted, and what they are compared with
 * @throws {ChangeoverError} `InvalidPods` for what is no pod, or is terminating or has ended; `InvalidOptions`
 * @group Rank
 */
export declare function rank(
  pods: Manifests,
  options?: Omit<RankOptions, 'now' | 'relatedPods'> & {
    /** The time at which pods are compared; the time of the call by default. */
    now?: string | Date;
    /** The active pods of all ReplicaSets of the same owner, which are counted on each node; the ranked pods by default. */
    relatedPods?: Manifests;
  },
): RankedPod[];

/**
 * Ranks the active pods of a ReplicaSet or a Job in the order in which it deletes them. It selects them from all objects, and
 * for a ReplicaSet also the pods of the Deployment's other ReplicaSets that count on each node.
 *
 * Pods of an Indexed Job that share an index or have none come first: they go however many the Job runs.
 *
 * @param workload the ReplicaSet or Job as an object, YAML or JSON text, or its name among the objects: `name`,
 * `namespace/name`, or with the kind before it as in kubectl: `rs/name`, `job/namespace/name`
 * @param objects ReplicaSets, Jobs and Pods, as `kubectl get replicasets,jobs,pods -o json` prints them; others are ignored
 * @param options how many pods are deleted, and the time at which those of a ReplicaSet are compared
 * @returns each pod's `index` is its position among the objects
 * @example
 * const [next] = rankFor('job/train', objects, { count: 1 });
 * @throws {ChangeoverError} `InvalidWorkload`, `InvalidObjects`, `InvalidOptions`
 * @group Rank
 */
export declare function rankFor(
  workload: Manifests,
  objects: Manifests,
  options?: Omit<RankForOptions, 'now'> & {
    /** The time at which the pods of a ReplicaSet are compared; the time of the call by default. */
    now?: string | Date;
  },
): RankedPod[];

/**
 * Reads YAML or JSON text as kubectl does: several documents, `List`s, and the booleans of YAML 1.1.
 *
 * @param text the text, with at least one object
 * @throws {ChangeoverError} `InvalidManifest` with `line` and `column`
 * @group Objects
 */
export declare function parse(text: string): Manifest[];

/**
 * Converts a quantity such as `500m` or `16Gi` to a number: 0.5 or 17179869184.
 *
 * @param amount the quantity, as Kubernetes writes it
 * @throws {ChangeoverError} `InvalidQuantity`
 * @group Objects
 */
export declare function quantity(amount: string | number): number;

/**
 * A simulated scenario. Frame 0 is the start, and frame N the state after step N - 1.
 *
 * The module keeps the timelines that were used last and plays others again when they are read, so you don't have to free
 * any. `free`, or a `using` declaration, gives memory back at once.
 *
 * @group Simulate
 */
export declare class Timeline implements Iterable<Step>, Disposable {
  private constructor();
  /** The number of steps. There is one frame more: the last frame has this number. */
  readonly length: number;
  /** Why the simulation stopped. */
  readonly end: End;
  /**
   * Returns the state after `number` steps, with all objects and the step that led to it. A neighbor of the frame that was
   * read last is the cheapest to reach.
   *
   * `objects` and `step` are built when they are first read. If the timeline was freed before that, reading them throws
   * `TimelineFreed`.
   *
   * @throws {ChangeoverError} `InvalidFrame`
   */
  frame(number: number): Frame;
  /**
   * Returns a frame without its step and its objects: the time, and the counts of each Deployment and Job.
   *
   * @throws {ChangeoverError} `InvalidFrame`
   */
  summary(number: number): FrameSummary;
  /**
   * Returns one step: when, who, what was written, and why.
   *
   * @throws {ChangeoverError} `InvalidFrame`
   */
  step(number: number): Step;
  /**
   * Iterates over the steps from one number up to, but not including, another. It holds only a few of them at a time.
   *
   * @param from the number of the first step; 0 by default
   * @param to the number of the step after the last; the number of steps by default
   * @example
   * for (const { reason } of timeline.steps()) console.log(reason.sentence);
   * @throws {ChangeoverError} `InvalidFrame`
   */
  steps(from?: number, to?: number): IterableIterator<Step>;
  /** Iterates over all steps, as `steps` does. */
  [Symbol.iterator](): IterableIterator<Step>;
  /**
   * Returns the counts of a Deployment's pods, with a point for each change of them.
   *
   * @param deployment `name` or `namespace/name`; not needed if there is only one Deployment
   * @throws {ChangeoverError} `InvalidDeployment`
   */
  series(deployment?: string): SeriesPoint[];
  /**
   * Returns what a Deployment's pods come to: the peak, the fewest available, and when the rollout was complete.
   *
   * @param deployment `name` or `namespace/name`; not needed if there is only one Deployment
   * @param from how long after the start to begin, like `5s`; times in the result count from there
   * @throws {ChangeoverError} `InvalidDeployment`, `InvalidTime`
   */
  totals(deployment?: string, from?: string): Totals;
  /**
   * Returns the counts of a Job's pods and what its status says, with a point for each change of them.
   *
   * @param job `name` or `namespace/name`; not needed if there is only one Job
   * @throws {ChangeoverError} `InvalidJob`
   */
  jobSeries(job?: string): JobSeriesPoint[];
  /**
   * Returns what a Job's pods come to: the peak, the most pods of one index at once, and when the Job was over.
   *
   * @param job `name` or `namespace/name`; not needed if there is only one Job
   * @param from how long after the start to begin, like `5s`; times in the result count from there
   * @throws {ChangeoverError} `InvalidJob`, `InvalidTime`
   */
  jobTotals(job?: string, from?: string): JobTotals;
  /**
   * Returns the number of the last frame that is not later than `at` after the start.
   *
   * @param at like `90s`, `1m30s` or `250ms`
   * @throws {ChangeoverError} `InvalidTime`
   */
  seek(at: string): number;
  /**
   * Simulates the scenario again with one more action, which happens at the time of the frame.
   *
   * @param frame the number of the frame
   * @param action the action, without a time
   * @throws {ChangeoverError} `InvalidFrame`, `InvalidAction`
   */
  fork(frame: number, action: Action): Timeline;
  /**
   * Returns the whole timeline. For a long one, `steps` needs far less memory.
   *
   * @throws {ChangeoverError} `OutOfMemory` beyond 256 MB of JSON
   */
  toJSON(): TimelineExport;
  /** Gives back the timeline's memory. Every later call throws `TimelineFreed`. */
  free(): void;
  /** Does what `free` does, at the end of a block with a `using` declaration. */
  [Symbol.dispose](): void;
}
