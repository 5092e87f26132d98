// "What if…": actions that the user adds.
import { readFileSync } from "node:fs";
import { App, test, expect } from "./fixtures.mjs";

const FIRST = JSON.parse(readFileSync(new URL("../../www/scenarios/fifteen.story.json", import.meta.url)));

const panel = (page) => page.getByRole("group", { name: /^What if at/ });

/** Opens the panel with its key, selects an action, types its value, and plays from there. */
async function whatIf(page, action, typed) {
  await page.keyboard.press("f");
  await page.getByLabel("What you do").selectOption({ label: action });
  if (typed !== undefined) await panel(page).getByRole("textbox").or(panel(page).getByRole("combobox", { name: "Node" })).fill(typed);
  await page.getByRole("button", { name: "Play from here" }).click();
}

/** The labels of all rulers after each write, from the start to a time. */
async function rulersUntil(app, page, until) {
  await page.keyboard.press("Home");
  await expect(app.now).toHaveText("0:00");
  const seen = [];
  for (;;) {
    // The page shows the effect of a key within two frames.
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    await app.quiet();
    const { now, rulers } = await app.state();
    if (now > until) return seen;
    seen.push(rulers);
    await page.keyboard.press("Shift+ArrowRight");
    if (seen.length > 80) return seen;
  }
}

test("in the middle of a story: scaled from there on, and not before", async ({ story, page }) => {
  await page.keyboard.press("n");
  await expect(story.over(0)).toHaveText("3 over");
  const marks = () => story.lane(0).locator(".marks .act").count();
  const acts = await marks();
  const totals = await page.locator(".compare tbody").textContent();
  await page.keyboard.press("f");
  await expect(panel(page)).toBeVisible();
  await expect(panel(page)).toContainText("What if at 0:05 you");
  await expect(page.getByLabel("What you do")).toBeFocused();
  await page.keyboard.press("Tab");
  await page.keyboard.type("20");
  await page.keyboard.press("Enter");
  for (const lane of [0, 1, 2]) await expect(story.ruler(lane)).toHaveAttribute("aria-label", /desired 20, limit 25/);
  await expect(story.now).toHaveText("0:05");
  await expect(panel(page)).toBeHidden();
  await expect(page.locator(".said")).toContainText("At 0:05 you scale Deployment web to 20.");
  await expect(page.locator("[aria-live=polite]")).toContainText(/^0:05, Field not set: /);
  expect(await page.locator(".compare tbody").textContent()).not.toBe(totals);
  expect(await marks()).toBeGreaterThanOrEqual(acts);
  // Nothing has changed before the fork.
  await page.keyboard.press("Home");
  await expect(story.ruler(0)).toHaveAttribute("aria-label", /desired 15, limit 19/);
  await page.keyboard.press("End");
  await expect(story.ruler(0)).toHaveAttribute("aria-label", /^20 pods, 20 available/);
  await expect(story.lane(0).locator(".brief")).toBeVisible();
  await page.getByRole("button", { name: "Back to what happened" }).click();
  await expect(page.locator(".said h2")).toHaveText(FIRST.captions[1].title);
  await expect(story.over(0)).toHaveText("3 over");
  await expect(story.ruler(0)).toHaveAttribute("aria-label", /desired 15, limit 19/);
  await expect.poll(() => page.locator(".compare tbody").textContent()).toBe(totals);
});

test("every write before a fork is the same as without it", async ({ story, page }) => {
  const before = await rulersUntil(story, page, "0:04");
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  await whatIf(page, "pause it");
  await expect(page.locator(".said")).toContainText("you pause Deployment web");
  expect(await rulersUntil(story, page, "0:04")).toEqual(before);
});

test.describe("with motion", () => {
  test.use({ contextOptions: { reducedMotion: "no-preference" } });

  test("it plays on from there", async ({ page, site }) => {
    const story = new App(page);
    await story.open(`${site}#stories/fifteen/2`);
    await whatIf(page, "scale it to", "5");
    await expect(story.pause).toBeVisible();
    await expect(story.now).not.toHaveText("0:05");
    await expect(story.ruler(0)).toHaveAttribute("aria-label", /desired 5,/);
  });
});

