// The view for other sites: only the picture, its controls, and a link.
import { createServer } from "node:http";
import { violations } from "./axe.mjs";
import { App, STORIES, expectNoSidewaysScroll, packedState, test as base, expect } from "./fixtures.mjs";

const test = base.extend({
  /** Opens a page of another origin with a frame, and returns the contents of the frame. */
  host: async ({ page }, use) => {
    let code = "";
    const server = createServer((request, response) => {
      response.writeHead(request.url === "/" ? 200 : 204, { "content-type": "text/html" });
      const script = `addEventListener("message", ({ data, source }) => {
        const frame = document.querySelector("iframe");
        if (source === frame.contentWindow && data?.source === "changeover") frame.height = data.height;
      });`;
      response.end(request.url === "/" ? `<!doctype html><html lang="en"><title>Blog</title><h1>Blog</h1><script>${script}</script>${code}</html>` : "");
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    await use(async (embedCode) => {
      code = embedCode;
      await page.goto(`http://127.0.0.1:${server.address().port}/`);
      return page.frameLocator("iframe");
    });
    server.close();
    server.closeAllConnections();
  },
});

const frame = (address) => `<iframe src="${address}" title="Rollout" width="100%" height="300"></iframe>`;

/** Holds files back until the function that it returns is called. */
async function hold(page, files) {
  let release;
  const released = new Promise((resolve) => (release = resolve));
  await page.route(files, (route) => released.then(() => route.continue()));
  return release;
}

/** Copies the embed code of the page. */
async function copyEmbedCode(app) {
  const { page } = app;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await app.button("Share and download…").click();
  const menu = page.getByRole("dialog", { name: "Share and download" });
  await menu.getByRole("button", { name: "Copy embed code" }).click();
  await expect(menu.getByRole("status")).toHaveText("Copied");
  return page.evaluate(() => navigator.clipboard.readText());
}

test("a story is shown by its name, at each of its addresses", async ({ host, page, site }) => {
  const { name, headline, beginning: captions } = STORIES.find((story) => story.name === "quota");
  for (const path of ["embed/quota/", "embed/?embed=quota", "?embed=quota", "stories/stuck/?embed=quota"]) {
    await test.step(path, async () => {
      const inside = await host(frame(`${site}${path}`));
      await expect(inside.getByRole("heading", { level: 1 })).toHaveText(headline);
      await expect(inside.locator("svg.picture").first()).toHaveAccessibleName(/: \d+ pods?, /);
      await expect(inside.getByRole("navigation")).toHaveCount(0);
      await expect(inside.getByRole("button", { name: "Help" })).toHaveCount(0);
      await expect(inside.getByRole("heading", { level: 2, name: captions[0].title })).toBeVisible();
      await inside.getByRole("button", { name: "Next" }).click();
      await expect(inside.getByRole("heading", { level: 2, name: captions[1].title })).toBeVisible();
      // As tall as its content, so that nothing scrolls inside.
      await expect.poll(() => page.locator("iframe").evaluate((it) => it.clientHeight)).toBeGreaterThan(400);
      const content = inside.locator("html");
      await expect.poll(() => content.evaluate((it) => it.scrollHeight - it.clientHeight)).toBe(0);
      await expect(inside.getByRole("link", { name: "Open in Changeover" })).toHaveAttribute("href", `stories/${name}/`);
    });
  }
});

test("a story that shows its pods by node does so here, too", async ({ page, site }) => {
  const { name } = STORIES.find(({ by }) => by === "node");
  const app = new App(page);
  await app.open(`${site}stories/${name}/`);
  const tables = page.locator(".nodes");
  await expect(tables.first()).toBeAttached();
  const texts = await tables.allTextContents();
  await app.open(`${site}embed/${name}/`);
  await expect(app.button("Next")).toBeVisible();
  await expect.poll(() => tables.allTextContents()).toEqual(texts);
});

for (const [width, name] of [
  [360, "fifteen"],
  [1440, "lost-node"],
]) {
  test(`the picture of ${name} is there before the modules, with nothing around it, and stays, ${width} px`, async ({ host, page, site }) => {
    await page.setViewportSize({ width, height: 900 });
    const { headline, beginning, captions } = STORIES.find((story) => story.name === name);
    const [first] = [...beginning, ...captions];
    const startModules = await hold(page, "**/*.wasm");
    const inside = await host(frame(`${site}embed/${name}/`));
    const heading = inside.getByRole("heading", { level: 1 });
    const picture = inside.locator("svg.picture").first();
    const caption = inside.getByRole("heading", { level: 2, name: first.title });
    await expect(heading).toHaveText(headline);
    await expect(picture).toBeVisible();
    await expect(caption).toBeVisible();
    await expect(inside.getByRole("navigation")).toHaveCount(0);
    await expect(inside.getByRole("banner")).toHaveCount(0);
    await expect(inside.getByRole("button")).toHaveCount(0);
    await expect(inside.getByRole("link", { name: "Open in Changeover" })).toHaveAttribute("href", `stories/${name}/`);
    // The frame is as tall as its content by then, so that the page around it moves only once.
    const content = inside.locator("html");
    await expect.poll(() => content.evaluate((it) => it.scrollHeight - it.clientHeight)).toBe(0);
    await expect.poll(() => page.locator("iframe").evaluate((it) => it.clientHeight)).toBeGreaterThan(400);
    const boxes = () => Promise.all([heading, picture, caption].map((part) => part.boundingBox()));
    const before = await boxes();

    startModules();
    await expect(inside.locator(".lanes:not(.empty) > section.lane").first()).toBeVisible();
    await expect(inside.getByRole("button", { name: "Next" })).toBeVisible();
    const after = await boxes();
    for (const [index, { x, y, width, height }] of before.entries()) {
      expect(Math.abs(after[index].x - x)).toBeLessThan(1);
      expect(Math.abs(after[index].width - width)).toBeLessThan(1);
      // A line of text, at most: in a frame narrower than a phone, a lane's lines may need a second row of labels. The
      // caption stands below two lanes.
      const lanesAbove = index === 2 ? 2 : 1;
      expect(Math.abs(after[index].y - y)).toBeLessThan(25 * lanesAbove);
      expect(Math.abs(after[index].height - height)).toBeLessThan(25);
    }
  });
}

test("until a rollout is simulated, a text says what comes", async ({ host, page, site }) => {
  const app = new App(page);
  await app.open(`${site}sandbox/`);
  await app.type(app.input("Replicas"), "7");
  await expect(app.title).toContainText("You asked for 7 pods");
  const code = await copyEmbedCode(app);
  expect(code).toContain(`src="${site}embed/#state=`);
  const fragment = new URL(/src="([^"]*)"/.exec(code)[1]).hash;
  const startPage = await hold(page, "**/pkg/sandbox_bg.wasm");
  const startPlayer = await hold(page, "**/pkg/player_bg.wasm");
  const inside = await host(code);
  const intro = inside.getByText("The picture shows how many pods run at each moment", { exact: false });
  const link = inside.getByRole("link", { name: "Open in Changeover" });
  await expect(inside.getByRole("heading", { level: 1 })).toHaveText("What Kubernetes does, pod by pod");
  await expect(link).toHaveAttribute("href", `sandbox/${fragment}`);
  const words = await intro.textContent();
  const before = await intro.boundingBox();
  startPage();
  // Only the app has this id.
  await expect(inside.locator("#main")).toBeVisible();
  expect(await intro.textContent()).toBe(words);
  expect(await intro.boundingBox()).toEqual(before);
  await expect(link).toHaveAttribute("href", `sandbox/${fragment}`);
  startPlayer();
  await expect(inside.getByRole("heading", { level: 1 })).toContainText("You asked for 7 pods");
  await expect(intro).toHaveCount(0);
});

test("the embed code of a story leads to its own document, at the caption that is shown", async ({ host, page, site }) => {
  const { beginning, captions: own } = STORIES.find((story) => story.name === "quota");
  const captions = [...beginning, ...own];
  const app = new App(page);
  await app.open(`${site}stories/quota/`);
  await app.button("Next").click();
  await expect(app.caption).toContainText(captions[1].title);
  const code = await copyEmbedCode(app);
  const address = /src="([^"]*)"/.exec(code)[1];
  expect(address.split("=")[0]).toBe(`${site}embed/quota/#state`);
  // The same state leads there from the page for rollouts.
  for (const embedCode of [code, code.replace("embed/quota/", "embed/")]) {
    const inside = await host(embedCode);
    await expect(inside.getByRole("heading", { level: 2, name: captions[1].title })).toBeVisible();
    await expect(inside.getByText(`2 of ${captions.length}`)).toBeVisible();
  }
  await page.goto(address.replace("embed/quota/", "embed/"));
  await expect(page).toHaveURL(address);
  expect((await packedState(page)).story).toMatchObject({ name: "quota", caption: 1 });
});

