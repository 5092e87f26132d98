// How the page loads, and what it shows if it can't.
import { App, test, expect } from "./fixtures.mjs";
import { serve } from "./site.mjs";

const NAMES = ["Field not set", "TerminationStarted", "TerminationComplete"];

test("opens on a running rollout of ten replicas in three lanes", async ({ app, page }) => {
  for (const [index, name] of NAMES.entries()) {
    await expect(app.lane(index).getByRole("heading")).toContainText(name);
    await expect(app.ruler(index)).toHaveAttribute("aria-label", /minimum available 8, desired 10, limit 13/);
    await expect(app.lane(index).locator(".row")).toHaveCount(2);
    await expect(app.lane(index).locator(".head").nth(0)).toContainText(/web-\w+ · revision 1 · wants \d+ · has \d+/);
    await expect(app.lane(index).locator(".head").nth(1)).toContainText(/web-\w+ · revision 2 · wants \d+ · has \d+/);
  }
  await expect(page.getByRole("heading", { level: 1 })).toContainText("10 replicas promise 13 pods at most");
  // Old pods and new ones.
  for (const row of [0, 1]) await expect(app.lane(0).locator(".tiles").nth(row).locator(".tile").first()).toBeVisible();
});

test("the limit is passed in the first two lanes and kept in the third", async ({ app, page }) => {
  await expect(app.over(0)).toHaveText(/^[1-9]\d* over$/);
  await expect(app.over(1)).toHaveText(await app.over(0).textContent());
  await expect(app.over(2)).toHaveCount(0);
  // At no write of the whole rollout.
  await page.keyboard.press("Home");
  const lanes = await page.evaluate(async () => {
    const seen = new Map();
    const painted = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    let before;
    for (;;) {
      const state = [...document.querySelectorAll("svg.ruler")].map((ruler) => ruler.getAttribute("aria-label")).join("\n");
      document.querySelectorAll("section.lane").forEach((lane, index) => {
        const text = lane.querySelector(".over-text")?.textContent ?? "0";
        seen.set(index, Math.max(seen.get(index) ?? 0, Number.parseInt(text, 10)));
      });
      const now = document.querySelector(".clock .now").textContent;
      if (now === document.getElementById("end").textContent && state === before) return [...seen.values()];
      before = state;
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", shiftKey: true, bubbles: true }));
      await painted();
    }
  });
  expect(lanes[0]).toBeGreaterThan(0);
  expect(lanes[1]).toBe(lanes[0]);
  expect(lanes[2]).toBe(0);
});

test("what is proposed is called so", async ({ app }) => {
  await expect(app.lane(0).locator("h2 .proposed")).toHaveCount(0);
  for (const lane of [1, 2]) await expect(app.lane(lane).locator("h2 .proposed")).toHaveText("proposed, in no release");
  await expect(app.lane(2).locator(".why .source")).toContainText("KEP-5882");
  await expect(app.lane(2).locator(".why .source .proposed")).toHaveText("proposed, in no release");
  await expect(app.lane(0).locator(".why .source")).toContainText("deployment_util.go NewRSNewReplicas");
});

test("works below a path, and asks nothing of any other place", async ({ page }) => {
  const server = await serve("/somewhere/else/");
  const app = new App(page);
  await app.open(server.url);
  await expect(app.lanes).toHaveCount(3);
  await server.close();
});

test("the policy is strict, and no element has a style attribute", async ({ app, page }) => {
  const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute("content");
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain("unsafe-inline");
  expect(policy.match(/'[a-z-]*eval'/g)).toEqual(["'wasm-unsafe-eval'"]);
  await expect(app.lanes).toHaveCount(3);
  await expect(page.locator("[style]")).toHaveCount(0);
  await expect(page.locator("script:not([src]), style")).toHaveCount(0);
});

test.describe("with motion", () => {
  test.use({ contextOptions: { reducedMotion: "no-preference" } });

  test("plays by itself up to the moment that tells the most", async ({ app }) => {
    await expect(app.pause).toBeVisible();
    await expect(app.play).toBeVisible();
    await expect(app.over(0)).toBeVisible();
    await expect(app.over(2)).toHaveCount(0);
  });
});

test("with less motion nothing moves by itself, and nothing glides", async ({ app, page }) => {
  await expect(app.play).toBeVisible();
  await expect(app.over(0)).toBeVisible();
  const durations = await page.evaluate(() =>
    [...document.querySelectorAll("main *, .bar *")].map((element) => getComputedStyle(element).transitionDuration),
  );
  expect(new Set(durations.flatMap((duration) => duration.split(", ")))).toEqual(new Set(["0s"]));
});

test("without WebAssembly it says so", async ({ browser, site }) => {
  const context = await browser.newContext();
  await context.addInitScript(() => delete globalThis.WebAssembly);
  const page = await context.newPage();
  await page.goto(site);
  await expect(page.getByRole("alert")).toContainText("The page could not start");
  await context.close();
});

for (const width of [360, 1440]) {
  test(`nothing is pushed aside while it opens, ${width} px`, async ({ page, site }) => {
    await page.setViewportSize({ width, height: 800 });
    await page.addInitScript(() => {
      window.shifted = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) window.shifted += entry.value;
      }).observe({ type: "layout-shift", buffered: true });
    });
    // Delay the lanes until some time after the story.
    await page.route("**/scenarios/fifteen.json", async (route) => {
      await page.waitForFunction(() => document.querySelector("#measure") !== null);
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
      await route.continue();
    });
    await new App(page).open(site);
    await expect(page.locator(".about")).toBeVisible();
    // Below this, nobody sees a shift, and search engines ignore it.
    expect(await page.evaluate(() => window.shifted)).toBeLessThan(0.01);
  });
}

test("a player that can't be loaded is named", async ({ browser, site }) => {
  for (const [file, says] of [
    ["player_bg.wasm", /pkg\/player_bg\.wasm can't be fetched: the server says 404/],
    ["player.js", /its player, .*, can't be loaded/],
    ["page_bg.wasm", /pkg\/page_bg\.wasm can't be fetched: the server says 404/],
  ]) {
    const page = await browser.newPage();
    await page.route(`**/pkg/${file}`, (route) => route.fulfill({ status: 404 }));
    await page.goto(site);
    await expect(page.getByRole("alert")).toContainText(says);
    await page.close();
  }
});

test("a player that stops is said", async ({ browser, site }) => {
  const page = await browser.newPage();
  await page.route("**/pkg/player.js", async (route) => {
    const response = await route.fetch();
    const body = `${await response.text()}\nPlayer.prototype.answer = () => { throw new Error("unreachable"); };`;
    await route.fulfill({ response, body });
  });
  await page.goto(site);
  await expect(page.getByRole("alert")).toHaveText(/^The page stopped: .*unreachable.* Load it again\.$/);
  await page.close();
});
