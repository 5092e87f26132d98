/// <reference lib="esnext.disposable" />
import type {
  Action,
  Advice,
  AdviseOptions,
  Assumptions,
  Changes,
  Constraints,
  End,
  ExplainReport,
  Frame,
  FrameSummary,
  JobSeriesPoint,
  JobTotals,
  Manifest,
  Mode,
  NodeSpec,
  PredictOptions,
  Prediction,
  RankForOptions,
  RankOptions,
  RankReport,
  RolloutReport,
  Scenario,
  ScenarioOptions,
  SeriesPoint,
  SettingsCheck,
  Step,
  TimelineExport,
  Totals,
  ValidateOptions,
  Validated,
  Verdict,
} from './types.js';

export type * from './types.js';
export { ChangeoverError, type ErrorCode, type InputProblem } from './error.js';
export { quantity } from './quantity.js';

/**
 * Kubernetes objects: YAML or JSON text with one or more documents, a file, an object, or a list of files and objects. The
 * documents of a text and the items of a `List` count as separate objects, also in paths like `[3].spec.replicas`. Every object needs a
 * `kind`, except for items of a typed list such as a `PodList`. Promises and bytes, such as those of `fetch` and of `readFileSync`
 * without an encoding, must be read first.
 *
 * @group Objects
 */
export type Manifests = string | ManifestFile | (Manifest & NotRead) | readonly (ManifestFile | Manifest)[];

/**
 * YAML or JSON text with the name of its file, which errors in it have as `file`.
 *
 * @example
 * const files = ['web.yaml', 'quota.yaml'].map((file) => ({ file, text: readFileSync(file, 'utf8') }));
 * @group Objects
 */
export interface ManifestFile {
  /** The name, as errors show it. */
  file: string;
  /** The text, with one or more documents. */
  text: string;
}

/**
 * Excludes what must be read first.
 *
 * @group Objects
 */
export interface NotRead {
  /** What a promise has: await it. */
  then?: never;
  /** What bytes have: decode them as text. */
  byteLength?: never;
}

/**
 * The nodes of a cluster: Node objects, a `List` of them, or text; or nodes as a scenario has them (`{ name, pods, cpu,
 * memory }`).
 *
 * @group Objects
 */
export type Nodes = Manifests | readonly (NodeSpec | Manifest)[];

/**
 * Makes a scenario from a manifest and its changes. A Deployment's rollout is complete, with all pods available, before
 * the changes. A Job or CronJob is created at the start, and then changed.
 *
 * @param manifest the manifest of the Deployment, or without one, of the CronJob, or without either, of the Job.
 * Missing fields get the API server's defaults. Other objects in it, such as a ResourceQuota, exist from the start;
 * other Jobs and CronJobs are created at the start. Nodes in it are the cluster's nodes, unless `options.nodes` lists
 * some. Objects of kinds that are not simulated are left out.
 * @param changes what changes; nothing by default
 * @param options the cluster in which it changes, and how it is simulated
 * @example
 * const rollout = scenario(deployment, { image: 'web:2' });
 * const release = scenario(oldYaml, { to: newYaml }, { nodes, kubelet: [{ ready: '20s' }] });
 * const night = scenario(cronJob, {}, { limits: { time: '24h' } });
 * @throws {ChangeoverError} `InvalidDeployment`, `InvalidJob` (also for a CronJob), `InvalidManifest` for an object beside
 * them, `InvalidChanges`, `InvalidOptions`
 * @group Simulate
 */
export declare function scenario(manifest: Manifests, changes?: Changes, options?: ScenarioOptions): Scenario;

/**
 * The time at which the objects of a running cluster were read, and what changes then.
 *
 * @group Simulate
 */
