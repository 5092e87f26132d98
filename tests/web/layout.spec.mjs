// The layout at each size: nothing scrolls sideways with any input.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { App, STORIES, expectNoSidewaysScroll, pasteOverAll, test, expect } from "./fixtures.mjs";

const README_PICTURE = fileURLToPath(new URL("../../docs/picture.png", import.meta.url));

/** The state of a cluster with a rollout that is stuck. */
const STUCK = new URL("../cli/cases/explain.in/image.json", import.meta.url);

/** It has no place where a line would break by itself. */
const LONG = "averylongtextthatnobodywouldtypebutsomebodypastes".repeat(7);

/** The longest name that most objects can have. */
const LONGEST_NAME = "n".repeat(253);
/** The longest name of a Deployment whose ReplicaSets can have one: it is followed by a hash. */
const DEPLOYMENT_NAME = "d".repeat(242);
/** The longest value of a label. */
const LABEL = "l".repeat(63);
/** The longest name of a Job whose pods have an index of one digit in theirs. */
const JOB_NAME = "j".repeat(61);
/** The longest name of a CronJob. */
const CRON_JOB_NAME = "c".repeat(52);

const softly = expect.configure({ soft: true });

/** The texts of the page that reach beyond the window, or beyond a lane, which cuts off what is wider, and those of the labels that
 * reach over their inputs. Tables and code scroll in a region of their own. */
const textsBeyondTheirPlace = (page) =>
  page.evaluate(() => {
    const OTHERS = ".table, pre, yaml-editor, textarea, .visually-hidden, .skip, .timeline, .mark-labels, .answer-line";
    const boxOf = (node) => {
      const range = document.createRange();
      range.selectNodeContents(node);
      return range.getBoundingClientRect();
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) {
      const text = walker.currentNode;
      const element = text.parentElement;
      if (!text.data.trim() || !element.checkVisibility({ visibilityProperty: true }) || element.closest(OTHERS)) continue;
      const box = boxOf(text);
      const place = (element.closest(".lane, dialog") ?? document.documentElement).getBoundingClientRect();
      // What only screen readers read is 1 px wide.
      if (box.width > 1 && (box.left < place.left - 1 || box.right > place.right + 1)) found.push(`${element.tagName} ${text.data.slice(0, 40)}`);
    }
    const settings = [...document.querySelectorAll(".setting:has(> .typed)")].filter((setting) => setting.checkVisibility());
    const covered = settings.filter((setting) => {
      const [label, typed] = [boxOf(setting.querySelector("label")), setting.querySelector(".typed").getBoundingClientRect()];
      return label.left + 1 < typed.right && typed.left + 1 < label.right && label.top + 2 < typed.bottom && typed.top + 2 < label.bottom;
    });
    return [...found, ...covered.map((setting) => `${setting.querySelector("label").textContent} / its input`)];
  });

/** The words in the forms, or in other parts of the page, that are broken where they have no part that begins. */
const brokenWords = (page, parts = ".settings :is(label, .hint)") =>
  page.evaluate((parts) => {
    const found = [];
    for (const part of document.querySelectorAll(parts)) {
      if (!part.checkVisibility()) continue;
      const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        for (const { 0: word, index } of walker.currentNode.data.matchAll(/[A-Za-z]+/g)) {
          const range = document.createRange();
          range.setStart(walker.currentNode, index);
          range.setEnd(walker.currentNode, index + word.length);
          const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
          if (tops.size > 1) found.push(word);
        }
      }
    }
    return found;
  }, parts);

/** Makes all text larger, as the setting of a browser does. */
const enlarge = (page, text) => page.evaluate((text) => (document.documentElement.style.fontSize = `${100 * text}%`), text);

/** Expects that the page is as wide as the window, and that every text is where it can be read. */
async function expectTextsFit(page, what) {
  await softly.poll(() => textsBeyondTheirPlace(page), { message: what, timeout: 5_000 }).toEqual([]);
  await expectNoSidewaysScroll(page, what);
}

/** Zoom makes the window smaller in CSS pixels: 400 % of 1280 x 1024 is 320 x 256. */
const SIZES = [
  ["320 px", 320, 640, 1],
  ["360 px", 360, 740, 1],
  ["768 px", 768, 1024, 1],
  ["400 % zoom", 320, 256, 1],
  ["200 % text, 320 px", 320, 640, 2],
  ["200 % text, 1440 px", 1440, 900, 2],
  // The size at which the tests go on.
  ["1440 px", 1440, 900, 1],
];

/** Checks the page at each size. */
async function atEachSize(page, check, what) {
  for (const [name, width, height, text] of SIZES) {
    await test.step(`${what}, ${name}`, async () => {
      await page.setViewportSize({ width, height });
      await enlarge(page, text);
      await check(page, `${what}, ${name}`);
    });
  }
}

const expectNoScroll = (page, what) => atEachSize(page, expectNoSidewaysScroll, what);
const expectAllFits = (page, what) => atEachSize(page, expectTextsFit, what);

/** Types a long text into all inputs of a part of the page. */
async function typeLong(page, part) {
  const inputs = part.getByRole("textbox");
  await expect(inputs.first()).toBeVisible();
  for (const input of await inputs.all()) {
    await input.click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText(LONG);
    await expect(input).toHaveValue(LONG);
  }
}

