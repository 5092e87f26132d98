// Calls everything with values that no honest program passes. Prints the failures that are not a ChangeoverError with a
// sentence, that are the package's own fault, or after which it does not answer.
import { readFileSync } from 'node:fs';
import * as changeover from 'changeover';

const { ChangeoverError, advise, deletionCost, live, parse, predict, quantity, rank, rankFor, review, scenario, simulate, totals, validate, validateSettings } = changeover;

const deployment = JSON.parse(readFileSync('deployment.json', 'utf8'));
const rollout = scenario(deployment, { image: 'web:2' });
const timeline = simulate(rollout);
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
const throwing = (thrown) => ({
  toJSON() {
    throw thrown;
  },
});
const nested = (depth) => {
  let value = {};
  for (let level = 0; level < depth; level += 1) value = { a: value };
  return value;
};
const cycle = {};
cycle.self = cycle;

const values = {
  'a revoked proxy': revoked(),
  'a proxy that throws': new Proxy({}, { get() { throw new Error('no'); } }),
  'a getter that throws': { get now() { throw new Error('no'); } },
  'what throws a revoked proxy': throwing(revoked()),
  'what throws a symbol': throwing(Symbol('no')),
  'what throws nothing': throwing(undefined),
  'an error with a symbol for a message': throwing(Object.assign(new Error(), { message: Symbol('no') })),
  'an error whose message throws': throwing(Object.defineProperty(new Error(), 'message', { get() { throw 1; } })),
  'a cycle': cycle,
  'too deep for JavaScript': nested(100_000),
  'too deep for the module': nested(1_000),
  'null': null,
  'undefined': undefined,
  'not a number': Number.NaN,
  'a bigint': 1n,
  'a function': () => 1,
  'a symbol': Symbol('a'),
  'half a character': '\ud800',
  'a control character': '\0',
  'an invalid date': new Date(Number.NaN),
  'an object without a prototype': Object.create(null),
  'an empty list': [],
  'a list': [1],
  'bytes': new Uint8Array(3),
  'a large number': '1e999999999',
  'brackets': '['.repeat(100_000),
  'aliases': ['a: &a [x, x]', ...[...'bcdefghijklmnopqrstuvwxyz'].map((name, index) => `${name}: &${name} [*${'abcdefghijklmnopqrstuvwxyz'[index]}, *${'abcdefghijklmnopqrstuvwxyz'[index]}]`)].join('\n'),
};

const calls = {
  scenario,
  'changes of scenario': (value) => scenario(deployment, value),
  'options of scenario': (value) => scenario(deployment, {}, value),
  live,
  'options of live': (value) => live([], value),
  'time of live': (value) => live([], { now: value }),
  'manifests of live': (value) => live([], { to: value }),
  simulate,
  'scenario of totals': (value) => totals(value),
  'Deployment of totals': (value) => totals(rollout, value),
  predict,
  'new objects of predict': (value) => predict(deployment, value),
  'options of predict': (value) => predict(deployment, deployment, value),
  'assumptions of predict': (value) => predict(deployment, deployment, { assumptions: value }),
  'quotas of predict': (value) => predict(deployment, deployment, { quotas: value }),
  advise: (value) => advise(value, { maxPods: 5 }),
  'constraints of advise': (value) => advise(deployment, value),
  'options of advise': (value) => advise(deployment, { maxPods: 5 }, value),
  review,
  'settings of review': (value) => review({ request: {} }, value),
  'request of review': (value) => review({ request: value }),
  validateSettings,
  validate,
  'options of validate': (value) => validate(deployment, value),
  'old of validate': (value) => validate(deployment, { old: value }),
  deletionCost,
  rank,
  'options of rank': (value) => rank([], value),
  'related pods of rank': (value) => rank([], { relatedPods: value }),
  rankFor: (value) => rankFor(value, []),
  'objects of rankFor': (value) => rankFor('web', value),
  'options of rankFor': (value) => rankFor('web', [], value),
  parse,
  quantity,
  frame: (value) => timeline.frame(value),
  summary: (value) => timeline.summary(value),
  step: (value) => timeline.step(value),
  steps: (value) => [...timeline.steps(value)],
  series: (value) => timeline.series(value),
  totals: (value) => timeline.totals(value),
  'start of totals': (value) => timeline.totals('web', value),
  seek: (value) => timeline.seek(value),
  fork: (value) => timeline.fork(value, { pause: { name: 'web' } }),
  'action of fork': (value) => timeline.fork(0, value),
};

function failure(work) {
  try {
    work();
  } catch (thrown) {
    return { thrown };
  }
}

const isHonest = ({ thrown }) => thrown instanceof ChangeoverError && typeof thrown.message === 'string' && thrown.code !== 'Internal';

const wrong = [];
let count = 0;
for (const [call, work] of Object.entries(calls)) {
  for (const [value, given] of Object.entries(values)) {
    const failed = failure(() => work(given));
    if (failed) count += 1;
    if (failed && !isHonest(failed)) wrong.push(`${call} of ${value}`);
    if (deletionCost('5') !== 5) wrong.push(`after ${call} of ${value}`);
  }
}
console.log(JSON.stringify({ wrong, count }));
