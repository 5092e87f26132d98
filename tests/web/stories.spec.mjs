// Stories: captions, navigation, and what would have helped.
import { readFileSync } from "node:fs";
import { App, test, expect } from "./fixtures.mjs";

const read = (name) => JSON.parse(readFileSync(new URL(`../../www/scenarios/${name}`, import.meta.url)));
const INDEX = read("index.json");
const FIRST = read(`${INDEX[0].name}.story.json`);

test("a first visit starts the first story, which Next leads through", async ({ story, page }) => {
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(FIRST.title);
  await expect(page.locator(".place")).toHaveText(`1 of ${FIRST.captions.length}`);
  await expect(page.locator(".said h2")).toHaveText(FIRST.captions[0].title);
  await expect(story.play).toBeVisible();
  await page.getByRole("button", { name: "Next" }).click();
  await expect(page.locator(".place")).toHaveText(`2 of ${FIRST.captions.length}`);
  await expect(page.locator(".said h2")).toHaveText(FIRST.captions[1].title);
  await expect(story.over(0)).toHaveText("3 over");
  await expect(story.ruler(0)).toHaveAttribute("aria-label", /^22 pods.*limit 19/);
  await expect(story.ruler(2)).toHaveAttribute("aria-label", /^19 pods/);
  await expect(story.lane(2).locator(".unlike")).toHaveText("3 fewer pods than above");
  for (const source of FIRST.source) await expect(page.getByRole("link", { name: source.text })).toHaveAttribute("href", source.href);
});

test.describe("with motion", () => {
  test.use({ contextOptions: { reducedMotion: "no-preference" } });

  test("it leaves the first caption time, then plays to the second, and explains the step of that", async ({ story, page }) => {
    const why = story.lane(0).locator(".why .sentence");
    await expect(story.pause).toBeVisible();
    await expect(page.locator(".place")).toHaveText(`1 of ${FIRST.captions.length}`);
    await expect(story.now).toHaveText("0:00");
    await expect(page.locator(".place")).toHaveText(`2 of ${FIRST.captions.length}`);
    await expect(story.play).toBeVisible();
    await expect(story.over(0)).toHaveText("3 over");
    await story.quiet();
    const played = await why.textContent();
    await page.goto(`${new URL(page.url()).origin}/#stories/fifteen/2`);
    await expect(page.locator(".said h2")).toHaveText(FIRST.captions[1].title);
    await story.quiet();
    await expect(why).toHaveText(played);
    expect(played).toContain("grows from");
  });
});

for (const { name } of INDEX) {
  test(`${name}: next goes through every caption, back returns, and what helps can be tried`, async ({ page, site }) => {
    const story = read(`${name}.story.json`);
    const app = new App(page);
    await app.open(`${site}#stories/${name}/1`);
    const seen = [];
    for (const [index, caption] of story.captions.entries()) {
      await expect(page.locator(".said h2")).toHaveText(caption.title);
      await expect(page.locator(".place")).toHaveText(`${index + 1} of ${story.captions.length}`);
      seen.push(await app.state());
      if (index + 1 < story.captions.length) await page.getByRole("button", { name: "Next", exact: true }).click();
    }
    const next = INDEX[(INDEX.findIndex((entry) => entry.name === name) + 1) % INDEX.length];
    await expect(page.getByRole("button", { name: "Next", exact: true })).toHaveCount(0);
    await expect(page.locator("[data-do^=story]")).toHaveAccessibleName(next.label);
    expect(page.url()).toContain(`#stories/${name}/${story.captions.length}`);
    for (let index = story.captions.length - 2; index >= 0; index -= 1) {
      await page.getByRole("button", { name: "Back", exact: true }).click();
      await expect(page.locator(".said h2")).toHaveText(story.captions[index].title);
      expect((await app.state()).rulers).toEqual(seen[index].rulers);
    }
    // So does Back in the browser.
    await page.goBack();
    await expect(page.locator(".said h2")).toHaveText(story.captions[1].title);
    if (!story.helps) return;
    await page.goto(`${site}#stories/${name}/${story.captions.length}`);
    await page.getByRole("button", { name: story.helps.button }).click();
    await expect(page.locator(".said h2")).toHaveText(story.helps.caption.title);
    await expect(app.lanes).toHaveCount(story.helps.lanes.length);
    await page.getByRole("button", { name: "Back to what happened" }).click();
    await expect(app.lanes).toHaveCount(story.lanes.length);
    await expect(page.locator(".said h2")).toHaveText(story.captions[0].title);
  });
}

test("what helps has one caption, and nothing to turn", async ({ page, site }) => {
  const app = new App(page);
  await app.open(`${site}#stories/fifteen/${FIRST.captions.length}`);
  await page.getByRole("button", { name: FIRST.helps.button }).click();
  await expect(page.locator(".place")).toHaveText("1 of 1");
  await expect(page.locator(".turn button:not(.link)")).toHaveCount(0);
});

