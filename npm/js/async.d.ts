import type { Manifests, ScenarioInput, Surroundings } from './index.js';
import type { AdviseOptions, Advice, Constraints, ExplainReport, PredictOptions, Prediction, Totals } from './types.js';

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
  /** The time limit in milliseconds. Beyond it, the promise is rejected with `DeadlineExceeded`. */
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
  options?: Surroundings<PredictOptions>,
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
  options?: Surroundings<AdviseOptions>,
  limits?: CallLimits,
): Promise<Advice>;

/**
 * Explains the rollouts of a running cluster, as the function of `changeover` does, without blocking.
 *
 * @throws {ChangeoverError} as `predict`
 * @group Predict
 */
export declare function explain(
  objects: Manifests,
  options?: Surroundings<Pick<PredictOptions, 'quotas' | 'nodes' | 'namespace' | 'assumptions'>>,
  limits?: CallLimits,
): Promise<ExplainReport>;

/**
 * Simulates a scenario for its totals, as the function of `changeover` does, without blocking.
 *
 * @throws {ChangeoverError} as `predict`
 * @group Simulate
 */
export declare function totals(scenario: ScenarioInput, deployment?: string, from?: string | number, limits?: CallLimits): Promise<Totals>;
