// `make bench`: calls of the package in Node that have no native counterpart. Each figure is processor time, where nothing else is said.
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { pathToFileURL } from "node:url";

import { input } from "./native_comparison.mjs";

const entry = pathToFileURL(join(process.env.CHANGEOVER_PACKAGE, "node.js")).href;

/** How many processes make a first call, and how many more calls of each kind there are. */
const PROCESSES = 20;
const CALLS = 10;

const documents = Array.from({ length: 4_000 }, (_, index) => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web-${index}
spec:
  replicas: 3
  selector:
    matchLabels: { app: web-${index} }
  template:
    metadata:
      labels: { app: web-${index} }
    spec:
      containers:
        - name: app
          image: web:v1
`).join("---\n");

/** The processor time of some work in milliseconds. */
function time(work) {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** The processor time and the time of the first call in a new process, without the time that Node itself takes. */
function firstCall() {
  const program = `const { deletionCost } = await import(${JSON.stringify(entry)});
    const [start, at] = [process.cpuUsage(), performance.now()];
    deletionCost("5");
    const [{ user, system }, time] = [process.cpuUsage(start), performance.now() - at];
    console.log(JSON.stringify([(user + system) / 1000, time]));`;
  return JSON.parse(execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" }));
}

/** The time of each call, the first one included. */
async function calls(work) {
  const times = [];
  for (let call = 0; call <= CALLS; call += 1) {
    times.push(time(work));
    gc();
    await setImmediate();
  }
  return times;
}

function print(what, first, times) {
  const sorted = times.toSorted((one, other) => one - other);
  const shown = [first, sorted[0], sorted[Math.floor(sorted.length / 2)]].map((time) => (time === undefined ? "" : `${time.toFixed(1)} ms`));
  console.log(`| ${what} | ${shown.join(" | ")} |`);
}

console.log("## Calls of the package\n\n| what | first | later: minimum | later: median |\n|---|---|---|---|");
const firstCalls = Array.from({ length: PROCESSES }, firstCall);
for (const [index, clock] of ["", ", wall-clock time"].entries()) {
  print(`the first call in ${PROCESSES} new processes${clock}`, undefined, firstCalls.map((times) => times[index]));
}

const { explain, live, predict, scenario, simulate, totals, validate } = await import(entry);
const [first, ...later] = await calls(() => validate(documents));
print("`validate` of 4,000 documents of YAML", first, later);
/** The recorded states of clusters, as `kubectl get -o yaml` printed them. */
const folder = new URL("../controlplane/states/", import.meta.url);
const states = readdirSync(folder).filter((file) => file.endsWith(".yaml")).map((file) => readFileSync(new URL(file, folder), "utf8"));
for (const [name, call] of [["predict", predict], ["explain", explain], ["live`, then `simulate", (state) => simulate(live(state))]]) {
  const [first, ...later] = await calls(() => states.forEach((state) => call(state)));
  print(`\`${name}\` of ${states.length} recorded states`, first, later);
}
{
  const { deployment, changes, options: cluster } = input(1_000);
  const made = scenario(deployment, changes, cluster);
  const timeline = simulate(made);
  const { objects, time } = timeline.frame(Math.floor(timeline.length / 2));
  timeline.free();
  const state = JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
  const options = { assumptions: { now: time } };
  for (const [name, call] of [["predict", () => predict(state, undefined, options)], ["explain", () => explain(state, options)]]) {
    const [first, ...later] = await calls(call);
    print(`\`${name}\` of a state of 1,000 pods in the middle of that rollout (${(state.length / 1e6).toFixed(1)} MB)`, first, later);
  }
  for (const [name, call] of [["totals", () => totals(made)], ["simulate` and `totals", () => simulate(made).totals()], ["simulate` and `sentences", () => simulate(made).sentences()]]) {
    const [first, ...later] = await calls(call);
    print(`\`${name}\` of 1,000 replicas, one by one`, first, later);
  }
}
for (const replicas of [250, 1_000]) {
  const { deployment, changes, options } = input(replicas);
  const timeline = simulate(scenario(deployment, changes, options));
  const [first, ...later] = await calls(() => timeline.toJSON());
  print(`\`toJSON\` of ${replicas.toLocaleString("en-US")} replicas, one by one (${timeline.length.toLocaleString("en-US")} steps)`, first, later);
}
