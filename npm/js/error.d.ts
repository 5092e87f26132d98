/**
 * The failure that a `ChangeoverError` reports. Codes that begin with `Invalid` name the argument that is wrong.
 *
 * - `OutOfMemory`: the simulation or its result is too large. The message names the limit to lower.
 * - `TimelineFreed`: the timeline was freed.
 * - `TimelineCopied`: `structuredClone` or `postMessage` was called with a timeline.
 * - `DeadlineExceeded`: a call of `changeover/async` takes longer than its deadline.
 * - `NotInitialized`: a function of `changeover/slim` was called before `init` was done.
 * - `LoadFailed`: the WebAssembly module can't be fetched or compiled, or Node can't start a worker.
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
  | 'DeadlineExceeded'
  | 'Internal'
  | 'LoadFailed'
  | 'NotInitialized'
  | 'OutOfMemory'
  | 'TimelineCopied'
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
  /** The file of the field, if the input is a `ManifestFile`. */
  readonly file?: string;
  /** The line of the field, from 1, if the input is text and its line is known. */
  readonly line?: number;
  /** The character within that line, from 1; absent if `line` is. */
  readonly column?: number;
}

/**
 * The error that every function of this package throws.
 *
 * @group Errors
 */
export declare class ChangeoverError extends Error {
  private constructor();
  /**
   * Restores the error from the copy that `structuredClone` or `postMessage` made: a plain `Error` whose `cause` has the code, the path
   * and the other properties.
   *
   * @param copy the copy; anything else that was thrown gives an error with the code `Internal`
   */
  static from(copy: unknown): ChangeoverError;
  /** `ChangeoverError`, however the package is bundled. */
  readonly name: 'ChangeoverError';
  /** The kind of failure. */
  readonly code: ErrorCode;
  /** The field that is wrong, like `deployment.spec.replicas`; empty for the whole input. */
  readonly path: string;
  /**
   * All problems that were found; the error's own `path` is that of the first. They are all fields of one object that
   * have a wrong type, or else all that the API server refuses, or all problems of the feature gates. Unknown keys, and
   * problems of other objects, are reported one at a time.
   */
  readonly problems: readonly InputProblem[];
  /** The file of the first problem, if the input is a `ManifestFile`. */
  readonly file: string | undefined;
  /** The line of the first problem, from 1, if the input is text and its line is known. */
  readonly line: number | undefined;
  /** The character within that line, from 1; undefined if `line` is. */
  readonly column: number | undefined;
  /** Returns the error as a plain object. */
  toJSON(): Pick<ChangeoverError, 'name' | 'code' | 'path' | 'message' | 'problems' | 'file' | 'line' | 'column'>;
}
