import { test, expect } from "./fixtures.mjs";

test("what each lane came to, with the best of each row marked", async ({ app, page }) => {
  const rows = await page.locator(".compare tbody tr").evaluateAll((rows) =>
    rows.map((row) => [...row.children].map((cell) => cell.textContent)),
  );
  const of = (name) => rows.find(([head]) => head === name).slice(1);
  expect(of("Peak pods")).toEqual(["20", "20", "13 best"]);
  expect(of("Pods over the limit × seconds")[2]).toBe("0 best");
  expect(of("Lowest availability")).toEqual(["8", "8", "8"]);
  const [first, second, third] = of("Time to complete");
  expect(first).toMatch(/best$/);
  expect(second).toBe(first);
  expect(third).not.toMatch(/best$/);
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
  await expect(app.lane(2).locator(".unlike")).toHaveText(/^−7 pods/);
  await page.keyboard.press("Home");
  await expect(app.lane(2).locator(".unlike")).toHaveCount(0);
});
