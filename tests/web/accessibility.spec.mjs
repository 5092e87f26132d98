// Accessibility: axe in every view and after every interaction, names and values, contrast, print, touch.
import { fileURLToPath } from "node:url";
import { violations } from "./axe.mjs";
import { App, STORIES, pasteOverAll, test, expect } from "./fixtures.mjs";

/** Narrow and dark, and wide and light. The tests go on with the latter. */
const SCHEMES = [
  [360, 740, "dark"],
  [1440, 900, "light"],
];
/** How many states a test has checked. */
const checked = new WeakMap();

/** Checks the page as it is. */
async function expectNoViolationsNow(page, what) {
  expect.soft(await violations(page, { targetSize: true }), what).toEqual([]);
}

async function show(page, [width, height, colorScheme]) {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
}

/** Checks the page: the first state of a test with each scheme, and the others, which add to it, with one after the other. */
async function expectNoViolations(page, what) {
  const before = checked.get(test.info()) ?? 0;
  checked.set(test.info(), before + 1);
  for (const scheme of before === 0 ? SCHEMES : [SCHEMES[before % SCHEMES.length]]) {
    await show(page, scheme);
    await expectNoViolationsNow(page, `${what}, ${scheme.join(" ")}`);
  }
  await show(page, SCHEMES.at(-1));
}

test("axe reports what is wrong", async ({ page }) => {
  await page.setContent('<!doctype html><html lang="en"><title>A button</title><main><h1>A button</h1><button></button></main></html>');
  expect(await violations(page)).toEqual(["button-name: <button></button>"]);
});

/** The state of a cluster with a rollout that is stuck. */
const STUCK = fileURLToPath(new URL("../cli/cases/explain.in/image.json", import.meta.url));

/** A Deployment as a manifest. */
const manifest = (name, replicas, spec = {}) => {
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } };
  return JSON.stringify({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name }, spec: { replicas, ...spec, selector: { matchLabels: labels }, template } }, null, 2);
};

