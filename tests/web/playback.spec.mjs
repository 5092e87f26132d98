// Playback: buttons, keys, speed, scrubbing.
import { test, expect } from "./fixtures.mjs";

test("play, pause, step, step back, start and end, by buttons", async ({ app, page }) => {
  const button = (name) => page.getByRole("button", { name, exact: true });
  await button("To the start").click();
  await expect(app.now).toHaveText("0:00");
  await expect(app.step).toHaveText("0");
  await button("Step").click();
  await expect(app.step).toHaveText("1");
  await expect(app.lane(0).locator(".sentence")).toContainText("You change the pod template of Deployment web");
  const first = await app.state();
  await button("Step").click();
  await expect(app.step).toHaveText("2");
  expect((await app.state()).why).not.toEqual(first.why);
  await button("Step back").click();
  expect(await app.state()).toEqual(first);
  await button("To the end").click();
  const end = await app.state();
  expect(end.rulers[2]).toMatch(/^10 pods, 10 available; /);
  await button("Step").click();
  expect(await app.state()).toEqual(end);
  // Playing from the end starts again.
  await app.play.click();
  await expect(app.pause).toBeVisible();
  await expect.poll(async () => (await app.state()).step).toBeLessThan(end.step);
  await app.pause.click();
  await expect(app.play).toBeVisible();
});

test("virtual time runs while it plays and stands while it is paused", async ({ app, page }) => {
  await page.keyboard.press("Home");
  await page.keyboard.press("Space");
  await expect(app.pause).toBeVisible();
  await expect(app.now).not.toHaveText("0:00");
  await page.keyboard.press("Space");
  await expect(app.play).toBeVisible();
  const paused = await app.state();
  await page.evaluate(async () => {
    for (let frame = 0; frame < 10; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
  });
  expect(await app.state()).toEqual(paused);
});

test("keys: arrows, Home, End, plus, minus, question mark", async ({ app, page }) => {
  await page.keyboard.press("Home");
  await expect(app.step).toHaveText("0");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await expect(app.step).toHaveText("2");
  await page.keyboard.press("ArrowLeft");
  await expect(app.step).toHaveText("1");
  await page.keyboard.press("End");
  await expect(app.ruler(0)).toHaveAttribute("aria-label", /^10 pods, 10 available; /);
  const speed = page.getByLabel("Speed");
  const name = () => speed.evaluate((select) => select.selectedOptions[0].textContent);
  await expect.poll(name).toBe("4×");
  await page.keyboard.press("+");
  await expect.poll(name).toBe("8×");
  for (let press = 0; press < 12; press += 1) await page.keyboard.press("-");
  await expect.poll(name).toBe("0.25×");
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog")).toBeVisible();
  await expect(page.getByRole("dialog")).toContainText("next decision");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
});

test("keys that are typed into an input stay there", async ({ app, page }) => {
  const before = await app.state();
  await app.input("Replicas").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  expect(await app.state()).toEqual(before);
});

test("each write can be visited, forth and back", async ({ app, page }) => {
  await page.keyboard.press("Home");
  const there = [await app.state()];
  for (let press = 0; press < 12; press += 1) {
    await page.keyboard.press("Shift+ArrowRight");
    there.push(await app.state());
  }
  expect(new Set(there.map((state) => state.why[0])).size).toBeGreaterThan(5);
  for (let press = 11; press >= 0; press -= 1) {
    await page.keyboard.press("Shift+ArrowLeft");
    expect((await app.state()).rulers).toEqual(there[press].rulers);
  }
});

test("the speeds differ, and a shortened wait says so", async ({ app, page }) => {
  await page.getByLabel("Speed").selectOption("0.25×");
  await page.keyboard.press("Home");
  await page.keyboard.press("Space");
  await expect(page.locator(".hurry")).toContainText(/wait shortened, \d+× faster/);
  await page.getByLabel("Speed").selectOption("64×");
  await page.locator("h1").click();
  await expect(app.play).toBeVisible();
  await expect(app.ruler(0)).toHaveAttribute("aria-label", /^10 pods, 10 available; /);
});

test("the chart is the scrubber: a drag moves all lanes", async ({ app, page }) => {
  const chart = app.lane(2).locator("svg.chart");
  const box = await chart.boundingBox();
  await page.mouse.move(box.x + 1, box.y + 20);
  await page.mouse.down();
  await expect(app.now).toHaveText("0:00");
  await page.mouse.move(box.x + box.width * 0.2, box.y + 20, { steps: 4 });
  await expect(app.now).not.toHaveText("0:00");
  const dragged = await app.now.textContent();
  // Outside the chart it goes on.
  await page.mouse.move(box.x + box.width * 0.3, box.y - 200);
  await expect(app.now).not.toHaveText(dragged);
  await page.mouse.up();
  const left = await app.state();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 20);
  expect(await app.state()).toEqual(left);
  const heads = await page.locator(".playhead line").evaluateAll((lines) => lines.map((line) => line.getAttribute("x1")));
  expect(new Set(heads).size).toBe(1);
  expect(heads.length).toBe(3);
});

