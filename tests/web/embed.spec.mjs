// The view for other sites: only the picture, its controls, and a link.
import { createServer } from "node:http";
import { violations } from "./axe.mjs";
import { App, STORIES, expectNoSidewaysScroll, test as base, expect } from "./fixtures.mjs";

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

for (const [what, path] of [["page of its own", "embed/"], ["any page", ""]]) {
  test(`a story by its name, in ${what}`, async ({ host, page, site }) => {
    const { name, title, captions } = STORIES.find((story) => story.name === "quota");
    const inside = await host(frame(`${site}${path}?embed=${name}`));
    await expect(inside.getByRole("heading", { level: 1 })).toHaveText(title);
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

for (const { name } of STORIES.filter(({ by }) => by === "node")) {
  test(`the story ${name} shows its pods by node, as its own page does`, async ({ page, site }) => {
    const app = new App(page);
    await app.open(`${site}stories/${name}/`);
    const tables = page.locator(".nodes");
    await expect(tables.first()).toBeVisible();
    const texts = await tables.allInnerTexts();
    await app.open(`${site}embed/?embed=${name}`);
    await expect.poll(() => tables.allInnerTexts()).toEqual(texts);
  });
}

test("an embedded rollout shows its pods by node if the sandbox does", async ({ context, page, host, site }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const app = new App(page);
  await app.open(`${site}sandbox/`);
  await app.button("Show pods by node").click();
  await expect(page.locator(".nodes")).toHaveCount(2);
  const texts = await page.locator(".nodes").allInnerTexts();
  await app.button("Share and download…").click();
  const menu = page.getByRole("dialog", { name: "Share and download" });
  await menu.getByRole("button", { name: "Copy embed code" }).click();
  await expect(menu.getByRole("status")).toHaveText("Copied");
  const inside = await host(await page.evaluate(() => navigator.clipboard.readText()));
  await expect.poll(() => inside.locator(".nodes").allInnerTexts()).toEqual(texts);
});

test("the embed code of the menu shows the current settings and links back to them", async ({ context, page, host, site }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const app = new App(page);
  await app.open(`${site}sandbox/`);
  await app.type(app.input("Replicas"), "7");
  await expect(app.title).toContainText("You asked for 7 pods");
  const headline = await app.title.textContent();
  await app.button("Share and download…").click();
  const menu = page.getByRole("dialog", { name: "Share and download" });
  await menu.getByRole("button", { name: "Copy embed code" }).click();
  await expect(menu.getByRole("status")).toHaveText("Copied");
  const inside = await host(await page.evaluate(() => navigator.clipboard.readText()));
  await expect(inside.getByRole("heading", { level: 1 })).toHaveText(headline);
  await expect(inside.locator("section.lane")).toHaveCount(2);
  const [full] = await Promise.all([context.waitForEvent("page"), inside.getByRole("link", { name: "Open in Changeover" }).click()]);
  await expect(new App(full).input("Replicas")).toHaveValue("7");
});

test("an unknown story gives a one-sentence error", async ({ page, site }) => {
  await page.goto(`${site}embed/?embed=nothing`);
  await expect(page.getByText("There is no story “nothing”.")).toBeVisible();
});

for (const width of [320, 1440]) {
  test(`it is accessible at ${width} px`, async ({ page, site }) => {
    await page.setViewportSize({ width, height: 740 });
    await page.goto(`${site}embed/?embed=quota`);
    await expect(page.locator("svg.picture").first()).toHaveAccessibleName(/: \d+ pods?, /);
    await expectNoSidewaysScroll(page);
    expect(await violations(page, { targetSize: true })).toEqual([]);
  });
}
