// Figures of a module beside the native ones of `benches/modules.rs`, as criterion has left them.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const { CHANGEOVER_CRITERION } = process.env;

/** A Deployment of that many replicas, and what is changed. */
export function input(replicas) {
  const { deployment, changes } = JSON.parse(readFileSync(new URL("one-by-one.json", import.meta.url)));
  deployment.spec.replicas = replicas;
  return { deployment, changes };
}

/** How many runs warm up, and of how many the least is taken. */
export const RUNS = new Map([
  [100, { warm: 100, timed: 50 }],
  [1_000, { warm: 10, timed: 20 }],
  [10_000, { warm: 3, timed: 5 }],
]);

/** Prints the least of some times, in milliseconds, beside the least that criterion saw of the same. */
export function print(where, group, replicas, times) {
  const sample = JSON.parse(readFileSync(join(CHANGEOVER_CRITERION, group, String(replicas), "new/sample.json")));
  const native = Math.min(...sample.times.map((time, index) => time / sample.iters[index])) / 1e6;
  const here = Math.min(...times);
  console.log(
    `${group}, ${replicas} replicas: native ${native.toFixed(2)} ms, ${where} ${here.toFixed(2)} ms: ${(here / native).toFixed(2)} times (goal 3)`,
  );
}
