// The pictures of the stories and the sandbox that are made from the page itself. They are written if UPDATE_PICTURES is set, or if
// one is missing; then build the page again.
//
// - www/previews/NAME.png: what other sites show beside a link to the page.
// - www/pictures/NAME.html: what the document of a story shows before the app has simulated it.
// - www/pictures/NAME.svg: the small picture in the list of all stories.
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { App, STORIES, test, expect } from "./fixtures.mjs";

/** The size that link previews are made for. */
const PREVIEW_SIZE = { width: 1200, height: 630 };

const MADE_BY = "<!-- The picture that the app draws first, without its controls. Made by tests/web/previews.spec.mjs. -->\n";

const fileOf = (path) => fileURLToPath(new URL(`../../www/${path}`, import.meta.url));

/** Whether a file is to be written. */
async function isMade(file) {
  await mkdir(dirname(file), { recursive: true });
  return process.env.UPDATE_PICTURES || !(await stat(file).catch(() => null));
}

/** The lanes of the page as HTML that needs no app: without controls, and with lengths that fit any size. */
function drawnLanes(page, name) {
  return page.evaluate((name) => {
    const lanes = document.querySelector(".lanes").cloneNode(true);
    for (const control of lanes.querySelectorAll("button, .measure, .setting-handles, .trade, .repeated")) control.remove();
    for (const picture of lanes.querySelectorAll(".picture")) {
      picture.setAttribute("preserveAspectRatio", "none");
      for (const given of ["width", "height", "class"]) picture.removeAttribute(given);
      picture.classList.add("picture");
    }
    for (const axis of lanes.querySelectorAll(".time-axis")) {
      for (const label of axis.children) {
        label.style.top = `${((100 * Number.parseFloat(label.style.top)) / Number.parseFloat(axis.style.height)).toFixed(2)}%`;
        for (const { name } of [...label.attributes]) if (!["class", "style"].includes(name)) label.removeAttribute(name);
        label.setAttribute("aria-hidden", "true");
      }
      axis.removeAttribute("style");
    }
    for (const sentence of lanes.querySelectorAll(".why .sentence")) sentence.textContent = sentence.textContent.trim();
    // The width is that of one window.
    lanes.removeAttribute("style");
    lanes.classList.add("empty");
    lanes.dataset.story = name;
    const html = document.querySelector("svg.patterns").outerHTML + lanes.outerHTML;
    return html.replace(/<!--.*?-->/g, "").replace(/(?=<(?:section|svg|div class="(?:lanes|timeline))\b)/g, "\n").trimStart();
  }, name);
}

/** The picture of the first lane, for a list in which it stands beside others. */
function smallPicture(page, name) {
  return page.evaluate((name) => {
    const picture = document.querySelector(".lanes svg.picture").cloneNode(true);
    for (const part of picture.querySelectorAll(".columns, .seams, .leader")) part.remove();
    for (const { name } of [...picture.attributes]) if (!["class", "viewBox"].includes(name)) picture.removeAttribute(name);
    picture.setAttribute("aria-hidden", "true");
    // Names that no other picture on the page has.
    return picture.outerHTML.replace(/<!--.*?-->/g, "").replace(/\b(past|future|areas)-0\b/g, `$1-${name}`);
  }, name);
}

/** Goes to the caption before the last one, which has the moment that a story is about. */
async function goToMoment(app, { beginning, captions }) {
  for (let caption = 2; caption < beginning.length + captions.length; caption += 1) await app.button("Next").click();
  await app.ready();
}

/** What a reader hears and reads of lanes: their names, figures and pictures. */
function content(page, html) {
  return page.evaluate((html) => {
    const lanes = new DOMParser().parseFromString(html, "text/html").querySelectorAll("section.lane");
    return [...lanes].map((lane) => [
      lane.getAttribute("aria-label"),
      lane.querySelector(".answers").textContent,
      lane.querySelector(".picture").getAttribute("aria-label"),
      lane.querySelector(".mark-labels")?.textContent,
    ]);
  }, html);
}

test.describe("link previews", () => {
  test.use({ viewport: PREVIEW_SIZE });

  test("every story and the sandbox have a preview", async ({ page, site }) => {
    test.slow();
    const stories = STORIES.map((story) => ({ ...story, path: `stories/${story.name}/` }));
    for (const { path, ...shown } of [...stories, { name: "sandbox", path: "sandbox/", beginning: [], captions: [] }]) {
      const { name } = shown;
      const file = fileOf(`previews/${name}.png`);
      if (await isMade(file)) {
        await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
        const app = new App(page);
        await app.open(`${site}${path}`);
        await goToMoment(app, shown);
        await page.screenshot({ path: file, animations: "disabled" });
      }
      const header = await readFile(file);
      expect([header.readUInt32BE(16), header.readUInt32BE(20)], name).toEqual([PREVIEW_SIZE.width, PREVIEW_SIZE.height]);
    }
  });
});

test.describe("the list of all stories", () => {
  // The picture has about the width that it has in the list.
  test.use({ viewport: { width: 360, height: 1000 } });

  test("has a small picture of each story", async ({ page, site }) => {
    test.slow();
    for (const story of STORIES) {
      const file = fileOf(`pictures/${story.name}.svg`);
      if (await isMade(file)) {
        const app = new App(page);
        await app.open(`${site}stories/${story.name}/`);
        await goToMoment(app, story);
        await writeFile(file, `${MADE_BY}${await smallPicture(page, story.name)}\n`);
      }
    }
    await page.goto(`${site}stories/`);
    const pictures = page.locator(".story-list svg.picture");
    await expect(pictures).toHaveCount(STORIES.length);
    for (const picture of await pictures.all()) {
      const [texts, width] = await picture.evaluate((it) => [it.querySelectorAll("text").length, it.getBoundingClientRect().width]);
      expect(texts).toBeGreaterThan(0);
      expect(width).toBeGreaterThan(230);
    }
  });
});

for (const { name, headline, title } of STORIES) {
  test(`the document of ${name} shows what the app draws first, and its text in view does not move`, async ({ page, site }) => {
    const file = fileOf(`pictures/${name}.html`);
    const app = new App(page);
    /** Where the text in view is in a narrow and in a wide window. */
    const places = async () => {
      const places = [];
      for (const [width, height] of [[360, 740], [1440, 900]]) {
        await page.setViewportSize({ width, height });
        const texts = headline === title ? [app.title, page.locator(".summary")] : [app.title];
        for (const text of texts) places.push(await text.boundingBox());
      }
      return places;
    };
    const held = new Promise((resolve) => page.route("**/main.js", resolve));
    await page.goto(`${site}stories/${name}/`, { waitUntil: "commit" });
    const script = await held;
    await expect(app.title).toBeVisible();
    // A style sheet that is still loading is not in the list.
    await page.waitForFunction(() => document.styleSheets.length > 0);
    const before = await places();
    await script.continue();
    await app.ready();
    await expect.poll(places).toEqual(before);
    const drawn = await drawnLanes(page, name);
    if (await isMade(file)) await writeFile(file, `${MADE_BY}${drawn}\n`);
    expect(await content(page, await readFile(file, "utf8")), `${file} is outdated: set UPDATE_PICTURES`).toEqual(await content(page, drawn));
  });
}

test("a reader sees the picture before the app starts, and it stays", async ({ page, site }) => {
  let startApp;
  const released = new Promise((resolve) => (startApp = resolve));
  await page.route("**/pkg/stories_bg.wasm", (route) => released.then(() => route.continue()));
  await page.goto(site);
  const app = new App(page);
  const picture = page.locator(".lanes svg.picture").first();
  await expect(picture).toBeVisible();
  const before = await picture.boundingBox();
  startApp();
  await app.ready();
  const after = await picture.boundingBox();
  // The app has a little more above it.
  for (const side of ["x", "width", "height"]) expect(after[side]).toBeCloseTo(before[side], 0);
  expect(Math.abs(after.y - before.y)).toBeLessThan(24);
});
