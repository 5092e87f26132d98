// `make bench`: how smoothly the page plays. These are measurements, not tests.
import { createHash } from "node:crypto";
import { chromium } from "@playwright/test";
import { RUNS, input, print, printHead } from "../benches/native_comparison.mjs";
import { serve } from "./site.mjs";

const STARTS = 5;
const server = await serve("/");
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});

/** A page of its own, with the processor slowed down by a factor. */
async function open(slowdown) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
  return page;
}

/**
 * Milliseconds from navigation until something is painted (`contentful`), and until the first rollout is: the document's own
 * picture (`painted`), and the one that can be played (`playable`).
 */
async function first(slowdown) {
  const page = await open(slowdown);
  await page.addInitScript(() => {
    window.times = {};
    const look = (name, selector) => {
      const { width = 0, height = 0 } = document.querySelector(selector)?.getBoundingClientRect() ?? {};
      if (width === 0 || height === 0) return requestAnimationFrame(() => look(name, selector));
      // What is drawn in this frame is painted before the next one.
      requestAnimationFrame(() => (window.times[name] = performance.now()));
    };
    requestAnimationFrame(() => {
      look("painted", "svg.picture");
      look("playable", ".lanes:not(.empty) svg.picture[aria-label*=pod]");
    });
  });
  await page.goto(server.url);
  const times = await (await page.waitForFunction(() => window.times.playable && window.times)).jsonValue();
  const [{ startTime: contentful }] = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint").map((entry) => entry.toJSON()));
  await page.context().close();
  return { contentful, ...times };
}

/** Frames per second while a rollout of that size plays, and the slowest of a hundred. */
async function frames(pods) {
  const page = await open(1);
  await page.goto(`${server.url}sandbox/`);
  const replicas = page.getByRole("textbox", { name: "Replicas" });
  await replicas.click();
  await page.keyboard.press("ControlOrMeta+a");
  const played = performance.now();
  await page.keyboard.insertText(String(pods));
  const digits = pods < 10_000 ? String(pods) : pods.toLocaleString("en-US");
  await page.getByRole("heading", { level: 1, name: `You asked for ${digits} pods` }).waitFor({ timeout: 300_000 });
  const wait = performance.now() - played;
  await page.getByRole("button", { name: "To the start" }).click();
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
  const times = await page.evaluate(async () => {
    const times = [];
    const playing = () => document.querySelector(".play").textContent === "Pause";
    while (times.length < 400 && playing()) {
      times.push(await new Promise((resolve) => requestAnimationFrame(resolve)));
    }
    return times.slice(1).map((time, index) => time - times[index]);
  });
  await page.context().close();
  times.sort((one, other) => one - other);
  const sum = times.reduce((sum, time) => sum + time, 0);
  return { wait, rate: (1000 * times.length) / sum, slowest: times[Math.floor(times.length * 0.99)] };
}

/** Milliseconds from each of several questions to a worker of the page until its answer. */
async function answers(questions) {
  const page = await open(1);
  // Next to the modules, without the page's own code.
  await page.goto(`${server.url}worker.js`);
  const times = await page.evaluate(async (questions) => {
    const worker = new Worker("worker.js", { type: "module" });
    worker.postMessage(await WebAssembly.compileStreaming(fetch("pkg/player_bg.wasm")));
    const times = [];
    for (const question of questions) {
      const start = performance.now();
      const answered = new Promise((resolve, reject) => {
        worker.onmessage = resolve;
        worker.onerror = ({ message }) => reject(new Error(message));
      });
      worker.postMessage([question]);
      const { data } = await answered;
      times.push(performance.now() - start);
      if (!data[0].startsWith('{"played":')) throw new Error(data[0]);
    }
    return times;
  }, questions);
  await page.context().close();
  return times;
}

