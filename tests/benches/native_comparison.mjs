// A module's figures next to the native ones of `benches/modules.rs`, as criterion saved them.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const { CHANGEOVER_CRITERION } = process.env;

/** A Deployment of that many replicas, the changes to it, and the options of the simulation. */
export function input(replicas) {
  const given = JSON.parse(readFileSync(new URL("one-by-one.json", import.meta.url)));
  given.deployment.spec.replicas = replicas;
  return given;
}

/** How many runs warm up, and how many are timed. */
export const RUNS = new Map([
  [100, { warm: 100, timed: 500 }],
  [1_000, { warm: 10, timed: 40 }],
  [10_000, { warm: 3, timed: 6 }],
]);

/** Prints the heading of a table of such runs. */
export function printHead(where) {
  console.log(`## ${where}\n\n| replicas | native | ${where} | times native (goal 3) |\n|---|---|---|---|`);
}

/** Prints the mean time of a run in milliseconds, next to the mean of the native processor time. */
export function print(group, replicas, milliseconds) {
  const sample = JSON.parse(readFileSync(join(CHANGEOVER_CRITERION, group, String(replicas), "new/sample.json")));
  const sum = (numbers) => numbers.reduce((sum, number) => sum + number, 0);
  const native = sum(sample.times) / sum(sample.iters) / 1e6;
  const [shown, times] = [milliseconds.toFixed(2), (milliseconds / native).toFixed(2)];
  console.log(`| ${replicas.toLocaleString("en-US")} | ${native.toFixed(2)} ms | ${shown} ms | ${times} |`);
}