test("the end of a story leads to the next", async ({ page, site }) => {
  const app = new App(page);
  await app.open(`${site}#stories/fifteen/${FIRST.captions.length}`);
  await page.getByText("Next story").click();
  const next = read(`${INDEX[1].name}.story.json`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(next.title);
  await expect(page.locator(".which label")).toHaveText(`Story 2 of ${INDEX.length}`);
});

test("a caption whose moment has passed is faded, and leads back to it", async ({ page, site }) => {
  const app = new App(page);
  await app.open(`${site}#stories/fifteen/4`);
  const before = await app.state();
  const back = page.getByRole("button", { name: /^at 0:\d\d · back to it$/ });
  await expect(back).toHaveCount(0);
  await page.keyboard.press("ArrowRight");
  await expect(page.locator(".said")).toHaveClass(/away/);
  await back.click();
  await expect(page.locator(".said")).not.toHaveClass(/away/);
  expect(await app.state()).toEqual(before);
  // By step the lanes are elsewhere; by time they are at the caption again.
  await page.keyboard.press("c");
  await expect(page.locator(".said")).toHaveClass(/away/);
  await page.keyboard.press("c");
  await expect(page.locator(".said")).not.toHaveClass(/away/);
  expect(await app.state()).toEqual(before);
});

test("nothing moves from caption to caption", async ({ page, site }) => {
  for (const width of [360, 768, 1440]) {
    await page.setViewportSize({ width, height: 1000 });
    const app = new App(page);
    await app.open(`${site}#stories/fifteen/1`);
    const places = new Set();
    for (const [index] of FIRST.captions.entries()) {
      await expect(page.locator(".place")).toHaveText(`${index + 1} of ${FIRST.captions.length}`);
      await app.quiet();
      const turn = await page.locator(".turn").boundingBox();
      places.add(`${turn.y} ${turn.height} ${(await app.lane(0).boundingBox()).y}`);
      await page.keyboard.press("n");
    }
    expect([...places]).toHaveLength(1);
    await page.goto("about:blank");
  }
});

test("a node that was added for nothing is a row without pods", async ({ page, site }) => {
  const app = new App(page);
  const added = app.lane(0).locator(".head").filter({ hasText: "node-new-1" });
  for (const [caption, says] of [[1, "not there yet"], [4, "not there yet"], [5, "0 pods"], [6, "removed"]]) {
    await app.open(`${site}#stories/autoscaler/${caption}`);
    await expect(added).toHaveText(`node-new-1 · ${says}`);
  }
});

test("the caption follows the playhead", async ({ story, page }) => {
  await page.keyboard.press("Home");
  await expect(page.locator(".place")).toHaveText(/^1 of/);
  await page.keyboard.press("End");
  await expect(page.locator(".place")).toHaveText(`${FIRST.captions.length} of ${FIRST.captions.length}`);
  await page.keyboard.press("b");
  await expect(page.locator(".place")).toHaveText(`${FIRST.captions.length - 1} of ${FIRST.captions.length}`);
});

test("stories and sandbox are two views of one page", async ({ story, page }) => {
  await page.getByRole("link", { name: "Sandbox" }).click();
  await expect(story.input("Replicas")).toBeVisible();
  await expect(page.getByRole("link", { name: "Sandbox" })).toHaveAttribute("aria-current", "page");
  await story.input("Replicas").fill("4");
  await expect(story.ruler(0)).toHaveAttribute("aria-label", /desired 4/);
  await page.getByRole("link", { name: "Stories" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(FIRST.title);
  await page.getByRole("link", { name: "Sandbox" }).click();
  // The input keeps its value.
  await expect(story.input("Replicas")).toHaveValue("4");
});

test("a story that is not there says so in one sentence", async ({ browser, site }) => {
  const page = await browser.newPage();
  await page.goto(`${site}#stories/nowhere`);
  await expect(page.getByRole("alert")).toHaveText(/^nowhere\.story\.json: can't be fetched: .*404/);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("There is no story “nowhere”");
  await expect(page.locator("#bar")).toBeHidden();
  await expect(page.locator(".stories a")).toHaveCount(INDEX.length);
  await page.getByRole("link", { name: INDEX[0].label }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(FIRST.title);
  await page.close();
});

test("played, a story holds at each caption until it can be read", async ({ page, site }) => {
  await page.clock.install();
  const story = new App(page);
  await page.goto(`${site}#stories/fifteen/1`);
  await expect(async () => {
    await page.clock.runFor(100);
    await expect(story.ruler(0)).toHaveAttribute("aria-label", / pods/, { timeout: 100 });
  }).toPass();
  await page.keyboard.press("Space");
  await expect(async () => {
    await page.clock.runFor(200);
    await expect(page.locator(".place")).toHaveText(/^2 of/, { timeout: 100 });
  }).toPass();
  await expect(page.locator("#bar")).toHaveClass(/holds/);
  const there = await story.now.textContent();
  await page.clock.runFor(3000);
  await expect(story.now).toHaveText(there);
  await expect(async () => {
    await page.clock.runFor(1000);
    await expect(page.locator(".place")).toHaveText(/^3 of/, { timeout: 100 });
  }).toPass();
  await expect(story.pause).toBeVisible();
});
