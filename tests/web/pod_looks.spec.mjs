// A pod looks the same wherever it is drawn: in a lane, by node, in the help, and in a file.
import { readFileSync } from "node:fs";
import { test, expect } from "./fixtures.mjs";

/** How each tile looks, by the name of its pod: its state, and the paint of each shape with its height and place in the outline, in twelfths. */
const looksOf = async (tiles) =>
  new Map(
    await tiles.evaluateAll((tiles) =>
      tiles.map((tile) => {
        const shapes = [...tile.children].filter((shape) => shape.matches("rect, path"));
        const boxes = shapes.map((shape) => shape.getBBox());
        const outline = boxes.reduce((most, box) => (box.height > most.height ? box : most), { height: 0 });
        const twelfths = (length) => Math.round((12 * length) / outline.height);
        const looks = shapes.map((shape, index) => {
          const { fill, stroke, strokeDasharray, strokeWidth, opacity } = getComputedStyle(shape);
          // The strokes of a sign grow with the tile.
          const place = shape.matches("rect") ? [twelfths(boxes[index].height), twelfths(boxes[index].y - outline.y)] : [];
          return { shape: shape.localName, sign: shape.getAttribute("d"), fill, stroke, strokeDasharray, strokeWidth, opacity, place };
        });
        const name = (tile.querySelector("title")?.textContent ?? "").split(":")[0] || tile.closest("li")?.textContent;
        const state = [...tile.classList].find((name) => !/^(tile|r\d)$/.test(name));
        const hue = [...tile.classList].find((name) => /^r\d$/.test(name));
        return [name, { state, hue, looks }];
      }),
    ),
  );

/** The states of the pods that look the same in the row of a lane and by node; other pods would fail the test. */
async function statesInBoth(app, lane) {
  const [row, byNode] = [await looksOf(app.tiles(lane)), await looksOf(app.lane(lane).locator(".nodes .tile"))];
  const states = new Set();
  for (const [name, look] of byNode) {
    // The hue of a Job's pod in its column is its attempt.
    if (row.get(name)?.hue !== look.hue) continue;
    expect(row.get(name), name).toEqual(look);
    states.add(look.state);
  }
  return states;
}

/** Goes from step to step until all of these states have been compared. */
async function compareUntil(app, lane, states) {
  const missing = new Set(states);
  await app.button("To the start").click();
  await expect(async () => {
    for (const state of await statesInBoth(app, lane)) missing.delete(state);
    if (missing.size > 0) await app.button("Step").click();
    expect([...missing]).toEqual([]);
  }).toPass({ intervals: [0] });
}

/** Expects that the pods of a lane and those by node look in a file as they do on the page. */
async function expectSameInFile(app, page) {
  const selectors = [".picture .tiles .tile", ".nodes .tile"];
  const shown = await Promise.all(selectors.map((selector) => looksOf(app.lane(0).locator(selector))));
  await app.button("Share and download…").click();
  const menu = page.getByRole("dialog", { name: "Share and download" });
  const [file] = await Promise.all([page.waitForEvent("download"), menu.getByRole("button", { name: "Picture (SVG)", exact: true }).click()]);
  const blank = await page.context().newPage();
  await blank.setContent(readFileSync(await file.path()).toString());
  for (const [index, place] of ["svg > g > g > svg", "svg > g > svg > svg"].entries()) {
    const drawn = await looksOf(blank.locator(`${place} g:has(> title)`));
    for (const [name, { looks }] of shown[index]) expect(drawn.get(name)?.looks, name).toEqual(looks);
    expect(shown[index].size).toBeGreaterThan(0);
  }
  await blank.close();
  await page.keyboard.press("Escape");
}

test("the pods of an update look the same in a lane, by node and in a file", async ({ sandbox, page }) => {
  await sandbox.type(sandbox.input("minReadySeconds"), "10");
  await sandbox.type(sandbox.input("Time to stop"), "20");
  await page.getByText("The cluster around it").click();
  await sandbox.type(page.getByRole("textbox", { name: "Time to pull its image" }), "5");
  await sandbox.settled();
  await sandbox.button("Show pods by node").click();
  for (const state of ["available", "pending", "starting", "ready", "terminating"]) {
    await compareUntil(sandbox, 0, [state]);
    await expectSameInFile(sandbox, page);
  }
});

test("each state has a look of its own in the help, without its hue, which is that of the lanes", async ({ sandbox, page }) => {
  await page.keyboard.press("?");
  const help = await looksOf(page.locator(".help .tile"));
  /** What does not depend on the hue, or on how far a pod is. */
  const withoutHue = ({ looks }) =>
    looks.map(({ shape, sign, fill, strokeDasharray, opacity }) => [shape, sign, fill.startsWith("url") ? "pattern" : fill === "none", strokeDasharray, opacity]);
  const states = new Map([...help.values()].map((look) => [look.state, JSON.stringify(withoutHue(look))]));
  expect([...states.keys()].sort()).toEqual(["available", "failed", "pending", "ready", "starting", "succeeded", "terminating", "unknown"]);
  // A pod that fills up is full at last.
  const level = (state) => [...help.values()].find((look) => look.state === state).looks[0].place[0];
  expect(level("starting")).toBeLessThan(level("available"));
  expect(new Set(states.values()).size).toBe(states.size);
  await page.keyboard.press("Escape");
  await sandbox.button("To the start").click();
  for (const { state, looks } of (await looksOf(sandbox.tiles(0))).values()) {
    expect(JSON.stringify(withoutHue({ looks })), state).toBe(states.get(state));
  }
});
