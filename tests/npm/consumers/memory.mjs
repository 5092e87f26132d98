// Prints the sizes of the module's memory while timelines accumulate.
import { readFileSync } from 'node:fs';
import { scenario, simulate } from 'changeover';

// The package does not expose its instance.
const { Instance } = WebAssembly;
let memory;
WebAssembly.Instance = function (...args) {
  const instance = new Instance(...args);
  memory = instance.exports.memory;
  return instance;
};

const deployment = JSON.parse(readFileSync('deployment.json', 'utf8'));
const rollout = scenario(deployment, { image: 'web:2' });
const timelines = [];
const sizes = [];
for (let run = 0; run < 500; run += 1) {
  timelines.push(simulate(rollout));
  sizes.push(memory.buffer.byteLength);
}
console.log(JSON.stringify(sizes));
