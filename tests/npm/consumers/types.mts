import {
  ChangeoverError,
  type Action,
  type Advice,
  type ClusterEvent,
  type ErrorCode,
  type Frame,
  type Manifest,
  type LiveOptions,
  type NodeSpec,
  type PredictOptions,
  type Prediction,
  type RankOptions,
  type RuleId,
  type Scenario,
  type SeriesPoint,
  type Step,
  type TimedAction,
  type Timeline,
  type TimelineExport,
  type Validated,
} from 'changeover';
import { advise, deletionCost, live, parse, predict, quantity, rank, rankFor } from 'changeover';
import { review, scenario, simulate, totals, validate, validateSettings } from 'changeover';
import { init } from 'changeover/slim';
import wasm from 'changeover/changeover.wasm';
import { live as liveInWorker, predict as predictInWorker, simulate as simulateInWorker, validate as validateInWorker } from 'changeover/async';
import { ChangeoverRollout } from 'changeover/element';

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: { replicas: 3, selector: { matchLabels: { app: 'web' } }, template: {} },
};

const made: Scenario = scenario(deployment, { image: 'web:2' }, { nodes: [{ name: 'a', cpu: '4', memory: 16e9 }] });
const released: Scenario = scenario([deployment], { to: 'kind: Deployment' }, { objects: { kind: 'List', items: [] } });
const timeline: Timeline = simulate(made);
simulate({ version: 1, objects: { kind: 'List', items: [deployment] } });
simulate({ version: 1, objects: 'kind: Deployment', nodes: [{ name: 'a' }] });
totals({ version: 1, objects: 'kind: Deployment' });
const frame: Frame = timeline.frame(timeline.seek('10s'));
const step: Step | undefined = frame.step;
const sentence: string | undefined = step?.reason.sentence;
const rule: RuleId | undefined = step?.reason.rule;
const isFirst: boolean = step?.reason.rule === 'deployment.new.up.complete';
const over: number[] = timeline.summary(0).summaries.map((summary) => summary.over);
const peaks: number[] = [timeline.totals().peak, timeline.totals('default/web', '5s').lowestAvailable];
const only: number = totals(made, 'web', '5s').peak;
const complete: number | undefined = timeline.totals().complete;
const held: number[] = timeline.series('web').map(({ holding, counts }) => holding - counts.terminating);
const events: ClusterEvent[] = [...timeline.steps(0, 3)].flatMap(({ events }) => events);
const exported: TimelineExport = timeline.toJSON();
const action: Action = { scale: { name: 'web', replicas: 4 } };
const atOnce: TimedAction = { at: '5s', pause: { name: 'web' } };
const forked: Timeline = timeline.fork(0, action);
const node: NodeSpec = { name: 'a', cpu: 4, memory: '16Gi' };
const cost: number = deletionCost({ 'controller.kubernetes.io/pod-deletion-cost': '5' });
const first: string = rank([{ metadata: { name: 'a' } }], { count: 1, now: new Date() }).pods[0]!.name;
const last: boolean | undefined = rankFor('web-1', 'kind: Pod', { now: '2026-01-01T00:00:00Z' }).pods[0]?.deleted;
const next: Scenario = live(parse('kind: Pod'), { now: Date.now(), to: [deployment] });
const cores: number = quantity('500m') + quantity(2);
const allowed: boolean = review({ request: { uid: '1' } }, {}).allowed;
const valid: boolean = validateSettings({}).valid;
const validated: Validated[] = validate([deployment], { featureGates: { PodDeletionCost: false }, old: 'kind: List' });
const problem: { path: string; message: string; file?: string; line?: number } | undefined = validate([{ file: 'pod.yaml', text: 'kind: Pod' }, deployment])[0]?.problems[0];
const prediction: Prediction = predict(deployment, [deployment], {
  quotas: 'kind: ResourceQuota',
  nodes: [node],
  assumptions: { readyAfter: '5s', runs: 2, jitter: 10, now: new Date() },
});
const predicted: SeriesPoint[] = predict(deployment).timeline('withQuotas').series('web');
const surroundings: PredictOptions = { quotas: 'kind: ResourceQuota', nodes: [node], assumptions: { now: new Date() } };
const since: LiveOptions & RankOptions = { now: Date.now() };
const rankedAt: string = rank('kind: Pod', since).now;
// An answer has its time as text.
const usedAt: string | undefined = predict(deployment, undefined, surroundings).assumptions.now;
const sentences: string[] = timeline.sentences(0, 3).map(({ sentence }) => sentence);
const copied: { code: ErrorCode; message: string } | undefined = undefined as ChangeoverError | undefined;
const answered: Promise<Prediction> = predictInWorker(deployment, [deployment], {}, { signal: new AbortController().signal, deadline: 1000 });
const laterExport: Promise<TimelineExport> = simulateInWorker(made, { deadline: 0.5 });
const laterNext: Promise<Scenario> = liveInWorker('kind: Pod', { mode: 'realistic', to: deployment });
const laterValidated: Promise<Validated[]> = validateInWorker('kind: Pod', { old: [deployment] });
const commit: string | undefined = advise(deployment, { maxPods: 16 }).fits[0]?.yaml;
const fits: boolean = prediction.quotas.every((quota) => quota.demand.fits);
const advice: Advice = advise(deployment, { maxPods: 16, within: '1m' }, { deployment: 'web', assumptions: { stopAfter: '3s' } });
const patch: Manifest | undefined = advice.fits[0]?.patch;
const ready: Promise<void>[] = [init(new Uint8Array()), init(wasm)];
for (const { milliseconds } of timeline) over.push(milliseconds);
timeline.free();

