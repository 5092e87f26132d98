// Settings are kept in the address, and can be shared and downloaded.
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { violations } from "./axe.mjs";
import { App, STORIES, expectNoSidewaysScroll, packedState, test, expect } from "./fixtures.mjs";

const STATE = /#state=[\w-]+$/;

/** Opens the menu as a user would. */
async function openMenu(app) {
  await app.button("Share and download…").click();
  const menu = app.page.getByRole("dialog", { name: "Share and download" });
  await expect(menu).toBeVisible();
  return menu;
}

/** The file that a button of the menu offers. */
async function download(app, menu, name) {
  const [file] = await Promise.all([app.page.waitForEvent("download"), menu.getByRole("button", { name, exact: true }).click()]);
  await expect(menu.getByRole("status")).toHaveText("Downloaded");
  return { name: file.suggestedFilename(), content: readFileSync(await file.path()) };
}

/** A state in the page's compressed form. */
async function packed(page, state) {
  return page.evaluate(async (text) => {
    const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  }, JSON.stringify(state));
}

test("a reload changes nothing in the sandbox", async ({ sandbox, page }) => {
  await expect(page).toHaveURL(/\/sandbox\/$/);
  await sandbox.type(sandbox.input("Replicas"), "8");
  await sandbox.type(sandbox.input("maxSurge"), "50%");
  const controllers = sandbox.form.getByText(/^The controllers/);
  await controllers.click();
  const limited = sandbox.form.getByRole("checkbox", { name: /20 requests a second/ });
  await limited.uncheck();
  await page.getByRole("combobox", { name: "Compare with" }).selectOption("my other settings");
  const other = page.getByRole("form", { name: "The other rollout" }).getByRole("textbox", { name: "Replicas" });
  await sandbox.type(other, "9");
  await expect(sandbox.title).toContainText("You asked for 8 pods");
  // Each new result opens at the moment that matters.
  await sandbox.settled();
  await sandbox.button("To the start").click();
  await sandbox.button("Show pods by node").click();
  await expect(page).toHaveURL(STATE);
  // The address is written once nothing has changed for a moment.
  const address = async () => page.evaluate(() => location.href);
  await expect.poll(async () => (await packedState(page)).byNode).toBe(true);
  const before = [await address(), await sandbox.state()];
  await page.reload();
  await sandbox.ready();
  await expect(sandbox.input("Replicas")).toHaveValue("8");
  await expect(sandbox.input("maxSurge")).toHaveValue("50%");
  await expect(other).toHaveValue("9");
  await expect(limited).not.toBeChecked();
  await expect(sandbox.button("Hide pods by node")).toBeVisible();
  await expect(sandbox.position).toContainText("0:00 of");
  await expect.poll(async () => [await address(), await sandbox.state()]).toEqual(before);
});

test("after a reload, what is set can be seen", async ({ sandbox, page }) => {
  const group = (name) => sandbox.form.locator("details", { hasText: name });
  await sandbox.type(sandbox.input("Ready for at least"), "5");
  await expect(sandbox.title).toContainText("You asked for 15 pods");
  await sandbox.settled();
  await page.reload();
  await sandbox.ready();
  await expect(sandbox.input("Ready for at least")).toHaveValue("5");
  for (const name of ["The controllers", "The cluster around it"]) await expect(group(name)).not.toHaveAttribute("open");
});

test("a reload keeps the API write to which the sandbox is zoomed in", async ({ sandbox, page }) => {
  await sandbox.button("zoom in").click();
  await expect.poll(async () => (await packedState(page)).zoomedIn).toBe(true);
  for (let step = 0; step < 2; step += 1) {
    const before = page.url();
    await sandbox.button("Step").click();
    // The address is written once nothing has changed for a moment.
    await expect.poll(() => page.url()).not.toBe(before);
    await expect(sandbox.position).toContainText("API write");
    const [position, state] = [await sandbox.position.textContent(), await sandbox.state()];
    await page.reload();
    await sandbox.ready();
    await expect(sandbox.button("zoom in")).toHaveAttribute("aria-pressed", "true");
    await expect(sandbox.position).toHaveText(position);
    await expect.poll(() => sandbox.state()).toEqual(state);
  }
  await sandbox.button("zoom in").click();
  await expect.poll(async () => (await packedState(page)).zoomedIn).toBeUndefined();
});

