// The handles in the sandbox's picture, which change the same settings as the inputs.
import { violations } from "./axe.mjs";
import { test, expect } from "./fixtures.mjs";

/** Drags a handle by some pixels, as a user would. */
async function drag(page, handle, right, down) {
  const { x, y, width, height } = await handle.boundingBox();
  const [fromX, fromY] = [x + width / 2, y + height / 2];
  await page.mouse.move(fromX, fromY);
  await page.mouse.down();
  await page.mouse.move(fromX + right, fromY + down, { steps: 8 });
  await page.mouse.up();
}

const LIMIT = /maxSurge/;
const MINIMUM = /maxUnavailable/;

test("the lines and the times are dragged, and the inputs and the picture follow", async ({ sandbox, page }) => {
  await test.step("the line of the limit", async () => {
    const limit = sandbox.handle(0, LIMIT);
    await expect(limit).toHaveAttribute("aria-valuetext", "at most 19 pods, 4 extra");
    await drag(page, limit, 60, 0);
    const surge = Number(await sandbox.input("maxSurge").inputValue());
    expect(surge).toBeGreaterThan(4);
    await expect(limit).toHaveAttribute("aria-valuenow", `${15 + surge}`);
    await expect(sandbox.lane(0).getByText(`limit ${15 + surge}`, { exact: true })).toBeVisible();
    await expect(sandbox.lane(1).getByText(`limit ${15 + surge}`, { exact: true })).toBeVisible();
    await expect(sandbox.title).toContainText(`the limit is ${15 + surge}`);
    await page.keyboard.press("ControlOrMeta+z");
    await expect(sandbox.input("maxSurge")).toHaveValue("25%");
    await expect(limit).toHaveAttribute("aria-valuenow", "19");
  });
  await sandbox.startOver();
  await test.step("the line of the minimum, anywhere on it", async () => {
    const minimum = sandbox.handle(0, MINIMUM);
    const { x, y, width } = await minimum.boundingBox();
    await page.mouse.move(x + width / 2, y + 150);
    await page.mouse.down();
    await page.mouse.move(x + width / 2 - 66, y + 150, { steps: 8 });
    await page.mouse.up();
    const missing = Number(await sandbox.input("maxUnavailable").inputValue());
    expect(missing).toBeGreaterThan(3);
    await expect(minimum).toHaveAttribute("aria-valuetext", `at least ${15 - missing} pods, ${missing} missing`);
    await expect(sandbox.lane(0).getByText(`minimum ${15 - missing}`, { exact: true })).toBeVisible();
  });
  await sandbox.startOver();
  await test.step("a line stays under the pointer", async () => {
    const limit = sandbox.handle(0, LIMIT);
    const { x, y, width } = await limit.boundingBox();
    const tile = (await sandbox.tiles(0).first().boundingBox()).width;
    await page.mouse.move(x + width / 2, y + 4);
    await page.mouse.down();
    for (const by of [40, 80, 120]) {
      await page.mouse.move(x + width / 2 + by, y + 4, { steps: 4 });
      const distance = async () => Math.abs((await limit.boundingBox()).x - x - by);
      await expect.poll(distance).toBeLessThan(tile);
    }
    await page.mouse.up();
  });
  for (const [name, down] of [["Time to start", 40], ["Time to stop", -40]]) {
    await sandbox.startOver();
    await test.step(name, async () => {
      const [handle, input] = [sandbox.handle(0, name), sandbox.input(name)];
      const before = Number(await input.inputValue());
      await expect(handle).toHaveAttribute("aria-valuetext", `${before} seconds`);
      await drag(page, handle, 0, down);
      await expect(input).not.toHaveValue(`${before}`);
      const after = Number(await input.inputValue());
      expect(Math.sign(after - before)).toBe(Math.sign(down));
      await expect(handle).toHaveAttribute("aria-valuenow", `${after}`);
      await expect(handle).toContainText(`${after} s`);
    });
  }
});

/** A handle, a key, the input, and the resulting text. */
const KEYS = [
  [LIMIT, "ArrowRight", "maxSurge", "5"],
  [LIMIT, "ArrowDown", "maxSurge", "3"],
  [LIMIT, "Home", "maxSurge", "0"],
  [LIMIT, "End", "maxSurge", "15"],
  [MINIMUM, "ArrowLeft", "maxUnavailable", "4"],
  [MINIMUM, "ArrowUp", "maxUnavailable", "2"],
  [MINIMUM, "End", "maxUnavailable", "0"],
  ["Time to start", "ArrowDown", "Time to start", "7"],
  ["Time to start", "ArrowLeft", "Time to start", "5"],
  ["Time to start", "PageDown", "Time to start", "11"],
  ["Time to start", "Home", "Time to start", "0"],
  ["Time to stop", "ArrowUp", "Time to stop", "4"],
  ["Time to stop", "End", "Time to stop", "30"],
];
test("each key of a handle sets its input, and keeps the focus", async ({ sandbox, page }) => {
  for (const [name, key, label, text] of KEYS) {
    await test.step(`${key} on ${name} sets ${label} to ${text}`, async () => {
      const handle = sandbox.handle(0, name);
      await handle.focus();
      await page.keyboard.press(key);
      await expect(sandbox.input(label)).toHaveValue(text);
      await sandbox.ready();
      await expect(handle).toBeFocused();
    });
    await sandbox.startOver();
  }
});