/** Objects with long names: Deployments, their quota, budget and nodes, and what is not simulated. */
function longNames(name = DEPLOYMENT_NAME) {
  const deployment = (name, app, replicas) => {
    const template = { metadata: { labels: { app } }, spec: { containers: [{ name: LABEL, image: `${LONG}:1` }] } };
    return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name }, spec: { replicas, selector: { matchLabels: { app } }, template } };
  };
  const named = (apiVersion, kind, rest, name = LONGEST_NAME) => ({ apiVersion, kind, metadata: { name }, ...rest });
  const own = deployment(name, LABEL, 4);
  const node = (letter) => named("v1", "Node", { status: { allocatable: { pods: "6" } } }, letter.repeat(253));
  const items = [
    { ...own, spec: { ...own.spec, [LONGEST_NAME]: 1 } },
    deployment("o".repeat(242), "other", 2),
    named("v1", "ResourceQuota", { spec: { hard: { pods: "8" } } }),
    named("policy/v1", "PodDisruptionBudget", { spec: { minAvailable: 3, selector: { matchLabels: { app: LABEL } } } }),
    named("v1", "Service", {}),
    node("a"),
    node("b"),
  ];
  return JSON.stringify({ apiVersion: "v1", kind: "List", items }, null, 2);
}

/** A Job or a CronJob with a long name. */
function longJob(kind) {
  const job = { parallelism: 3, completions: 3, completionMode: "Indexed", template: { spec: { restartPolicy: "Never", containers: [{ name: LABEL, image: LONG }] } } };
  const [name, spec] = kind === "Job" ? [JOB_NAME, job] : [CRON_JOB_NAME, { schedule: "*/5 * * * *", jobTemplate: { spec: job } }];
  return JSON.stringify({ apiVersion: "batch/v1", kind, metadata: { name }, spec }, null, 2);
}

test("the sandbox never scrolls sideways", async ({ sandbox, page }) => {
  test.slow();
  await expectNoScroll(page, "at first");
  await sandbox.input("Replicas").click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(LONG);
  await expect(page.getByRole("alert")).toBeVisible();
  await expectNoScroll(page, "a long text");
  await sandbox.type(sandbox.input("Replicas"), "12");
  await sandbox.type(sandbox.input("maxSurge"), "x");
  await expect(page.getByRole("alert")).toContainText("Extra pods: “x”");
  await expectNoScroll(page, "a problem");
  await sandbox.type(sandbox.input("maxSurge"), "1");
  await expect(sandbox.title).toContainText("You asked for 12 pods");
  await page.getByRole("combobox", { name: "Compare with" }).selectOption("my other settings");
  await sandbox.button("Show pods by node").click();
  await sandbox.lane(0).getByRole("button", { name: "Show the rule" }).click();
  await expectNoScroll(page, "two forms, nodes and the rule");
  await sandbox.button("What if…").click();
  await page.keyboard.press("Tab");
  await page.keyboard.insertText(LONG);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("alert")).toBeVisible();
  await expectNoScroll(page, "what if, with a problem");
  await page.keyboard.press("Escape");
  await sandbox.button("Help").click();
  await expectNoScroll(page, "help");
});

test("long texts in Ask, in the cluster around the rollout and in a Job fit", async ({ sandbox, page }) => {
  test.slow();
  const ask = page.getByRole("region", { name: "Ask for settings" });
  // With this many pods, the runs last.
  await sandbox.type(sandbox.input("Replicas"), "1500");
  await ask.getByRole("button", { name: "Simulate 200 runs" }).click();
  await expect(ask.getByRole("progressbar", { name: "Runs" })).toBeVisible();
  await expectAllFits(page, "the progress of runs");
  await ask.getByRole("button", { name: "Stop" }).click();
  await typeLong(page, ask);
  await page.keyboard.press("Enter");
  await expect(ask.getByRole("alert").filter({ hasText: LONG.slice(0, 60) }).first()).toBeVisible();
  await expectAllFits(page, "Ask");
  await page.getByText("The cluster around it").click();
  await typeLong(page, sandbox.form.locator(".cluster"));
  await expect(page.getByText(new RegExp(`^CPU that a pod requests: “${LONG.slice(0, 60)}`)).first()).toBeVisible();
  await expectAllFits(page, "the cluster");
  await page.getByRole("combobox", { name: "Workload" }).selectOption("Job");
  const job = page.getByRole("form", { name: "Your Job" });
  await job.getByRole("combobox", { name: "One pod" }).selectOption("fails");
  await expectAllFits(page, "a Job");
  await typeLong(page, job);
  await expect(job.getByText(new RegExp(`“${LONG.slice(0, 60)}`)).first()).toBeVisible();
  await expectAllFits(page, "a Job with long texts");
});