/** The longest time between two frames, in milliseconds, from pasting a text of that size until its rollout is shown. */
async function longestGap(megabytes) {
  const page = await open(1);
  await page.goto(`${server.url}sandbox/`);
  await page.getByRole("button", { name: "YAML", exact: true }).click();
  await page.locator("yaml-editor").waitFor();
  const labels = { app: "web" };
  const spec = { replicas: 7, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } } };
  const manifest = JSON.stringify({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec });
  // A cluster with many objects that are not simulated. Their texts differ, so that they are as hard to compress as real ones.
  const object = (number) =>
    `---\n${JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: `c-${number}`, annotations: { key: createHash("sha512").update(String(number)).digest("hex").repeat(4) } } })}\n`;
  let text = `${manifest}\n`;
  for (let number = 0; text.length < megabytes * 1_000_000; number += 1) text += object(number);
  await page.getByRole("textbox", { name: "Your manifests, or the state of your cluster" }).click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.evaluate(() => {
    window.gaps = [];
    let last = performance.now();
    const tick = (now) => {
      window.gaps.push(now - last);
      last = now;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  await page.evaluate((text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    const { activeElement } = document.querySelector("yaml-editor").shadowRoot;
    activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true, composed: true }));
  }, text);
  await page.getByRole("heading", { level: 1, name: "You asked for 7 pods" }).waitFor({ timeout: 300_000 });
  // What was pasted is kept a moment later.
  await page.waitForTimeout(2_000);
  const gaps = await page.evaluate(() => window.gaps);
  await page.context().close();
  gaps.sort((one, other) => other - one);
  return { longest: gaps[0], second: gaps[1], late: gaps.filter((gap) => gap > 34).length };
}

const middle = (numbers) => numbers.sort((one, other) => one - other)[Math.floor(numbers.length / 2)];
const starts = [];
for (let run = 0; run < STARTS; run += 1) starts.push(await first(4));
console.log("## The page\n\n| what | time | goal |\n|---|---|---|");
const start = (name) => `${middle(starts.map((start) => start[name])).toFixed(0)} ms`;
console.log(`| first contentful paint, at a quarter of the speed (middle of ${STARTS}) | ${start("contentful")} | - |`);
console.log(`| first painted rollout, at a quarter of the speed (middle of ${STARTS}) | ${start("painted")} | 500 ms |`);
console.log(`| the same rollout, ready to be played | ${start("playable")} | - |`);
for (const pods of (process.env.PODS ?? "300,10000,100000").split(",").map(Number)) {
  const { wait, rate, slowest } = await frames(pods);
  const fluid = `${rate.toFixed(0)} frames a second, 99 of 100 within ${slowest.toFixed(0)} ms`;
  console.log(`| ${pods.toLocaleString("en-US")} replicas in two lanes | ${fluid}; simulated in ${(wait / 1000).toFixed(1)} s | - |`);
}
for (const megabytes of [1, 4]) {
  const { longest, second, late } = await longestGap(megabytes);
  const gaps = `longest ${longest.toFixed(0)} ms, then ${second.toFixed(0)} ms; ${late} longer than two frames`;
  console.log(`| time between frames while ${megabytes} MB of YAML are pasted, read and played | ${gaps} | - |`);
}
printHead("The page's worker");
for (const [replicas, { warm, timed }] of RUNS) {
  const { deployment, changes, options } = input(replicas);
  const rollout = { deployment, changes: { ...changes, ...options }, surroundings: {} };
  const play = { lane: 0, shown: 0, source: { rollout }, workload: null, begin: 0, forks: [], pins: [] };
  const question = (generation) => JSON.stringify({ play: { ...play, generation } });
  const times = await answers(Array.from({ length: warm + timed }, (_, run) => question(run + 1)));
  // A page has no clock of processor time, so this is wall-clock time: the machine must be idle.
  print("play", replicas, times.slice(warm).reduce((sum, time) => sum + time, 0) / timed);
}
await browser.close();
await server.close();
