// The calls that may take long, each with its arguments: `changeover/async` has all of them, and so has `long_call.rs`.
import { toJson } from './arguments.js';

const predictTexts = (old, manifest = null, options = {}) => [
  toJson('InvalidObjects', old),
  toJson('InvalidManifest', manifest),
  toJson('InvalidOptions', options),
  now(),
];

/** For each function, how many arguments it has, and these as JSON text, as the module's function takes them. */
export const LONG_CALLS = {
  predict: { count: 3, texts: predictTexts },
  obstacles: {
    count: 4,
    texts: (old, manifest, options, outcome = 'withQuotas') => [...predictTexts(old, manifest, options), toJson('InvalidOptions', outcome)],
  },
  timeline: {
    count: 4,
    texts: (old, manifest, options, outcome = 'outcome') => [...predictTexts(old, manifest, options), toJson('InvalidOptions', outcome)],
  },
  advise: {
    count: 3,
    texts: (manifest, constraints, options = {}) => [
      toJson('InvalidManifest', manifest),
      toJson('InvalidConstraints', constraints, 'constraints'),
      toJson('InvalidOptions', options),
      now(),
    ],
  },
  explain: {
    count: 2,
    texts: (objects, options = {}) => [toJson('InvalidObjects', objects), toJson('InvalidOptions', options), now()],
  },
  live: {
    count: 2,
    texts: (objects, options = {}) => [toJson('InvalidObjects', objects), toJson('InvalidOptions', options), now()],
  },
  scenario: {
    count: 3,
    texts: (manifest, changes = {}, options = {}) => {
      const [code, path] = isList(manifest) ? ['InvalidManifest', 'manifest'] : ['InvalidDeployment', 'deployment'];
      return [toJson(code, manifest, path), toJson('InvalidChanges', changes, 'changes'), toJson('InvalidOptions', options)];
    },
  },
  parse: { count: 1, texts: (text) => [toJson('InvalidManifest', text)] },
  rank: {
    count: 2,
    texts: (pods, options = {}) => [toJson('InvalidPods', pods), toJson('InvalidOptions', options), now()],
  },
  rankFor: {
    count: 3,
    texts: (workload, objects, options = {}) => [
      toJson('InvalidWorkload', workload),
      toJson('InvalidObjects', objects),
      toJson('InvalidOptions', options),
      now(),
    ],
  },
  simulate: { count: 1, texts: (scenario) => [toJson('InvalidScenario', scenario)] },
  totals: {
    count: 3,
    texts: (scenario, deployment = null, from = 0) => [toJson('InvalidScenario', scenario), toJson('InvalidDeployment', deployment), toJson('InvalidTime', from)],
  },
  validate: {
    count: 2,
    texts: (manifest, options = {}) => [toJson('InvalidManifest', manifest), toJson('InvalidOptions', options)],
  },
};

/** The time of the call, for functions whose options may give another. */
function now() {
  return toJson('InvalidTime', new Date());
}

/** A revoked proxy is no list; its error comes where it is read. */
function isList(value) {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}