test.describe("in the editor", () => {
  // CodeMirror stops to measure lines after five changes of their heights, and goes on with the next change of the window.
  test.use({ expectedProblems: /Measure loop restarted/ });

  test("long names in YAML fit", async ({ sandbox, page }) => {
    test.slow();
    await sandbox.button("YAML").click();
    await expect(page.locator("yaml-editor")).toBeVisible();
    const editor = page.getByRole("textbox", { name: "Your manifests, or the state of your cluster" });
    const problems = page.getByRole("list", { name: "Problems in the text" });
    await pasteOverAll(editor, longNames());
    await expect(problems).toContainText(`unknown field "spec.${LONGEST_NAME}"`);
    await expect(page.getByRole("combobox", { name: "Show" })).toContainText(DEPLOYMENT_NAME);
    await expect(sandbox.title).toContainText("You asked for 4 pods");
    await sandbox.settled();
    await page.getByText(/^What the text contains/).click();
    await expect(page.getByText(`Service ${LONGEST_NAME}`)).toBeVisible();
    await expectAllFits(page, "the report");
    await sandbox.button("Show pods by node").click();
    await expect(sandbox.lane(0).getByRole("rowheader", { name: "a".repeat(253) })).toBeVisible();
    await sandbox.lane(0).getByRole("button", { name: "Show the rule" }).click();
    await expect(page.getByRole("table").first()).toBeVisible();
    await expectAllFits(page, "pods by node, and the rule");
    const ask = page.getByRole("region", { name: "Ask for settings" });
    await ask.getByRole("checkbox", { name: "Fits the cluster's quotas" }).press("Space");
    await ask.getByRole("button", { name: "Find settings" }).press("Enter");
    await expect(ask.getByRole("table")).toBeVisible();
    await expectAllFits(page, "settings within the quota");
    await sandbox.button("What if…").click();
    await page.keyboard.press("Tab");
    await page.keyboard.type("5");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("list", { name: "What you did" })).toContainText(DEPLOYMENT_NAME);
    await expect(sandbox.title).toContainText(DEPLOYMENT_NAME);
    await sandbox.settled();
    await expectAllFits(page, "what was done");
    await sandbox.button("Controls").click();
    await expectAllFits(page, "the controls of a text");
    await sandbox.button("YAML").click();
    await pasteOverAll(editor, longNames("d".repeat(300)));
    await expect(problems).toContainText("must be no more than 253 characters");
    await expectAllFits(page, "a name that is too long");
    for (const kind of ["Job", "CronJob"]) {
      const text = longJob(kind);
      await pasteOverAll(editor, text);
      await expect(page.locator("#manifests-summary")).toContainText(kind === "Job" ? JOB_NAME : CRON_JOB_NAME);
      await expect(sandbox.title).toContainText(kind === "Job" ? "You asked for 3 pods at once" : `CronJob ${CRON_JOB_NAME} starts`);
      await sandbox.settled();
      await expectAllFits(page, `a ${kind}`);
    }
  });
});

test("long names in the state of a cluster fit", async ({ sandbox, page }) => {
  test.slow();
  const name = "w".repeat(63);
  const state = (await readFile(STUCK, "utf8")).replaceAll(/\bweb\b/g, name);
  await sandbox.button("YAML").click();
  await page.getByLabel("Open a file").setInputFiles({ name: "state.json", mimeType: "application/json", buffer: Buffer.from(state) });
  await expect(page.getByRole("region", { name: "The state of your rollouts" }).getByRole("heading", { name: `${name} is stuck` })).toBeVisible();
  await expect(sandbox.title).toContainText(`Deployment ${name} wants`);
  await sandbox.settled();
  await expectAllFits(page, "the state of a cluster");
});

test("a story never scrolls sideways", async ({ story, page }) => {
  test.slow();
  await expectNoScroll(page, STORIES[0].captions[0].title);
  for (let caption = 1; caption < STORIES[0].captions.length; caption += 1) {
    await story.button("Next").click();
    await expect(story.caption.getByRole("heading")).toHaveText(STORIES[0].captions[caption].title);
    await expectNoScroll(page, STORIES[0].captions[caption].title);
  }
  await page.getByRole("button", { name: STORIES[0].helps.button }).click();
  await expect(page.getByRole("button", { name: "Back to what happened" })).toBeVisible();
  await expectNoScroll(page, "what would have helped");
});

test("the page of the API server never scrolls sideways", async ({ page, site }) => {
  test.slow();
  await page.goto(`${site}api-server/`);
  await expect(page.getByRole("heading", { level: 2, name: /^Deployment "web"/ })).toBeVisible();
  await page.getByText(/^Defaults that it sets/).click();
  await page.getByText("Its response as an AdmissionReview").click();
  await expectNoScroll(page, "the answer");
  await page.getByRole("heading", { name: "The policy's settings" }).click();
  const settings = page.getByRole("form", { name: "Settings of the policy" });
  await expect(settings.getByRole("textbox").first()).toBeVisible();
  for (const input of await settings.getByRole("textbox").all()) {
    await input.fill(LONG);
    await expect(input).toHaveValue(LONG);
  }
  // The messages repeat the beginning of what was typed.
  await expect(settings.getByRole("alert").filter({ hasText: LONG.slice(0, 60) }).first()).toBeVisible();
  await expectNoScroll(page, "long settings");
});

test("every story fits a narrow window, with text of each size", async ({ story, page }) => {
  test.slow();
  await page.setViewportSize({ width: 320, height: 640 });
  for (const it of STORIES) {
    await story.openStory(it);
    // What the second lane gains and costs.
    for (const difference of await story.lanes.locator(".difference").all()) await expect(difference, it.name).toBeVisible();
    for (const end of [false, true]) {
      if (end) {
        const before = await story.clock.getAttribute("aria-valuetext");
        await page.keyboard.press("End");
        await expect(story.clock).not.toHaveAttribute("aria-valuetext", before);
      }
      for (const text of [1, 2]) {
        await enlarge(page, text);
        await expectTextsFit(page, `${it.name}, ${end ? "at the end" : "at the start"}, ${100 * text} % text`);
      }
      await enlarge(page, 1);
    }
  }
});