export interface LiveOptions {
  /**
   * The time at which the objects were read, as text, as a `Date` or as `Date.now()` gives it; by default the time of the call, or the
   * newest time in them if that is more than ten minutes older, or later.
   */
  now?: string | number | Date;
  /** Manifests that are applied at the start, as `kubectl apply` applies them. Without them, nothing changes. */
  to?: Manifests;
  /** How closely to follow the timing of a real control plane: `exact` by default. */
  mode?: Mode;
}

/**
 * Makes a scenario from the objects of a running cluster: what happens next.
 *
 * Nodes keep their allocatable resources, whether they are cordoned or lost, and for how long a lost one has been
 * tainted. Terminating pods keep the rest of their grace period. Objects of kinds that are not simulated are left out.
 * The scenario starts at `now`, or later if an object is younger. If there are Nodes, but not that of a pod, it is
 * added, cordoned and without limits. `limits.pods` is twice the number of pods, and `limits.steps` is 40 for each pod,
 * but both are at least the default. New pods become ready as fast as the ready pods of the same Deployment did (the median), as in
 * `predict`. Its totals can differ from those of `predict`, which follows the timing of a real control plane: for the same ones, set `mode`
 * to `realistic`.
 *
 * @param objects the objects, as `kubectl get nodes,deployments,jobs,replicasets,pods,resourcequotas,limitranges,pdb,pvc -o json` prints
 * them, or the lists that a client reads: `[deployments, replicaSets, pods]`. Their items alone have no `kind`.
 * @param options the time at which the objects were read, and what changes then
 * @example
 * const next = simulate(live(objects)).totals('web');
 * const release = simulate(live(objects, { to: newYaml })).totals('web');
 * @throws {ChangeoverError} `InvalidObjects`, `InvalidOptions`
 * @group Simulate
 */
export declare function live(objects: Manifests, options?: LiveOptions): Scenario;

/**
 * A scenario, whose objects may also be text or a `List`.
 *
 * @group Simulate
 */