test("the chart is a slider for those who hear it", async ({ app, page }) => {
  const slider = page.getByRole("slider", { name: "Time of TerminationComplete" });
  await slider.focus();
  await page.keyboard.press("Home");
  await expect(slider).toHaveAttribute("aria-valuenow", "0");
  await expect(slider).toHaveAttribute("aria-valuetext", "0:00, 10 pods");
  await page.keyboard.press("ArrowRight");
  await expect(slider).toHaveAttribute("aria-valuenow", "5");
  await expect(page.locator("[aria-live=polite]")).toContainText("0:05, Field not set: You change the pod template");
});

test("a tile keeps its place while its pod lives, and its life is read there", async ({ app, page }) => {
  await page.keyboard.press("Home");
  const life = app.lane(0).locator(".life");
  const tile = app.tiles(0).first();
  await tile.hover();
  await expect(life).toHaveText(/^web-\w+-\w+ on \S+ · available/);
  const name = (await life.textContent()).split(" ")[0];
  await expect(life).toContainText("terminating");
  await expect(life).toContainText("(grace 30 s)");
  for (let press = 0; press < 6; press += 1) {
    await page.keyboard.press("ArrowRight");
    await app.quiet();
    await expect(life).toContainText(name);
  }
  // The same with the keyboard.
  await page.mouse.move(5, 5);
  const row = app.lane(0).locator(".tiles").first();
  await row.focus();
  await page.keyboard.press("ArrowRight");
  await expect(row).toHaveAttribute("aria-valuetext", new RegExp(`^${name} `));
  await page.keyboard.press("ArrowRight");
  await expect(row).toHaveAttribute("aria-valuetext", /^web-/);
  await expect(row).not.toHaveAttribute("aria-valuetext", new RegExp(`^${name} `));
});

test("from steps, time and writes go on where the lanes stand", async ({ app, page }) => {
  await page.keyboard.press("Home");
  await page.keyboard.press("c");
  for (let press = 0; press < 12; press += 1) await page.keyboard.press("ArrowRight");
  const { now } = await app.state();
  await page.keyboard.press("Shift+ArrowRight");
  const next = await app.state();
  expect(next.now >= now, `${now} goes on at ${next.now}`).toBe(true);
  await page.keyboard.press("c");
  await page.keyboard.press("End");
  await app.quiet();
  // Playing from the end starts again.
  await page.keyboard.press("Space");
  await expect(app.now).toHaveText(/^0:0\d$/);
});

test("grouped by node, the lanes stand at the same step", async ({ app, page }) => {
  await page.keyboard.press("Home");
  await page.keyboard.press("c");
  for (let press = 0; press < 9; press += 1) await page.keyboard.press("ArrowRight");
  const before = await app.state();
  await page.keyboard.press("g");
  await expect(page.getByRole("button", { name: "Nodes" })).toHaveAttribute("aria-pressed", "true");
  expect((await app.state()).step).toBe(before.step);
});