test("the buttons of the player stay where they are from step to step", async ({ sandbox, page }) => {
  await sandbox.settled();
  const top = () => sandbox.button("Step").evaluate((button) => button.getBoundingClientRect().top + window.scrollY);
  for (const width of [360, 768]) {
    await test.step(`${width} px`, async () => {
      await page.setViewportSize({ width, height: 900 });
      const tops = new Set();
      await sandbox.clock.focus();
      await page.keyboard.press("Home");
      await expect(sandbox.clock).toHaveAttribute("aria-valuenow", "1");
      for (let step = 0; step < 12; step += 1) {
        const before = await sandbox.clock.getAttribute("aria-valuetext");
        await page.keyboard.press("ArrowDown");
        await expect(sandbox.clock).not.toHaveAttribute("aria-valuetext", before);
        tops.add(Math.round(await top()));
      }
      expect([...tops]).toHaveLength(1);
    });
  }
});

/** The texts in the pictures that touch each other or a handle, or that a line strikes through. */
const touchingTexts = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll(".lane")].flatMap((lane) => {
      const texts = [...lane.querySelectorAll("svg.picture text, .mark-labels span")].filter((text) => !text.closest("defs, .tile"));
      const boxes = texts.map((text) => [text.textContent, text.getBoundingClientRect()]);
      const inPicture = boxes.filter((_, index) => texts[index].closest("svg.picture"));
      const labels = [...lane.querySelectorAll(".setting-label")].filter((label) => label.checkVisibility());
      // What is seen of a handle is smaller than what can be touched.
      const gripsOf = (handles, across, along) =>
        [...lane.querySelectorAll(handles)].map((handle) => {
          const { left, right, top, bottom } = handle.getBoundingClientRect();
          return [handle.ariaLabel, { left: left + across, right: right - across, top: top + along, bottom: bottom - along }];
        });
      const grips = gripsOf(".setting-handle:is(.start, .stop)", 2, 5);
      const ofMarks = gripsOf(".setting-handle:is(.minimum, .limit)", 5, 2);
      const ofTimes = labels.map((label) => [label.textContent, label.getBoundingClientRect()]);
      const touches = (a, b) => a.left + 1 < b.right && b.left + 1 < a.right && a.top + 4 < b.bottom && b.top + 4 < a.bottom;
      const touchingOf = (all, others) =>
        all.flatMap(([one, a], index) => others(index).filter(([, b]) => touches(a, b)).map(([other]) => `${one} / ${other}`));
      const touching = [
        ...touchingOf(boxes, (index) => [...boxes.slice(index + 1), ...ofTimes, ...grips]),
        // On a phone, a count may have no other place.
        ...touchingOf(inPicture, () => (innerWidth > 400 ? ofMarks : [])),
        ...touchingOf(ofTimes, (index) => [...ofTimes.slice(index + 1), ...grips]),
      ];
      // The lines of the handles may cross the areas and their names, but no other labels.
      const spans = [...lane.querySelectorAll(".setting-span")].map((span) => span.getBoundingClientRect());
      const crossed = [...lane.querySelectorAll(".labels :is(.over-limit, .end)")].filter((text) => {
        const { left, right, top, bottom } = text.getBoundingClientRect();
        return spans.some((span) => span.left < right && left < span.right && span.top + 4 < bottom && top + 4 < span.bottom);
      });
      // The lines where something is complete. The row of pods covers those behind it.
      const ends = [...lane.querySelectorAll("svg.picture > .end")].map((end) => end.getBoundingClientRect().top);
      const struck = [...lane.querySelectorAll(".labels text")].filter((text) => {
        const { top, bottom } = text.getBoundingClientRect();
        return ends.some((end) => top + 4 < end && end < bottom - 4);
      });
      return [
        ...touching,
        ...crossed.map((text) => `${text.textContent} / the line of a handle`),
        ...struck.map((text) => `${text.textContent} / the line of an end`),
      ];
    }),
  );

test("the texts in the picture touch neither each other nor a handle, and no end's line strikes them through", async ({ sandbox, page }) => {
  test.slow();
  for (const [replicas, surge, unavailable, limit] of [
    ["15", "25%", "25%", 19],
    ["15", "1", "0", 16],
    ["15", "100%", "100%", 30],
    ["40", "25%", "25%", 50],
  ]) {
    await sandbox.type(sandbox.input("Replicas"), replicas);
    await sandbox.type(sandbox.input("maxSurge"), surge);
    await sandbox.type(sandbox.input("maxUnavailable"), unavailable);
    await expect(sandbox.lane(0).getByText(`limit ${limit}`, { exact: true })).toBeVisible();
    await sandbox.settled();
    for (const wave of ["now", "a wave later", "two waves later"]) {
      for (const width of [360, 768, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        const what = `${replicas} replicas, surge ${surge}, unavailable ${unavailable}, ${wave}, ${width} px`;
        await softly.poll(() => touchingTexts(page), { message: what, timeout: 5_000 }).toEqual([]);
      }
      await sandbox.button("Step").click();
    }
  }
});

/** The texts in the rows of pods that end less than 3 px before the next one on their line: they would be read as one. */
const textsThatRunTogether = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll(".lanes:not(.empty) .pod-row")].flatMap((row) => {
      const texts = [...row.querySelectorAll(".counts text, :scope > text")].map((text) => [text.textContent, text.getBoundingClientRect()]);
      const isClose = (a, b) => Math.abs(a.top - b.top) < 4 && a.left < b.left && b.left - a.right < 3;
      return texts.flatMap(([one, a]) => texts.filter(([, b]) => isClose(a, b)).map(([other]) => `${one} / ${other}`));
    }),
  );

