// Many pods: a density row, and the work per frame depends only on what changed.
import { test, expect } from "./fixtures.mjs";

test("ten thousand pods open, play, and need longer", async ({ sandbox, page }) => {
  test.slow();
  await sandbox.type(sandbox.input("Replicas"), "10000");
  await expect(sandbox.title).toContainText("You asked for 10,000 pods", { timeout: 100_000 });
  await expect(sandbox.title).toContainText("During an update the limit is 12,500");
  await expect(sandbox.tiles(0)).toHaveCount(0);
  await expect(sandbox.lane(0).getByText("limit 12,500", { exact: true })).toBeVisible();
  // Nothing goes over the limit: what matters is how few pods are available.
  await expect(page.getByText("the moment with the fewest available pods.")).toBeVisible();
  const lowest = await sandbox.answer(0, "available at least").textContent();
  await expect(sandbox.picture(0)).toHaveAccessibleName(new RegExp(` pods, ${lowest} available, `));
  // Every group has its name, however thin its bar is.
  await sandbox.button("To the start").click();
  await expect(sandbox.picture(0).locator(".counts text")).toHaveText([/ old$/, / starting$/, / terminating$/]);
  // At twenty requests per second.
  const [minutes] = (await sandbox.answer(0, "complete after").textContent()).split(":").map(Number);
  expect(minutes).toBeGreaterThanOrEqual(8);
  await sandbox.button("To the start").click();
  await sandbox.play.click();
  await expect(sandbox.clock).not.toHaveText("0:00");
  await sandbox.pause.click();
  await sandbox.button("To the end").click();
  await expect(sandbox.picture(0)).toHaveAccessibleName(/: 10,000 pods, 10,000 available/);
});

const SIZES = ["10", "100", "390", "2000"];

/** The number of nodes and attributes that the page changes in each frame. */
function changesPerFrame(page, frames) {
  return page.evaluate(async (frames) => {
    const counts = [];
    let count = 0;
    const observer = new MutationObserver((records) => (count += records.length));
    observer.observe(document.documentElement, { subtree: true, childList: true, attributes: true, characterData: true });
    for (let frame = 0; frame < frames; frame += 1) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      count += observer.takeRecords().length;
      counts.push(count);
      count = 0;
    }
    observer.disconnect();
    return counts;
  }, frames);
}

test("a frame changes as much among thousands of pods as among ten", async ({ sandbox, page }) => {
  const medians = [];
  await sandbox.type(sandbox.input("maxSurge"), "1");
  await sandbox.type(sandbox.input("maxUnavailable"), "0");
  for (const replicas of SIZES) {
    await sandbox.type(sandbox.input("Replicas"), replicas);
    await expect(sandbox.title).toContainText(`You asked for ${replicas} pods`);
    await page.getByRole("combobox", { name: "Speed" }).selectOption("1×");
    await sandbox.button("To the start").click();
    await sandbox.play.click();
    await expect(sandbox.pause).toBeVisible();
    const counts = await changesPerFrame(page, 60);
    await sandbox.pause.click();
    counts.sort((one, other) => one - other);
    // The median, since some frames contain a step and the response of the player.
    medians.push(counts[30]);
  }
  for (const [index, median] of medians.entries()) {
    expect(median, `${SIZES[index]} pods: ${medians}`).toBeLessThan(80);
    expect(median, `${SIZES[index]} pods: ${medians}`).toBeLessThanOrEqual(medians[0] + 20);
  }
});

test("a step with one changed pod changes as much among hundreds of pods as among ten", async ({ sandbox, page }) => {
  const taken = [];
  await sandbox.type(sandbox.input("maxSurge"), "1");
  await sandbox.type(sandbox.input("maxUnavailable"), "0");
  for (const replicas of ["10", "390"]) {
    await sandbox.type(sandbox.input("Replicas"), replicas);
    await expect(sandbox.title).toContainText(`You asked for ${replicas} pods`);
    await sandbox.button("To the start").click();
    await expect(sandbox.clock).toHaveAttribute("aria-valuenow", "1");
    await sandbox.button("Step").focus();
    const counts = [];
    for (let step = 0; step < 6; step += 1) {
      const before = await sandbox.clock.getAttribute("aria-valuetext");
      const changes = changesPerFrame(page, 8);
      await page.keyboard.press("Enter");
      await expect(sandbox.clock).not.toHaveAttribute("aria-valuetext", before);
      counts.push((await changes).reduce((sum, count) => sum + count, 0));
    }
    taken.push(counts);
  }
  const [few, many] = taken.map((counts) => counts.sort((one, other) => one - other)[3]);
  expect(many, JSON.stringify(taken)).toBeLessThan(2 * few + 60);
});
