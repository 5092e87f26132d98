import { checkIndex, toJson } from './arguments.js';
import { ChangeoverError } from './error.js';
import { call } from './instance.js';
import { LONG_CALLS } from './long_calls.js';
import { Recording, play } from './recording.js';

/** The most characters of JSON that `toJSON` assembles: engines have no longer strings than 512 million characters. */
const MOST_CHARACTERS = 256 * 1024 * 1024;

/**
 * Frees what is not reachable any more. It waits until the program pauses: a loop that never does is helped by `keep`, and so are
 * Cloudflare Workers with a compatibility date before May 2025, which have no such registry.
 */
const unreachable = typeof FinalizationRegistry === 'undefined' ? { register() {}, unregister() {} } : new FinalizationRegistry((copy) => copy.free());

export function simulate(scenario) {
  return simulateJson(toJson('InvalidScenario', scenario));
}

export function simulateJson(json) {
  return new Timeline(new Recording(play((module) => new module.Timeline(json)), json));
}

export function totals(...given) {
  const args = LONG_CALLS.totals.texts(...given);
  return JSON.parse(play((module) => module.totals(...args)));
}

export class Timeline {
  #recording;
  #length;
  #end;

  /** For `simulate` and `fork` only. */
  constructor(recording) {
    if (!(recording instanceof Recording)) {
      throw new ChangeoverError('InvalidScenario', '', 'A Timeline comes from simulate(scenario) or from fork: it has no constructor of its own');
    }
    this.#recording = recording;
    [this.#length, this.#end] = recording.use((timeline) => [timeline.length, JSON.parse(timeline.end())]);
    unreachable.register(this, recording.copy, this);
    // Without this, structuredClone and postMessage would make an empty object.
    Object.defineProperty(this, 'copy', { get: failToCopy, enumerable: true });
  }

  get length() {
    return this.#length;
  }

  get end() {
    return { ...this.#end };
  }

  frame(number) {
    const frame = checkIndex('frame', number, this.#length);
    const built = this.summary(frame);
    if (frame > 0) defineLazily(built, 'step', () => this.step(frame - 1));
    return defineLazily(built, 'objects', () => this.#list((timeline, from) => timeline.objects(frame, from)));
  }

  summary(number) {
    const frame = checkIndex('frame', number, this.#length);
    return this.#parse((timeline) => timeline.summary(frame));
  }

  step(number) {
    const step = checkIndex('step', number, this.#length - 1);
    return this.#parse((timeline) => timeline.steps(step, step + 1))[0];
  }

  steps(from = 0, to = this.#length) {
    this.#recording.check();
    return this.#walk(checkIndex('from', from, this.#length), checkIndex('to', to, this.#length));
  }

  sentences(from = 0, to = this.#length) {
    const [first, last] = [checkIndex('from', from, this.#length), checkIndex('to', to, this.#length)];
    const sentences = [];
    while (first + sentences.length < last) {
      const more = this.#parse((timeline) => timeline.sentences(first + sentences.length, last));
      for (const sentence of more) sentences.push(sentence);
    }
    return sentences;
  }

  [Symbol.iterator]() {
    return this.steps();
  }

  series(deployment = null) {
    const json = toJson('InvalidDeployment', deployment);
    return this.#parse((timeline) => timeline.series(json));
  }

  totals(deployment = null, from = 0) {
    const args = [toJson('InvalidDeployment', deployment), toJson('InvalidTime', from)];
    return this.#parse((timeline) => timeline.totals(...args));
  }

  jobSeries(job = null) {
    const json = toJson('InvalidJob', job);
    return this.#parse((timeline) => timeline.jobSeries(json));
  }

  jobTotals(job = null, from = 0) {
    const args = [toJson('InvalidJob', job), toJson('InvalidTime', from)];
    return this.#parse((timeline) => timeline.jobTotals(...args));
  }

  seek(at) {
    const json = toJson('InvalidTime', at);
    return this.#recording.use((timeline) => timeline.seek(json));
  }

  fork(number, action) {
    const frame = checkIndex('frame', number, this.#length);
    const json = toJson('InvalidAction', action);
    const forked = play(() => this.#recording.use((timeline) => timeline.fork(frame, json)));
    return new Timeline(new Recording(forked, call(() => forked.scenario())));
  }

  toJSON() {
    const steps = [];
    let characters = 0;
    for (let next = 0; next < this.#length; next = steps.length) {
      const json = this.#recording.use((timeline) => timeline.steps(next, this.#length));
      characters += json.length;
      if (characters > MOST_CHARACTERS) throw tooLong(next, this.#length);
      for (const step of JSON.parse(json)) steps.push(step);
    }
    // In the order of the native export, whose keys are sorted.
    return { end: this.end, scenario: this.#parse((timeline) => timeline.scenario()), steps };
  }

  free() {
    unreachable.unregister(this);
    this.#recording.free();
  }

  *#walk(from, to) {
    for (let next = from; next < to; ) {
      const steps = this.#parse((timeline) => timeline.steps(next, to));
      for (const step of steps) {
        this.#recording.check();
        yield step;
      }
      next += steps.length;
    }
  }

  #parse(work) {
    return JSON.parse(this.#recording.use(work));
  }

  /** A list that comes in several parts. */
  #list(part) {
    const items = [];
    for (;;) {
      const more = this.#parse((timeline) => part(timeline, items.length));
      if (more.length === 0) return items;
      for (const item of more) items.push(item);
    }
  }
}

if (Symbol.dispose) {
  Object.defineProperty(Timeline.prototype, Symbol.dispose, { value: Timeline.prototype.free, configurable: true, writable: true });
}

/** Defines a property that is built when it is read first, and then stays. Copies, spreads and JSON read it as any other. */
function defineLazily(target, key, build) {
  let read = () => {
    set(build());
    return read();
  };
  const set = (value) => {
    read = () => value;
    build = undefined; // It holds the timeline.
  };
  return Object.defineProperty(target, key, { get: () => read(), set, enumerable: true, configurable: true });
}

function failToCopy() {
  throw new ChangeoverError('TimelineCopied', '', "A Timeline can't be copied: send its scenario, or toJSON()");
}

function tooLong(step, length) {
  const most = MOST_CHARACTERS / 1024 / 1024;
  const message = `The timeline takes more than ${most} MB of JSON (after ${step} of ${length} steps): read it with steps(), or lower limits.steps`;
  return new ChangeoverError('OutOfMemory', '', message);
}