test("the counts of 1000 pods don't run together", async ({ sandbox, page }) => {
  await page.getByText(/^The controllers/).click();
  await page.getByRole("checkbox", { name: /20 requests a second/ }).uncheck();
  await sandbox.type(sandbox.input("Time to stop"), "20");
  await sandbox.type(sandbox.input("Replicas"), "1000");
  await expect(sandbox.lane(1).locator(".pod-row").getByText("500 terminating", { exact: true })).toBeVisible();
  for (const width of [768, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await expect.poll(() => textsThatRunTogether(page), `${width} px`).toEqual([]);
  }
});

test("the lines at which something ends have labels", async ({ page, site }) => {
  const app = new App(page);
  for (const path of ["", "sandbox/"]) {
    await app.open(`${site}${path}`);
    if (path === "") await app.goToOwnCase();
    for (const [width, height] of [[768, 1024], [1440, 900]]) {
      await page.setViewportSize({ width, height });
      for (const lane of [0, 1]) {
        await expect(app.picture(lane).locator(":scope > .end")).toHaveCount(2);
        const texts = async () => (await app.picture(lane).locator(".labels .end").allTextContents()).join(", ");
        await expect.poll(texts).toMatch(/\b(complete|done) \d+:\d\d\b/);
        await expect.poll(texts).toMatch(/\bgone \d+:\d\d\b/);
      }
    }
  }
});

/** The texts of all pictures that are cut off, and the counts that reach beyond the tiles beside their own, or beyond the limit. */
const misplacedTexts = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll(".lanes:not(.empty) svg.picture")].flatMap((picture) => {
      const box = picture.getBoundingClientRect();
      const texts = [...picture.querySelectorAll(".labels text, .counts text, .pod-row > text")];
      const clipped = texts.filter((text) => {
        const { left, right, top, bottom } = text.getBoundingClientRect();
        // The height of a text includes some room above and below its letters.
        return left < box.left - 1 || right > box.right + 1 || top < box.top - 5 || bottom > box.bottom + 5;
      });
      const counts = [...picture.querySelectorAll(".counts > .count")];
      const spans = counts.map((count) => {
        const parts = [...count.querySelectorAll(".span:not(.leader)")].map((part) => part.getBoundingClientRect());
        return { left: Math.min(...parts.map(({ left }) => left)), right: Math.max(...parts.map(({ right }) => right)) };
      });
      const far = counts.filter((count, index) => {
        const text = count.querySelector("text")?.getBoundingClientRect();
        const [before, after] = [spans[Math.max(index - 1, 0)], spans[index + 1]];
        // A line leads to a text that begins or ends near its group.
        if (count.querySelector(".leader")) return text.left > spans[index].right + 18 || text.right < spans[index].left - 18;
        return text && (text.left < before.left - 2 || text.right > (after?.right ?? box.right) + 2);
      });
      // The zone above the limit is for what is too much. The text may be wider than everything left of it.
      const limit = picture.querySelector(".pod-row .mark.limit")?.getBoundingClientRect().left;
      const beyond = counts.filter((count, index) => {
        const text = count.querySelector("text")?.getBoundingClientRect();
        return text && spans[index].right <= limit + 1 && text.right > limit + 1 && text.width < limit - box.left;
      });
      const tiles = [...picture.querySelectorAll(".tile")].filter((tile) => {
        const [cost, outline] = [".cost", ".outline"].map((part) => tile.querySelector(part)?.getBoundingClientRect());
        return cost && cost.width > outline.width + 1;
      });
      return [
        ...clipped.map((text) => `${text.textContent} is cut off`),
        ...far.map((count) => `${count.textContent} is far from its tiles`),
        ...beyond.map((count) => `${count.textContent} reaches beyond the limit`),
        ...tiles.map((tile) => `${tile.querySelector(".cost").textContent} is wider than its tile`),
      ];
    }),
  );

/** For each picture, the pods of its name, and the sum of the numbers at its tiles. */
const podsAndSums = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll(".lanes:not(.empty) svg.picture")].map((picture) => {
      const numberOf = (text) => Number(text.replaceAll(",", ""));
      const texts = [...picture.querySelectorAll(".counts .count text")].map((text) => text.textContent);
      // "10 starting, 5 terminating" has two of them, and "7 starting: 4, 3" repeats its own.
      const numbers = texts.flatMap((text) => [...text.matchAll(/(?:^|[a-z], )([\d,]+)/g)].map(([, number]) => numberOf(number)));
      const sum = numbers.reduce((sum, number) => sum + number, 0);
      return { pods: numberOf(picture.ariaLabel.match(/: ([\d,]+) pods?,/)[1]), sum };
    }),
  );

