// The arguments of the long calls.
import { toJson } from './arguments.js';

/** For each function, how many arguments it has, and these as JSON text, as the module's function takes them. */
export const LONG_CALLS = {
  predict: {
    count: 3,
    texts: (old, manifest = [], options = {}) => [toJson('InvalidObjects', old), toJson('InvalidManifest', manifest), toJson('InvalidOptions', options), now()],
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
  totals: {
    count: 3,
    texts: (scenario, deployment = null, from = 0) => [toJson('InvalidScenario', scenario), toJson('InvalidDeployment', deployment), toJson('InvalidTime', from)],
  },
};

/** The time of the call, for functions whose options may give another. */
export function now() {
  return toJson('InvalidTime', new Date());
}