test("a reload keeps the API write to which a story is zoomed in", async ({ page, site }) => {
  const app = new App(page);
  await app.openOwnCase(`${site}stories/${STORIES[2].name}/`);
  await app.button("Next").click();
  await app.showPlayer();
  await app.button("zoom in").click();
  await expect.poll(async () => (await packedState(page)).zoomedIn).toBe(true);
  const zoomed = page.url();
  await app.button("Step").click();
  await expect.poll(() => page.url()).not.toBe(zoomed);
  const [position, state] = [await app.position.textContent(), await app.state()];
  await page.reload();
  await app.ready();
  await app.showPlayer();
  await expect(app.button("zoom in")).toHaveAttribute("aria-pressed", "true");
  await expect(app.position).toHaveText(position);
  await expect.poll(() => app.state()).toEqual(state);
});

test("a reload right after typing loses nothing, not even what is invalid", async ({ sandbox, page }) => {
  // The address is written half a second after the last key.
  await sandbox.type(sandbox.input("Replicas"), "8");
  await page.reload();
  await sandbox.ready();
  await expect(sandbox.input("Replicas")).toHaveValue("8");
  await expect(page).toHaveURL(STATE);
  // Once: another reload brings what the address says.
  await sandbox.type(sandbox.input("Replicas"), "9");
  await expect.poll(async () => (await packedState(page)).sandbox.settings.replicas).toBe("9");
  await page.reload();
  await sandbox.ready();
  await expect(sandbox.input("Replicas")).toHaveValue("9");
  await sandbox.type(sandbox.input("Replicas"), "-1");
  await expect(page.getByRole("alert")).toBeVisible();
  await expect.poll(async () => (await packedState(page)).sandbox.settings.replicas).toBe("-1");
  await page.reload();
  await expect(sandbox.input("Replicas")).toHaveValue("-1");
});

test("Back undoes a setting that is changed right after a reload", async ({ virtualClock, sandbox, page }) => {
  await sandbox.type(sandbox.input("Replicas"), "8");
  await expect(page).toHaveURL(STATE);
  // No time passes, not even in the reloaded page, so it can't write the address before the change.
  await virtualClock.pauseAt(Date.now() + 3_600_000);
  await page.reload();
  await sandbox.ready();
  await sandbox.settled();
  const eight = page.url();
  await sandbox.type(sandbox.input("Replicas"), "9");
  await virtualClock.resume();
  await expect.poll(() => page.url()).not.toBe(eight);
  await page.goBack();
  await expect(sandbox.input("Replicas")).toHaveValue("8");
});

test("the address contains the user's actions and only the changed settings", async ({ sandbox, page }) => {
  await sandbox.openWhatIf();
  await page.keyboard.press("Tab");
  await page.keyboard.type("20");
  await page.keyboard.press("Enter");
  const done = page.getByRole("list", { name: "What you did" });
  await expect(done).toContainText("scale");
  const list = await done.textContent();
  await expect.poll(async () => (await packedState(page)).forks?.length).toBe(1);
  expect((await packedState(page)).sandbox.settings).toEqual({});
  await page.reload();
  await expect(done).toHaveText(list);
});

test("Back and Forward bring settings back", async ({ sandbox, page }) => {
  await sandbox.type(sandbox.input("Replicas"), "8");
  await expect(page).toHaveURL(STATE);
  const eight = page.url();
  // One key each: a slow typist's intermediate number may get its own entry.
  await sandbox.type(sandbox.input("Replicas"), "9");
  await expect.poll(() => page.url()).not.toBe(eight);
  const nine = page.url();
  // Another moment adds no entry.
  await sandbox.button("To the start").click();
  await expect.poll(() => page.url()).not.toBe(nine);
  await page.goBack();
  await expect(sandbox.input("Replicas")).toHaveValue("8");
  await expect(sandbox.title).toContainText("You asked for 8 pods");
  await page.goBack();
  await expect(sandbox.input("Replicas")).toHaveValue("15");
  await expect(page).toHaveURL(/\/sandbox\/$/);
  await page.goForward();
  await expect(sandbox.input("Replicas")).toHaveValue("8");
  await page.goForward();
  await expect(sandbox.input("Replicas")).toHaveValue("9");
  await expect(sandbox.position).toContainText("0:00 of");
  // Across pages.
  await page.getByRole("link", { name: "Stories" }).click();
  await expect(sandbox.captions.first()).toBeVisible();
  await page.goBack();
  await expect(sandbox.input("Replicas")).toHaveValue("9");
});

