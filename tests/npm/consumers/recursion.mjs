// Calls the package at every depth of the stack; the deepest calls have no room for it. Prints whether earlier
// timelines are unchanged afterward.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';

const deployment = JSON.parse(readFileSync('deployment.json', 'utf8'));
const { deletionCost, scenario, simulate } = createRequire(import.meta.url)('changeover');

/** Recurses until the stack is full, and does the work on the way back, so that the first calls have the least room. */
function fromEveryDepth(work) {
  try {
    fromEveryDepth(work);
  } catch {
    // No room for another level.
  }
  work();
}

/** Does the work unless there is no room. */
function attempt(work) {
  try {
    work();
  } catch {
    // Expected at the deepest levels.
  }
}

// The very first call starts the module.
attempt(() => fromEveryDepth(() => deletionCost('5')));
const made = scenario(deployment, { image: 'web:2' });
const timelines = Array.from({ length: 20 }, () => simulate(made));
const frame = timelines[0].frame(7);
let levels = 0;
attempt(() =>
  fromEveryDepth(() => {
    levels += 1;
    if (levels > 400) return;
    const timeline = timelines[levels % 20];
    attempt(() => timeline.frame(7));
    attempt(() => timeline.fork(3, { pause: { name: 'web' } }).free());
    attempt(() => simulate(made).free());
  }),
);
const same = timelines.filter((timeline) => isDeepStrictEqual(timeline.frame(7), frame)).length;
console.log(JSON.stringify({ deep: levels > 1000, same, cost: deletionCost('5') }));
