// Accessibility: axe, the keyboard, screen readers, color, print and touch.
import { AxeBuilder } from "@axe-core/playwright";
import { App, test, expect } from "./fixtures.mjs";

/** The views of the page: the route, and what the user does there. */
const VIEWS = {
  story: ["", async () => {}],
  "story's end": ["#stories/fifteen/5", async () => {}],
  sandbox: ["#sandbox", async () => {}],
  "sandbox with a problem": ["#sandbox", async (app) => {
    await app.page.evaluate(() => document.querySelector(".change[aria-expanded=false]")?.click());
    await app.input("Replicas").fill("-1");
    await expect(app.page.getByRole("alert")).toBeVisible();
  }],
  tables: ["#sandbox", async (app) => app.lane(2).getByRole("button", { name: "Details" }).click()],
  nodes: ["#sandbox", async (app) => app.page.getByRole("button", { name: "Nodes" }).click()],
  dots: ["#sandbox", async (app) => {
    await app.page.evaluate(() => document.querySelector(".change[aria-expanded=false]")?.click());
    await app.input("Replicas").fill("2000");
    await expect(app.lane(0).locator("canvas").first()).toBeVisible();
  }],
  help: ["#sandbox", async (app) => app.page.keyboard.press("?")],
  "what if": ["#stories/fifteen/2", async (app) => {
    await app.page.keyboard.press("f");
    await app.page.getByLabel("How many pods").fill("20");
    await app.page.keyboard.press("Enter");
    await expect(app.page.getByRole("button", { name: "Back to what happened" })).toBeVisible();
    await app.page.keyboard.press("f");
    await app.page.getByLabel("How many pods").fill("-1");
    await app.page.keyboard.press("Enter");
    await expect(app.page.getByRole("alert")).toBeVisible();
  }],
};

for (const [name, [route, act]] of Object.entries(VIEWS)) {
  for (const [width, colorScheme] of [[1440, "light"], [360, "dark"]]) {
    test(`axe finds nothing: ${name}, ${width} px, ${colorScheme}`, async ({ page, site }) => {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const app = new App(page);
      await app.open(`${site}${route}`);
      await act(app);
      await app.quiet();
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)).toEqual([]);
    });
  }
}

test("Tab reaches every command, and the focus is visible", async ({ app, page }) => {
  const reached = new Set();
  for (let press = 0; press < 120; press += 1) {
    await page.keyboard.press("Tab");
    const focus = await page.evaluate(() => {
      const element = document.activeElement;
      if (element === document.body) return null;
      const style = getComputedStyle(element);
      const name = element.getAttribute("aria-label") ?? element.id ?? "";
      return { name: `${element.tagName} ${name} ${element.textContent.trim().slice(0, 20)}`, outline: style.outlineStyle, data: element.dataset.do };
    });
    if (!focus) break;
    expect(focus.outline, focus.name).not.toBe("none");
    reached.add(focus.data ?? focus.name);
  }
  for (const command of ["help", "by node", "pace step", "facts 0", "start", "step -1", "toggle", "step 1", "end", "fork"]) {
    expect([...reached], command).toContain(command);
  }
});

test("a step is announced once, with its lane", async ({ app, page }) => {
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await expect(page.locator("[aria-live=polite]")).toHaveText(/^0:05, Field not set: You change the pod template/);
});

test("color is never the only difference: each state has its own shape", async ({ app, page }) => {
  const shapes = await page.evaluate(() =>
    [...document.querySelectorAll("#shapes symbol")].map((symbol) => [symbol.id.replace(/\d+$/, ""), symbol.innerHTML]),
  );
  const states = new Map();
  for (const [state, shape] of shapes) states.set(state, [...(states.get(state) ?? []), shape]);
  const stateOfForm = new Map();
  for (const [state, forms] of states) for (const form of forms) {
    expect(stateOfForm.get(form) ?? state, form).toBe(state);
    stateOfForm.set(form, state);
  }
  expect(states.size).toBe(8);
  // States with progress have one for each level.
  for (const state of ["s-ready", "s-starting", "s-terminating"]) expect(states.get(state)).toHaveLength(13);
});

test("a printed page has its pictures and reasons, and no buttons", async ({ page, site }) => {
  const story = new App(page);
  await story.open(`${site}#stories/fifteen/2`);
  await page.emulateMedia({ media: "print" });
  await expect(story.ruler(0)).toBeVisible();
  await expect(story.lane(0).locator(".formula")).toBeVisible();
  await expect(page.locator("#bar")).toBeHidden();
  await expect(page.getByRole("button", { name: "Next" })).toBeHidden();
});

test.describe("touch", () => {
  test.use({ hasTouch: true, viewport: { width: 360, height: 740 } });

  test("a tap on a pod shows its history, and buttons are large enough", async ({ story, page }) => {
    await story.tiles(0).first().tap();
    await expect(story.lane(0).locator(".life")).toHaveText(/^web-/);
    const small = await page.evaluate(() =>
      [...document.querySelectorAll("button, select, nav a")]
        .filter((element) => element.checkVisibility() && !element.matches(".term"))
        .map((element) => [element.textContent.trim() || element.getAttribute("aria-label"), element.getBoundingClientRect()])
        .filter(([, box]) => box.height < 24 || box.width < 24)
        .map(([name]) => name),
    );
    expect(small).toEqual([]);
  });
});
