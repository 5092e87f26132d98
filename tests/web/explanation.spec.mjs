// The explanation panel.
import { test, expect } from "./fixtures.mjs";

test("no step without its reason and its source", async ({ app, page }) => {
  await page.keyboard.press("Home");
  for (let press = 0; press < 25; press += 1) {
    await page.keyboard.press("ArrowRight");
    for (const lane of [0, 1, 2]) {
      const sentence = await app.lane(lane).locator(".sentence").textContent();
      expect(sentence).toMatch(/\w.*\S$/);
      expect(sentence).not.toContain("{");
    }
  }
});

test("a term that is pointed at lights up its place on the picture", async ({ app, page }) => {
  const why = app.lane(2).locator(".why");
  const lit = (name) => app.ruler(2).and(page.locator(`.lit-${name}`));
  const source = why.locator(".source");
  const before = await source.textContent();
  const limit = why.locator(".formula button.term").filter({ hasText: /^13$/ });
  await limit.last().hover();
  await expect(source).toHaveText("taken 13: held + terminating");
  await expect(app.ruler(2)).toHaveClass(/lit-total/);
  await expect(app.ruler(0)).not.toHaveClass(/lit-/);
  await page.mouse.move(5, 5);
  await expect(app.ruler(2)).not.toHaveClass(/lit-/);
  await expect(source).toHaveText(before);
  // The same with the keyboard.
  for (const term of await why.locator("button.term").all()) {
    await term.focus();
    await expect(source).toContainText((await term.textContent()).trim());
  }
  await why.locator("button.term").filter({ hasText: /^5$/ }).first().focus();
  await expect(lit("terminating")).toHaveCount(1);
});

test("on a phone why is a sheet", async ({ app, page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  const why = app.lane(2).locator(".why");
  await expect(why.locator(".formula")).toBeHidden();
  await why.getByRole("button", { name: "Why?" }).click();
  await expect(why.locator(".formula")).toBeVisible();
  await expect(why.locator(".formula")).toBeInViewport();
  await expect(app.lane(0).locator(".formula")).toBeHidden();
  await why.getByRole("button", { name: "Close" }).click();
  await expect(why.locator(".formula")).toBeHidden();
});

test("the source is that of the term as it is now", async ({ app, page }) => {
  await page.keyboard.press("Home");
  const why = app.lane(0).locator(".why");
  let seen = 0;
  for (let press = 0; press < 12; press += 1) {
    await page.keyboard.press("ArrowRight");
    await app.quiet();
    const focused = why.locator("button.term:focus");
    if (await focused.count()) {
      seen += 1;
      await expect(why.locator(".source")).toContainText(` ${await focused.textContent()}: `);
    } else if (await why.locator("button.term").count()) {
      await why.locator("button.term").first().focus();
    }
  }
  expect(seen).toBeGreaterThan(0);
});

test("a term that is pointed at counts, whichever has the focus", async ({ app }) => {
  const why = app.lane(2).locator(".why");
  await why.locator("button.term").first().focus();
  const last = why.locator("button.term").last();
  await last.hover();
  await expect(why.locator(".source")).toContainText(` ${await last.textContent()}: `);
});