for (const [key, caption] of [["n", 2], ["b", 0]]) {
  test(`the key ${key} leads back into the story`, async ({ page, site }) => {
    const story = new App(page);
    await story.open(`${site}#stories/fifteen/2`);
    await whatIf(page, "scale it to", "20");
    await expect(page.locator(".said h2")).toHaveText("What if…");
    await page.keyboard.press(key);
    await expect(page.locator(".said h2")).toHaveText(FIRST.captions[caption].title);
    await expect(story.ruler(0)).toHaveAttribute("aria-label", /desired 15/);
    await expect(page.getByRole("alert")).toHaveCount(0);
  });
}

test("nodes and steps keep what was done; another story does not", async ({ page, site }) => {
  const story = new App(page);
  await story.open(`${site}#stories/fifteen/2`);
  await whatIf(page, "scale it to", "20");
  await expect(page.locator(".said h2")).toHaveText("What if…");
  const now = await story.now.textContent();
  await page.keyboard.press("g");
  await expect(page.locator("#node")).toHaveAttribute("aria-pressed", "true");
  await expect(story.ruler(0)).toHaveAttribute("aria-label", /desired 20/);
  await expect(story.now).toHaveText(now);
  await page.keyboard.press("c");
  await page.keyboard.press("c");
  await expect(page.locator(".said h2")).toHaveText("What if…");
  await page.keyboard.press("End");
  await expect(story.ruler(0)).toHaveAttribute("aria-label", /^20 pods, 20 available/);
  await page.getByLabel(/^Story 1 of/).selectOption("five-two-five");
  await expect(page.locator(".said h2")).not.toHaveText("What if…");
  await expect(story.ruler(0)).toHaveAttribute("aria-label", /desired 5/);
});

test("what would have helped can be forked, too", async ({ page, site }) => {
  const story = new App(page);
  await story.open(`${site}#stories/fifteen/${FIRST.captions.length}`);
  await page.getByRole("button", { name: FIRST.helps.button }).click();
  await expect(page.locator(".said h2")).toHaveText(FIRST.helps.caption.title);
  await story.quiet();
  await whatIf(page, "scale it to", "3");
  await expect(page.locator(".said h2")).toHaveText("What if…");
  await page.getByRole("button", { name: "Back to what happened" }).click();
  await expect(page.locator(".said h2")).toHaveText(FIRST.helps.caption.title);
});

test("a node can be drained, and the story says what came of it", async ({ page, site }) => {
  const story = new App(page);
  await story.open(`${site}#stories/lost-node/1`);
  await page.keyboard.press("f");
  await page.getByLabel("What you do").selectOption({ label: "drain the node" });
  const node = page.getByRole("combobox", { name: "Node" });
  await expect(node).not.toHaveValue("");
  const name = await node.inputValue();
  await page.getByRole("button", { name: "Play from here" }).click();
  await expect(page.locator(".said")).toContainText(`you drain Node ${name}`);
  await page.keyboard.press("ArrowRight");
  await expect(story.ruler(0)).toHaveAttribute("aria-label", /terminating/);
});

