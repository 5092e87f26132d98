// Runs work that takes too much memory, and then reads a deletion cost. Prints the results.
import { readFileSync } from 'node:fs';
import { deletionCost, predict, scenario, simulate, totals } from 'changeover';
import { simulate as simulateInWorker } from 'changeover/async';

// The package does not expose its instance.
const { Instance } = WebAssembly;
let memory;
WebAssembly.Instance = function (...args) {
  const instance = new Instance(...args);
  memory = instance.exports.memory;
  return instance;
};

const deployment = JSON.parse(readFileSync('deployment.json', 'utf8'));

function rollout(replicas, annotations = {}, limits) {
  const wide = structuredClone(deployment);
  wide.spec.replicas = replicas;
  wide.spec.template.metadata.annotations = annotations;
  wide.spec.strategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
  return scenario(wide, { image: 'web:2' }, { ...(limits && { limits }) });
}

/** A scenario with a thousand pods whose environment takes 100 kB. */
function wideRollout() {
  const wide = structuredClone(deployment);
  wide.spec.replicas = 1000;
  wide.spec.template.spec.containers[0].env = Array.from({ length: 100 }, (_, index) => ({ name: `V${index}`, value: 'x'.repeat(1000) }));
  return { wide, made: scenario(wide, { image: 'web:2' }) };
}

const cases = {
  /** More text than a string can hold. */
  export() {
    return JSON.stringify(simulate(rollout(10_000))).length;
  },
  /** 13 MB per iteration, never freed. */
  loop() {
    const made = rollout(100);
    const timelines = [];
    for (let turn = 0; turn < 500; turn += 1) timelines.push(simulate(made));
    return [0, 250, 499].map((turn) => timelines[turn].frame(timelines[turn].length).summaries[0].counts.available);
  },
  /** A gigabyte of objects. */
  annotation() {
    return simulate(rollout(4_000, { note: 'x'.repeat(250_000) })).length;
  },
  /** In JSON, each pod has its environment. */
  exportInWorker() {
    return simulateInWorker(wideRollout().made);
  },
  template() {
    const { wide, made } = wideRollout();
    const answers = [JSON.stringify(made).length, totals(made).peak, predict(wide, wide).timeline().length];
    return [...answers, memory.buffer.byteLength];
  },
  frame() {
    const timeline = simulate(rollout(30_000, {}, { steps: 10_000 }));
    return timeline.frame(timeline.length).objects.length;
  },
  earlier() {
    const before = simulate(rollout(3));
    const fork = before.fork(5, { scale: { name: 'web', replicas: 5 } });
    const [frame, forked] = [before.frame(7), fork.frame(fork.length)];
    try {
      cases.annotation();
    } catch (error) {
      const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
      return [error.code, same(before.frame(7), frame), same(fork.frame(fork.length), forked)];
    }
    return 'nothing ran out';
  },
};

let came;
try {
  came = await cases[process.argv[2]]();
} catch (error) {
  came = { name: error.name, code: error.code, message: error.message };
}
console.log(JSON.stringify({ came, cost: deletionCost('5') }));
