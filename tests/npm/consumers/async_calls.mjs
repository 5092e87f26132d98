const deployment = (image, replicas = 4) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image }] } },
  },
});

/** An object as text with a field on each line. */
const text = (object) => JSON.stringify(object, null, 1);

/** The code, the path and the beginning of the message of the error of a call. */
async function failure(call) {
  try {
    await call;
    return 'no error';
  } catch ({ name, code, path, message, problems }) {
    return [name, code, path, message, problems?.length].filter((value) => value !== undefined);
  }
}

export async function asyncCalls(calls, inThread) {
  const { advise, explain, predict, totals } = calls;
  const [old, next] = [deployment('web:1'), deployment('web:2')];
  const stopped = new AbortController();
  const stopping = failure(predict(old, next, {}, { signal: stopped.signal }));
  stopped.abort();
  return {
    different: await differentAnswers(calls, inThread, old, next),
    fits: (await advise(old, { maxPods: 5 })).fits.length > 0,
    peak: (await totals({ version: 1, objects: [old] })).peak,
    explained: (await explain([])).rollouts,
    stopped: await stopping,
    stoppedBefore: await failure(predict(old, next, {}, { signal: AbortSignal.abort(new Error('no longer needed')) })),
    late: await failure(advise(deployment('web:1', 1000), { maxPods: 1100 }, {}, { deadline: 1 })),
    large: await failure(predict(deployment('web:1', 10_000), deployment('web:2', 10_000), { assumptions: { runs: 1 }, proposed: true }, { memory: 2 ** 24 })),
    wrong: await failure(predict(deployment('web:1', -1), next)),
    located: await predict(text(deployment('web:1', -1)), next).catch(({ code, line, column }) => [code, line, column]),
    named: await predict({ file: 'web.json', text: text(deployment('web:1', -1)) }, next).catch(({ file, line }) => [file, line]),
    unread: (await failure(predict(Promise.resolve(old), next))).slice(0, 3),
    noTime: await failure(predict(old, next, {}, { deadline: 0 })),
    someTime: (await predict(old, next, {}, { deadline: 60_000.5 })).workloads.length,
    limit: await failure(predict(old, next, {}, { deadline: NaN })),
    noSignal: await failure(predict(old, next, {}, { signal: true })),
    noLimit: await failure(predict(old, next, {}, { timeout: 5 })),
  };
}

/** The functions whose answer is not that of the one of the same name in this thread. */
async function differentAnswers(calls, inThread, old, next) {
  const options = { assumptions: { now: '2026-01-01T00:00:00Z' } };
  const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'quota' }, spec: { hard: { pods: '0' } } };
  const limited = { ...options, quotas: quota };
  const rollout = inThread.scenario(old, { image: 'web:2' });
  const at = { now: '2026-01-01T00:00:00Z' };
  const { objects } = inThread.simulate(rollout).frame(0);
  const pods = objects.filter(({ kind }) => kind === 'Pod');
  const { name: replicaSet } = objects.find(({ kind }) => kind === 'ReplicaSet').metadata;
  const answers = {
    predict: [await calls.predict(old, next, options), inThread.predict(old, next, options)],
    obstacles: [await calls.obstacles(old, next, limited), inThread.predict(old, next, limited).obstacles()],
    timeline: [await calls.timeline(old, next, limited, 'withQuotas'), inThread.predict(old, next, limited).timeline('withQuotas')],
    live: [await calls.live(old, { ...at, to: next }), inThread.live(old, { ...at, to: next })],
    scenario: [await calls.scenario(old, { image: 'web:2' }), rollout],
    simulate: [await calls.simulate(rollout), inThread.simulate(rollout)],
    rank: [await calls.rank(pods, at), inThread.rank(pods, at)],
    rankFor: [await calls.rankFor(replicaSet, objects, at), inThread.rankFor(replicaSet, objects, at)],
    parse: [await calls.parse(text(old)), inThread.parse(text(old))],
    validate: [await calls.validate(text(old)), inThread.validate(text(old))],
  };
  return Object.keys(answers).filter((name) => JSON.stringify(answers[name][0]) !== JSON.stringify(answers[name][1]));
}

/** What else happens in the thread while a call runs there, and that it can stop a call. */
export async function otherWork({ advise, predict }) {
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
  }, 1);
  const { fits } = await advise(deployment('web:1', 300), { maxPods: 330 });
  clearInterval(timer);
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error('no longer needed')), 30);
  const stopped = await failure(advise(deployment('web:1', 3000), { maxPods: 3300 }, {}, { signal: controller.signal }));
  const [one, other] = await Promise.all([1, 2].map((replicas) => predict(deployment('web:1', replicas), deployment('web:2', replicas))));
  return { ticked: ticks > 3, fitted: fits.length > 0, stoppedMeanwhile: stopped, both: [one, other].map(({ workloads: [{ outcome }] }) => outcome.peak) };
}
