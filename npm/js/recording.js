import { call, generation } from './instance.js';
import { ChangeoverError } from './error.js';

/** How many bytes of timelines the module keeps beside the newest one. Others are played again when they are asked for. */
const KEPT_BYTES = 256 * 1024 * 1024;

/** The copies that are in the module; the one that was used last comes last. */
const kept = new Set();

/** A timeline in the module. It does not hold its scenario, so that one that waits to be freed takes next to no memory. */
export class Copy {
  #timeline;
  #generation;

  /** The timeline, unless it was freed or its instance was dropped. */
  get timeline() {
    return this.#generation === generation() ? this.#timeline : undefined;
  }

  /** Keeps a timeline, and frees those that were used long ago if they take too much memory. */
  keep(timeline) {
    this.#timeline = timeline;
    this.#generation = generation();
    this.use();
    for (const other of kept) {
      if (other === this || call((module) => module.memoryInUse()) <= KEPT_BYTES) break;
      other.free();
    }
  }

  use() {
    kept.delete(this);
    kept.add(this);
  }

  free() {
    const { timeline } = this;
    kept.delete(this);
    this.#timeline = undefined;
    if (timeline) call(() => timeline.free());
  }
}

/**
 * A scenario, and its timeline in the module while that is kept. The same scenario always gives the same timeline, so
 * that it can be played again after the module has let it go.
 */
export class Recording {
  copy = new Copy();
  #scenario;
  #isFree = false;

  constructor(timeline, scenario) {
    this.#scenario = scenario;
    this.copy.keep(timeline);
  }

  /** Throws if the timeline was freed. */
  check() {
    if (this.#isFree) throw new ChangeoverError('TimelineFreed', '', 'The timeline was freed: simulate the scenario again');
  }

  /** Uses the timeline. */
  use(work) {
    this.check();
    if (!this.copy.timeline) this.copy.keep(play((module) => new module.Timeline(this.#scenario)));
    this.copy.use();
    return call((module) => work(this.copy.timeline, module));
  }

  /** Gives back its memory. */
  free() {
    this.#isFree = true;
    this.#scenario = undefined;
    this.copy.free();
  }
}

/** Plays a scenario. When memory runs out, others give up theirs for a second try. */
export function play(work) {
  const hasOthers = kept.size > 0;
  try {
    return call(work);
  } catch (error) {
    if (error.code !== 'OutOfMemory' || !hasOthers) throw error;
    return call(work);
  }
}
