import { call, checkIndex, toJson } from './error.js';
import { wasm } from './wasm.js';

export { ChangeoverError } from './error.js';

const POD_DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

export function scenario(deployment, changes = {}) {
  const { scenario } = wasm();
  return JSON.parse(call(() => scenario(toJson('InvalidDeployment', deployment), toJson('InvalidChanges', changes))));
}

export function simulate(scenario) {
  const { Timeline: WasmTimeline } = wasm();
  const json = toJson('InvalidScenario', scenario);
  return new Timeline(call(() => new WasmTimeline(json)));
}

export function review(admissionReview, settings = {}) {
  const { review } = wasm();
  return JSON.parse(call(() => review(toJson('InvalidReview', admissionReview), toJson('InvalidSettings', settings))));
}

export function validateSettings(settings) {
  const { validateSettings } = wasm();
  return JSON.parse(call(() => validateSettings(toJson('InvalidSettings', settings))));
}

export function validate(manifest, options = {}) {
  const { validate } = wasm();
  return JSON.parse(call(() => validate(toJson('InvalidManifest', manifest), toJson('InvalidOptions', options))));
}

export function deletionCost(annotations = {}) {
  const { deletionCost } = wasm();
  const map = typeof annotations === 'string' ? { [POD_DELETION_COST]: annotations } : annotations;
  return call(() => deletionCost(toJson('InvalidDeletionCost', map)));
}

export function rank(pods, options = {}) {
  const { rank } = wasm();
  const filled = { now: new Date(), ...options };
  return JSON.parse(call(() => rank(toJson('InvalidPods', pods), toJson('InvalidOptions', filled))));
}

export class Timeline {
  #timeline;

  /** For `simulate` and `fork` only. */
  constructor(timeline) {
    this.#timeline = timeline;
  }

  get length() {
    return this.#timeline.length;
  }

  get end() {
    return JSON.parse(call(() => this.#timeline.end()));
  }

  frame(number) {
    const frame = checkIndex('frame', number, this.length);
    return JSON.parse(call(() => this.#timeline.frame(frame)));
  }

  step(number) {
    const step = checkIndex('step', number, this.length - 1);
    return JSON.parse(call(() => this.#timeline.step(step)));
  }

  seek(at) {
    return call(() => this.#timeline.seek(toJson('InvalidTime', at)));
  }

  fork(number, action) {
    const frame = checkIndex('frame', number, this.length);
    const json = toJson('InvalidAction', action);
    return new Timeline(call(() => this.#timeline.fork(frame, json)));
  }

  toJSON() {
    return JSON.parse(call(() => this.#timeline.export()));
  }
}