test("the embed code of the menu shows the current settings and links back to them", async ({ context, page, host, site }) => {
  const app = new App(page);
  await app.open(`${site}sandbox/`);
  await app.type(app.input("Replicas"), "7");
  await expect(app.title).toContainText("You asked for 7 pods");
  await app.button("Show pods by node").click();
  await expect(page.locator(".nodes")).toHaveCount(2);
  const [headline, texts] = [await app.title.textContent(), await page.locator(".nodes").allInnerTexts()];
  const inside = await host(await copyEmbedCode(app));
  await expect(inside.getByRole("heading", { level: 1 })).toHaveText(headline);
  await expect(inside.locator("section.lane")).toHaveCount(2);
  await expect.poll(() => inside.locator(".nodes").allInnerTexts()).toEqual(texts);
  const [full] = await Promise.all([context.waitForEvent("page"), inside.getByRole("link", { name: "Open in Changeover" }).click()]);
  await expect(new App(full).input("Replicas")).toHaveValue("7");
});

for (const path of ["embed/quota/", "embed/"]) {
  test(`the keys that the buttons name work, at ${path}`, async ({ host, page, site }) => {
    const inside = await host(frame(`${site}${path}`));
    const clock = inside.getByRole("slider", { name: "Time", exact: true });
    const speed = inside.getByRole("combobox", { name: "Speed" });
    await expect(speed).toHaveValue("4×");
    await inside.getByRole("heading", { level: 1 }).click();
    await page.keyboard.press("End");
    await expect(clock).toHaveAttribute("aria-valuetext", /, step (\d+) of \1\. /);
    await page.keyboard.press("Home");
    await expect(clock).toHaveAttribute("aria-valuenow", "1");
    await page.keyboard.press("ArrowRight");
    await expect(clock).toHaveAttribute("aria-valuenow", "2");
    await page.keyboard.press("ArrowLeft");
    await expect(clock).toHaveAttribute("aria-valuenow", "1");
    await page.keyboard.press("Space");
    await expect(inside.getByRole("button", { name: "Pause", exact: true })).toBeVisible();
    await page.keyboard.press("Space");
    await expect(inside.getByRole("button", { name: "Play", exact: true })).toBeVisible();
    await page.keyboard.press("+");
    await expect(speed).toHaveValue("8×");
  });
}

test("an unknown story gives a one-sentence error", async ({ page, site }) => {
  await page.goto(`${site}embed/?embed=nothing`);
  await expect(page.getByText("There is no story “nothing”.")).toBeVisible();
});

test("it is accessible", async ({ page, site }) => {
  await new App(page).open(`${site}embed/quota/`);
  for (const width of [320, 1440]) {
    await page.setViewportSize({ width, height: 740 });
    await expectNoSidewaysScroll(page);
    expect(await violations(page, { targetSize: true }), `${width} px`).toEqual([]);
  }
});
