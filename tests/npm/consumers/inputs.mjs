// Wrong or unusual inputs. Prints the error's code and messages for each case, or the result.
import {
  Timeline, advise, deletionCost, explain, live, parse, predict, quantity, rank, rankFor, review, scenario, simulate, totals,
  validate,
} from 'changeover';

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
const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' } };
const node = (name, allocatable = {}) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name }, status: { allocatable } });
const cordoned = (node) => ({ ...node, spec: { unschedulable: true } });
const wrongQuota = { ...quota, spec: { hard: { pods: 'many' } } };
const onNode = (nodeName) => ({ template: { ...template, spec: { ...template.spec, nodeName } } });
const nodes = [{ name: 'a' }];
const withoutKind = ({ kind, apiVersion, ...object }) => object;
const replicaSet = (metadata = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name: 'web-7', uid: '7', ...metadata },
  spec: { ...spec, replicas: 1 },
});
const owned = (name) => pod({ name, ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-7', uid: '7', controller: true }] });
const job = (metadata = {}, more = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'train', uid: '9', ...metadata },
  spec: { parallelism: 1, template: { spec: { restartPolicy: 'Never', containers: template.spec.containers } }, ...more },
});
const ofJob = (name, more) => pod({ name, ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'train', uid: '9', controller: true }] }, more);
const cronJob = (more = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'report' },
  spec: { schedule: '0 2 * * *', jobTemplate: { spec: job().spec }, ...more },
});
/** The start times of a CronJob's Jobs. */
const starts = (made) => [...simulate(made)].filter(({ reason }) => reason.rule === 'cron-job.create').map(({ time }) => time);
const names = ({ pods }) => pods.map(({ name }) => name);
const moved = { selector: other, template: { ...template, metadata: { labels: other.matchLabels } } };

/** An object as text with a field on each line. */
const lines = (object) => JSON.stringify(object, null, 1);

/** The file, line and column of each problem of a call. */
function placesOf(call) {
  try {
    return call();
  } catch ({ problems }) {
    return problems.map(({ file, line, column }) => [file, line, column].filter((value) => value !== undefined));
  }
}

