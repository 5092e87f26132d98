import { readFileSync } from "node:fs";
import { App, test, expect } from "./fixtures.mjs";

const read = (name) => JSON.parse(readFileSync(new URL(`../../www/scenarios/${name}`, import.meta.url)));
const INDEX = read("index.json");
const FIRST = read(`${INDEX[0].name}.story.json`);

test("a first visit starts the first story", async ({ story, page }) => {
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(FIRST.title);
  await expect(page.locator(".place")).toHaveText(`2 of ${FIRST.captions.length}`);
  await expect(page.locator(".said h2")).toHaveText(FIRST.captions[1].title);
  await expect(story.over(0)).toHaveText("3 over");
  await expect(story.ruler(0)).toHaveAttribute("aria-label", /^22 pods.*limit 19/);
  await expect(story.ruler(2)).toHaveAttribute("aria-label", /^19 pods/);
  await expect(story.lane(2).locator(".unlike")).toHaveText("−3 pods");
  for (const source of FIRST.source) await expect(page.getByRole("link", { name: source.text })).toHaveAttribute("href", source.href);
});

test.describe("with motion", () => {
  test.use({ contextOptions: { reducedMotion: "no-preference" } });

  test("it plays from the start to the second caption", async ({ story, page }) => {
    await expect(page.locator(".place")).toHaveText(`2 of ${FIRST.captions.length}`);
    await expect(story.play).toBeVisible();
    await expect(story.over(0)).toHaveText("3 over");
  });
});

for (const { name } of INDEX) {
  test(`${name}: next goes through every caption, back returns, and what helps can be tried`, async ({ page, site }) => {
    const told = read(`${name}.story.json`);
    const app = new App(page);
    await app.open(`${site}#stories/${name}/1`);
    const seen = [];
    for (const [index, caption] of told.captions.entries()) {
      await expect(page.locator(".said h2")).toHaveText(caption.title);
      await expect(page.locator(".place")).toHaveText(`${index + 1} of ${told.captions.length}`);
      seen.push(await app.state());
      if (index + 1 < told.captions.length) await page.getByRole("button", { name: "Next" }).click();
    }
    await expect(page.getByRole("button", { name: "Next" })).toBeDisabled();
    expect(page.url()).toContain(`#stories/${name}/${told.captions.length}`);
    for (let index = told.captions.length - 2; index >= 0; index -= 1) {
      await page.getByRole("button", { name: "Back", exact: true }).click();
      await expect(page.locator(".said h2")).toHaveText(told.captions[index].title);
      expect((await app.state()).rulers).toEqual(seen[index].rulers);
    }
    // The browser's own Back, too.
    await page.goBack();
    await expect(page.locator(".said h2")).toHaveText(told.captions[1].title);
    if (!told.helps) return;
    await page.goto(`${site}#stories/${name}/${told.captions.length}`);
    await page.getByRole("button", { name: told.helps.button }).click();
    await expect(page.locator(".said h2")).toHaveText(told.helps.caption.title);
    await expect(app.lanes).toHaveCount(told.helps.lanes.length);
    await page.getByRole("button", { name: "Back to what happened" }).click();
    await expect(app.lanes).toHaveCount(told.lanes.length);
    await expect(page.locator(".said h2")).toHaveText(told.captions[0].title);
  });
}

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
  // What was typed is still there.
  await expect(story.input("Replicas")).toHaveValue("4");
});

test("a story that is not there says so in one sentence", async ({ browser, site }) => {
  const page = await browser.newPage();
  await page.goto(`${site}#stories/nowhere`);
  await expect(page.getByRole("alert")).toHaveText(/^nowhere\.story\.json: can't be fetched: .*404/);
  await page.getByRole("button", { name: "To the first story" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(FIRST.title);
  await page.close();
});
