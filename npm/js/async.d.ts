import type {
  Advice, AdviseOptions, Changes, Constraints, ExplainOptions, ExplainReport, LiveOptions, Manifest, Manifests, PredictOptions, Prediction, RankForOptions,
  RankOptions, RankReport, RolloutReport, Scenario, ScenarioInput, ScenarioOptions, TimelineExport, Totals, ValidateOptions, Validated,
} from './index.js';

export { ChangeoverError, type ErrorCode, type InputProblem } from './error.js';

/**
 * The platform's `AbortSignal`, or `AbortSignalLike` where TypeScript's libraries have none.
 *
 * @group Limits
 */
export type Signal = typeof globalThis extends Record<'AbortSignal', abstract new (...args: any) => infer Known> ? Known : AbortSignalLike;

/**
 * The part of an `AbortSignal` that every platform has.
 *
 * @group Limits
 */
export interface AbortSignalLike {
  /** Whether it was aborted. */
  readonly aborted: boolean;
  /** The reason with which it was aborted. */
  readonly reason: any;
}

/**
 * The limits of a call. Each call runs in a worker of its own, which ends with it. Where there are no workers, it runs in the caller's
 * thread: it pauses after every few milliseconds if the platform has JavaScript Promise Integration, and otherwise runs in one piece.
 *
 * @group Limits
 */
export interface CallLimits {
  /** Stops the call. The promise is rejected with the signal's reason. A call in one piece can only be stopped before it begins. */
  signal?: Signal | undefined;
  /** The time limit in milliseconds. Beyond it, and at once if it is not positive, the promise is rejected with `DeadlineExceeded`. */
  deadline?: number | undefined;
  /** The memory limit of the module in bytes, from 16 MiB to 4 GiB. Beyond it, the promise is rejected with `OutOfMemory`. */
  memory?: number | undefined;
}

/**
 * Predicts what a change needs, as the function of `changeover` does, without blocking.
 *
 * @example
 * import { predict } from 'changeover/async';
 * const { verdict } = await predict(oldYaml, newYaml, {}, { signal: AbortSignal.timeout(5000), memory: 512e6 });
 * @throws {ChangeoverError} that of the function, `DeadlineExceeded`, `OutOfMemory`, `LoadFailed`
 * @group Predict
 */
export declare function predict(
  old: Manifests,
  manifest?: Manifests,
  options?: PredictOptions,
  limits?: CallLimits,
): Promise<Prediction>;

/**
 * Finds settings that meet constraints, as the function of `changeover` does, without blocking.
 *
 * @throws {ChangeoverError} as `predict`
 * @group Predict
 */
export declare function advise(
  manifest: Manifests,
  constraints: Constraints,
  options?: AdviseOptions,
  limits?: CallLimits,
): Promise<Advice>;

/**
 * Explains the rollouts of a running cluster, as the function of `changeover` does, without blocking.
 *
 * @throws {ChangeoverError} as `predict`
 * @group Predict
 */
export declare function explain(objects: Manifests, options?: ExplainOptions, limits?: CallLimits): Promise<ExplainReport>;

/**
 * Returns the rollouts that are never complete in one of the outcomes of a prediction, as the method of the prediction does, without
 * blocking.
 *
 * @param outcome the outcome; `withQuotas` by default
 * @throws {ChangeoverError} as `predict`
 * @group Predict
 */
export declare function obstacles(
  old: Manifests,
  manifest?: Manifests,
  options?: PredictOptions,
  outcome?: 'outcome' | 'withQuotas' | 'proposed',
  limits?: CallLimits,
): Promise<RolloutReport[]>;

/**
 * Simulates one of the outcomes of a prediction, as the method of the prediction does, without blocking. Like `simulate`, this returns all
 * steps.
 *
 * @param outcome the outcome; `outcome` by default
 * @throws {ChangeoverError} as `predict`
 * @group Predict
 */
export declare function timeline(
  old: Manifests,
  manifest?: Manifests,
  options?: PredictOptions,
  outcome?: 'outcome' | 'withQuotas' | 'proposed',
  limits?: CallLimits,
): Promise<TimelineExport>;

/**
 * Makes a scenario from a manifest and its changes, as the function of `changeover` does, without blocking.
 *
 * @throws {ChangeoverError} that of the function, and those of `predict`
 * @group Simulate
 */
export declare function scenario(
  manifest: Manifests,
  changes?: Changes,
  options?: ScenarioOptions,
  limits?: CallLimits,
): Promise<Scenario>;

/**
 * Makes a scenario from the objects of a running cluster, as the function of `changeover` does, without blocking.
 *
 * @throws {ChangeoverError} as `predict`
 * @group Simulate
 */
export declare function live(objects: Manifests, options?: LiveOptions, limits?: CallLimits): Promise<Scenario>;

/**
 * Simulates a scenario, without blocking. A `Timeline` can't leave the memory of its call, so this returns what `toJSON` gives: all steps.
 *
 * @throws {ChangeoverError} `InvalidScenario`, and those of `predict`; `OutOfMemory` beyond 256 MB of JSON
 * @group Simulate
 */
export declare function simulate(scenario: ScenarioInput, limits?: CallLimits): Promise<TimelineExport>;

/**
 * Simulates a scenario for its totals, as the function of `changeover` does, without blocking.
 *
 * @throws {ChangeoverError} as `predict`
 * @group Simulate
 */
export declare function totals(scenario: ScenarioInput, deployment?: string, from?: string | number, limits?: CallLimits): Promise<Totals>;

/**
 * Returns what the API server would answer, as the function of `changeover` does, without blocking.
 *
 * @throws {ChangeoverError} that of the function, and those of `predict`
 * @group Check
 */
export declare function validate(manifest: Manifests, options?: ValidateOptions, limits?: CallLimits): Promise<Validated[]>;

/**
 * Ranks pods in the order in which their ReplicaSet deletes them, as the function of `changeover` does, without blocking.
 *
 * @throws {ChangeoverError} that of the function, and those of `predict`
 * @group Rank
 */
export declare function rank(pods: Manifests, options?: RankOptions, limits?: CallLimits): Promise<RankReport>;

/**
 * Ranks the active pods of a workload, as the function of `changeover` does, without blocking.
 *
 * @throws {ChangeoverError} that of the function, and those of `predict`
 * @group Rank
 */
export declare function rankFor(workload: Manifests, objects: Manifests, options?: RankForOptions, limits?: CallLimits): Promise<RankReport>;

/**
 * Reads YAML or JSON text, as the function of `changeover` does, without blocking.
 *
 * @throws {ChangeoverError} that of the function, and those of `predict`
 * @group Objects
 */
export declare function parse(text: string, limits?: CallLimits): Promise<Manifest[]>;