/** An action, its value, and the message. */
const PROBLEMS = [
  ["scale it to", "-1", /^scale\.spec\.replicas: Invalid value: -1: must be greater than or equal to 0$/],
  ["scale it to", "abc", /^scale\.replicas: .*"abc"/],
  ["do, as JSON", "{evict", /^can't be read as JSON: /],
  ["do, as JSON", "{}", /^Invalid value: 0 actions: must be exactly one/],
  ["do, as JSON", '{"evct": {}}', /^evct: /],
  ["do, as JSON", '{"at": "1s", "pause": {}}', /^at: Invalid value: "1s": must be left out, as it is done where the playhead stands$/],
  ["do, as JSON", " ", /^Action of a scenario: nothing is typed, and something must be$/],
  ["scale it to", "", /^How many pods: nothing is typed, and something must be$/],
  ["scale it to", "250001", /^scale\.replicas: Invalid value: 250001: more than \d+ pods at once are not simulated$/],
  ["lose the node", "nowhere", /nodes? "nowhere" not found/],
  ["resume it", undefined, /^It is so already: nothing would change\.$/],
];

for (const [action, typed, sentence] of PROBLEMS) {
  test(`${action} ${typed ?? ""}: one sentence, and the last lanes stay`, async ({ page, site }) => {
    const story = new App(page);
    await story.open(`${site}#stories/fifteen/2`);
    const before = await story.state();
    await whatIf(page, action, typed);
    await expect(page.getByRole("alert")).toHaveText(sentence);
    await expect(page.getByRole("alert")).toHaveCount(1);
    await expect(panel(page)).toBeVisible();
    await expect(story.main).toHaveClass(/stale/);
    expect(await story.state()).toEqual(before);
    await expect(page.locator(".said h2")).toHaveText(FIRST.captions[1].title);
    if (typed !== undefined) {
      const input = panel(page).locator(".chosen input:visible");
      await expect(input).toHaveValue(typed);
      await expect(input).toHaveAttribute("aria-invalid", "true");
      // Typing clears the problem.
      await input.press("End");
      await input.pressSequentially("1");
      await expect(story.main).not.toHaveClass(/stale/);
    }
    // A failed action is dropped, and another one can follow.
    await page.getByLabel("What you do").selectOption({ label: "scale it to" });
    await page.getByLabel("How many pods").fill("2");
    await page.getByLabel("How many pods").press("Enter");
    await expect(page.locator(".said p").first()).toHaveText(/^At 0:05 you scale Deployment web to 2\. From there on/);
    await expect(story.main).not.toHaveClass(/stale/);
  });
}

test("it stands where it was done, and what follows comes step by step", async ({ story, page }) => {
  // In the middle of an instant: a fork comes after all its steps, which the page shows when the panel opens.
  await page.keyboard.press("n");
  for (let step = 0; step < 4; step += 1) await page.keyboard.press("ArrowLeft");
  await story.quiet();
  await page.keyboard.press("f");
  await story.quiet();
  const pods = (state) => state.rulers.map((ruler) => ruler.split("; ")[0]);
  const before = await story.state();
  await page.getByLabel("How many pods").fill("20");
  await page.keyboard.press("Enter");
  await expect(page.locator(".said h2")).toHaveText("What if…");
  await expect(story.lane(0).locator(".sentence")).toHaveText(/^You scale Deployment web to 20/);
  const after = await story.state();
  expect(after.now).toBe(before.now);
  expect(pods(after)).toEqual(pods(before));
  await expect(page.getByRole("button", { name: "Play", exact: true })).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(story.lane(0).locator(".sentence")).not.toHaveText(/^You scale/);
});

test("by step, it is done at one moment of all lanes", async ({ page, site }) => {
  const story = new App(page);
  await story.open(`${site}#stories/fifteen/1`);
  await page.keyboard.press("c");
  for (let step = 0; step < 12; step += 1) await page.keyboard.press("ArrowRight");
  await page.keyboard.press("f");
  await expect(page.locator("#time")).toHaveAttribute("aria-pressed", "true");
  await expect(page.locator("#fork-at")).toHaveText(await story.now.textContent());
});

test("a node of another story is not offered", async ({ page, site }) => {
  const story = new App(page);
  await story.open(`${site}#stories/lost-node/1`);
  const node = panel(page).getByRole("combobox", { name: "Node" });
  await page.keyboard.press("f");
  await page.getByLabel("What you do").selectOption({ label: "drain the node" });
  await expect(node).toHaveValue("node-a");
  await page.keyboard.press("Escape");
  await page.getByLabel(/^Story \d+ of/).selectOption("fifteen");
  await expect(story.ruler(0)).toHaveAttribute("aria-label", /desired 15/);
  await page.locator("h1").click();
  await page.keyboard.press("f");
  await expect(node).not.toHaveValue("node-a");
});

test("a third version has its name, and what the story says of itself is no longer claimed", async ({ story, page }) => {
  await page.keyboard.press("n");
  await expect(page.locator("#key-newest")).toBeHidden();
  await expect(page.locator("h1")).not.toHaveClass("away");
  await whatIf(page, "give it the image", "example/web:v3");
  await expect(page.locator("#key-newest")).toBeVisible();
  await expect(page.locator("#key-unknown")).toBeHidden();
  await expect(page.locator("h1")).toHaveClass("away");
  await expect(page.getByRole("button", { name: "Next", exact: true })).toHaveCount(0);
  await expect(page.locator(".compare caption")).toHaveText("What it came to, with what you did");
  await expect(page.locator(".compare tr", { hasText: "Time to complete" }).locator("td").first()).toHaveText(/^\d:\d\d( best,)? was \d:\d\d$/);
  await page.getByRole("button", { name: "Back to what happened" }).click();
  await expect(page.locator("#key-newest")).toBeHidden();
  await expect(page.getByRole("button", { name: "Next", exact: true })).toBeVisible();
  await expect(story.play).toBeFocused();
});

test("undo without a revision to go back to is said", async ({ page, site }) => {
  const story = new App(page);
  await story.open(`${site}#stories/fifteen/1`);
  await whatIf(page, "undo the rollout");
  await expect(page.getByRole("alert")).toHaveText(/kubectl does not roll Deployment web back: /);
  await expect(story.main).toHaveClass(/stale/);
  await page.keyboard.press("Escape");
  await expect(panel(page)).toBeHidden();
  await expect(story.main).not.toHaveClass(/stale/);
  // The player still has the lanes on the page, even after another attempt.
  await whatIf(page, "undo the rollout");
  await expect(story.main).toHaveClass(/stale/);
  await page.keyboard.press("Escape");
  await page.keyboard.press("ArrowRight");
  await expect(story.lane(0).locator(".sentence")).toContainText("You change the pod template of Deployment web");
});

test("the sandbox has what was done, and takes back each", async ({ app, page }) => {
  await page.locator("h1").click();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await whatIf(page, "scale it to", "14");
  await expect(app.ruler(0)).toHaveAttribute("aria-label", /desired 14/);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("End");
  await whatIf(page, "give it the image", "example/web:v9");
  await expect(page.locator(".summary")).toContainText("At 0:05 you scale Deployment web to 14.");
  await expect(page.locator(".summary")).toContainText("you change the pod template of Deployment web");
  await expect(app.lane(0).locator(".row")).toHaveCount(3);
  // Changing an input keeps both.
  await app.input("Extra pods (maxSurge)").fill("1");
  await expect(app.ruler(0)).toHaveAttribute("aria-label", /desired 14, limit 15/);
  await expect(app.lane(0).locator(".row")).toHaveCount(3);
  await page.getByRole("button", { name: "What if…" }).click();
  await expect(panel(page).getByRole("listitem")).toHaveCount(2);
  await panel(page).getByRole("button", { name: "Take back" }).first().click();
  await expect(app.ruler(0)).toHaveAttribute("aria-label", /desired 10, limit 11/);
  await expect(app.lane(0).locator(".row")).toHaveCount(3);
  await expect(page.getByLabel("What you do")).toBeFocused();
  await panel(page).getByRole("button", { name: "Take back" }).click();
  await expect(app.lane(0).locator(".row")).toHaveCount(2);
  await expect(panel(page).getByRole("listitem")).toHaveCount(0);
});

test("the sandbox keeps what was done while a story is told, and its promise is the one that was broken", async ({ app, page }) => {
  await page.locator("h1").click();
  await page.keyboard.press("End");
  await whatIf(page, "scale it to", "2");
  await expect(app.ruler(0)).toHaveAttribute("aria-label", /desired 2,/);
  const title = await page.locator("h1").textContent();
  expect(title).toBe("10 replicas promise 13 pods at most. For a while there are 20.");
  await page.locator("#to-stories").click();
  await expect(app.ruler(0)).toHaveAttribute("aria-label", /desired 15/);
  await expect(page.locator(".said h2")).not.toHaveText("What if…");
  await page.locator("#to-sandbox").click();
  await expect(page.locator(".summary").first()).toContainText("you scale Deployment web to 2.");
  await expect(page.locator("h1")).toHaveText(title);
});

test("a fork before another keeps the later one", async ({ app, page }) => {
  await page.locator("h1").click();
  await page.keyboard.press("End");
  await whatIf(page, "scale it to", "4");
  await expect(app.ruler(0)).toHaveAttribute("aria-label", /desired 4,/);
  await page.keyboard.press("Home");
  await whatIf(page, "scale it to", "12");
  await expect(app.ruler(0)).toHaveAttribute("aria-label", /desired 12,/);
  await expect(page.locator(".summary")).toContainText(/At 0:00 you scale Deployment web to 12\. At \d:\d\d you scale Deployment web to 4\./);
  await page.keyboard.press("End");
  await expect(app.ruler(0)).toHaveAttribute("aria-label", /^4 pods, 4 available/);
});

test("by keyboard alone: opened, closed, and the focus is where it was", async ({ app, page }) => {
  const button = page.getByRole("button", { name: "What if…" });
  await button.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("What you do")).toBeFocused();
  await expect(button).toHaveAttribute("aria-expanded", "true");
  // What is typed there are no commands.
  const before = await app.state();
  await page.keyboard.press("Tab");
  await page.keyboard.type("c ");
  expect(await app.state()).toEqual(before);
  await page.keyboard.press("Escape");
  await expect(panel(page)).toBeHidden();
  await expect(button).toBeFocused();
  await page.keyboard.press("f");
  await expect(page.getByLabel("How many pods")).toHaveValue("c ");
});

