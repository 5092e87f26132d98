// Navigation between stories and sandbox: each view looks as if it had been opened first.
import { App, test, expect } from "./fixtures.mjs";

const follow = (page, name) => page.getByRole("link", { name, exact: true }).click();

test("the sandbox is the same, whether one comes from a story or not", async ({ app, page }) => {
  const opened = await app.state();
  await page.keyboard.press("c");
  await follow(page, "Stories");
  await expect(page.locator(".place")).toHaveText(/^1 of/);
  await follow(page, "Sandbox");
  await expect(app.ruler(0)).toHaveAttribute("aria-label", /desired 10,/);
  expect(await app.state()).toEqual(opened);
});

test("what is wrong in the sandbox does not stand above a story's lanes", async ({ app, page }) => {
  await app.input("Replicas").fill("-1");
  await expect(page.getByRole("alert")).toContainText("spec.replicas");
  await follow(page, "Stories");
  await expect(app.ruler(0)).toHaveAttribute("aria-label", /desired 15,/);
  await follow(page, "Sandbox");
  await expect(page.getByRole("alert")).toContainText("spec.replicas");
  await expect(app.lanes).toHaveCount(0);
  await app.input("Replicas").fill("3");
  await expect(app.ruler(0)).toHaveAttribute("aria-label", /desired 3,/);
});

test("what the sandbox still plays does not come into a story", async ({ browser, site }) => {
  const context = await browser.newContext({ reducedMotion: "reduce" });
  const page = await context.newPage();
  const app = new App(page);
  await app.open(`${site}#sandbox`);
  await app.input("Replicas").fill("8000");
  await expect(page.locator(".working")).toBeVisible();
  await page.evaluate(() => (location.hash = "#stories/nowhere"));
  await expect(page.getByRole("alert")).toContainText("nowhere.story.json");
  await app.quiet();
  await page.getByRole("link", { name: "Sandbox" }).click();
  // The player was through with the others before this one.
  await expect(app.ruler(2)).toHaveAttribute("aria-label", /desired 8000,/);
  await page.evaluate(() => (location.hash = "#stories/nowhere"));
  await expect(page.getByRole("alert")).toContainText("nowhere.story.json");
  await expect(app.lanes).toHaveCount(0);
  await context.close();
});

test("details that were opened in one story are closed in the next", async ({ page, site }) => {
  const story = new App(page);
  await story.open(`${site}#stories/quota/1`);
  await story.lane(0).getByRole("button", { name: "Details" }).click();
  await expect(story.lane(0).getByRole("button", { name: "Details" })).toHaveAttribute("aria-expanded", "true");
  await page.getByLabel(/^Story/).selectOption("still-serving");
  await expect(page.getByRole("heading", { level: 1 })).toContainText("serve");
  await story.quiet();
  await expect(story.lane(0).getByRole("button", { name: "Details" })).toHaveAttribute("aria-expanded", "false");
});

test("a number that no caption has leads to the last one", async ({ page, site }) => {
  const story = new App(page);
  await story.open(`${site}#stories/fifteen/99`);
  await expect(page.locator(".place")).toHaveText(/^(\d+) of \1$/);
  await expect(page.locator(".said h2")).toBeVisible();
});

test("a file that could not be fetched is asked for again", async ({ browser, site }) => {
  const page = await browser.newPage();
  let well = false;
  await page.route("**/scenarios/stuck.json", (route) => (well ? route.continue() : route.fulfill({ status: 503 })));
  await page.goto(`${site}#stories/stuck`);
  await expect(page.getByRole("alert")).toContainText("503");
  well = true;
  await page.evaluate(() => (location.hash = "#stories/quota"));
  await expect(page.locator("section.lane").first()).toBeVisible();
  await expect(page.getByRole("alert")).toHaveCount(0);
  await page.evaluate(() => (location.hash = "#stories/stuck"));
  await expect(page.getByRole("heading", { level: 1 })).toContainText("image");
  await expect(page.getByRole("alert")).toHaveCount(0);
  await page.close();
});

test("grouped by node, a story stays where it stands", async ({ page, site }) => {
  const story = new App(page);
  await story.open(`${site}#stories/fifteen/2`);
  for (let press = 0; press < 6; press += 1) await page.keyboard.press("ArrowRight");
  const before = await story.state();
  await page.keyboard.press("g");
  await expect(page.getByRole("button", { name: "Nodes" })).toHaveAttribute("aria-pressed", "true");
  const { now, step, rulers } = await story.state();
  expect({ now, step, rulers }).toEqual({ now: before.now, step: before.step, rulers: before.rulers });
});

test("a lane that is cut off leaves nothing behind when it no longer is", async ({ app, page }) => {
  const inside = () => app.lane(0).locator(".picture").evaluate((picture) => [...picture.children].map((child) => child.className));
  const before = await inside();
  await app.input("Grace period").fill("100000");
  await expect(app.lane(0).locator(".cut")).toBeVisible();
  await app.input("Grace period").fill("30");
  await expect(app.lane(0).locator(".cut")).toHaveCount(0);
  expect(await inside()).toEqual(before);
  await expect(page.locator("svg.ruler")).toHaveCount(3);
  await expect(app.lane(0).locator("h2")).toContainText("Field not set");
});