for (const name of ["fifteen", "partial", "lost-node", "who-dies-first", "quota", "recreate", "older-kubectl"]) {
  test(`in each picture of ${name}, no text is cut off or far from its tiles, and the numbers add up to the pods`, async ({ page, site }) => {
    test.slow();
    const app = new App(page);
    const { beginning, captions } = STORIES.find((story) => story.name === name);
    // A story with all kinds of pods has a number at each group of tiles.
    const isCounted = ["fifteen", "partial", "older-kubectl"].includes(name);
    await app.openOwnCase(`${site}stories/${name}/`);
    if (beginning.length > 0) await app.goToOwnCase();
    for (const [index, { title }] of captions.entries()) {
      if (index > 0) await app.button("Next").click();
      for (const [width, height, text] of [[320, 640, 1], [360, 740, 1], [360, 740, 2], [1440, 900, 1]]) {
        await page.setViewportSize({ width, height });
        await enlarge(page, text);
        await expect(app.caption.getByRole("heading")).toHaveText(title);
        const what = `${title}, ${width} px, ${100 * text} % text`;
        if (name !== "older-kubectl") await expect.poll(() => misplacedTexts(page), what).toEqual([]);
        const differing = async () => (await podsAndSums(page)).filter(({ pods, sum }) => pods !== sum);
        if (isCounted && text === 1) await expect.poll(differing, what).toEqual([]);
      }
    }
  });
}

const leftOf = (locator) => locator.evaluate((it) => it.getBoundingClientRect().left);

