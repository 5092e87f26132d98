// The page without a network, once the reader keeps it offline. The server is closed, so no request gets an answer.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { violations } from "./axe.mjs";
import { App, STORIES, test, expect } from "./fixtures.mjs";
import { SITE, serve } from "./site.mjs";

// A browser without a network logs that to its console.
// The worker of an earlier test would answer.
test.use({ reuseContext: false, keepsFilesOffline: true, expectedProblems: /ERR_CONNECTION_REFUSED|ERR_FAILED|Failed to (fetch|load|update)|^failed: .*service-worker\.js|unknown error occurred when fetching/ });

/** Keeps everything offline, and waits until the service worker serves this page. */
async function keep(app) {
  await app.button("Share and download…").click();
  const menu = app.page.getByRole("dialog", { name: "Share and download" });
  await menu.getByRole("button", { name: "Keep everything offline" }).click();
  await expect(menu.getByRole("status")).toHaveText("Every page opens offline now");
  await menu.getByRole("button", { name: "Close" }).click();
  await expect.poll(() => app.page.evaluate(() => navigator.serviceWorker.controller?.state)).toBe("activated");
}

const MANIFEST = JSON.stringify({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "shop" },
  spec: {
    replicas: 4,
    selector: { matchLabels: { app: "shop" } },
    template: { metadata: { labels: { app: "shop" } }, spec: { containers: [{ name: "shop", image: "shop:1" }] } },
  },
});

test("the stories, the sandbox and the editor work without a network", async ({ page }) => {
  test.slow();
  const server = await serve("/some/path/");
  const app = new App(page);
  await app.open(server.url);
  await keep(app);
  await server.close();
  // By links and by the address bar.
  await page.getByRole("button", { name: "Open in the sandbox" }).click();
  await expect(app.title).toContainText("You asked for 3 pods");
  await page.getByRole("link", { name: "Stories" }).click();
  await expect(app.title).toHaveText(STORIES[0].headline);
  await page.getByRole("link", { name: "Sandbox" }).click();
  await app.type(app.input("Replicas"), "6");
  await expect(app.title).toContainText("You asked for 6 pods");
  // The list of what is kept has every file.
  for (const { name, headline } of [STORIES[1], STORIES.at(-1)]) {
    await app.open(`${server.url}stories/${name}/`);
    await expect(app.title).toHaveText(headline);
  }
  await app.open(`${server.url}sandbox/`);
  // The editor and the workbench, which an online visitor loads only when they are opened.
  await app.button("YAML").click();
  const editor = page.getByRole("textbox", { name: "Your manifests, or the state of your cluster" });
  await expect(page.locator("yaml-editor")).toBeVisible();
  await editor.click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(MANIFEST);
  await expect(app.title).toContainText("You asked for 4 pods");
  await app.settled();
  await app.button("To the start").click();
  await app.play.click();
  await expect(app.clock).toHaveText(/0:0[1-9]/);
  await app.pause.click();
  await app.button("Share and download…").click();
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Numbers (CSV)" }).click()]);
  expect(file.suggestedFilename()).toBe("rollout.csv");
  await page.goto(`${server.url}proof/`);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.goto(`${server.url}embed/?embed=quota`);
  await expect(page.locator("svg.picture").first()).toHaveAccessibleName(/: \d+ pods?, /);
  // Somebody left out the last slash.
  await app.open(`${server.url}stories/quota`);
  await expect(page).toHaveURL(`${server.url}stories/quota/`);
});

/** A copy of the site that can be changed. */
function changeableSite() {
  const folder = mkdtempSync(join(tmpdir(), "changeover-site-"));
  cpSync(SITE, folder, { recursive: true });
  return folder;
}

/** Puts another version of the style sheet into a site. */
function release(folder, style) {
  const file = join(folder, "style.css");
  writeFileSync(file, readFileSync(file, "utf8") + style);
  const list = join(folder, "precache.js");
  const precache = JSON.parse(readFileSync(list, "utf8").replace(/^const precache = /, "").replace(/;\n$/, ""));
  const hash = createHash("sha256").update(readFileSync(file)).digest("base64");
  precache.files.find(([name]) => name === "style.css")[1] = `sha256-${hash}`;
  precache.version = hash.slice(0, 12);
  writeFileSync(list, `const precache = ${JSON.stringify(precache)};\n`);
}

const background = (page) => page.evaluate(() => getComputedStyle(document.body).borderTopColor);