test.describe("axe finds nothing", () => {
  test.slow();

  test("in a story", async ({ story, page }) => {
    await expectNoViolations(page, "the first caption");
    await story.button("Next").click();
    await expect(story.clock).toHaveText("0:00");
    await expectNoViolations(page, "the second caption");
    await page.getByRole("button", { name: "Show the rule" }).locator("visible=true").first().click();
    await expect(page.getByRole("table").first()).toBeVisible();
    await expectNoViolations(page, "the rule");
    await story.openWhatIf();
    await page.keyboard.press("Tab");
    await page.keyboard.type("20");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("list", { name: "What you did" })).toBeVisible();
    await expectNoViolations(page, "what was done");
    await page.getByRole("button", { name: "Back to what happened" }).click();
    await page.getByRole("button", { name: STORIES[0].helps.button }).click();
    await expect(page.getByRole("button", { name: "Back to what happened" })).toBeVisible();
    await expectNoViolations(page, "what would have helped");
  });

  test("in the sandbox", async ({ sandbox, page }) => {
    await expectNoViolations(page, "at first");
    await sandbox.type(sandbox.input("Replicas"), "-1");
    await expect(page.getByRole("alert")).toBeVisible();
    await expectNoViolations(page, "a problem");
    await sandbox.type(sandbox.input("Replicas"), "2000");
    await expect(sandbox.title).toContainText("2000 pods");
    await expectNoViolations(page, "a density row");
    // No browser finds the result before axe has looked.
    await sandbox.type(sandbox.input("Replicas"), "20000");
    await expect(page.locator(".working")).toHaveText("Simulating…");
    await expectNoViolationsNow(page, "an earlier result");
    await sandbox.type(sandbox.input("Replicas"), "6");
    await expect(sandbox.title).toContainText("You asked for 6 pods");
    await page.getByRole("combobox", { name: "Compare with" }).selectOption("my other settings");
    await sandbox.button("Show pods by node").click();
    await sandbox.lane(0).getByRole("button", { name: "Show the rule" }).click();
    await expect(page.getByRole("table").first()).toBeVisible();
    await expectNoViolations(page, "two forms, nodes and the rule");
    await sandbox.openWhatIf();
    await page.keyboard.press("Tab");
    await page.keyboard.type("-2");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("alert")).toBeVisible();
    await expectNoViolations(page, "what if, with a problem");
    await page.keyboard.press("Escape");
    await sandbox.button("Help").click();
    await expect(sandbox.help).toBeVisible();
    await expectNoViolations(page, "help");
  });

  test("in the sandbox's other parts", async ({ sandbox, page }) => {
    await page.getByText("The cluster around it").click();
    await expect(sandbox.input("Pods that fit on a node")).toBeVisible();
    await expectNoViolations(page, "the cluster");
    await sandbox.button("Show the numbers as a table").click();
    await expect(page.getByRole("region", { name: /^Numbers: / })).toHaveCount(2);
    await expectNoViolations(page, "the numbers as a table");
    await sandbox.type(page.getByLabel("Never more than"), "19");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("region", { name: "Settings within your limits" })).toBeVisible();
    await expectNoViolations(page, "settings within limits");
    await sandbox.type(sandbox.input("Replicas"), "16");
    await expect(page.getByText("You have changed your settings since.")).toBeVisible();
    await expectNoViolations(page, "settings within limits, for earlier settings");
    await sandbox.button("YAML").click();
    await expect(page.locator("yaml-editor")).toBeVisible();
    await expectNoViolations(page, "YAML");
    await sandbox.button("Controls").click();
    await page.getByRole("combobox", { name: "Workload" }).selectOption("Job");
    await expect(page.getByRole("form", { name: "Your Job" })).toBeVisible();
    await expectNoViolations(page, "a Job");
  });

  test("in what Ask finds", async ({ sandbox, page }) => {
    const ask = page.getByRole("region", { name: "Ask for settings" });
    const table = ask.getByRole("table");
    await sandbox.type(ask.getByLabel("Never more than"), "many");
    await page.keyboard.press("Enter");
    await expect(ask.getByRole("alert")).toContainText("“many” isn't a whole number");
    await expectNoViolations(page, "a limit that is wrong");
    // Settings with notes, the proposed ones, and those that miss a limit.
    await sandbox.type(ask.getByLabel("Never more than"), "19");
    await sandbox.type(ask.getByLabel("Available at least"), "12");
    await page.keyboard.press("Enter");
    for (const text of ["Settings that miss a limit", "misses: up to", "proposed"]) await expect(table).toContainText(text);
    await expectNoViolations(page, "settings in groups");
    await ask.getByRole("button", { name: /^Use / }).first().click();
    await expect(ask.getByRole("cell", { name: "in use" })).toHaveCount(1);
    await sandbox.settled();
    await expectNoViolations(page, "a setting in use");
    await sandbox.type(ask.getByLabel("Never more than"), "15");
    await sandbox.type(ask.getByLabel("Available at least"), "15");
    await page.keyboard.press("Enter");
    await expect(table).toContainText(/Allow up to \d+ pods\./);
    await expectNoViolations(page, "limits to relax");
    // No browser finds the answer before axe has looked. The earlier one is grayed meanwhile.
    await sandbox.type(sandbox.input("Replicas"), "1500");
    await sandbox.type(ask.getByLabel("Never more than"), "1501");
    await page.keyboard.press("Enter");
    await expect(ask.getByText("Simulating settings…")).toBeVisible();
    await expectNoViolationsNow(page, "settings are simulated");
    await expect(ask.getByText("Simulating settings…")).toBeVisible();
    await ask.getByRole("button", { name: "Stop" }).click();
    await expect(table).toHaveCount(0);
    await expectNoViolations(page, "a search that was stopped");
  });

  test("in many runs and in the worst case", async ({ sandbox, page }) => {
    const ask = page.getByRole("region", { name: "Ask for settings" });
    const progress = ask.getByRole("progressbar", { name: "Runs" });
    const start = ask.getByRole("button", { name: "Simulate 200 runs" });
    // With this many pods, no browser finishes all runs before axe has looked.
    await sandbox.type(sandbox.input("Replicas"), "500");
    await start.click();
    await expect(ask).toContainText(/In \d+ runs: /);
    await expectNoViolationsNow(page, "runs, with their progress");
    await expect(progress).toBeVisible();
    await ask.getByRole("button", { name: "Stop" }).click();
    await expect(progress).toHaveCount(0);
    await sandbox.type(sandbox.input("Replicas"), "2");
    await sandbox.type(sandbox.input("maxSurge"), "1");
    await sandbox.type(ask.getByLabel("Fits a quota of"), "2");
    await start.click();
    await expect(ask).toContainText("None of the 200 runs stays within your limits.");
    await expectNoViolations(page, "all runs");
    await ask.getByRole("button", { name: "Find the worst case" }).click();
    await expect(ask).toContainText("In the worst of all orders: ");
    await expectNoViolations(page, "the worst case");
    const orders = ask.getByText(/^An order that /);
    await expect(orders).not.toHaveCount(0);
    for (const order of await orders.all()) await order.click();
    await expect(ask.getByText("The new ReplicaSet creates 1 pod.").first()).toBeVisible();
    await expectNoViolations(page, "the orders of the worst case");
    await sandbox.type(sandbox.input("Replicas"), "20");
    await ask.getByRole("button", { name: "Find the worst case" }).click();
    await expect(ask).toContainText("In any order (a proven bound that may never be reached): ");
    await expectNoViolations(page, "a bound of the worst case");
  });

  test("in YAML with problems", async ({ sandbox, page }) => {
    await sandbox.button("YAML").click();
    await expect(page.locator("yaml-editor")).toBeVisible();
    const editor = page.getByRole("textbox", { name: "Your manifests, or the state of your cluster" });
    const problems = page.getByRole("list", { name: "Problems in the text" }).getByRole("listitem");
    await pasteOverAll(editor, manifest("web", -4));
    await expect(problems).toContainText(["spec.replicas: Invalid value: -4"]);
    await expect(sandbox.title).toHaveClass(/stale/);
    await expectNoViolations(page, "an error");
    await page.getByRole("button", { name: /^Line \d+$/ }).first().click();
    await expectNoViolations(page, "the line of an error");
    await pasteOverAll(editor, "kind: [");
    await expect(problems).toContainText(["must be YAML or JSON"]);
    await expectNoViolations(page, "no YAML");
    const service = "apiVersion: v1\nkind: Service\nmetadata:\n  name: web";
    await pasteOverAll(editor, [manifest("web", 4, { replcas: 4 }), manifest("api", 3), service].join("\n---\n"));
    await expect(problems).toContainText(['unknown field "spec.replcas"']);
    await expect(page.getByRole("combobox", { name: "Show" })).toBeVisible();
    await page.getByText(/^What the text contains/).click();
    await expect(page.getByText("Service web")).toBeVisible();
    await sandbox.settled();
    await expectNoViolations(page, "a warning, two Deployments and what is not simulated");
    await sandbox.button("This is what runs now").click();
    await expect(page.getByText("The current state is saved")).toBeVisible();
    await sandbox.settled();
    await expectNoViolations(page, "a saved state");
    await sandbox.button("Controls").click();
    await expect(sandbox.button("Remove the YAML")).toBeVisible();
    await expectNoViolations(page, "the controls of a text");
  });

  test("in the completions of the YAML", async ({ sandbox, page }) => {
    await sandbox.button("YAML").click();
    await expect(page.locator("yaml-editor")).toBeVisible();
    const editor = page.getByRole("textbox", { name: "Your manifests, or the state of your cluster" });
    const completions = page.getByRole("listbox", { name: "Completions" });
    for (const [text, typed, completion] of [
      ["apiVersion: v1\nkind: ", "P", "PersistentVolumeClaim"],
      ["apiVersion: apps/v1\nkind: Deployment\nspec:\n  ", "podR", "podReplacementPolicy"],
    ]) {
      await pasteOverAll(editor, text);
      await page.keyboard.type(typed);
      await expect(completions.getByRole("option", { name: completion })).toBeVisible();
      await expectNoViolations(page, completion);
      await page.keyboard.press("Escape");
      await expect(completions).toHaveCount(0);
    }
  });

  test("in what rollouts wait for", async ({ sandbox, page }) => {
    await page.getByText("The cluster around it").click();
    await sandbox.type(page.getByRole("textbox", { name: "Time to pull its image" }), "never");
    const waits = page.getByRole("region", { name: "What your rollouts wait for" });
    await expect(waits.getByRole("heading", { name: "How to unblock it" })).toBeVisible();
    await expect(waits).toHaveAttribute("aria-busy", "false");
    await expectNoViolations(page, "a rollout that never completes");
    await sandbox.button("YAML").click();
    await page.getByLabel("Open a file").setInputFiles(STUCK);
    const state = page.getByRole("region", { name: "The state of your rollouts" });
    for (const heading of ["web is stuck", "What it waits for", "How to unblock it"]) await expect(state.getByRole("heading", { name: heading })).toBeVisible();
    await expect(state).toHaveAttribute("aria-busy", "false");
    await sandbox.settled();
    // The bar at the bottom of the window may cover a part of it.
    await sandbox.clock.evaluate((clock) => clock.scrollIntoView({ block: "center" }));
    await expectNoViolations(page, "the state of a cluster");
    await sandbox.openWhatIf();
    await page.keyboard.press("Tab");
    await page.keyboard.type("1");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("list", { name: "What you did" })).toBeVisible();
    await sandbox.settled();
    await expectNoViolations(page, "the state of a cluster, and what was done to it");
  });

  test("at the end of a story of each kind, and in an order of deletions", async ({ story, page }) => {
    const goTo = async (title) => {
      await story.captions.getByRole("heading", { name: title }).click();
      await expect(story.caption.getByRole("heading")).toHaveText(title);
    };
    for (const name of ["quota", "set-stuck", "one-per-node", "autoscaler", "two-of-index", "cron-comes-back"]) {
      const it = STORIES.find((story) => story.name === name);
      await story.openStory(it);
      await goTo(it.captions.at(-1).title);
      await expectNoViolations(page, name);
    }
    await story.openStory(STORIES.find(({ name }) => name === "who-dies-first"));
    await goTo("The cheapest pod goes next");
    await page.getByRole("button", { name: "Show the rule" }).locator("visible=true").first().click();
    await expect(page.getByRole("group", { name: /^Deletion order: / }).first()).toBeVisible();
    await expectNoViolations(page, "a deletion order");
  });

  test("on missing pages, and without the app", async ({ browser, site }) => {
    // A page that is missing has the status 404, which is no problem here.
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.route("**/main.js", (route) => route.fulfill({ body: "" }));
    for (const path of ["nothing/", "", "sandbox/"]) {
      await page.goto(`${site}${path}`);
      await expectNoViolations(page, path);
    }
    await context.close();
  });
});

