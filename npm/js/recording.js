import { call, onDrop } from './instance.js';
import { ChangeoverError } from './error.js';

/** How many bytes of timelines the module keeps beside the newest one. Others are played again when they are asked for. */
const KEPT_BYTES = 256 * 1024 * 1024;

/** The recordings whose timelines are in the module; the one that was used last comes last. */
const kept = new Set();

onDrop(() => {
  for (const recording of kept) recording.timeline = undefined;
  kept.clear();
});

/**
 * A scenario, and its timeline in the module while that is kept. The same scenario always gives the same timeline, so
 * that it can be played again after the module has let it go.
 */
export class Recording {
  timeline;
  #scenario;
  #isFree = false;

  constructor(timeline, scenario) {
    this.#scenario = scenario;
    this.#keep(timeline);
  }

  /** Uses the timeline. */
  use(work) {
    if (this.#isFree) {
      throw new ChangeoverError('TimelineFreed', '', 'The timeline was freed: simulate the scenario again');
    }
    if (!this.timeline) this.#keep(play((module) => new module.Timeline(this.#scenario)));
    kept.delete(this);
    kept.add(this);
    return call((module) => work(this.timeline, module));
  }

  /** Gives back its memory. */
  free() {
    this.#isFree = true;
    this.#scenario = undefined;
    this.letGo();
  }

  letGo() {
    kept.delete(this);
    this.timeline?.free();
    this.timeline = undefined;
  }

  #keep(timeline) {
    this.timeline = timeline;
    kept.add(this);
    for (const other of kept) {
      if (other === this || call((module) => module.memoryInUse()) <= KEPT_BYTES) break;
      other.letGo();
    }
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