const cases = {
  'a node of the options': () => scenario(deployment(), {}, { nodes: [{ name: 'a', cpu: 'lots' }] }),
  'a node without a name': () => scenario(deployment(), {}, { nodes: [{ name: '' }] }),
  'a Node of the options that is wrong': () => scenario(deployment(), {}, { nodes: [node('a'), node('b', { cpu: 'lots' })] }),
  'a Node of the options without a name': () => scenario(deployment(), {}, { nodes: [node('')] }),
  'nodes of the options that are none': () => scenario(deployment(), {}, { nodes: deployment() }),
  'nodes of the options that are a number': () => scenario(deployment(), {}, { nodes: 5 }),
  'Nodes of the options': () => {
    const given = [node('a', { pods: '4' }), cordoned(node('b'))];
    const forms = [given, list(...given), yaml(list(...given)), { kind: 'NodeList', items: given.map(withoutKind) }];
    return forms.map((nodes) => {
      const made = scenario(deployment(), {}, { nodes });
      return [made.nodes, made.actions];
    });
  },
  'Nodes beside the Deployment': () => {
    const beside = scenario([deployment(), node('a'), quota], {}, { objects: node('b') }).nodes;
    return [beside, scenario([deployment(), node('a')], {}, { nodes: [{ name: 'c' }] }).nodes].map((nodes) => nodes.map(({ name }) => name));
  },
  'a Node beside the Deployment that is wrong': () => scenario([deployment(), quota, node('a', { pods: 'many' })]),
  'a Node twice beside the Deployment': () => scenario([node('a'), deployment(), node('a')]),
  'objects beside the Deployment without changes': () => scenario([deployment(), quota], null, null).objects[0].kind,
  'a node given twice': () => simulate({ version: 1, nodes: [{ name: 'a' }, { name: 'a' }] }),
  'an option among the changes': () => scenario(deployment(), { image: 'web:2', nodes: [] }),
  'a change that is unknown': () => scenario(deployment(), { images: 'web:2' }),
  'an option that is unknown': () => scenario(deployment(), {}, { node: [] }),
  'options that are text': () => scenario(deployment(), {}, 'nodes'),
  'a kubelet that is wrong': () => scenario(deployment(), {}, { kubelet: [{ ready: 'soon' }] }),
  'a gate of the options': () => scenario(deployment(), {}, { featureGates: { Nonsense: true } }).seed,
  'two faults': () => scenario(deployment({ replicas: -1, minReadySeconds: -2 })),
  'two wrong types': () => scenario(deployment({ replicas: 'many', minReadySeconds: 'long' })),
  'two wrong types of an action': () =>
    simulate({ version: 1, actions: [{ create: deployment({ replicas: 'many', minReadySeconds: 'long' }) }] }),
  'two wrong objects': () => scenario([deployment(), wrongQuota, { ...wrongQuota, metadata: { name: 'b' } }]),
  'two faults of an action': () =>
    simulate({ version: 1, actions: [{ create: deployment({ replicas: -1, minReadySeconds: -2 }) }] }),
  'replicas of the changes': () => scenario(deployment(), { replicas: -1 }),
  'a patch': () => scenario(deployment(), { patch: { spec: { minReadySeconds: -1 } } }),
  'a patch of another type': () => scenario(deployment(), { patch: { spec: { minReadySeconds: 'long' } } }),
  'a patch of another object': () => scenario(deployment(), { patch: { metadata: { name: 'api' } } }),
  'a new manifest of another object': () => scenario(deployment(), { to: deployment({}, { name: 'api' }) }),
  'limits of steps': () => scenario(deployment({ replicas: 50 }), {}, { limits: { steps: 5 } }).objects.length,
  'limits of pods': () => scenario(deployment(), {}, { limits: { pods: 2 } }),
  'no Deployment': () => scenario(list(quota, pod())),
  'two Deployments': () => scenario([deployment(), deployment({}, { name: 'api' })]),
  'a new manifest': () => {
    const made = scenario(list(deployment({ minReadySeconds: 5 }), quota, { kind: 'ConfigMap', apiVersion: 'v1' }), {
      to: yaml(deployment({ replicas: 4 })),
    });
    return [made.objects.map(({ kind }) => kind), made.actions[0].apply.spec, simulate(made).end.reason];
  },
  'an object beside the Deployment that is wrong': () => scenario([service, deployment(), quota, { ...wrongQuota, metadata: { name: 'b' } }]),
  'an object of the options that is wrong': () => scenario([deployment(), quota], {}, { objects: [{ ...wrongQuota, metadata: { name: 'b' } }] }),
  'an object beside the Deployment without a kind': () => scenario([deployment(), withoutKind(quota)]),
  'a new manifest with other objects': () => {
    const larger = { ...quota, spec: { hard: { pods: '9' } } };
    const budget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'web' }, spec: { minAvailable: 1 } };
    const { actions } = scenario([deployment(), quota], { to: list(larger, service, deployment({ replicas: 5 }), budget) });
    return actions.map(({ at, apply: { kind, metadata, spec } }) => [at, kind, metadata.name, spec]);
  },
  'a new manifest with the same objects': () => scenario([deployment(), quota], { to: [quota, deployment({ replicas: 5 })] }).actions.length,
  'a new manifest with an object that is wrong': () => scenario(deployment(), { to: [service, deployment(), wrongQuota] }),
  'no new manifest': () => scenario(deployment(), { to: [] }),
  'two new manifests': () => scenario(deployment(), { to: [deployment(), deployment({}, { name: 'api' })] }),
  'a live Deployment and its new manifest': () => {
    const live = deployment({}, { uid: '1', resourceVersion: '5', generation: 4, creationTimestamp: '2025-01-01T00:00:00Z' });
    const { complete, peak } = simulate(scenario({ ...live, status: { replicas: 3 } }, { to: deployment({ template: newTemplate }) })).totals();
    return [peak, complete > 0];
  },
  'a template on an unknown node': () => scenario(deployment(onNode('b')), {}, { nodes }),
  'a new template on an unknown node': () => scenario(deployment(), { to: deployment(onNode('b')) }, { nodes }),
  'a predicted template on an unknown node': () => predict(deployment(onNode('b')), deployment(onNode('b')), { nodes }),
  'a predicted new template on an unknown node': () => predict(deployment(), deployment(onNode('b')), { nodes }),
  'a created pod on an unknown node': () => play([], { nodes, actions: [{ create: pod({}, { nodeName: 'b' }) }] }),
  'nodes of templates': () => simulate(scenario(deployment(onNode('b')), { image: 'web:2' })).end.reason,
  'an unknown node': () => play([pod({}, { nodeName: 'b' })], { nodes: [{ name: 'a' }] }),
  'nodes of pods': () => play([pod({}, { nodeName: 'b' })]).length,
  'objects of a scenario in other forms': () => {
    const given = [quota, pod({}, { nodeName: 'a' })];
    const forms = [given, list(...given), [list(...given)], yaml(list(...given)), [list(quota), given[1]]];
    return forms.map((objects) => play(objects).toJSON().scenario.objects.map(({ kind }) => kind));
  },
  'objects of a scenario that are wrong': () => play([list(quota), wrongQuota]),
  'objects of a scenario that are none': () => play(5),
  'an object of a scenario that is none': () => play([quota, 5]),
  'an item of a List that is none': () => play([quota, list(5)]),
  'objects of a scenario as wrong text': () => play('a: b: c'),
  'a forked scenario of text': () => play(yaml(list(deployment()))).fork(1, { pause: { name: 'web' } }).toJSON().scenario.objects.length,
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
  'times in milliseconds': () => [live([pod()], { now: 1e12 }).start, rank([pod()], { now: 1e12 }).now],
  'live with another option': () => live([pod()], { nwo: '2026-01-01T00:00:00Z' }),
  'live with no options': () => live([pod()], null),
  'live with manifests': () => {
    const { objects, time } = timeline.frame(timeline.length);
    const made = live(objects, { now: time, to: yaml(deployment({ replicas: 5, template: newTemplate })) });
    const { peak, lowestAvailable } = simulate(made).totals();
    return [made.actions.length, peak, lowestAvailable];
  },
  'live with manifests that are wrong': () => live([deployment()], { to: [quota, deployment({ replicas: -1 })] }),
  'live with manifests that are text': () => live([deployment()], { to: 'web:2' }),
  'live of wrong objects with manifests': () => live([service, deployment({ replicas: -2 })], { to: deployment() }),
  'live of an empty cluster': () => simulate(live('{"kind": "List", "apiVersion": "v1", "items": []}')).end.reason,
  'live without a kind': () => live([pod(), withoutKind(deployment())]),
  'live of what is nothing': () => live([{ foo: 1 }]),
  'live of a list of pods': () => live({ apiVersion: 'v1', kind: 'PodList', items: [withoutKind(pod())] }).objects.map(({ kind }) => kind),
  'live with replicas that are wrong': () => live([service, deployment({ replicas: -2 })]),
  'live with containers that are wrong': () => live([node('a'), service, pod({}, { containers: 'x' })]),
  'live with an unknown node': () => live([pod(), node('a'), pod({ name: 'web-2' }, { nodeName: 'b' })]),
  'live with a pod of a node that is gone': () => live([node('a'), pod({ uid: '1' }, { nodeName: 'b' })]).nodes,
  'live with an ended pod of a node that is gone': () =>
    live([node('a'), pod({}, { nodeName: 'b' }, { phase: 'Succeeded' })]).objects.length,
  'live with a Node twice': () => live([node('a'), service, node('a')]),
  'live with a Pod twice': () => live(list(service, pod(), pod())),
  'live with an amount that is wrong': () => live([service, node('a', { cpu: 'lots' })]),
  'live with a time that is wrong': () => live([service, pod({ deletionTimestamp: 'soon' })]),
  'an explanation of nothing': () => explain([]).rollouts,
  'an explanation of manifests': () => explain(deployment()),
  'an explanation of what is wrong': () => explain([pod(), deployment({ replicas: -2 }, { uid: 'd' })]),
  'an explanation with another option': () => explain([], { now: '2026-01-01T00:00:00Z' }),
  'rank of nothing': () => rank([{}]),
  'rank of any text': () => rank('a: b'),
  'rank of a Deployment without a kind': () => rank([withoutKind(deployment())]),
  'rank of pods without a kind': () => names(rank([withoutKind(pod()), withoutKind(pod({ name: 'web-2' }, { hostNetwork: true }))])),
  'rank of a Deployment': () => rank([pod(), deployment()]),
  'rank of a terminating pod': () => rank([pod(), pod({ deletionTimestamp: '2026-01-01T00:00:00Z' })]),
  'rank of an ended pod': () => rank([pod({}, {}, { phase: 'Failed' })]),
  'rank of a list': () => rank(yaml(list(pod(), pod({ name: 'web-2' })))).pods.map(({ name }) => name),
  'rank of no pods': () => rank([], { now: '2026-01-01T00:00:00Z' }),
  'rank of what no JSON holds': () => rank([1n]),
  'rank for a ReplicaSet': () => {
    const { objects } = timeline.frame(timeline.length);
    const active = objects.find(({ kind, spec }) => kind === 'ReplicaSet' && spec.replicas > 0);
    const { pods: ranked } = rankFor(active.metadata.name, objects, { count: 1, now: '2026-01-02T00:00:00Z' });
    return [ranked.length, ranked[0].deleted, objects[ranked[0].index].metadata.name === ranked[0].name];
  },
  'rank for an unknown ReplicaSet': () => rankFor('api', [pod()]),
  'rank for a name of nothing': () => rankFor('nope', [replicaSet(), owned('web-7-a'), job()]),
  'rank for pods without a kind': () => rankFor(replicaSet(), [withoutKind(owned('web-7-a'))]),
  'rank for a list of pods': () => names(rankFor(replicaSet(), { apiVersion: 'v1', kind: 'PodList', items: [withoutKind(owned('web-7-a'))] })),
  'rank for a ReplicaSet in a List': () => names(rankFor(list(replicaSet()), [owned('web-7-a')])),
  'rank for a ReplicaSet as text': () => names(rankFor(yaml(replicaSet()), [owned('web-7-a')])),
  'rank for a ReplicaSet without a kind': () => names(rankFor(withoutKind(replicaSet()), [owned('web-7-a')])),
  'rank for a ReplicaSet without a namespace': () => names(rankFor('default/web-7', [replicaSet(), owned('web-7-a')])),
  'rank for a ReplicaSet without a uid': () => rankFor(replicaSet({ uid: '' }), [owned('web-7-a')]),
  'rank for the name of a ReplicaSet without a uid': () => rankFor('web-7', [replicaSet({ uid: '' }), owned('web-7-a')]),
  'rank for two ReplicaSets': () => rankFor(list(replicaSet(), replicaSet()), [owned('web-7-a')]),
  'rank for a Deployment': () => rankFor(deployment(), [owned('web-7-a')]),
  'rank for a Job': () => {
    const { pods: going } = rankFor('job/train', [job(), ofJob('train-a', { nodeName: 'a' }), ofJob('train-b')], { now: '2026-01-02T00:00:00Z' });
    return going.map(({ name, index, deleted, why }) => [name, index, deleted, why ?? null]);
  },
  'rank for a Job of its own': () => names(rankFor(job({}, { suspend: true }), [ofJob('train-a')])),
  'rank for a Job that is not there': () => rankFor('job/web-7', [replicaSet(), ofJob('train-a')]),
  'rank for the name of a Job and a ReplicaSet': () => rankFor('web-7', [replicaSet(), job({ name: 'web-7' })]),
  'rank for a Job without a uid': () => rankFor(job({ uid: '' }), [ofJob('train-a')]),
  'a CronJob': () => starts(scenario(cronJob(), {}, { limits: { time: '49h' } })),
  'a CronJob in a time zone': () => starts(scenario(cronJob({ timeZone: 'Europe/Berlin' }), {}, { limits: { time: '49h' } })),
  'a CronJob that is changed': () => starts(scenario(cronJob(), { at: '6h', patch: { spec: { suspend: true } } }, { limits: { time: '49h' } })),
  'a CronJob with a new manifest': () => starts(scenario(cronJob(), { at: '6h', to: cronJob({ schedule: '0 7 * * *' }) }, { limits: { time: '49h' } })),
  'a CronJob with a schedule that is wrong': () => scenario(cronJob({ schedule: 'every night' })),
  'a CronJob in an unknown time zone': () => scenario(cronJob({ timeZone: 'Europe/Atlantis' })),
  'replicas of a CronJob': () => scenario(cronJob(), { replicas: 3 }),
  'a CronJob beside a Deployment': () => scenario([deployment(), cronJob()]).actions.map(({ create }) => create.kind),
  'an action with a time': () => timeline.fork(0, { at: '5s', scale: { name: 'web', replicas: 2 } }),
  'an action that is misspelled': () => timeline.fork(1, { scael: { name: 'web', replicas: 2 } }),
  'an action that is wrong': () => timeline.fork(3, { create: { kind: 'Deployment' } }),
  'where two faults are': () => placesOf(() => scenario({ file: 'web.json', text: lines(deployment({ replicas: -1, minReadySeconds: -2 })) })),
  'where a ReplicaSet has no uid': () => placesOf(() => rankFor(lines(replicaSet({ uid: '' })), [owned('web-7-a')])),
  'a text without an end': () => placesOf(() => parse('a: [')),
  'half a character': () => predict(deployment({}, { name: 'web\ud800' })),
  'a time that is too large': () => live(deployment(), { now: 1e20 }),
  'a time of a prediction that is too large': () => predict(deployment(), [], { assumptions: { now: 1e20 } }),
  'a prediction of manifests alone': () => {
    const alone = [deployment(), { ...deployment({}, { uid: '1' }), status: { replicas: 3 } }];
    return alone.map((object) => [predict([], object), predict(object, [])].map((other) => JSON.stringify(predict(object).workloads) === JSON.stringify(other.workloads)));
  },
  'a running cluster with the timing of a prediction': () => {
    const { objects, time: now } = timeline.frame(9);
    const { peak, lowestAvailable, complete } = simulate(live(objects, { now, mode: 'realistic' })).totals();
    const { outcome } = predict(objects, [], { assumptions: { now } }).workloads[0];
    return [peak - outcome.peak, lowestAvailable - outcome.lowestAvailable, complete - outcome.complete];
  },
  'a frame of an object': () => timeline.frame({}),
  'a frame of a symbol': () => timeline.frame(Symbol('a')),
  'steps of no number': () => timeline.steps(-1).next,
  'totals of an unknown Deployment': () => timeline.totals('api'),
  'totals from no time': () => timeline.totals('default/web', 'soon'),
  'totals from a number': () => timeline.totals('web', 5),
  'seeking a number': () => timeline.seek(5),
  'totals without a Deployment': () => play([pod()]).totals(),
  'totals of a Job that is not there': () => timeline.jobTotals(),
  'totals of what is no name': () => timeline.totals({}),
  'a timeline of no scenario': () => new Timeline({}),
  'a scenario that is text': () => simulate('web'),
  'a prediction is what its simulation says': () => {
    const { complete, peak } = simulate(scenario(deployment(), { to: deployment({ template: newTemplate }), at: '0s' })).totals();
    const { workloads } = predict(yaml(deployment()), list(deployment({ template: newTemplate }), { kind: 'Service', apiVersion: 'v1' }), { assumptions: { mode: 'exact' } });
    return [workloads[0].outcome.peak - peak, workloads[0].outcome.complete - complete];
  },
  'a prediction with quotas and nodes': () => {
    const { quotas, pending } = predict(deployment(), deployment({ template: newTemplate }), {
      quotas: yaml(quota),
      nodes: [{ name: 'a', pods: 4 }, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'b' }, status: { allocatable: { pods: '1' } } }],
      assumptions: { stopAfter: '20s', now: new Date() },
    });
    return [quotas.map(({ demand }) => [demand.fits, demand.exceeded]), pending];
  },
  'obstacles of a prediction': () => {
    const tight = { ...quota, spec: { hard: { pods: '3' } } };
    const predicted = predict(deployment(), deployment({ template: newTemplate }), { quotas: tight });
    const shown = predicted.obstacles().map(({ name, standing, obstacles, remedies }) => [name, standing, obstacles.map(({ why }) => why), remedies.map(({ what }) => what)]);
    return [shown, predicted.obstacles('outcome'), Object.keys(predicted).includes('obstacles')];
  },
  'a BigInt': () => predict(deployment({ replicas: 3n })),
  'a Response': () => explain(new Response('{}')),
  'a Map': () => predict(new Map()),
  'a Set in a list': () => predict([new Set()]),
  'obstacles of no outcome': () => predict(deployment(), deployment({ template: newTemplate })).obstacles('outcomes'),
  'a prediction with Nodes as clients give them': () => {
    const pods = (nodes) => predict(deployment(), deployment({ template: newTemplate }), { nodes }).pending.map(({ most }) => most);
    const small = node('a', { pods: '3' });
    return [pods([small]), pods(list(small)), pods([list(small)]), pods([withoutKind(small)]), pods(yaml(small)), pods([{ name: 'a', pods: 3 }])];
  },
  'a prediction with nodes that are none': () => predict([], [], { nodes: [deployment()] }),
  'a prediction of a running cluster': () => {
    const { objects, time } = timeline.frame(9);
    return predict(objects, [], { assumptions: { now: time } }).workloads[0].outcome.complete > 0;
  },
  'a prediction with pods of a node that is gone': () => {
    const pods = ['web-1', 'web-2'].map((name) => pod({ name, uid: name }, { nodeName: 'b' }));
    return [predict([...pods, node('a')]), predict(pods, [], { nodes })].map(({ warnings }) => warnings);
  },
  'an old Node that is wrong': () => predict([deployment(), node('a', { cpu: 'lots' })], []),
  'a Node of a prediction that is wrong': () => predict(deployment(), [], { nodes: node('a', { cpu: 'lots' }) }),
  'old objects that are wrong': () => predict(deployment({ replicas: -1 }), deployment()),
  'new objects that are wrong': () => predict(deployment(), [quota, deployment({ replicas: -1 })]),
  'new objects that are given twice': () => predict(deployment(), [quota, deployment(), deployment({ replicas: 5 })]),
  'a quota that is wrong': () => predict([], [], { quotas: { ...quota, spec: { hard: { pods: 'many' } } } }),
  'a node of a prediction that is wrong': () => predict([], [], { nodes: [{ name: 'a', cpu: 'lots' }] }),
  'assumptions that are wrong': () => predict([], [], { assumptions: { runs: 2000 } }),
  'assumptions that are text': () => predict([], [], { assumptions: 'soon' }),
  'assumptions that are a list': () => predict([], [], { assumptions: [1] }),
  'an option of a prediction that is unknown': () => predict([], [], { quota }),
  'advice': () => {
    const { current, fits } = advise(deployment(), { maxPods: 4 });
    return [current.fits, fits.map(({ patch }) => patch)];
  },
  'no constraints': () => advise(deployment(), {}),
  'a constraint that is wrong': () => advise(deployment(), { maxPods: -1 }),
  'advice about two Deployments': () => advise([deployment(), deployment({}, { name: 'api' })], { maxPods: 4 }),
  'old in a namespace': () => problems(validate(deployment(moved), { old: deployment({}, { namespace: 'prod' }) })),
  'old without a kind': () => validate(deployment(moved), { old: withoutKind(deployment()) }),
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
  'a deletion cost that is a number': () => deletionCost(5),
  'quantities': () => ['500m', '16Gi', 4, '1e3', '3n', '1e30'].map(quantity),
  'a promise of a manifest': () => scenario(Promise.resolve(yaml(deployment()))),
  'a promise of a new manifest': () => scenario(deployment(), { to: Promise.resolve(yaml(deployment())) }),
  'a promise among objects': () => live([deployment(), Promise.resolve(pod())]),
  'a Buffer': () => validate(Buffer.from(yaml(deployment()))),
  'an ArrayBuffer': () => simulate(new TextEncoder().encode(yaml(deployment())).buffer),
  'a Buffer of an old object': () => validate(deployment(), { old: Buffer.from(yaml(deployment())) }),
  'a change that is no number': () => scenario(deployment(), { replicas: NaN }),
  'a field that is no number': () => scenario(deployment({ replicas: NaN, paused: null })),
  'a field of a list that is no number': () => scenario([quota, deployment({ minReadySeconds: Infinity })]),
  'a constraint that is no number': () => advise(deployment(), { maxPods: 4, minAvailable: -Infinity }),
  'a time that is no date': () => live(deployment(), { now: new Date('tomorrow') }),
  'a time of a prediction that is no date': () => predict(deployment(), [], { assumptions: { now: new Date('tomorrow') } }),
  'a null and a date': () => live(deployment({}, { creationTimestamp: null }), { now: new Date(0) }).start,
  'two faults of a quota': () => scenario(deployment(), {}, { objects: { ...quota, spec: { hard: { pods: 'many', cpu: -1 } } } }),
  'two faults of a node': () => scenario(deployment(), {}, { nodes: [node('a', { cpu: 'lots', memory: 'many' })] }),
  'two constraints that are wrong': () => advise(deployment(), { maxPods: -1, minAvailable: -2 }),
  'a pod that is ranked twice': () => rank([pod(), pod({ namespace: 'prod' }), pod()]),
  'totals that a limit cuts off': () => totals(scenario(deployment({ replicas: 50 }), { image: 'web:2' }, { limits: { steps: 5 }, nodes: [{ name: 'a' }] })),
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