test("once it is closed it takes no key", async ({ app, page }) => {
  await page.locator("h1").click();
  await page.keyboard.press("f");
  await expect(page.getByLabel("What you do")).toBeFocused();
  const focused = await page.evaluate(async () => {
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    // The page answers in microtasks: all of them come before the next frame.
    for (let turn = 0; turn < 100; turn += 1) await null;
    return document.activeElement.tagName;
  });
  expect(focused).toBe("BODY");
  await page.keyboard.press("f");
  await expect(panel(page)).toBeVisible();
});

for (const width of [360, 768, 1440]) {
  test(`the panel fits, ${width} px, and the picture stays in sight`, async ({ page, site }) => {
    await page.setViewportSize({ width, height: 740 });
    const story = new App(page);
    await story.open(`${site}#stories/fifteen/2`);
    await page.keyboard.press("f");
    for (const { label } of await page.locator("#fork-what option").evaluateAll((options) => options.map(({ label }) => ({ label })))) {
      await page.getByLabel("What you do").selectOption({ label });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      const box = await page.locator("#bar").boundingBox();
      expect(box.height).toBeLessThan(260);
      expect(box.y + box.height).toBeLessThanOrEqual(740);
    }
  });
}

test("what is being tried is not done once the panel is closed", async ({ app, page }) => {
  await app.input("Replicas").fill("6000");
  await expect(app.ruler(2)).toHaveAttribute("aria-label", /desired 6000/);
  await page.locator("h1").click();
  await whatIf(page, "scale it to", "7000");
  await page.keyboard.press("Escape");
  await expect(panel(page)).toBeHidden();
  await app.quiet();
  await expect(app.main).not.toHaveClass(/stale/);
  await page.keyboard.press("End");
  await expect(app.ruler(0)).toHaveAttribute("aria-label", /desired 6000,/);
});
