// `make bench`: whole rollouts with the package in Node, beside the same natively.
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { pathToFileURL } from "node:url";

import { RUNS, input, print } from "./beside.mjs";

const { scenario, simulate } = await import(pathToFileURL(join(process.env.CHANGEOVER_PACKAGE, "node.js")));

/** Milliseconds of one simulation. The timeline is given back before the next begins. */
async function time(made) {
  const start = performance.now();
  simulate(made);
  const took = performance.now() - start;
  gc();
  await setImmediate();
  return took;
}

for (const [replicas, { warm, timed }] of RUNS) {
  const { deployment, changes } = input(replicas);
  const made = scenario(deployment, changes);
  for (let run = 0; run < warm; run += 1) await time(made);
  const times = [];
  for (let run = 0; run < timed; run += 1) times.push(await time(made));
  print("Node", "simulate", replicas, times);
}
