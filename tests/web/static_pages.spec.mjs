// The HTML pages as served: each story has its own address, title and text, even without JavaScript and below any path.
import { readFileSync } from "node:fs";
// Not from fixtures: without JavaScript, Chromium reports each preloaded script as a failure.
import { test, expect } from "@playwright/test";
import { violations } from "./axe.mjs";
import { serve } from "./site.mjs";

const read = (name) => JSON.parse(readFileSync(new URL(`../../www/scenarios/${name}`, import.meta.url)));
const STORIES = read("index.json").map(({ name, label }) => ({ name, label, ...read(`${name}.story.json`) }));

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  let server;
  test.beforeAll(async () => {
    server = await serve("/some/path/");
  });
  test.afterAll(() => server.close());

  test("links lead from page to page", async ({ page }) => {
    await page.goto(server.url);
    await expect(page).toHaveTitle(`${STORIES[0].title} · Changeover`);
    await page.getByRole("link", { name: STORIES[1].label }).click();
    await expect(page).toHaveURL(`${server.url}stories/${STORIES[1].name}/`);
    await page.getByRole("link", { name: "Sandbox" }).click();
    await expect(page).toHaveURL(`${server.url}sandbox/`);
    await expect(page).toHaveTitle("Sandbox · Changeover");
    await page.getByRole("link", { name: "Changeover" }).click();
    await expect(page).toHaveURL(server.url);
    await page.goto(`${server.url}stories/`);
    await page.getByRole("navigation", { name: "All stories" }).getByRole("link", { name: STORIES[1].label }).click();
    await expect(page).toHaveURL(`${server.url}stories/${STORIES[1].name}/`);
  });
});

test("the proof can be read on every screen, and leads into the repository", async ({ page }) => {
  const server = await serve("/some/path/");
  await page.goto(`${server.url}sandbox/`);
  await page.getByRole("link", { name: "How do you know?" }).click();
  await expect(page).toHaveURL(`${server.url}proof/`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Proved against a real control plane");
  for (const link of await page.getByRole("article").getByRole("link").all()) {
    expect(await link.getAttribute("href")).toMatch(/^https:/);
  }
  for (const width of [320, 1440]) {
    await page.setViewportSize({ width, height: 740 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  }
  await server.close();
});

// axe needs JavaScript, so the app is prevented from starting by other means.
test("the text is accessible", async ({ page }) => {
  const server = await serve("/");
  await page.route("**/main.js", (route) => route.fulfill({ contentType: "text/javascript", body: "" }));
  for (const path of [`stories/${STORIES[0].name}/`, "sandbox/", "stories/", "embed/", `embed/${STORIES[0].name}/`, "proof/", "404.html"]) {
    await page.goto(server.url + path);
    expect(await violations(page)).toEqual([]);
  }
  await server.close();
});
