import type {
  Action,
  Changes,
  End,
  Export,
  Frame,
  RankOptions,
  RankedPod,
  Scenario,
  SettingsCheck,
  Step,
  ValidateOptions,
  Validated,
  Verdict,
} from './types.js';

export type * from './types.js';

/** A Kubernetes object as a manifest has it: defaults may be missing. */
export interface Manifest {
  apiVersion?: string;
  kind?: string;
  metadata?: { name?: string; [key: string]: unknown };
  spec?: object;
  [key: string]: unknown;
}

/** Which input was wrong. `Internal` is a fault of this package, not of the caller. */
export type ErrorCode =
  | 'InvalidAction'
  | 'InvalidChanges'
  | 'InvalidDeletionCost'
  | 'InvalidDeployment'
  | 'InvalidFrame'
  | 'InvalidManifest'
  | 'InvalidOptions'
  | 'InvalidPods'
  | 'InvalidReview'
  | 'InvalidScenario'
  | 'InvalidSettings'
  | 'InvalidTime'
  | 'NotInitialized'
  | 'Internal';

/** What every function here throws. The message is one sentence: the field's path, its value, what would be right. */
export declare class ChangeoverError extends Error {
  private constructor();
  readonly name: 'ChangeoverError';
  /** Which input was wrong. */
  readonly code: ErrorCode;
  /** Where in that input, like `spec.strategy.rollingUpdate.maxSurge`; empty for the whole of it. */
  readonly path: string;
  /** The line of a text that can't be read, from 1. */
  readonly line: number | undefined;
  /** The character within that line, from 1. */
  readonly column: number | undefined;
}

/**
 * A scenario in which a Deployment came to rest long ago, with all its pods available, and then is changed.
 *
 * @param deployment a plain manifest; what is not there is defaulted as the API server does
 * @param changes what happens to it; nothing by default
 * @example
 * const made = scenario(deployment, { image: 'web:2' });
 * @throws {ChangeoverError} `InvalidDeployment`, `InvalidChanges`
 */
export declare function scenario(deployment: Manifest, changes?: Changes): Scenario;

/**
 * Plays a scenario to its end. The same scenario always gives the same timeline.
 *
 * @throws {ChangeoverError} `InvalidScenario`
 */
export declare function simulate(scenario: Scenario): Timeline;

/**
 * What the admission policy says of a request, without a server.
 *
 * @param admissionReview an `admission.k8s.io/v1` AdmissionReview; only its `request` is looked at
 * @param settings the policy's settings; none by default
 * @throws {ChangeoverError} `InvalidReview`, `InvalidSettings`
 */
export declare function review(admissionReview: { request: object; [key: string]: unknown }, settings?: object): Verdict;

/**
 * What is wrong with settings of the admission policy: all of it.
 *
 * @throws {ChangeoverError} `InvalidSettings` for what is not JSON
 */
export declare function validateSettings(settings: object | null): SettingsCheck;

/**
 * What the API server would say of objects that are created, or that replace others: for each the object with its
 * defaults, what is refused, what it warns of, and which fields were not looked at. The words are the API server's own, but
 * for fields of a wrong type (`FieldValueTypeInvalid`), and kinds and versions that are not known. Whoever finds
 * no problems has not found that an object is valid: `notLookedAt` says what else is there.
 *
 * @param manifest YAML or JSON text with one document or several, an object, or a list of objects; a `List` counts as its
 * items. Only what was text has lines and columns.
 * @returns for each object what is said of it, in their order
 * @example
 * for (const { line, column, message } of validate(yaml)[0].problems) console.log(`${line}:${column} ${message}`);
 * @throws {ChangeoverError} `InvalidManifest` for what can't be read at all, with `line` and `column`; `InvalidOptions`,
 * also where a field of `old` has a wrong type
 */
export declare function validate(
  manifest: string | Manifest | readonly Manifest[],
  options?: Omit<ValidateOptions, 'old'> & {
    /** What is there already. Whatever has its kind, name and namespace replaces it; all others are created. */
    old?: string | Manifest | readonly Manifest[];
  },
): Validated[];

/**
 * What it costs to delete a pod: its annotation `controller.kubernetes.io/pod-deletion-cost`, or 0.
 *
 * @param annotations a pod's annotations, or the text of this one
 * @throws {ChangeoverError} `InvalidDeletionCost` where the API server would refuse it; a controller counts 0
 */
export declare function deletionCost(annotations?: Record<string, string> | string): number;

/**
 * The pods in the order in which their ReplicaSet deletes them, and what decides between them.
 *
 * @param pods the ReplicaSet's active pods
 * @throws {ChangeoverError} `InvalidPods`, `InvalidOptions`
 */
export declare function rank(
  pods: readonly Manifest[],
  options?: Omit<RankOptions, 'now'> & {
    /** The time of the call by default. */
    now?: string | Date;
  },
): RankedPod[];

/** A scenario played to its end. Frame 0 is the start, frame N the state after step N - 1. */
export declare class Timeline {
  private constructor();
  /** How many steps there are; frames go from 0 to this. */
  readonly length: number;
  /** Why it ends. */
  readonly end: End;
  /**
   * The state after `number` steps, with the step that led to it. The next frame is the cheapest to reach, in either direction.
   *
   * @throws {ChangeoverError} `InvalidFrame`
   */
  frame(number: number): Frame;
  /**
   * One step: when, who, what was written and why.
   *
   * @throws {ChangeoverError} `InvalidFrame`
   */
  step(number: number): Step;
  /**
   * The number of the last frame that is not later than so long after the start.
   *
   * @param at like `90s`, `1m30s`, `250ms`
   * @throws {ChangeoverError} `InvalidTime`
   */
  seek(at: string): number;
  /**
   * Another timeline, which is the same up to the frame, and in which the user then does something else as well.
   *
   * @throws {ChangeoverError} `InvalidFrame`, `InvalidAction`
   */
  fork(frame: number, action: Action): Timeline;
  /** All of it: the scenario, every step, why it ends. */
  toJSON(): Export;
}