test("the line of the desired pods has a name", async ({ page, story }) => {
  for (const width of [360, 768, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    for (const lane of [0, 1]) {
      const label = story.lane(lane).locator(".mark-labels .desired");
      await expect(label).toHaveText("asked 15");
      const isAtItsLine = async () => {
        const [text, line] = [await label.boundingBox(), await leftOf(story.lane(lane).locator(".pod-row .mark.desired"))];
        return text.x - 1 <= line && line <= text.x + text.width + 8;
      };
      await expect.poll(isAtItsLine, `${width} px`).toBe(true);
    }
  }
  await story.openStory(STORIES.find(({ name }) => name === "lost-node"));
  // Between close lines, too.
  for (const width of [320, 360]) {
    await page.setViewportSize({ width, height: 740 });
    for (const lane of [0, 1]) await expect(story.lane(lane).locator(".mark-labels")).toContainText("asked 6");
  }
});

test("on a phone, how many pods are over the limit stands beside the peak", async ({ page, story }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  const [note, figures] = [".note", "> div"].map((part) => story.lane(0).locator(`.answers ${part}`));
  await expect(note).toHaveText("7 over", { useInnerText: true });
  await expect(note).toBeVisible();
  const tops = await figures.evaluateAll((all) => all.map((it) => Math.round(it.getBoundingClientRect().top)));
  expect(new Set(tops).size).toBe(1);
});

test("what both lanes have over a limit stands below their pictures", async ({ page, story }) => {
  for (const [name, sentence] of [
    ["five-two-five", "Both have 3 pods over the limit while it is 2."],
    ["recreate", "Both have 1 pod over the limit while it is 0."],
  ]) {
    await story.openStory(STORIES.find((it) => it.name === name));
    for (const width of [360, 768]) {
      await page.setViewportSize({ width, height: 740 });
      await expect(page.locator(".pinned").getByText(sentence, { exact: true }), name).toBeVisible();
      // The figures of the second lane say the difference.
      await expect(page.locator(".trade .cost"), name).toBeHidden();
      await expectNoSidewaysScroll(page, name);
    }
  }
  await story.openStory(STORIES[0]);
  await expect(page.locator(".trade")).toBeHidden();
});

test("on a phone, each figure has its label below it, in both lanes", async ({ page, story }) => {
  for (const name of ["lost-node", "five-two-five", "partial"]) {
    await story.openStory(STORIES.find((it) => it.name === name));
    for (const [width, lane] of [[320, 0], [320, 1], [360, 0], [360, 1]]) {
      await page.setViewportSize({ width, height: 740 });
      const figures = story.lane(lane).locator(".answers > div");
      await expect(figures.first().locator(".short").first()).toHaveText("most pods");
      const misplaced = () =>
        figures.evaluateAll((all) =>
          all.filter((figure) => {
            const [number, label] = ["b", "dt"].map((part) => figure.querySelector(part).getBoundingClientRect());
            return label.top < number.bottom - 1 || label.left !== number.left;
          }).length,
        );
      expect(await figures.count(), name).toBeGreaterThan(2);
      await expect.poll(misplaced, `${name}, lane ${lane}, ${width} px`).toBe(0);
    }
  }
});

test("on a phone, the second lane says what it gains and costs", async ({ page, story }) => {
  const differences = story.lane(1).locator(".answers .difference");
  for (const width of [320, 360]) {
    await page.setViewportSize({ width, height: 740 });
    await expect(differences.first()).toHaveText("−7");
    await expect(differences.filter({ hasText: "+12 s" })).not.toHaveCount(0);
  }
  // In one line, but for the mark under the better figure. The narrowest phones need a second line.
  for (const part of [".answers b", ".answers .short"]) {
    const spread = async () => {
      const tops = await story.lane(1).locator(part).evaluateAll((all) => all.map((part) => Math.round(part.getBoundingClientRect().top)));
      return Math.max(...tops) - Math.min(...tops);
    };
    await expect.poll(spread, part).toBeLessThan(4);
  }
});

test("a quota of pods has a line with its number", async ({ page, story }) => {
  // Stories without a quota have no such line.
  await expect(story.picture(0).locator(".mark.quota")).toHaveCount(0);
  await story.openStory(STORIES.find(({ name }) => name === "quota"));
  const label = story.lane(0).locator(".mark-labels .quota");
  for (const width of [360, 1440]) {
    await page.setViewportSize({ width, height: 740 });
    await expect(label).toHaveText("quota 3");
    const distance = async () => {
      const [text, line] = await Promise.all([label, story.picture(0).locator(".pod-row .mark.quota")].map(leftOf));
      return Math.abs(text - line);
    };
    await expect.poll(distance, `${width} px`).toBeLessThan(4);
  }
});

test("pods that terminate within the limit have their name within the limit", async ({ story }) => {
  const name = story.picture(1).locator(".labels .terminating").first();
  const right = await name.evaluate((it) => it.getBoundingClientRect().right);
  expect(right).toBeLessThanOrEqual((await leftOf(story.picture(1).locator(".pod-row .mark.limit"))) + 1);
});

/** The top and the bottom of each element. */
const spansOf = (locator) => locator.evaluateAll((all) => all.map((it) => it.getBoundingClientRect()).map(({ top, bottom }) => ({ top, bottom })));

test("a break in time is marked on the clock, with its length", async ({ page, site }) => {
  const app = new App(page);
  await app.openOwnCase(`${site}stories/still-serving/`);
  for (const lane of [0, 1]) {
    const [marks, lengths] = [".axis-break", ".break-length"].map((part) => app.lane(lane).locator(`.time-axis ${part}`));
    const label = app.picture(lane).locator(".labels .skipped");
    await expect(marks).toHaveCount(1);
    await expect(label).toHaveText("5 min not drawn");
    await expect(lengths).toHaveText("5 min");
    const [[mark], [text], [inPicture]] = await Promise.all([marks, lengths, label].map(spansOf));
    for (const { top, bottom } of [text, inPicture]) expect(top < mark.bottom && mark.top < bottom).toBe(true);
  }
});

test("the labels of the clock don't touch", async ({ story }) => {
  const touching = async () => {
    const spans = await spansOf(story.lane(0).locator(".time-axis :is(.time, .break-length, .handle)"));
    spans.sort((span, other) => span.top - other.top);
    return spans.filter(({ top }, index) => index > 0 && top + 4 <= spans[index - 1].bottom);
  };
  for (const [name, breaks] of [
    ["still-serving", 1],
    ["lost-node", 1],
    ["who-dies-first", 1],
    ["full-pool", 1],
    ["cron-comes-back", 1],
  ]) {
    await story.openStory(STORIES.find((it) => it.name === name));
    await expect(story.lane(0).locator(".axis-break")).toHaveCount(breaks);
    await story.clock.press("Home");
    await expect(story.clock).toHaveAttribute("aria-valuenow", "1");
    await expect.poll(touching, name).toEqual([]);
    for (const key of ["ArrowRight", "End"]) {
      const before = await story.clock.getAttribute("aria-valuetext");
      await story.clock.press(key);
      await expect(story.clock).not.toHaveAttribute("aria-valuetext", before);
      await expect.poll(touching, `${name}, ${key}`).toEqual([]);
    }
  }
});

// `make bless` takes it. Nothing compares it.
if (process.env.UPDATE_PICTURES) {
  test("the README's picture", async ({ story, page }) => {
    for (let caption = 0; caption < 3; caption += 1) await story.button("Next").click();
    await expect(story.picture(0)).toHaveAccessibleName(/: 26 pods/);
    await page.screenshot({ path: README_PICTURE, animations: "disabled" });
  });
}

test("dark is dark", async ({ sandbox, page }) => {
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  await expect(sandbox.lanes).toHaveCount(2);
  const light = await background();
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  await expect.poll(background).not.toBe(light);
});

test("the buttons of a story stand in one line, 320 px", async ({ page, story }) => {
  await page.setViewportSize({ width: 320, height: 740 });
  const bar = page.locator(".bar");
  const centers = () =>
    bar.locator(".caption-buttons > *, > .more").evaluateAll((all) => all.map((it) => it.getBoundingClientRect()).map(({ top, bottom }) => (top + bottom) / 2));
  // The longer label, while it plays.
  for (const label of ["Play", "Pause"]) {
    await expect(story.button(label)).toBeVisible();
    const all = await centers();
    expect(all).toHaveLength(5);
    expect(Math.max(...all) - Math.min(...all), label).toBeLessThan(4);
    await story.button(label).click();
  }
});

test("the five figures of a Job stand in one line", async ({ page, site }) => {
  const app = new App(page);
  await app.openOwnCase(`${site}stories/preempted/`);
  const figures = app.lane(0).locator(".answers > div");
  await expect(figures).toHaveCount(5);
  for (const width of [320, 360]) {
    await page.setViewportSize({ width, height: 740 });
    const lines = () => figures.evaluateAll((all) => new Set(all.map((it) => it.getBoundingClientRect().top)).size);
    await expect.poll(lines, `${width} px`).toBe(1);
    await expectNoSidewaysScroll(page);
  }
});

test("the sandbox uses the width that it has: figures, settings, and the buttons of What if", async ({ page, sandbox }) => {
  for (const lane of [0, 1]) await expect(sandbox.lane(lane).locator(".answers > div")).toHaveCount(4);
  for (const [width, lines] of [
    [320, [2, 2]],
    [360, [4]],
    [768, [4]],
    [1024, [2, 2]],
    [1440, [4]],
  ]) {
    await test.step(`the four figures of a rollout in one line or two by two, ${width} px`, async () => {
      await page.setViewportSize({ width, height: 900 });
      await expectNoSidewaysScroll(page);
      for (const lane of [0, 1]) {
        const inLines = async () => {
          const tops = await sandbox.lane(lane).locator(".answers > div").evaluateAll((all) => all.map((it) => Math.round(it.getBoundingClientRect().top)));
          return [...new Set(tops)].map((top) => tops.filter((other) => other === top).length);
        };
        await expect.poll(inLines).toEqual(lines);
      }
    });
  }
  await test.step("the settings in two columns, 768 px", async () => {
    await page.setViewportSize({ width: 768, height: 1024 });
    const names = ["Replicas", "maxSurge", "maxUnavailable", "Time to start", "Time to stop"];
    const columns = async () => new Set(await Promise.all(names.map(async (name) => Math.round((await sandbox.input(name).boundingBox()).x)))).size;
    await expect.poll(columns).toBe(2);
  });
  await test.step("the buttons of What if beside each other, 360 px", async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    await sandbox.openWhatIf();
    const [apply, close] = await sandbox.whatIf.getByRole("button").evaluateAll((buttons) =>
      buttons.map((button) => button.getBoundingClientRect()).map(({ top, bottom }) => (top + bottom) / 2),
    );
    expect(Math.abs(close - apply)).toBeLessThan(6);
  });
});

