import { toJson } from './error.js';
import { call } from './instance.js';

export { ChangeoverError } from './error.js';
export { Timeline, simulate, totals } from './timeline.js';

const POD_DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

export function scenario(manifest, changes = {}) {
  const [code, path] = isList(manifest) ? ['InvalidManifest', 'manifest'] : ['InvalidDeployment', 'deployment'];
  const args = [toJson(code, manifest, path), toJson('InvalidChanges', changes, 'changes')];
  return JSON.parse(call((module) => module.scenario(...args)));
}

/** A revoked proxy is no list; its error comes where it is read. */
function isList(value) {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}

export function predict(old, manifest = [], options = {}) {
  const args = [toJson('InvalidObjects', old), toJson('InvalidManifest', manifest), toJson('InvalidOptions', withNow(options))];
  return JSON.parse(call((module) => module.predict(...args)));
}

export function advise(manifest, constraints, options = {}) {
  const args = [toJson('InvalidManifest', manifest), toJson('InvalidConstraints', constraints, 'constraints'), toJson('InvalidOptions', withNow(options))];
  return JSON.parse(call((module) => module.advise(...args)));
}

/** Objects of a running cluster were read now, unless the caller says when. */
function withNow(options) {
  // A copy, since getters and proxies may throw when they are read.
  const given = JSON.parse(toJson('InvalidOptions', options));
  if (!isMap(given) || !isMap(given.assumptions ?? {})) return given;
  return { ...given, assumptions: { now: new Date(), ...given.assumptions } };
}

function isMap(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function review(admissionReview, settings = {}) {
  const args = [toJson('InvalidReview', admissionReview), toJson('InvalidSettings', settings)];
  return JSON.parse(call((module) => module.review(...args)));
}

export function validateSettings(settings) {
  const json = toJson('InvalidSettings', settings);
  return JSON.parse(call((module) => module.validateSettings(json)));
}

export function validate(manifest, options = {}) {
  const args = [toJson('InvalidManifest', manifest), toJson('InvalidOptions', options)];
  return JSON.parse(call((module) => module.validate(...args)));
}

export function deletionCost(annotations = {}) {
  const map = typeof annotations === 'string' ? { [POD_DELETION_COST]: annotations } : annotations;
  const json = toJson('InvalidDeletionCost', map);
  return call((module) => module.deletionCost(json));
}

export function live(objects, options = {}) {
  const args = [toJson('InvalidObjects', objects), toJson('InvalidOptions', options), now()];
  return JSON.parse(call((module) => module.live(...args)));
}

export function rank(pods, options = {}) {
  const args = [toJson('InvalidPods', pods), toJson('InvalidOptions', options), now()];
  return JSON.parse(call((module) => module.rank(...args)));
}

export function rankFor(workload, objects, options = {}) {
  const args = [toJson('InvalidWorkload', workload), toJson('InvalidObjects', objects), toJson('InvalidOptions', options), now()];
  return JSON.parse(call((module) => module.rankFor(...args)));
}

/** The time of the call, for functions whose options may give another. */
function now() {
  return toJson('InvalidTime', new Date());
}

export function parse(text) {
  const json = toJson('InvalidManifest', text);
  return JSON.parse(call((module) => module.parse(json)));
}

export function quantity(amount) {
  const json = toJson('InvalidQuantity', amount);
  return call((module) => module.quantity(json));
}