test("the clock, the formula and the picture make sense read aloud", async ({ sandbox }) => {
  await expect(sandbox.clock).toHaveAttribute("aria-valuetext", /^0:07(\.\d+)? of \d+:\d\d, step \d+ of \d+\. Your settings: \d+ pods, \d+ available, \d+ terminating, \d+ over the limit of 19\. .*TerminationComplete: \d+ pods, /);
  await expect(sandbox.picture(0)).toHaveAccessibleName(/^Your settings at 0:07: \d+ pods, \d+ available, \d+ terminating, \d+ over the limit of 19$/);
  // The rule explains the numbers. Each of them can be highlighted in the picture with the keyboard.
  await expect(sandbox.sentence(1).locator("[tabindex]")).toHaveCount(0);
  await sandbox.lane(1).getByRole("button", { name: "Show the rule" }).click();
  await sandbox.lane(1).getByRole("button", { name: /^Show .*limit.* in the picture$/ }).first().press("Enter");
  await expect(sandbox.picture(1)).toHaveClass(/lit-limit/);
});

test("every text has at least 13 px, in rem", async ({ page, site }) => {
  const app = new App(page);
  const smallest = () =>
    page.evaluate(() => {
      const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
      const small = [];
      while (walker.nextNode()) {
        const element = walker.currentNode.parentElement;
        if (!walker.currentNode.textContent.trim() || !element.checkVisibility() || element.closest("title, option")) continue;
        const size = Number.parseFloat(getComputedStyle(element).fontSize);
        const least = 0.8125 * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
        if (size < least - 0.01) small.push(`${walker.currentNode.textContent}: ${size}`);
      }
      return small;
    });
  for (const path of ["", "sandbox/", "stories/who-dies-first/"]) {
    await app.open(`${site}${path}`);
    expect(await smallest()).toEqual([]);
    // Other captions have other signs and texts in the picture.
    for (let caption = 0; caption < 2 && path !== "sandbox/"; caption += 1) {
      const before = await app.caption.getByRole("heading").textContent();
      await app.button("Next").click();
      await expect(app.caption.getByRole("heading")).not.toHaveText(before);
      expect(await smallest()).toEqual([]);
    }
    await page.evaluate(() => (document.documentElement.style.fontSize = "200%"));
    expect(await smallest()).toEqual([]);
  }
});

