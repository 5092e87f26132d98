import { toJson } from './arguments.js';
import { call } from './instance.js';
import { LONG_CALLS } from './long_calls.js';
import { simulateJson } from './timeline.js';

export { ChangeoverError } from './error.js';
export { quantity } from './quantity.js';
export { Timeline, simulate, totals } from './timeline.js';

const POD_DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

export function scenario(...given) {
  const args = LONG_CALLS.scenario.texts(...given);
  return JSON.parse(call((module) => module.scenario(...args)));
}

export function predict(...given) {
  const args = LONG_CALLS.predict.texts(...given);
  const prediction = JSON.parse(call((module) => module.predict(...args)));
  const timeline = (outcome = 'outcome') => {
    const json = toJson('InvalidOptions', outcome);
    return simulateJson(call((module) => module.predictedScenario(...args, json)));
  };
  const obstacles = (outcome = 'withQuotas') => {
    const json = toJson('InvalidOptions', outcome);
    return JSON.parse(call((module) => module.predictedObstacles(...args, json)));
  };
  // No part of the data: copies, comparisons and JSON don't have them.
  return Object.defineProperties(prediction, { timeline: { value: timeline }, obstacles: { value: obstacles } });
}

export function advise(...given) {
  const args = LONG_CALLS.advise.texts(...given);
  return JSON.parse(call((module) => module.advise(...args)));
}

export function explain(...given) {
  const args = LONG_CALLS.explain.texts(...given);
  return JSON.parse(call((module) => module.explain(...args)));
}

export function review(admissionReview, settings = {}) {
  const args = [toJson('InvalidReview', admissionReview), toJson('InvalidSettings', settings)];
  return JSON.parse(call((module) => module.review(...args)));
}

export function validateSettings(settings) {
  const json = toJson('InvalidSettings', settings);
  return JSON.parse(call((module) => module.validateSettings(json)));
}

export function validate(...given) {
  const args = LONG_CALLS.validate.texts(...given);
  return JSON.parse(call((module) => module.validate(...args)));
}

export function deletionCost(annotations = {}) {
  const map = typeof annotations === 'string' ? { [POD_DELETION_COST]: annotations } : annotations;
  const json = toJson('InvalidDeletionCost', map);
  return call((module) => module.deletionCost(json));
}

export function live(...given) {
  const args = LONG_CALLS.live.texts(...given);
  return JSON.parse(call((module) => module.live(...args)));
}

export function rank(...given) {
  const args = LONG_CALLS.rank.texts(...given);
  return JSON.parse(call((module) => module.rank(...args)));
}

export function rankFor(...given) {
  const args = LONG_CALLS.rankFor.texts(...given);
  return JSON.parse(call((module) => module.rankFor(...args)));
}

export function parse(...given) {
  const args = LONG_CALLS.parse.texts(...given);
  return JSON.parse(call((module) => module.parse(...args)));
}
