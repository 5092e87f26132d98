// The comparison of lanes: totals, repeated lanes, alignment by step.
import { App, test, expect } from "./fixtures.mjs";

test("what each lane came to, with the best of each row marked", async ({ app, page }) => {
  const rows = await page.locator(".compare tbody tr").evaluateAll((rows) =>
    rows.map((row) => [...row.children].map((cell) => cell.textContent)),
  );
  const of = (name) => rows.find(([head]) => head === name).slice(1);
  expect(of("Peak pods")).toEqual(["20", "20", "13 best"]);
  expect(of("Over the limit, in pod-seconds")[2]).toBe("0 best");
  expect(of("Fewest available pods")).toEqual(["8", "8", "8"]);
  const [first, second, third] = of("Time to complete");
  expect(first).toMatch(/best$/);
  expect(second).toBe(first);
  expect(third).not.toMatch(/best$/);
});

test("a lane that repeats the one above is a line, and can be shown", async ({ app, page }) => {
  const same = app.lane(1);
  await expect(same.locator(".differs")).toHaveText("the same at every step");
  await expect(app.ruler(1)).toBeHidden();
  await expect(app.ruler(2)).toBeVisible();
  expect((await same.boundingBox()).height).toBeLessThan(60);
  await same.getByRole("button", { name: "Show" }).click();
  await expect(app.ruler(1)).toBeVisible();
  await expect(same.locator(".why .sentence")).toBeVisible();
  await same.getByRole("button", { name: "Hide" }).click();
  await expect(app.ruler(1)).toBeHidden();
  // Under Recreate all three differ.
  await app.input("Strategy").selectOption("Recreate");
  await expect(app.ruler(1)).toBeVisible();
  await expect(same.getByRole("button", { name: /Show|Hide/ })).toHaveCount(0);
});

test("what a lane came to stands at its head at the end", async ({ app, page }) => {
  await expect(page.locator(".brief")).toHaveCount(0);
  await page.keyboard.press("End");
  await expect(app.lane(0).locator(".brief")).toHaveText(/^20 pods at most, complete 0:12 after the change$/);
  await expect(app.lane(2).locator(".brief")).toHaveText(/^13 pods at most, complete 1:12 after the change$/);
});

test("by step every lane stands behind as many decisions", async ({ app, page }) => {
  const heads = () =>
    page.locator(".playhead line").evaluateAll((lines) => new Set(lines.map((line) => line.getAttribute("x1"))).size);
  await page.locator("[data-do=\"pace step\"]").click();
  await page.keyboard.press("Home");
  await expect(app.step).toHaveText("0");
  for (let press = 0; press < 30; press += 1) await page.keyboard.press("ArrowRight");
  await expect(app.step).toHaveText("30");
  // The lanes are at different times now.
  await expect.poll(heads).toBeGreaterThan(1);
  await page.keyboard.press("End");
  for (const lane of [0, 1, 2]) await expect(app.ruler(lane)).toHaveAttribute("aria-label", /^10 pods, 10 available/);
  await page.getByRole("button", { name: "By time" }).click();
  await expect.poll(heads).toBe(1);
});

test("what differs from the first lane is said", async ({ app, page }) => {
  await expect(app.lane(1).locator(".unlike")).toHaveCount(0);
  await expect(app.lane(2).locator(".unlike")).toHaveText(/^7 fewer pods.* than above$/);
  await page.keyboard.press("Home");
  await expect(app.lane(2).locator(".unlike")).toHaveCount(0);
});

test("complete is what the controller says; the last pod goes when it goes", async ({ page, site }) => {
  const story = new App(page);
  await story.open(`${site}#stories/still-serving/2`);
  const cells = (name) => page.locator(".compare tr", { hasText: name }).locator("td").allTextContents();
  expect(await cells("Time to complete")).toEqual(["0:05", "5:05"]);
  expect(await cells("Until the last old pod is gone")).toEqual(["5:05", "5:05"]);
});

test("nothing is the best of what would still grow", async ({ page, site }) => {
  const story = new App(page);
  await story.open(`${site}#stories/lost-node/1`);
  await expect(page.locator(".compare tr", { hasText: "Peak pods" }).locator(".best")).toHaveCount(1);
  await expect(page.locator(".compare tr", { hasText: "pod-seconds" }).locator(".best")).toHaveCount(0);
});