test("a reload keeps the caption of a story, and its version", async ({ page, site }) => {
  const app = new App(page);
  const { name, helps } = STORIES.find(({ beginning }) => beginning.length === 0);
  await app.open(`${site}stories/${name}/`);
  await expect(page).toHaveURL(new RegExp(`/stories/${name}/$`));
  await app.button("Next").click();
  await app.button("Next").click();
  const title = await app.caption.getByRole("heading").textContent();
  await expect.poll(async () => (await packedState(page)).story?.caption).toBe(2);
  const before = await app.state();
  await page.reload();
  await app.ready();
  await expect(app.caption.getByRole("heading")).toHaveText(title);
  await expect.poll(() => app.state()).toEqual(before);
  await page.getByRole("button", { name: helps.button }).click();
  await expect.poll(async () => (await packedState(page)).story?.showsRemedy).toBe(true);
  await page.reload();
  await app.ready();
  await expect(page.getByRole("button", { name: "Back to what happened" })).toBeVisible();
});

test("a broken, cut or newer address is one sentence and the defaults", async ({ sandbox, page, site }) => {
  const changed = "This link is incomplete or was changed, so the page starts with its defaults.";
  const cut = (await packed(page, { version: 1, sandbox: { settings: { replicas: "9" } } })).slice(0, -8);
  const newer = await packed(page, { version: 99, color: "blue" });
  for (const [state, sentence] of [
    ["abc%$", changed],
    [cut, changed],
    [newer, "This link was created by a newer version of the page, so the page starts with its defaults. To get that version, reload the page."],
  ]) {
    await page.goto("about:blank");
    await sandbox.open(`${site}sandbox/#state=${state}`);
    await expect(page.getByRole("alert")).toHaveText(sentence);
    await expect(sandbox.input("Replicas")).toHaveValue("15");
  }
  await page.getByRole("link", { name: "Stories" }).click();
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("copies a link that opens the same state", async ({ sandbox, page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await sandbox.type(sandbox.input("Replicas"), "7");
  await expect(sandbox.title).toContainText("You asked for 7 pods");
  const menu = await openMenu(sandbox);
  await menu.getByRole("button", { name: "Copy link" }).click();
  await expect(menu.getByRole("status")).toHaveText("Copied");
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toMatch(STATE);
  const other = new App(await context.newPage());
  await other.open(link);
  await expect(other.input("Replicas")).toHaveValue("7");
});

test("downloads the current picture", async ({ sandbox, page }) => {
  const menu = await openMenu(sandbox);
  const svg = await download(sandbox, menu, "Picture (SVG)");
  expect(svg.name).toBe("rollout.svg");
  const text = svg.content.toString();
  for (const part of ["You asked for 15 pods", "maxSurge 25%", "pods at most", "Changeover · http", "TerminationComplete", "0:00"]) {
    expect(text).toContain(part);
  }
  // It does not depend on the page, so it looks the same elsewhere.
  expect(text).not.toMatch(/class="|style="|var\(/);
  const png = await download(sandbox, menu, "Picture (PNG)");
  expect([...png.content.subarray(1, 4)].map((byte) => String.fromCharCode(byte)).join("")).toBe("PNG");
  const [width, height] = [png.content.readUInt32BE(16), png.content.readUInt32BE(20)];
  expect(width).toBeGreaterThan(1500);
  expect(height).toBeGreaterThan(800);
  const drawn = await page.evaluate(async (base64) => {
    const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), (it) => it.charCodeAt(0))]));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
    canvas.drawImage(bitmap, 0, 0);
    const { data } = canvas.getImageData(0, 0, bitmap.width, bitmap.height);
    const colors = new Set();
    for (let index = 0; index < data.length; index += 4 * 7) colors.add((data[index] << 16) | (data[index + 1] << 8) | data[index + 2]);
    return colors.size;
  }, png.content.toString("base64"));
  expect(drawn).toBeGreaterThan(20);
  // It has the rule that is shown.
  await page.keyboard.press("Escape");
  await expect(menu).toBeHidden();
  await sandbox.lane(0).getByRole("button", { name: "Show the rule" }).click();
  // The tables come last.
  await expect(page.locator(".rule caption").first()).toBeVisible();
  const texts = await textsOf(page.locator(".rule :is(.formula, dt, caption, th, td)"));
  const withRule = await drawnIn(page, (await download(sandbox, await openMenu(sandbox), "Picture (SVG)")).content.toString());
  for (const text of texts) expect(withRule.text).toContain(text);
  expect(withRule.gap).toBeLessThan(40);
});