export function codeOf(error: unknown): ErrorCode | undefined {
  return error instanceof ChangeoverError ? error.code : undefined;
}

function verb(action: Action): string | undefined {
  return 'pause' in action && action.pause ? action.pause.name : action.scale?.name;
}

export function placeOf({ file = 'text', line }: ChangeoverError): string {
  return `${file}:${line}`;
}

export function pathsOf(error: ChangeoverError): string[] {
  return error.problems.map(({ path }) => path);
}

// Each of these must be refused.
// @ts-expect-error no such code
const code: ErrorCode = 'Nonsense';
// @ts-expect-error a Deployment is an object, a list or text
scenario(3);
// @ts-expect-error a promise of text is no text
scenario(Promise.resolve('kind: Deployment'));
// @ts-expect-error bytes are no text
scenario(new Uint8Array());
// @ts-expect-error nor is a buffer
validate(new ArrayBuffer(8));
// @ts-expect-error the same for a new manifest
scenario(deployment, { to: Promise.resolve(deployment) });
// @ts-expect-error no such change
scenario(deployment, { images: 'web:2' });
// @ts-expect-error an option is no change
scenario(deployment, { nodes: [] });
// @ts-expect-error fork sets the time itself
timeline.fork(0, { at: '5s', scale: { name: 'web', replicas: 4 } });
// @ts-expect-error an action has one verb
const both: Action = { scale: { name: 'web', replicas: 4 }, pause: { name: 'web' } };
// @ts-expect-error an action has a verb
const none: Action = { destroy: { name: 'web' } };
// @ts-expect-error a scale has a number of replicas
const scale: Action = { scale: { name: 'web' } };
// @ts-expect-error no such key of a scenario
simulate({ version: 1, object: [deployment] });
// @ts-expect-error no such key
const wrong: Scenario = { version: 1, nonsense: true };
// @ts-expect-error no such constraint
advise(deployment, { pods: 3 });
// @ts-expect-error no such assumption
predict(deployment, deployment, { assumptions: { ready: '5s' } });
// @ts-expect-error no such rule
const other: RuleId = 'deployment.nonsense';
// @ts-expect-error a gate is on or off
validate(deployment, { featureGates: { PodDeletionCost: 'no' } });
// @ts-expect-error a timeline comes from simulate
new (null as unknown as typeof import('changeover').Timeline)();

const element: ChangeoverRollout = document.createElement('changeover-rollout');
element.manifest = deployment;
element.changes = { image: 'web:2' };
element.options = { nodes: [{ name: 'a' }] };
element.timeline = simulate(made);
element.label = 'Our release';
element.addEventListener('changeover-failed', ({ detail }) => console.error(detail.code));
// @ts-expect-error no such change
element.changes = { imag: 'web:2' };
// @ts-expect-error a timeline, not its scenario
element.timeline = made;

export default [made, released, validated, problem, sentence, rule, isFirst, peaks, only, complete, held, events, exported, forked];
export const more = [rankedAt, usedAt, both, atOnce, verb(action), node, cost, fits, patch, first, last, next, cores, allowed, valid, ready, code, none, scale, wrong, other];