test("before the change, the names on faded bands have the color of all text", async ({ story, page }) => {
  await expect(story.captions.first()).toHaveAttribute("aria-current", "step");
  const name = page.locator(".not-yet ~ .labels .label.available").first();
  await expect(name).toBeVisible();
  const [fill, ink] = await name.evaluate((name) => [getComputedStyle(name).fill, getComputedStyle(document.documentElement).color]);
  expect(fill).toBe(ink);
});

for (const path of ["sandbox/", "stories/fifteen/"]) {
  test(`a printed page shows the inputs, the answers and the picture, and has no buttons: ${path}`, async ({ page, site }) => {
    const app = new App(page);
    await app.open(`${site}${path}`);
    if (path !== "sandbox/") await app.goToOwnCase();
    await page.emulateMedia({ media: "print" });
    await expect(app.picture(0)).toBeVisible();
    await expect(app.answer(0, "pods at most")).toBeVisible();
    await expect(page.getByRole("group", { name: "Playback" })).toBeHidden();
    await expect(app.button("Help")).toBeHidden();
    await expect(app.sentence(0).getByRole("button")).toBeHidden();
    await expect(page.getByText(/^15 replicas, RollingUpdate, maxSurge 25%, .*grace period \d+ s/)).toBeVisible();
    if (path === "sandbox/") {
      await expect(page.getByText(/^Assumed: /)).toBeVisible();
      await expect(app.form).toBeHidden();
      await expect(page.getByText("The cluster around it")).toBeHidden();
      await expect(page.getByText("Drag a handle")).toBeHidden();
    } else {
      await expect(page.getByText(STORIES[0].captions.at(-1).text)).toBeVisible();
    }
    // Ink on paper: browsers leave out backgrounds.
    for (const lane of [0, 1]) {
      const time = app.lane(lane).locator(".handle");
      await expect(time).toHaveText(/^(before|\d+:\d\d)$/);
      await expect(time).toHaveCSS("color", await page.locator("body").evaluate((body) => getComputedStyle(body).color));
      // Browsers print the first moment of an animation.
      await expect(app.tiles(lane).first()).toHaveCSS("animation-name", "none");
    }
    const top = async (lane) => (await app.lane(lane).locator(".time-axis").boundingBox()).y;
    await expect.poll(async () => Math.abs((await top(0)) - (await top(1)))).toBeLessThan(1);
    const isAtItsLine = (lane) => {
      const [label, line] = [".mark-labels .limit", ".pod-row .mark.limit"].map((part) => lane.querySelector(part).getBoundingClientRect().left);
      return Math.abs(label - line) < 4;
    };
    for (const lane of [0, 1]) await expect.poll(() => app.lane(lane).evaluate(isAtItsLine)).toBe(true);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(wide).toBe(0);
  });
}

