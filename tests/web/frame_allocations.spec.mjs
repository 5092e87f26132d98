// What a frame asks of the module's memory: it depends on what changes, and not on how many pods there are. The module
// counts; the test has the instance that the page has, since a module is loaded once for an address.
import { test, expect } from "./fixtures.mjs";

/** What a frame may take in which nothing but the playhead moves, in bytes. */
const STILL = 2_000;
/** How much more a step that changes one pod may take among many pods: the numbers that are said are longer. */
const LONGER = 1_000;

const SIZES = ["10", "500", "1000"];

/** A rollout of so many pods, one after the other, from its start. */
async function rollout(app, page, replicas) {
  await app.input("Replicas").fill(replicas);
  await app.input("Extra pods (maxSurge)").fill("1");
  await app.input("May be missing (maxUnavailable)").fill("0");
  await expect(app.ruler(0)).toHaveAttribute("aria-label", new RegExp(`desired ${replicas}, limit ${Number(replicas) + 1}(:|$)`));
  await page.locator("h1").click();
  await page.keyboard.press("Home");
  await app.quiet();
}

test("a frame in which nothing changes takes next to nothing, among any number of pods", async ({ app, page }) => {
  for (const replicas of SIZES) {
    await rollout(app, page, replicas);
    await page.getByLabel("Speed").selectOption("0.25×");
    await page.keyboard.press("Space");
    const frames = await page.evaluate(async () => {
      const { allocated } = await import(new URL("pkg/page.js", location.href).href);
      const painted = () => new Promise((resolve) => requestAnimationFrame(resolve));
      const text = (id) => document.getElementById(id).textContent;
      const frames = [];
      // The first ones begin to play, and the player answers.
      while (text("step") === "0" && frames.length < 40) {
        const before = allocated();
        await painted();
        frames.push(allocated() - before);
      }
      return frames;
    });
    await page.keyboard.press("Space");
    expect(frames.length).toBeGreaterThan(8);
    frames.sort((one, other) => one - other);
    // Most of them: nobody knows in which one an answer comes.
    expect(frames[Math.floor(frames.length / 2)], `${replicas} pods: ${frames}`).toBeLessThan(STILL);
  }
});

test("a step that changes one pod takes as much among a thousand as among ten", async ({ app, page }) => {
  const taken = [];
  for (const replicas of SIZES) {
    await rollout(app, page, replicas);
    const steps = [];
    for (let press = 0; press < 12; press += 1) {
      const bytes = () => page.evaluate(async () => (await import(new URL("pkg/page.js", location.href).href)).allocated());
      const before = await bytes();
      await page.keyboard.press("Shift+ArrowRight");
      await app.quiet();
      steps.push((await bytes()) - before);
    }
    taken.push(steps);
  }
  const [few, ...more] = taken;
  for (const many of more) {
    for (const [step, bytes] of many.entries()) {
      expect(bytes, `step ${step}: ${JSON.stringify(taken)}`).toBeLessThan(few[step] + LONGER);
    }
  }
});