/** What an SVG draws: its texts without spaces, the number of its tiles by node, and the gap between the lanes and the link below. */
async function drawnIn(page, svg) {
  const blank = await page.context().newPage();
  await blank.setContent(svg);
  const drawn = await blank.evaluate(() => {
    const shapes = [...document.querySelectorAll("svg > g :is(text, rect)")].filter((shape) => !shape.closest("defs"));
    const lowest = Math.max(...shapes.map((shape) => shape.getBoundingClientRect().bottom));
    return {
      text: [...document.querySelectorAll("svg > g text")].map((text) => text.textContent.replace(/\s/g, "")).join(""),
      tiles: document.querySelectorAll("svg > g > svg > svg").length,
      gap: document.querySelector("svg > a").getBoundingClientRect().top - lowest,
    };
  });
  await blank.close();
  return drawn;
}

/** The texts of elements without spaces. */
async function textsOf(elements) {
  return (await elements.allInnerTexts()).map((text) => text.replace(/\s/g, "")).filter(Boolean);
}

test("the picture of a story that shows its pods by node has them", async ({ page, story }) => {
  for (const it of STORIES.filter(({ by }) => by === "node")) {
    await test.step(it.name, async () => {
      await story.openStory(it);
      const cells = page.locator(".nodes :is(caption, th, td)");
      await expect(cells.first()).toBeVisible();
      const menu = await openMenu(story);
      const [texts, tiles] = [await textsOf(cells), await page.locator(".nodes .tile").count()];
      expect(tiles).toBeGreaterThan(0);
      const svg = await download(story, menu, "Picture (SVG)");
      const drawn = await drawnIn(page, svg.content.toString());
      for (const text of texts) expect(drawn.text).toContain(text);
      expect(drawn.tiles).toBe(tiles);
      expect(drawn.gap).toBeLessThan(40);
      await page.keyboard.press("Escape");
      await expect(menu).toBeHidden();
    });
  }
});

