// Plays random scenarios. Prints the package's results, each under the name of its schema.
import { writeSync } from 'node:fs';
import { advise, live, predict, rankFor, scenario, simulate, validate } from 'changeover';

/** A small random number generator (mulberry32), so that every run plays the same scenarios. */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function randomJob(one, maybe) {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'train' },
    spec: {
      completions: one(1, 3),
      parallelism: one(1, 2),
      ...maybe('completionMode', 'Indexed'),
      ...maybe('podReplacementPolicy', 'TerminatingOrFailed', 'Failed'),
      ...maybe('backoffLimit', 0, 2),
      template: { spec: { restartPolicy: one('Never', 'OnFailure'), containers: [{ name: 'app', image: 'train:1' }] } },
    },
  };
}

function randomCronJob(one, maybe) {
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'report' },
    spec: {
      schedule: one('* * * * *', '*/3 * * * *'),
      ...maybe('timeZone', 'Europe/Berlin'),
      ...maybe('concurrencyPolicy', 'Forbid', 'Replace'),
      ...maybe('successfulJobsHistoryLimit', 0, 1),
      jobTemplate: { spec: randomJob(one, maybe).spec },
    },
  };
}

/** What users and the network do to the nodes `a` and `b`. */
const NODE_ACTIONS = [
  { cordon: { name: 'a' } },
  { uncordon: { name: 'a' } },
  { drain: { name: 'b', force: true } },
  { loseNode: { name: 'b' } },
  { returnNode: { name: 'b' } },
  { taintOutOfService: { name: 'b' } },
  { untaintOutOfService: { name: 'b' } },
  { deleteNode: { name: 'a' } },
];

const AUTOSCALER = { node: { name: 'added', pods: 3 }, after: '5s', startup: '20s', idle: '1m' };

function randomScenario(seed) {
  const random = generator(seed);
  const below = (most) => Math.floor(random() * most);
  const one = (...choices) => choices[below(choices.length)];
  const maybe = (key, ...choices) => (random() < 0.5 ? { [key]: one(...choices) } : {});
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      replicas: below(6),
      ...maybe('strategy', { type: 'Recreate' }, { rollingUpdate: { maxSurge: one(1, '50%'), maxUnavailable: one(0, 1) } }),
      ...maybe('podReplacementPolicy', 'TerminationStarted', 'TerminationComplete'),
      ...maybe('minReadySeconds', 0, 7),
      ...maybe('progressDeadlineSeconds', 30),
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          ...maybe('terminationGracePeriodSeconds', 0, 5, 90),
          containers: [{ name: 'web', image: 'web:1', resources: { requests: { cpu: '1' } } }],
        },
      },
    },
  };
  const changes = { ...maybe('image', 'web:2'), ...maybe('replicas', 0, 3, 9) };
  const made = scenario(deployment, changes, {
    ...maybe('nodes', [{ name: 'a', pods: 4 }, { name: 'b', cpu: '6' }]),
    kubelet: [{ ready: one('4s', 'never'), ...maybe('crash', '3s'), ...maybe('terminate', '2s'), jitterPercent: below(50) }],
    ...maybe('mode', 'realistic', 'exact'),
    objects: [randomJob(one, maybe), ...one([], [randomCronJob(one, maybe)])],
    limits: { time: '10m', steps: 200 },
    seed: below(1000),
  });
  const actions = [
    { scale: { name: 'web', replicas: below(8) } },
    { undo: { name: 'web' } },
    { pause: { name: 'web' } },
    { evict: { name: 'web/0' } },
    { delete: { kind: 'Pod', name: 'web/1', gracePeriodSeconds: 0 } },
    { suspend: { name: 'train' } },
    { resume: { kind: 'Job', name: 'train' } },
    { scale: { kind: 'Job', name: 'train', replicas: below(4) } },
    { evict: { name: 'train/0' } },
    { annotate: { kind: 'Pod', name: 'web/0', annotations: { 'controller.kubernetes.io/pod-deletion-cost': '5' } } },
    { delete: { kind: 'Deployment', name: 'web', cascade: one('foreground', 'background', 'orphan') } },
    { createJob: { name: 'by-hand', from: 'report' } },
  ];
  const choose = (most, among) => Array.from({ length: below(most) }, () => ({ at: `${below(60)}s`, ...one(...among) }));
  const ofNodes = made.nodes ? { ...maybe('autoscaler', AUTOSCALER), actions: choose(3, NODE_ACTIONS) } : {};
  return { ...made, ...ofNodes, actions: [...(made.actions ?? []), ...choose(4, actions), ...(ofNodes.actions ?? [])] };
}

/** A manifest with an image and a number of replicas. */
function withImage(manifest, image, replicas) {
  const changed = structuredClone(manifest);
  changed.spec.replicas = replicas;
  changed.spec.template.spec.containers[0].image = image;
  return changed;
}

function* outputs(seed) {
  const made = randomScenario(seed);
  yield ['scenario', made];
  const timeline = simulate(made);
  for (let frame = 0; frame <= timeline.length; frame += 7) {
    yield ['frame', timeline.frame(frame)];
    yield ['frame-summary', timeline.summary(frame)];
  }
  yield ['timeline', timeline.toJSON()];
  for (const point of timeline.series('web')) yield ['series-point', point];
  yield ['totals', timeline.totals('web', '5s')];
  for (const point of timeline.jobSeries('train')) yield ['job-series-point', point];
  yield ['job-totals', timeline.jobTotals('train', '5s')];
  const { objects, time } = timeline.frame(timeline.length);
  const nodes = seed % 3 === 0 ? [{ name: 'a', pods: 4 }] : [];
  const assumptions = { now: time, ...(seed % 2 === 0 && { jitter: 20, runs: 2 }) };
  const deployments = timeline.frame(0).objects.filter(({ kind }) => kind === 'Deployment');
  const manifests = deployments.map(({ apiVersion, kind, metadata: { name }, spec }) => ({ apiVersion, kind, metadata: { name }, spec }));
  const quotas = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'team' }, spec: { hard: { pods: seed % 9 } } };
  const changed = manifests.map((manifest) => ({ ...manifest, spec: { ...manifest.spec, replicas: seed % 7 } }));
  yield ['prediction', predict(manifests, changed, { quotas, nodes, assumptions })];
  // Of few pods every order of events is tried; for many there is a bound.
  const replicas = seed % 2 === 0 ? 2 : 200;
  const [before, after] = ['web:1', 'web:2'].map((image) => manifests.map((manifest) => withImage(manifest, image, replicas)));
  yield ['prediction', predict(before, after, { worst: true })];
  if (deployments.length === 1) yield ['advice', advise(manifests, { maxPods: seed % 8, quotas: true }, { quotas, nodes })];
  if (objects.length > 0) yield ['scenario', live(objects, { now: time })];
  for (const workload of ['ReplicaSet', 'Job'].map((wanted) => objects.find(({ kind }) => kind === wanted))) {
    if (workload) yield ['rank-report', rankFor(workload, objects, { count: 1, now: time })];
  }
  for (const result of objects.length > 0 ? validate(objects) : []) yield ['validated', result];
}

for (let seed = 1; seed <= Number(process.argv[2]); seed += 1) {
  for (const [schema, output] of outputs(seed)) writeSync(1, `${JSON.stringify({ seed, schema, output })}\n`);
}
