// How the page loads. Every test asserts that it sends no request to another origin and violates no policy.
import { App, STORIES, test, expect } from "./fixtures.mjs";
import { serve } from "./site.mjs";

/** What a page shows once its modules have answered. */
const firstAnswer = (page, path) =>
  path === "api-server/" ? page.getByText("The policy allows it.", { exact: true }) : new App(page).clock;

test("works below a path, at each address", async ({ page }) => {
  const server = await serve("/somewhere/else/");
  const app = new App(page);
  for (const path of ["", "stories/quota/", "sandbox/"]) {
    await app.open(`${server.url}${path}`);
    await expect(app.title).toBeVisible();
  }
  await page.getByRole("link", { name: "Stories" }).click();
  await expect(page).toHaveURL(server.url);
  await expect(app.captions.first()).toBeVisible();
  await page.getByRole("link", { name: "Sandbox" }).click();
  await expect(page).toHaveURL(`${server.url}sandbox/`);
  await server.close();
});

test("the policy is strict, the page has no inline script or style, and a search engine finds an address and a description", async ({ sandbox, page, site }) => {
  await test.step("the policy is strict", async () => {
    const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute("content");
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/(script|style)-src [^;]*'unsafe-inline'/);
    expect(policy.match(/'[a-z-]*eval'/g)).toEqual(["'wasm-unsafe-eval'"]);
    await expect(sandbox.lanes).toHaveCount(2);
    await expect(page.locator("script:not([src]), style, [onclick]")).toHaveCount(0);
  });
  await test.step("a search engine finds the address and a description", async () => {
    await page.goto(`${site}stories/quota/`);
    await expect(page.locator("meta[name=description]")).toHaveAttribute("content", /.{50}/);
    await expect(page.locator("link[rel=canonical]")).toHaveAttribute("href", /^https:\/\/.*\/stories\/quota\/$/);
    await expect(page.locator("html")).toHaveAttribute("lang", "en");
  });
});

test("the modules leave the network to the first paint", async ({ page, site }) => {
  const modules = [];
  page.on("request", (request) => {
    if (request.url().endsWith(".wasm")) modules.push(request.url());
  });
  const held = new Promise((resolve) => page.route("**/style.css", resolve));
  const scenario = page.waitForResponse(/fifteen\.json$/);
  await page.goto(site, { waitUntil: "commit" });
  const style = await held;
  await (await scenario).finished();
  expect(modules).toEqual([]);
  await style.continue();
  await new App(page).ready();
  expect(modules).toHaveLength(1);
});

/** The files of players that a page asks for. */
function playerFiles(page) {
  const files = [];
  page.on("request", (request) => {
    const file = new URL(request.url()).pathname.match(/worker\.js$|(player|workbench)(_bg\.wasm|\.js)$/);
    if (file) files.push(file[0]);
  });
  return files;
}

for (const [name, module, action] of [
  ["quota", "player_bg.wasm", "pause it"],
  ["preempted", "workbench_bg.wasm", "suspend it"],
]) {
  test(`the story ${name} is read without a player, which loads for "What if"`, async ({ page, site }) => {
    const asked = playerFiles(page);
    const { captions, helps } = STORIES.find((story) => story.name === name);
    const app = new App(page);
    await app.openOwnCase(`${site}stories/${name}/`);
    for (let caption = 1; caption < captions.length; caption += 1) await app.button("Next").click();
    await expect(app.caption.getByRole("heading")).toHaveText(captions.at(-1).title);
    await expect(app.caption.locator(".why .sentence")).toContainText(/\w/);
    await page.getByRole("button", { name: helps.button }).click();
    await expect(app.caption.getByRole("heading")).toHaveText(helps.caption.title);
    await app.ready();
    expect(asked).toEqual([]);
    await app.openWhatIf();
    await expect.poll(() => asked).toContain(module);
    await page.getByRole("combobox", { name: /^What if / }).selectOption(action);
    await page.getByRole("button", { name: "Do it" }).click();
    await expect(page.getByRole("list", { name: "What you did" }).getByRole("listitem")).toHaveCount(1);
  });
}

test("an embedded story is read without a player", async ({ page, site }) => {
  const asked = playerFiles(page);
  const app = new App(page);
  await app.open(`${site}embed/quota/`);
  await app.button("Next").click();
  await app.ready();
  expect(asked).toEqual([]);
});

test("a number that the reader takes loads the player, which plays it", async ({ firstVisit, page }) => {
  const asked = playerFiles(page);
  const number = firstVisit.caption.getByRole("slider", { name: "Replicas" });
  await expect(number).toHaveText("3 pods");
  expect(asked).toEqual([]);
  await number.focus();
  await expect.poll(() => asked).toContain("player_bg.wasm");
  await page.keyboard.press("ArrowRight");
  await expect(number).toHaveText("4 pods");
  await expect(firstVisit.picture(0)).toHaveAccessibleName(/: 4 pods/);
});

test("says how much of the modules has arrived", async ({ page, site }) => {
  const held = new Promise((resolve) => page.route("**/stories_bg.wasm", resolve));
  await page.goto(site);
  const module = await held;
  const sign = page.locator("#loading");
  await expect(sign.getByRole("status")).toHaveText("Loading");
  await expect(sign).toContainText(/\d+%/);
  await module.continue();
  await expect(sign).toHaveCount(0);
});

for (const [width, height] of [
  [360, 740],
  [1440, 900],
]) {
  for (const path of ["", "sandbox/", "api-server/", "embed/quota/", "embed/"]) {
    test(`nothing shifts while ${path || "the first story"} opens, and the largest paint is its static text, ${width} px`, async ({ page, site }) => {
      await page.setViewportSize({ width, height });
      await page.addInitScript(() => {
        window.shifts = [];
        new PerformanceObserver((list) => {
          for (const { value, startTime, sources } of list.getEntries()) {
            window.shifts.push({ value, startTime, sources: sources.map(({ node }) => node?.className ?? node?.nodeName) });
          }
        }).observe({ type: "layout-shift", buffered: true });
        window.paints = [];
        const observer = new PerformanceObserver((list) => window.paints.push(...list.getEntries()));
        observer.observe({ type: "largest-contentful-paint", buffered: true });
      });
      await page.goto(`${site}${path}`);
      await expect(firstAnswer(page, path)).toBeVisible();
      const shifts = await page.evaluate(() => window.shifts);
      // A shift below this is invisible, and search engines ignore it.
      expect(shifts.reduce((sum, { value }) => sum + value, 0), JSON.stringify(shifts)).toBeLessThan(0.02);
      // Lighthouse and search engines use the largest paint as the moment when a page can be read. The app has replaced
      // the static text, so that its paint has no element any more.
      const elements = await page.evaluate(() => window.paints.map(({ element }) => element?.outerHTML ?? null));
      expect(elements.at(-1)).toBeNull();
    });
  }
}