test("the headings of the forms are below those of the results, and each form has its own", async ({ sandbox, page, site }) => {
  await page.getByRole("combobox", { name: "Compare with" }).selectOption("my other settings");
  for (const [form, headings] of [
    ["Your rollout", ["Your pods"]],
    ["The other rollout", ["The other pods"]],
  ]) {
    await expect(page.getByRole("form", { name: form }).getByRole("heading", { level: 3 })).toHaveText(headings);
  }
  await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
  await expect(sandbox.lane(0).getByRole("heading", { level: 2 })).toBeVisible();
  // No heading of a result comes before that of the page.
  const levels = () => page.locator("main").evaluate((main) => [...main.querySelectorAll("h1, h2, h3, h4")].map(({ tagName }) => tagName));
  expect((await levels()).find((level) => level < "H3")).toBe("H1");
  await page.goto(`${site}api-server/`);
  await expect(page.getByRole("heading", { level: 3, name: "The policy's settings" })).toBeVisible();
  expect((await levels()).find((level) => level < "H3")).toBe("H1");
  await page.getByRole("heading", { name: "The policy's settings" }).click();
  const groups = (level) => page.getByRole("form", { name: "Settings of the policy" }).getByRole("heading", { level });
  await expect(groups(4).first()).toBeVisible();
  // In one column, the form follows the results: its heading is no part of the last object's.
  await page.setViewportSize({ width: 360, height: 740 });
  await expect(page.getByRole("heading", { name: "The policy's settings" })).toHaveAttribute("aria-level", "2");
  await expect(groups(4).first()).toHaveAttribute("aria-level", "3");
});

