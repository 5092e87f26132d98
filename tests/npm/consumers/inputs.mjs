// What wrong or unusual inputs give. Prints for each case the error's code and messages, or the result.
import { advise, deletionCost, live, parse, predict, quantity, rank, rankFor, review, scenario, simulate, validate } from 'changeover';

const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };
const spec = { replicas: 3, selector: { matchLabels: { app: 'web' } }, template };
const deployment = (more = {}, metadata = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', ...metadata },
  spec: { ...spec, ...more },
});
const pod = (metadata = {}, more = {}, status = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-1', ...metadata },
  spec: { containers: template.spec.containers, ...more },
  status: { phase: 'Running', ...status },
});
const play = (objects, more = {}) => simulate({ version: 1, objects, ...more });
const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'quota' }, spec: { hard: { pods: '4' } } };
const list = (...items) => ({ apiVersion: 'v1', kind: 'List', items });
const yaml = (object) => JSON.stringify(object);
const problems = (validated) => validated.map((result) => result.problems.map(({ message }) => message));
const timeline = simulate(scenario(deployment(), { image: 'web:2' }));
const newTemplate = { ...template, spec: { containers: [{ name: 'web', image: 'web:2' }] } };
const other = { matchLabels: { app: 'other' } };
const moved = { selector: other, template: { ...template, metadata: { labels: other.matchLabels } } };

