import { call, index, text } from './error.js';
import { engine } from './engine.js';

export { ChangeoverError } from './error.js';

const POD_DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

export function scenario(deployment, changes = {}) {
  const { scenario } = engine();
  return JSON.parse(call(() => scenario(text('InvalidDeployment', deployment), text('InvalidChanges', changes))));
}

export function simulate(scenario) {
  const { Timeline: Played } = engine();
  const json = text('InvalidScenario', scenario);
  return new Timeline(call(() => new Played(json)));
}

export function review(admissionReview, settings = {}) {
  const { review } = engine();
  return JSON.parse(call(() => review(text('InvalidReview', admissionReview), text('InvalidSettings', settings))));
}

export function validateSettings(settings) {
  const { validateSettings } = engine();
  return JSON.parse(call(() => validateSettings(text('InvalidSettings', settings))));
}

export function validate(manifest, options = {}) {
  const { validate } = engine();
  return JSON.parse(call(() => validate(text('InvalidManifest', manifest), text('InvalidOptions', options))));
}

export function deletionCost(annotations = {}) {
  const { deletionCost } = engine();
  const map = typeof annotations === 'string' ? { [POD_DELETION_COST]: annotations } : annotations;
  return call(() => deletionCost(text('InvalidDeletionCost', map)));
}

export function rank(pods, options = {}) {
  const { rank } = engine();
  const filled = { now: new Date(), ...options };
  return JSON.parse(call(() => rank(text('InvalidPods', pods), text('InvalidOptions', filled))));
}

export class Timeline {
  #played;

  /** For `simulate` and `fork` only. */
  constructor(played) {
    this.#played = played;
  }

  get length() {
    return this.#played.length;
  }

  get end() {
    return JSON.parse(call(() => this.#played.end()));
  }

  frame(number) {
    const frame = index('frame', number, this.length);
    return JSON.parse(call(() => this.#played.frame(frame)));
  }

  step(number) {
    const step = index('step', number, this.length - 1);
    return JSON.parse(call(() => this.#played.step(step)));
  }

  seek(at) {
    return call(() => this.#played.seek(text('InvalidTime', at)));
  }

  fork(number, action) {
    const frame = index('frame', number, this.length);
    const json = text('InvalidAction', action);
    return new Timeline(call(() => this.#played.fork(frame, json)));
  }

  toJSON() {
    return JSON.parse(call(() => this.#played.export()));
  }
}