test("a new version is announced once, and runs after a reload", async ({ page, context }) => {
  const folder = changeableSite();
  const server = await serve("/", folder);
  const app = new App(page);
  await app.open(`${server.url}sandbox/`);
  await keep(app);
  await app.type(app.input("Replicas"), "7");
  await expect(page).toHaveURL(/#state=/);
  release(folder, "body { border-top-color: rgb(1, 2, 3) }");
  // Browsers look for a new worker when a page is opened.
  await page.reload();
  await app.ready();
  const notice = page.getByRole("status").filter({ hasText: "A new version is ready." });
  await expect(notice).toBeVisible();
  expect(await violations(page)).toEqual([]);
  expect(await background(page)).not.toBe("rgb(1, 2, 3)");
  // With another tab of the old version, the old version keeps its files.
  const other = new App(await context.newPage());
  await other.open(server.url);
  await notice.getByRole("button", { name: "Reload" }).click();
  await expect(page.getByRole("status").filter({ hasText: "Close the other tabs of this page first." })).toBeVisible();
  await other.page.close();
  await page.locator(".update").getByRole("button", { name: "Reload" }).click();
  await expect.poll(() => background(page).catch(() => "")).toBe("rgb(1, 2, 3)");
  await app.ready();
  await expect(app.input("Replicas")).toHaveValue("7");
  await expect(notice).toHaveCount(0);
  release(folder, "body { border-top-color: rgb(4, 5, 6) }");
  await page.reload();
  await app.ready();
  await notice.getByRole("button", { name: "Later" }).click();
  await page.reload();
  await app.ready();
  await expect(notice).toHaveCount(0);
  // "Later" is about that version only.
  release(folder, "body { border-top-color: rgb(7, 8, 9) }");
  await page.reload();
  await app.ready();
  await expect(notice).toBeVisible();
  await server.close();
  rmSync(folder, { recursive: true });
});

test("a copy of the page below another path keeps its own files and versions", async ({ page, context }) => {
  const folder = mkdtempSync(join(tmpdir(), "changeover-sites-"));
  for (const path of ["main", "preview"]) cpSync(SITE, join(folder, path), { recursive: true });
  const server = await serve("/", folder);
  const app = new App(page);
  await app.open(`${server.url}main/sandbox/`);
  await keep(app);
  const preview = new App(await context.newPage());
  await preview.open(`${server.url}preview/sandbox/`);
  await keep(preview);
  // The other copy's tab doesn't keep this one's new version waiting.
  release(join(folder, "preview"), "body { border-top-color: rgb(1, 2, 3) }");
  await preview.page.reload();
  await preview.ready();
  await preview.page.locator(".update").getByRole("button", { name: "Reload" }).click();
  await expect.poll(() => background(preview.page).catch(() => "")).toBe("rgb(1, 2, 3)");
  await preview.ready();
  await server.close();
  await page.reload();
  await app.ready();
  await expect(app.title).toContainText("You asked for 15 pods");
  rmSync(folder, { recursive: true });
});

test("an incomplete version is not used", async ({ page }) => {
  const folder = changeableSite();
  const server = await serve("/", folder);
  const app = new App(page);
  await app.open(`${server.url}sandbox/`);
  await keep(app);
  release(folder, "body { border-top-color: rgb(1, 2, 3) }");
  // It is still being uploaded: this file does not match the list.
  writeFileSync(join(folder, "style.css"), "body { border-top-color: rgb(4, 5, 6) }");
  const update = page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    await registration.update().catch(() => {});
    const { installing } = registration;
    if (installing) await new Promise((resolve) => installing.addEventListener("statechange", () => installing.state !== "installing" && resolve()));
    return [registration.waiting, registration.active.state].map((it) => it ?? "none");
  });
  expect(await update).toEqual(["none", "activated"]);
  await page.reload();
  await app.ready();
  expect(await background(page)).not.toBe("rgb(4, 5, 6)");
  await server.close();
  rmSync(folder, { recursive: true });
});

test("the developer's server removes the service worker of an earlier visit", async ({ page }) => {
  const folder = changeableSite();
  const server = await serve("/", folder);
  const app = new App(page);
  await app.open(`${server.url}sandbox/`);
  await keep(app);
  cpSync(new URL("../../www/offline/no-service-worker.js", import.meta.url), join(folder, "service-worker.js"));
  await page.reload();
  // The page reloads meanwhile; during that, evaluate fails.
  const left = async () => [await navigator.serviceWorker.getRegistration(), ...(await caches.keys())].map(String);
  await expect.poll(() => page.evaluate(left).catch(() => [])).toEqual(["undefined"]);
  await server.close();
  rmSync(folder, { recursive: true });
});
