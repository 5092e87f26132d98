// What a frame allocates: it depends on what changes, not on the number of pods. The page's module counts; importing it again
// gives the test the same instance.
import { test, expect } from "./fixtures.mjs";

/** The bytes that a frame may allocate if only the playhead moves. */
const STILL = 2_000;
/** The bytes that a step with one changed pod may take more among many pods: larger numbers have more digits. */
const LONGER = 1_000;

const SIZES = ["10", "500", "1000"];

/** Starts a rollout of that many pods, one at a time. */
async function rollout(app, page, replicas) {
  await app.input("Replicas").fill(replicas);
  await app.input("Extra pods (maxSurge)").fill("1");
  await app.input("May be missing (maxUnavailable)").fill("0");
  await expect(app.ruler(0)).toHaveAttribute("aria-label", new RegExp(`desired ${replicas}, limit ${Number(replicas) + 1}(:|$)`));
  await page.locator("h1").click();
  await page.keyboard.press("Home");
  await app.quiet();
}

test("a frame without changes allocates next to nothing, at any number of pods", async ({ app, page }) => {
  for (const replicas of SIZES) {
    await rollout(app, page, replicas);
    await page.getByLabel("Speed").selectOption("0.25×");
    await page.keyboard.press("Space");
    const frames = await page.evaluate(async () => {
      const { allocated } = await import(new URL("pkg/page.js", location.href).href);
      const painted = () => new Promise((resolve) => requestAnimationFrame(resolve));
      const text = (id) => document.getElementById(id).textContent;
      const frames = [];
      // The first frames also start to play, and get the response of the player.
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
    // The median, since a response may arrive in any frame.
    expect(frames[Math.floor(frames.length / 2)], `${replicas} pods: ${frames}`).toBeLessThan(STILL);
  }
});

test("a step with one changed pod allocates as much among a thousand pods as among ten", async ({ app, page }) => {
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