export type ScenarioInput = Omit<Scenario, 'objects'> & {
  /**
   * Deployments, CronJobs, Jobs, ReplicaSets, Pods, ResourceQuotas, LimitRanges, PodDisruptionBudgets and
   * PersistentVolumeClaims that are there at the start, as `kubectl get -o json` prints them.
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
 * Simulates a scenario for the totals of a Deployment only: the peak, the fewest available pods, and when the rollout
 * was complete. The result is the same as that of `simulate(scenario).totals(deployment, from)`, and no timeline is kept
 * in memory.
 *
 * @param scenario the scenario, from `scenario` or `live`, or written by hand
 * @param deployment `name` or `namespace/name`; not needed if there is only one Deployment
 * @param from how long after the start to begin, in milliseconds or like `5s`; times in the result count from there
 * @example
 * const { peak, lowestAvailable } = totals(scenario(deployment, { image: 'web:2' }));
 * @throws {ChangeoverError} `InvalidScenario` (also if `limits.steps`, `pods` or `bytes` ends the simulation early),
 * `InvalidDeployment`, `InvalidTime`, `OutOfMemory`
 * @group Simulate
 */
export declare function totals(scenario: ScenarioInput, deployment?: string, from?: string | number): Totals;

/**
 * What a prediction assumes, where the time may also be a `Date` or a number.
 *
 * @group Predict
 */
export interface GivenAssumptions extends Omit<Assumptions, 'now'> {
  /** When the objects of a running cluster were read, as in `live`. The answer says which time was used. Manifests have no time. */
  now?: string | number | Date;
}

/**
 * The options of `explain`.
 *
 * @group Predict
 */
export type ExplainOptions = Pick<PredictOptions, 'quotas' | 'nodes' | 'namespace' | 'assumptions'>;

/**
 * A prediction, its timelines, and what holds up its rollouts.
 *
 * @group Predict
 */
export interface Predicted extends Prediction {
  /**
   * Simulates one of the prediction's outcomes, to see each step and the pods over time. It is not part of the data: copies
   * and JSON don't have it.
   *
   * @param outcome `outcome` (the default) and `proposed` as in the workloads, while quotas refuse nothing; `withQuotas` with
   * what they refuse
   * @example
   * const series = predict(oldYaml, newYaml).timeline().series('web');
   * @throws {ChangeoverError} `InvalidOptions`, also if `assumptions.concurrent` is set; `OutOfMemory`
   */
  timeline(outcome?: 'outcome' | 'withQuotas' | 'proposed'): Timeline;
  /**
   * Returns the rollouts that are never complete in one of the prediction's outcomes: what each waits for once nothing more happens,
   * and which changes complete it. Like `timeline`, it is not part of the data.
   *
   * @param outcome the outcome, as for `timeline`; `withQuotas` by default
   * @example
   * for (const { name, obstacles } of predict(oldYaml, newYaml, { quotas }).obstacles()) console.log(name, obstacles[0]?.why);
   * @throws {ChangeoverError} `InvalidOptions`, also if `assumptions.concurrent` is set, or if the simulation reaches a limit first;
   * `OutOfMemory`
   */
  obstacles(outcome?: 'outcome' | 'withQuotas' | 'proposed'): RolloutReport[];
}

/**
 * Predicts what a change needs: the most pods and resources at once, including terminating pods, the fewest available
 * pods, how long it takes, whether it fits each ResourceQuota, and which pods can't be scheduled. Everything is
 * simulated, first without quotas and then with them.
 *
 * @param old the objects before the change: manifests, whose rollouts are complete, or the objects of a running cluster
 * (which have a uid), as `kubectl get -o json` prints them, which continue from their current
 * state. Without `readyAfter`, their new pods become ready as fast as the ready pods of the same Deployment did (the
 * median); `assumed` says so
 * @param manifest the manifests after the change, as `kubectl apply` applies them. Without them, the prediction of a running
 * cluster shows what happens next if nothing changes, and manifests of which none has a uid are a new application, as if they were
 * given here. Objects of kinds that are not simulated are listed in `notModeled`.
 * @param options quotas and nodes besides those among the objects, and assumptions about pods
 * @returns times are in milliseconds after the change
 * @example
 * const { verdict } = predict(oldYaml, newYaml, { quotas: quotaYaml, assumptions: { readyAfter: '5s' } });
 * if (verdict.result !== 'fits') console.log(verdict.reasons.map(({ message }) => message));
 * @throws {ChangeoverError} `InvalidObjects` for `old`, `InvalidManifest` for `manifest`, `InvalidOptions`, `OutOfMemory`
 * @group Predict
 */
export declare function predict(old: Manifests, manifest?: Manifests, options?: PredictOptions): Predicted;

/**
 * Finds settings of a Deployment that meet the constraints during a rollout that replaces all of its pods: maxSurge,
 * maxUnavailable, the strategy, minReadySeconds, and the proposed `podReplacementPolicy`, which no release has. Each
 * setting is simulated.
 *
 * @param manifest the Deployment and the objects around it: manifests, or those of a running cluster, whose new pods
 * become ready as fast as the ready ones did, as in `predict`
 * @param constraints at least one of `maxPods`, `minAvailable`, `within` and `quotas`; with `options.quotas`, it may be empty
 * @param options quotas and nodes besides those among the objects, and assumptions about pods
 * @returns `fits` lists settings that meet the constraints, with their cost and a JSON merge patch. If no setting of
 * today's releases meets them, `relax` says which constraint to relax, or which ones to relax together.
 * @example
 * const { fits } = advise(yaml, { maxPods: 16, minAvailable: 9 });
 * console.log(`kubectl patch deployment web --type merge -p '${JSON.stringify(fits[0].patch)}'`);
 * @throws {ChangeoverError} `InvalidManifest`, `InvalidConstraints`, `InvalidOptions`, `OutOfMemory`
 * @group Predict
 */
export declare function advise(manifest: Manifests, constraints: Constraints, options?: AdviseOptions): Advice;

/**
 * Says of each rollout in a running cluster how it stands, what holds it up, what comes next, and which changes complete it. Each such
 * change was simulated.
 *
 * @param objects the objects, as for `live`: at least one must have a uid, because nothing of manifests runs yet
 * @param options quotas and nodes besides those among the objects, and assumptions about pods
 * @returns times are in milliseconds from now
 * @example
 * for (const { name, standing, obstacles } of explain(objects).rollouts) console.log(name, standing, obstacles[0]?.why);
 * @throws {ChangeoverError} `InvalidObjects`, `InvalidOptions`, `OutOfMemory`
 * @group Predict
 */
export declare function explain(objects: Manifests, options?: ExplainOptions): ExplainReport;

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
 * @throws {ChangeoverError} `InvalidSettings` if the settings are not JSON
 * @group Policy
 */
export declare function validateSettings(settings: object | null): SettingsCheck;

/**
 * Returns what the API server would answer if the objects were created, or replaced existing ones: each object with its
 * defaults, the errors and the warnings. The messages are the API server's own, except for fields of a wrong type
 * (`FieldValueTypeInvalid`) and for unknown versions of a kind.
 *
 * An object without problems isn't necessarily valid: `uncheckedFields` lists the fields that were not checked.
 *
 * @param manifest the objects. Only text gives lines and columns.
 * @param options the existing objects, and feature gates that differ from Kubernetes 1.37's defaults
 * @returns a result for each object, in their order
 * @example
 * for (const { line, column, message } of validate(yaml)[0].problems) console.log(`${line}:${column} ${message}`);
 * @throws {ChangeoverError} `InvalidManifest` if the text can't be read, with `line` and `column`; `InvalidOptions`,
 * also if a field of `old` has a wrong type
 * @group Check
 */
export declare function validate(manifest: Manifests, options?: ValidateOptions): Validated[];

/**
 * Reads the deletion cost of a pod: its annotation `controller.kubernetes.io/pod-deletion-cost`, or 0.
 *
 * @param annotations a pod's annotations, or the value of this one
 * @throws {ChangeoverError} `InvalidDeletionCost` where the API server would refuse the value
 * @group Rank
 */
export declare function deletionCost(annotations?: { readonly [key: string]: string } | string): number;

/**
 * Ranks pods in the order in which their ReplicaSet deletes them, and explains each comparison. The answer says at which time.
 *
 * Pods that were created after `now` count as the youngest.
 *
 * @param pods the ReplicaSet's active pods, whose `kind` may be left out; `rankFor` selects them itself
 * @param options how many pods are deleted, and what they are compared with
 * @throws {ChangeoverError} `InvalidPods` for an object that is not a pod, is terminating or has ended;
 * `InvalidOptions`
 * @group Rank
 */
export declare function rank(pods: Manifests, options?: RankOptions): RankReport;

/**
 * Ranks the active pods of a workload in the order in which it deletes them. It selects them from all objects, and
 * for a ReplicaSet also the pods of the Deployment's other ReplicaSets that count on each node.
 *
 * Pods of an Indexed Job that share an index or have none come first: the Job deletes them in any case.
 *
 * @param workload the ReplicaSet, ReplicationController, StatefulSet or Job as an object, YAML or JSON text, or its name among the objects: `name`,
 * `namespace/name`, or with the kind before it as in kubectl: `rs/name`, `job/namespace/name`
 * @param objects ReplicaSets, Jobs and Pods, as `kubectl get replicasets,jobs,pods -o json` prints them; others are ignored
 * @param options how many pods are deleted, and the time at which those of a ReplicaSet are compared
 * @returns each pod's `index` is its position among the objects
 * @example
 * const { pods: [next] } = rankFor('job/train', objects, { count: 1 });
 * @throws {ChangeoverError} `InvalidWorkload`, `InvalidObjects`, `InvalidOptions`
 * @group Rank
 */
export declare function rankFor(workload: Manifests, objects: Manifests, options?: RankForOptions): RankReport;

/**
 * Reads YAML or JSON text as kubectl does: several documents, `List`s, and the booleans of YAML 1.1.
 *
 * @param text the text, with at least one object
 * @throws {ChangeoverError} `InvalidManifest` with `line` and `column`
 * @group Objects
 */
export declare function parse(text: string): Manifest[];

/**
 * A step in one sentence.
 *
 * @group Timelines
 */
export interface StepSentence {
  /** The step's number, from 0. */
  step: number;
  /** The virtual time in milliseconds since the start. */
  milliseconds: number;
  /** The object that the actor worked on: `Kind/namespace/name`. */
  about: string;
  /** What the step did, and why. */
  sentence: string;
}

/**
 * A simulated scenario. Frame 0 is the start, and frame N the state after step N - 1.
 *
 * The module keeps the most recently used timelines and simulates others again when you read them, so you don't have to
 * free any. To release memory at once, use `free` or a `using` declaration.
 *
 * @group Simulate
 */
export declare class Timeline implements Iterable<Step>, Disposable {
  private constructor();
  /** The number of steps. There is one more frame than steps: the last frame has this number. */
  readonly length: number;
  /** Why the simulation stopped. */
  readonly end: End;
  /**
   * Returns the state after `number` steps, with the workloads, their pods, and the step that led to it. What surrounds them, such as
   * nodes and ResourceQuotas, is in the scenario. The frames next to the one
   * that was read last are the cheapest to read.
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
   * Iterates over the steps from one number up to, but not including, another. It keeps only a few of them in memory at
   * a time.
   *
   * @param from the number of the first step; 0 by default
   * @param to the number of the step after the last; the number of steps by default
   * @example
   * for (const { reason } of timeline.steps()) console.log(reason.sentence);
   * @throws {ChangeoverError} `InvalidFrame`
   */
  steps(from?: number, to?: number): IterableIterator<Step>;
  /**
   * Returns what the steps did, each in one sentence. It takes a fraction of the time of `steps`, which also has the objects.
   *
   * @param from the number of the first step; 0 by default
   * @param to the number of the step after the last; the number of steps by default
   * @throws {ChangeoverError} `InvalidFrame`
   */
  sentences(from?: number, to?: number): StepSentence[];
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
   * Returns the totals of a Deployment: the most pods, the fewest available pods, and when the rollout was complete.
   *
   * @param deployment `name` or `namespace/name`; not needed if there is only one Deployment
   * @param from how long after the start to begin, in milliseconds or like `5s`; times in the result count from there
   * @throws {ChangeoverError} `InvalidDeployment`, `InvalidTime`
   */
  totals(deployment?: string, from?: string | number): Totals;
  /**
   * Returns the counts of a Job's pods and what its status says, with a point for each change of them.
   *
   * @param job `name` or `namespace/name`; not needed if there is only one Job
   * @throws {ChangeoverError} `InvalidJob`
   */
  jobSeries(job?: string): JobSeriesPoint[];
  /**
   * Returns the totals of a Job: the most pods, the most pods of one index at once, and when the Job ended.
   *
   * @param job `name` or `namespace/name`; not needed if there is only one Job
   * @param from how long after the start to begin, in milliseconds or like `5s`; times in the result count from there
   * @throws {ChangeoverError} `InvalidJob`, `InvalidTime`
   */
  jobTotals(job?: string, from?: string | number): JobTotals;
  /**
   * Returns the number of the last frame that is not later than `at` after the start.
   *
   * @param at in milliseconds, or like `90s`, `1m30s` or `250ms`
   * @throws {ChangeoverError} `InvalidTime`
   */
  seek(at: string | number): number;
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
  /** Releases the timeline's memory. Every later call throws `TimelineFreed`. */
  free(): void;
  /** Does what `free` does, at the end of a block with a `using` declaration. */
  [Symbol.dispose](): void;
}