test("keys that are pressed quickly all count, none moves the playhead, and none makes a rollout that never moves", async ({ sandbox, page }) => {
  await test.step("keys that are pressed quickly all count, and none moves the playhead", async () => {
    await sandbox.handle(0, LIMIT).focus();
    for (let press = 0; press < 6; press += 1) await page.keyboard.press("ArrowRight");
    await expect(sandbox.input("maxSurge")).toHaveValue("10");
    // The page goes to the peak of the new settings, and stays there.
    const peak = await sandbox.answer(0, "pods at most").textContent();
    await expect(sandbox.picture(0)).toHaveAccessibleName(new RegExp(`: ${peak} pods, `));
  });
  await sandbox.startOver();
  await test.step("the lines can't make a rollout that never moves", async () => {
    await sandbox.handle(0, LIMIT).focus();
    await page.keyboard.press("Home");
    await expect(sandbox.input("maxSurge")).toHaveValue("0");
    await sandbox.handle(0, MINIMUM).focus();
    await page.keyboard.press("End");
    await expect(sandbox.input("maxUnavailable")).toHaveValue("1");
    await page.keyboard.press("ArrowRight");
    await expect(sandbox.input("maxUnavailable")).toHaveValue("1");
    await expect(page.getByRole("alert")).toHaveCount(0);
  });
});

test("only settings that are numbers have a handle: the grace period where it ends first, and none in stories", async ({ sandbox, page, site }) => {
  await test.step("if the grace period ends first, the handle changes it", async () => {
    await sandbox.type(sandbox.input("Grace period"), "3");
    await expect(sandbox.handle(0, "Time to stop")).toHaveCount(0);
    await sandbox.handle(0, "Grace period").focus();
    await page.keyboard.press("ArrowDown");
    await expect(sandbox.input("Grace period")).toHaveValue("4");
  });
  await sandbox.startOver();
  await test.step("settings that are not numbers have no handle", async () => {
    await sandbox.type(sandbox.input("Time to start"), "never");
    await expect(sandbox.handle(0, "Time to start")).toHaveCount(0);
    await sandbox.unfold();
    await page.getByRole("combobox", { name: "Strategy" }).selectOption("Recreate");
    await expect(sandbox.handle(0, LIMIT)).toHaveCount(0);
    await expect(sandbox.handle(0, MINIMUM)).toHaveCount(0);
  });
  await sandbox.open(site);
  await expect(sandbox.handle(0, LIMIT)).toHaveCount(0);
});

test("settings of another rollout have handles of their own", async ({ sandbox, page }) => {
  await expect(sandbox.handle(1, LIMIT)).toHaveCount(0);
  await page.getByRole("combobox", { name: "Compare with" }).selectOption("my other settings");
  const other = page.getByRole("form", { name: "The other rollout" });
  await sandbox.type(other.getByRole("textbox", { name: "maxSurge" }), "0");
  await sandbox.handle(1, LIMIT).focus();
  await page.keyboard.press("ArrowRight");
  await expect(other.getByRole("textbox", { name: "maxSurge" })).toHaveValue("1");
  await expect(sandbox.input("maxSurge")).toHaveValue("25%");
});

test("the handles of lines that are close to each other stand beside them", async ({ sandbox, page }) => {
  for (const [replicas, width] of [
    ["15", 1440],
    ["15", 360],
    ["200", 1440],
  ]) {
    await test.step(`${replicas} replicas, ${width} px`, async () => {
      await page.setViewportSize({ width, height: 900 });
      await sandbox.type(sandbox.input("Replicas"), replicas);
      await sandbox.type(sandbox.input("maxUnavailable"), "1");
      await sandbox.type(sandbox.input("maxSurge"), "0");
      await sandbox.settled();
      const [minimum, limit] = [sandbox.handle(0, MINIMUM), sandbox.handle(0, LIMIT)];
      await expect(limit).toHaveAttribute("aria-valuetext", /, 0 extra$/);
      await sandbox.picture(0).scrollIntoViewIfNeeded();
      const [left, right] = [await minimum.boundingBox(), await limit.boundingBox()];
      // Sizes are rounded to a 64th of a pixel.
      expect(right.x - left.x - left.width).toBeGreaterThan(-0.05);
      expect(await violations(page, { within: ".lanes", targetSize: true })).toEqual([]);
      // Each line is dragged on its side.
      const line = await sandbox.lane(0).locator(".pod-row .mark.minimum").evaluate((mark) => mark.getBoundingClientRect().left);
      await page.mouse.move(line - 4, left.y + 150);
      await page.mouse.down();
      await page.mouse.move(line - 84, left.y + 150, { steps: 8 });
      await page.mouse.up();
      await expect(sandbox.input("maxUnavailable")).not.toHaveValue("1");
    });
  }
});

test("on a narrow screen, the text above names the handles, and the one that was touched last has a label", async ({ sandbox, page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await sandbox.ready();
  await expect(page.locator(".how-to-read")).toContainText("‖ extra and unavailable pods, = the time to start or to stop.");
  const handle = sandbox.handle(0, "Time to start");
  await expect(handle.locator(".setting-label")).toBeHidden();
  await handle.click();
  await page.mouse.move(0, 0);
  await expect(handle.locator(".setting-label")).toBeVisible();
  await expect(handle).toHaveText("start 6 s");
});

test("every handle is big enough and accessible on a wide and on a narrow screen", async ({ sandbox, page }) => {
  for (const [width, height] of [[1440, 900], [360, 740]]) {
    await page.setViewportSize({ width, height });
    await sandbox.startOver();
    for (const slider of [LIMIT, MINIMUM, "Time to start", "Time to stop"]) {
      await sandbox.handle(0, slider).focus();
      await expect(sandbox.handle(0, slider)).toBeFocused();
    }
    expect(await violations(page, { within: ".lanes", targetSize: true })).toEqual([]);
    await drag(page, sandbox.handle(0, LIMIT), width / 20, 0);
    await expect(sandbox.input("maxSurge")).not.toHaveValue("25%");
  }
});
