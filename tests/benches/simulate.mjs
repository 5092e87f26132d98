// `make bench`: whole rollouts with the package in Node, next to the same natively.
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { pathToFileURL } from "node:url";

import { RUNS, input, print, printHead } from "./native_comparison.mjs";

/** The module's memory: the package does not show it, but creates the instance here. */
let memory;
WebAssembly.Instance = class extends WebAssembly.Instance {
  constructor(module, imports) {
    super(module, imports);
    memory = this.exports.memory;
  }
};

const { scenario, simulate } = await import(pathToFileURL(join(process.env.CHANGEOVER_PACKAGE, "node.js")));

/** The processor time of one simulation in milliseconds. The timeline is freed before the next simulation. */
async function time(made) {
  const start = process.cpuUsage();
  simulate(made);
  const { user, system } = process.cpuUsage(start);
  gc();
  await setImmediate();
  return (user + system) / 1000;
}

printHead("The package in Node");
for (const [replicas, { warm, timed }] of RUNS) {
  const { deployment, changes, options } = input(replicas);
  const made = scenario(deployment, changes, options);
  for (let run = 0; run < warm; run += 1) await time(made);
  // The system's clock of processor time has a low resolution: only the mean over the runs is exact.
  let sum = 0;
  for (let run = 0; run < timed; run += 1) sum += await time(made);
  print("simulate", replicas, sum / timed);
}

// A module's memory never shrinks.
const megabytes = Math.ceil(memory.buffer.byteLength / 1e6);
console.log(`\n| what | in WebAssembly |\n|---|---|\n| peak memory for ${[...RUNS.keys()].at(-1).toLocaleString("en-US")} replicas | ${megabytes} MB |`);