test.describe("touch", () => {
  test.use({ hasTouch: true, viewport: { width: 360, height: 740 } });

  test("touch targets are large enough or have room around them", async ({ page, site }) => {
    const app = new App(page);
    for (const path of ["", "sandbox/"]) {
      await app.open(`${site}${path}`);
      const small = await page.evaluate(() =>
        [...document.querySelectorAll("button:not(.skip), select, input, [role=slider], nav a")]
          .filter((element) => element.checkVisibility() && !element.closest("p"))
          .map((element) => [element.textContent.trim() || element.getAttribute("aria-label") || element.id, (element.closest("label") ?? element).getBoundingClientRect()])
          .filter(([, box]) => box.height < 24 || box.width < 24)
          .map(([name, box]) => `${name} ${box.width} x ${box.height}`),
      );
      expect(small).toEqual([]);
    }
  });

  test("a tap on the picture moves the playhead, and one on the line of the minimum not the minimum", async ({ sandbox, page }) => {
    const minimum = sandbox.handle(0, /maxUnavailable/);
    await sandbox.picture(0).scrollIntoViewIfNeeded();
    const value = await minimum.getAttribute("aria-valuenow");
    const first = await sandbox.clock.textContent();
    const grip = await minimum.boundingBox();
    const { y, width, height } = await sandbox.picture(0).boundingBox();
    await page.touchscreen.tap(grip.x + grip.width / 2, y + height - 4);
    await expect(sandbox.clock).not.toHaveText(first);
    await expect(minimum).toHaveAttribute("aria-valuenow", value);
    const last = await sandbox.clock.textContent();
    await sandbox.picture(0).tap({ position: { x: width * 0.8, y: height * 0.5 } });
    await expect(sandbox.clock).not.toHaveText(last);
  });
});

test("in forced colors, the current caption, the shown view, the playhead and the handles stand out", async ({ page, site }) => {
  await page.emulateMedia({ forcedColors: "active" });
  const app = new App(page);
  await app.open(site);
  const edge = (locator, side) => locator.evaluate((it, side) => getComputedStyle(it)[`border${side}Color`], side);
  expect(await edge(app.caption, "Left")).not.toBe(await edge(page.locator(".caption:not([aria-current])").first(), "Left"));
  await expect(app.clock).toHaveCSS("border-top-style", "solid");
  await app.open(`${site}sandbox/`);
  expect(await edge(app.button("Controls"), "Bottom")).not.toBe(await edge(app.button("YAML"), "Bottom"));
  // The handles keep the lines that say where they move.
  for (const name of [/maxSurge/, "Time to start"]) {
    const box = await app.handle(0, name).evaluate((handle) => {
      const { backgroundImage, backgroundColor, borderTopColor } = getComputedStyle(handle, "::before");
      return { lines: backgroundImage.match(/linear-gradient/g)?.length, backgroundColor, borderTopColor };
    });
    expect(box.lines).toBe(2);
    expect(box.borderTopColor).not.toBe(box.backgroundColor);
  }
});