test("no word in a form is broken in the middle, and every choice has room", async ({ sandbox, page }) => {
  for (const width of [1440, 1200, 1024, 360]) {
    await page.setViewportSize({ width, height: 740 });
    await expect.poll(() => brokenWords(page), `${width} px`).toEqual([]);
  }
  await page.getByText("The cluster around it").click();
  await expect.poll(() => brokenWords(page)).toEqual([]);
  await page.getByRole("combobox", { name: "Workload" }).selectOption("Job");
  const policy = page.getByRole("combobox", { name: /podReplacementPolicy/ });
  await expect(policy).toHaveValue("TerminatingOrFailed");
  expect(await brokenWords(page)).toEqual([]);
  // A select shows no more of its value than fits.
  const widths = await policy.evaluate((select) => {
    const text = document.createElement("span");
    text.style.font = getComputedStyle(select).font;
    text.textContent = select.value;
    document.body.append(text);
    const { width } = text.getBoundingClientRect();
    text.remove();
    return [width, select.clientWidth];
  });
  expect(widths[0]).toBeLessThan(widths[1]);
  await page.goto(new URL("../api-server/", page.url()).href);
  await page.getByRole("heading", { name: "The policy's settings" }).click();
  await expect(page.getByRole("form", { name: "Settings of the policy" })).toBeVisible();
  expect(await brokenWords(page)).toEqual([]);
});

test("long names are broken only between their parts, 200 % text", async ({ sandbox, page }) => {
  await enlarge(page, 2);
  await expect(sandbox.lane(1).getByRole("heading", { level: 2 })).toContainText("TerminationComplete");
  const widths = [320, 360];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 740 });
    await expect.poll(() => brokenWords(page, ".lane h2, .trade strong"), `${width} px`).toEqual([]);
  }
  await page.goto(new URL("../api-server/", page.url()).href);
  await page.getByRole("heading", { name: "The policy's settings" }).click();
  const form = page.getByRole("form", { name: "Settings of the policy" });
  await expect(form.getByRole("checkbox", { name: "TerminationComplete" }).first()).toBeVisible();
  await enlarge(page, 2);
  for (const width of widths) {
    await page.setViewportSize({ width, height: 740 });
    await expect.poll(() => brokenWords(page, ".policy-settings :is(h4, label, legend), .reviewed summary"), `${width} px`).toEqual([]);
    // A check box stands beside its label.
    const choice = form.locator(".switch", { hasText: "TerminationComplete" }).first();
    const heights = await choice.evaluate((label) => {
      const range = document.createRange();
      range.selectNodeContents(label);
      return [label.querySelector("input").getBoundingClientRect(), [...range.getClientRects()].find(({ width }) => width > 60)].map(({ bottom }) => bottom);
    });
    expect(Math.abs(heights[0] - heights[1])).toBeLessThan(20);
    // A default is seen as a whole.
    const defaults = await form.getByRole("textbox").evaluateAll((inputs) =>
      inputs.map((input) => {
        const text = document.createElement("span");
        const { fontFamily, fontSize, paddingLeft, paddingRight } = getComputedStyle(input);
        Object.assign(text.style, { fontFamily, fontSize, fontWeight: 400, position: "absolute", whiteSpace: "nowrap" });
        text.textContent = input.placeholder;
        document.body.append(text);
        const needed = text.getBoundingClientRect().width + Number.parseFloat(paddingLeft) + Number.parseFloat(paddingRight);
        text.remove();
        return [input.placeholder, needed - input.clientWidth];
      }),
    );
    expect(defaults.filter(([, missing]) => missing > 1)).toEqual([]);
  }
});
