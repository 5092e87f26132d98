// Reads frames part by part. Prints the module's functions that are called for the parts, and what copies of frames have.
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { scenario, simulate } from 'changeover';

// The package does not expose its instance.
const { Instance } = WebAssembly;
const called = [];
WebAssembly.Instance = function (...args) {
  const { exports } = new Instance(...args);
  const counted = ['timeline_objects', 'timeline_steps'].map((name) => [
    name,
    (...given) => {
      called.push(name);
      return exports[name](...given);
    },
  ]);
  return { exports: { ...exports, ...Object.fromEntries(counted) } };
};
const callsOf = (work) => {
  called.length = 0;
  work();
  return [...called];
};

const timeline = simulate(scenario(JSON.parse(readFileSync('deployment.json', 'utf8')), { image: 'web:2' }));
let frame;
const built = callsOf(() => {
  frame = timeline.frame(3);
});
const afterReading = callsOf(() => [frame.step, frame.objects, frame.step, frame.objects]);

const whole = { ...timeline.summary(3), step: timeline.step(2), objects: frame.objects };
const copies = [
  structuredClone(timeline.frame(3)),
  { ...timeline.frame(3) },
  JSON.parse(JSON.stringify(timeline.frame(3))),
  timeline.frame(3),
].map((copy) => isDeepStrictEqual(copy, whole));

const changed = timeline.frame(3);
changed.objects = [];
const frozen = Object.freeze(timeline.frame(3)).objects.length === whole.objects.length;
const unread = timeline.frame(3);
timeline.free();
let freed;
try {
  freed = unread.objects;
} catch (error) {
  freed = error.code;
}
console.log(JSON.stringify({ built, afterReading, copies, assigned: changed.objects, frozen, freed }));