test("downloads the numbers, the manifest and a comment", async ({ sandbox }) => {
  const menu = await openMenu(sandbox);
  const peak = Number(await sandbox.answer(0, "pods at most").textContent());
  const csv = (await download(sandbox, menu, "Numbers (CSV)")).content.toString();
  const [header, ...rows] = csv.trimEnd().split("\r\n").map((line) => line.split(","));
  expect(header).toEqual(["lane", "seconds", "old available", "new available", "starting", "terminating", "pods", "at least", "desired", "limit", "over"]);
  expect(Math.max(...rows.filter(([lane]) => lane === "Your settings").map((row) => Number(row[6])))).toBe(peak);
  const json = JSON.parse((await download(sandbox, menu, "Numbers (JSON)")).content.toString());
  expect(json.lanes.map(({ name, answers: [{ value }] }) => [name, value])).toEqual([["Your settings", `${peak}`], ["TerminationComplete", "19"]]);
  expect(json.lanes[0].moments).toHaveLength(rows.filter(([lane]) => lane === "Your settings").length);
  const yaml = (await download(sandbox, menu, "Manifest (YAML)")).content.toString();
  expect(yaml).toMatch(/^apiVersion: apps\/v1\nkind: Deployment\n/);
  expect(yaml).toContain('      maxSurge: 25%\n');
  const markdown = (await download(sandbox, menu, "Pull request comment (Markdown)")).content.toString();
  expect(markdown).toContain(`| pods at most | ${peak} (${peak - 19} over 19) | 19 |`);
  expect(markdown).toMatch(/\[Open this rollout in Changeover\]\(http.*\/sandbox\/#state=[\w-]+\)/);
});

test("a downloaded state opens again, and another file is explained", async ({ sandbox, page }, info) => {
  await sandbox.type(sandbox.input("Replicas"), "6");
  await expect(sandbox.title).toContainText("You asked for 6 pods");
  const file = await download(sandbox, await openMenu(sandbox), "Everything, to open here again");
  const path = info.outputPath(file.name);
  writeFileSync(path, file.content);
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Stories" }).click();
  await expect(sandbox.captions.first()).toBeVisible();
  const menu = await openMenu(sandbox);
  const other = info.outputPath("other.json");
  writeFileSync(other, '{"kind": "Deployment"}');
  await menu.getByLabel(/Open a downloaded/).setInputFiles(other);
  await expect(menu.getByRole("status")).toHaveText("This file is incomplete, or it was not downloaded from this page.");
  await menu.getByLabel(/Open a downloaded/).setInputFiles(path);
  await expect(page).toHaveURL(/\/sandbox\//);
  await expect(sandbox.input("Replicas")).toHaveValue("6");
});

test("a state that is too large for an address stays in the tab, and becomes a file", async ({ sandbox, page, context }, info) => {
  // Random keys, which can't be compressed. A link keeps them.
  const keys = Array.from({ length: 300 }, () => randomBytes(30).toString("hex"));
  const annotations = Object.fromEntries(keys.map((key) => [key, ""]));
  const action = JSON.stringify({ annotate: { kind: "Deployment", name: "web", annotations } });
  await sandbox.openWhatIf();
  await sandbox.whatIf.getByRole("combobox").selectOption("run an action (JSON)");
  await sandbox.whatIf.getByRole("textbox").click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(action);
  await page.keyboard.press("Enter");
  const done = page.getByRole("list", { name: "What you did" });
  await expect(done).toContainText("annotate");
  const menu = await openMenu(sandbox);
  await menu.getByRole("button", { name: "Copy link" }).click();
  await expect(menu.getByRole("status")).toContainText("This is too large for a link.");
  await expect(page).toHaveURL(/\/sandbox\/#tab$/);
  const file = await download(sandbox, menu, "Everything, to open here again");
  const path = info.outputPath(file.name);
  writeFileSync(path, file.content);
  // The page's address alone opens the defaults: the comment says what to open.
  const comment = (await download(sandbox, menu, "Pull request comment (Markdown)")).content.toString();
  expect(comment).not.toContain("Open this rollout");
  expect(comment).toContain(`open the file \`${file.name}\``);
  await page.reload();
  await expect(done).toContainText("annotate");
  await expect(page.getByText("This is too large for a link.")).toBeVisible();
  // Another tab knows nothing of it, but can open the file.
  const other = new App(await context.newPage());
  await other.open(page.url());
  await expect(other.page.getByRole("alert")).toContainText("This link works only in the tab that created it");
  const otherDone = other.page.getByRole("list", { name: "What you did" });
  await expect(otherDone).toHaveCount(0);
  await (await openMenu(other)).getByLabel(/Open a downloaded/).setInputFiles(path);
  await expect(otherDone).toContainText("annotate");
});

test("the menu works with the keyboard alone, and axe finds no problem", async ({ sandbox, page }) => {
  const button = sandbox.button("Share and download…");
  for (const [width, colorScheme] of [[1440, "light"], [320, "dark"]]) {
    await page.setViewportSize({ width, height: 740 });
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await button.focus();
    await page.keyboard.press("Enter");
    const menu = page.getByRole("dialog", { name: "Share and download" });
    await expect(menu).toBeVisible();
    await expectNoSidewaysScroll(page);
    const box = await menu.boundingBox();
    expect([box.x >= 0, box.x + box.width <= width]).toEqual([true, true]);
    expect(await violations(page, { targetSize: true }), `${width} px, ${colorScheme}`).toEqual([]);
    await expect(menu.locator(":focus")).toBeVisible();
    for (let presses = 0; presses < 12; presses += 1) {
      if (await menu.getByRole("button", { name: "Numbers (CSV)" }).evaluate((it) => it === document.activeElement)) break;
      await page.keyboard.press("Tab");
    }
    const [file] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
    expect(file.suggestedFilename()).toBe("rollout.csv");
    await page.keyboard.press("Escape");
    await expect(menu).toBeHidden();
    await expect(button).toBeFocused();
  }
});

test("if the browser can't copy, the text can be selected", async ({ sandbox, page }) => {
  await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
  const menu = await openMenu(sandbox);
  await menu.getByRole("button", { name: "Copy link" }).click();
  await expect(menu.getByRole("textbox")).toHaveValue(/#state=[\w-]+$/);
});