const cases = {
  'a node of the changes': () => scenario(deployment(), { nodes: [{ name: 'a', cpu: 'lots' }] }),
  'a node without a name': () => scenario(deployment(), { nodes: [{ name: '' }] }),
  'a node given twice': () => simulate({ version: 1, nodes: [{ name: 'a' }, { name: 'a' }] }),
  'a gate of the changes': () => scenario(deployment(), { featureGates: { Nonsense: true } }).seed,
  'two faults': () => scenario(deployment({ replicas: -1, minReadySeconds: -2 })),
  'two faults of an action': () =>
    simulate({ version: 1, actions: [{ create: deployment({ replicas: -1, minReadySeconds: -2 }) }] }),
  'replicas of the changes': () => scenario(deployment(), { replicas: -1 }),
  'a patch': () => scenario(deployment(), { patch: { spec: { minReadySeconds: -1 } } }),
  'a patch of another type': () => scenario(deployment(), { patch: { spec: { minReadySeconds: 'long' } } }),
  'a patch of another object': () => scenario(deployment(), { patch: { metadata: { name: 'api' } } }),
  'a new manifest of another object': () => scenario(deployment(), { to: deployment({}, { name: 'api' }) }),
  'limits of steps': () => scenario(deployment({ replicas: 50 }), { limits: { steps: 5 } }).objects.length,
  'limits of pods': () => scenario(deployment(), { limits: { pods: 2 } }),
  'no Deployment': () => scenario(list(quota, pod())),
  'two Deployments': () => scenario([deployment(), deployment({}, { name: 'api' })]),
  'a new manifest': () => {
    const made = scenario(list(deployment({ minReadySeconds: 5 }), quota, { kind: 'Service', apiVersion: 'v1' }), {
      to: yaml(deployment({ replicas: 4 })),
    });
    return [made.objects.map(({ kind }) => kind), made.actions[0].apply.spec, simulate(made).end.reason];
  },
  'an unknown node': () => play([pod({}, { nodeName: 'b' })], { nodes: [{ name: 'a' }] }),
  'nodes of pods': () => play([pod({}, { nodeName: 'b' })]).length,
  'from the future': () => play([pod({ creationTimestamp: '2030-01-01T00:00:00Z' })]),
  'terminating': () => {
    const terminating = { deletionTimestamp: '2026-01-01T00:00:20Z', deletionGracePeriodSeconds: 300 };
    const played = play([pod(terminating, { nodeName: 'a' })]);
    return [played.frame(0).objects[0].metadata.deletionTimestamp, played.step(0).time];
  },
  'live': () => {
    const made = live({ kind: 'List', items: [pod({ creationTimestamp: '2026-01-01T00:00:07Z' }), quota] }, { now: '2026-01-01T00:00:00Z' });
    return [made.start, made.objects.map(({ kind }) => kind)];
  },
  'live of another time': () => live([pod()], { now: 'yesterday' }),
  'live with another option': () => live([pod()], { nwo: '2026-01-01T00:00:00Z' }),
  'live with no options': () => live([pod()], null),
  'live of an empty cluster': () => simulate(live('{"kind": "List", "apiVersion": "v1", "items": []}')).end.reason,
  'rank of a Deployment': () => rank([pod(), deployment()]),
  'rank of a terminating pod': () => rank([pod(), pod({ deletionTimestamp: '2026-01-01T00:00:00Z' })]),
  'rank of an ended pod': () => rank([pod({}, {}, { phase: 'Failed' })]),
  'rank of a list': () => rank(yaml(list(pod(), pod({ name: 'web-2' })))).map(({ name }) => name),
  'rank of no pods': () => rank([]),
  'rank of what no JSON holds': () => rank([1n]),
  'rank for a ReplicaSet': () => {
    const { objects } = timeline.frame(timeline.length);
    const active = objects.find(({ kind, spec }) => kind === 'ReplicaSet' && spec.replicas > 0);
    const ranked = rankFor(active.metadata.name, objects, { count: 1, now: '2026-01-02T00:00:00Z' });
    return [ranked.length, ranked[0].deleted, objects[ranked[0].index].metadata.name === ranked[0].name];
  },
  'rank for an unknown ReplicaSet': () => rankFor('api', [pod()]),
  'an action with a time': () => timeline.fork(0, { at: '5s', scale: { name: 'web', replicas: 2 } }),
  'an action that is wrong': () => timeline.fork(3, { create: { kind: 'Deployment' } }),
  'a frame of an object': () => timeline.frame({}),
  'a frame of a symbol': () => timeline.frame(Symbol('a')),
  'steps of no number': () => timeline.steps(-1).next,
  'totals of an unknown Deployment': () => timeline.totals('api'),
  'totals from no time': () => timeline.totals('default/web', 'soon'),
  'a prediction is what its simulation says': () => {
    const { complete, peak } = simulate(scenario(deployment(), { to: deployment({ template: newTemplate }), at: '0s' })).totals();
    const { workloads } = predict(yaml(deployment()), list(deployment({ template: newTemplate }), { kind: 'Service', apiVersion: 'v1' }));
    return [workloads[0].today.peak - peak, workloads[0].today.complete - complete];
  },
  'a prediction with quotas and nodes': () => {
    const { quotas, pending } = predict(deployment(), deployment({ template: newTemplate }), {
      quotas: yaml(quota),
      nodes: [{ name: 'a', pods: 4 }, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'b' }, status: { allocatable: { pods: '1' } } }],
      assumptions: { stopAfter: '20s', now: new Date() },
    });
    return [quotas.map(({ today }) => [today.fits, today.exceeded]), pending];
  },
  'a prediction of a running cluster': () => {
    const { objects, time } = timeline.frame(9);
    return predict(objects, [], { assumptions: { now: time } }).workloads[0].today.complete > 0;
  },
  'old objects that are wrong': () => predict(deployment({ replicas: -1 }), deployment()),
  'new objects that are wrong': () => predict(deployment(), [quota, deployment({ replicas: -1 })]),
  'a quota that is wrong': () => predict([], [], { quotas: { ...quota, spec: { hard: { pods: 'many' } } } }),
  'a node of a prediction that is wrong': () => predict([], [], { nodes: [{ name: 'a', cpu: 'lots' }] }),
  'assumptions that are wrong': () => predict([], [], { assumptions: { runs: 2000 } }),
  'an option of a prediction that is unknown': () => predict([], [], { quota }),
  'advice': () => {
    const { asItIs, fits } = advise(deployment(), { maxPods: 4 });
    return [asItIs.fits, fits.map(({ patch }) => patch)];
  },
  'no wish': () => advise(deployment(), {}),
  'a wish that is wrong': () => advise(deployment(), { maxPods: -1 }),
  'advice about two Deployments': () => advise([deployment(), deployment({}, { name: 'api' })], { maxPods: 4 }),
  'JSON with a key twice': () => validate('{"apiVersion": "v1", "kind": "Pod", "kind": "Job"}'),
  'old in a namespace': () => problems(validate(deployment(moved), { old: deployment({}, { namespace: 'prod' }) })),
  'old in two namespaces': () =>
    validate(deployment(moved), { old: ['a', 'b'].map((namespace) => deployment({}, { namespace })) }),
  'an unknown nested field of a Job': () => {
    const job = (more) => ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'import' },
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a:1', ...more }] } } },
    });
    return problems(validate(job({ nonsense: 1 }), { old: job() }));
  },
  'no request': () => review({}),
  'no deletion cost': () => deletionCost('many'),
  'quantities': () => ['500m', '16Gi', 4, '1e3'].map(quantity),
  'no quantity': () => quantity('lots'),
  'two documents': () => parse('kind: A\n---\nkind: List\nitems:\n- kind: B\n').map(({ kind }) => kind),
  'no document': () => parse('a: b: c'),
};

const results = Object.entries(cases).map(([name, run]) => {
  try {
    return [name, run()];
  } catch (error) {
    if (error.name !== 'ChangeoverError') return [name, `${error}`];
    return [name, { code: error.code, path: error.path, messages: error.problems.map(({ message }) => message.slice(0, 160)) }];
  }
});
console.log(JSON.stringify(Object.fromEntries(results)));
