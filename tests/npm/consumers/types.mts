import { ChangeoverError, type ErrorCode, type Frame, type Scenario, type Step, type Timeline, type Validated } from 'changeover';
import { deletionCost, rank, review, scenario, simulate, validate, validateSettings } from 'changeover';
import { init } from 'changeover/slim';
import deployment from './deployment.json' with { type: 'json' };

const made: Scenario = scenario(deployment, { image: 'web:2' });
const timeline: Timeline = simulate(made);
const frame: Frame = timeline.frame(timeline.seek('10s'));
const step: Step | undefined = frame.step;
const sentence: string | undefined = step?.reason.sentence;
const over: number[] = frame.summaries.map((summary) => summary.over);
const forked: Timeline = timeline.fork(0, { scale: { name: 'web', replicas: 4 } });
const cost: number = deletionCost({ 'controller.kubernetes.io/pod-deletion-cost': '5' });
const first: string = rank([{ metadata: { name: 'a' } }], { count: 1, now: new Date() })[0]!.name;
const allowed: boolean = review({ request: { uid: '1' } }, {}).allowed;
const valid: boolean = validateSettings({}).valid;
const validated: Validated[] = validate([deployment], { featureGates: { PodDeletionCost: false }, old: 'kind: List' });
const problem: { path: string; message: string; line?: number } | undefined = validate('kind: Pod')[0]?.problems[0];
const ready: Promise<void> = init(new Uint8Array());

export function codeOf(error: unknown): ErrorCode | undefined {
  return error instanceof ChangeoverError ? error.code : undefined;
}

// Each of these must be refused.
// @ts-expect-error no such code
const code: ErrorCode = 'Nonsense';
// @ts-expect-error a Deployment is an object
scenario('web');
// @ts-expect-error fork sets the time itself
timeline.fork(0, { at: '5s', scale: { name: 'web', replicas: 4 } });
// @ts-expect-error no such key
const wrong: Scenario = { version: 1, nonsense: true };
// @ts-expect-error a gate is on or off
validate(deployment, { featureGates: { PodDeletionCost: 'no' } });

export default [made, validated, problem, sentence, over, forked, cost, first, allowed, valid, ready, code, wrong];
