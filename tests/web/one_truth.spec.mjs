// Values that are shown in several places agree.
import { App, test, expect } from "./fixtures.mjs";

const seconds = (clock) => clock.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);

for (const [name, path] of [
  ["the sandbox", "sandbox/"],
  ["the first story", ""],
]) {
  test(`“complete after” is the time at which the controller reports it: ${name}`, async ({ page, site }) => {
    const app = new App(page);
    await app.open(`${site}${path}`);
    if (path === "") {
      await app.goToOwnCase();
      await app.showPlayer();
    }
    for (const lane of [0, 1]) {
      const complete = seconds(await app.answer(lane, "complete after").textContent());
      await app.button("To the end").click();
      await expect(app.clock).toHaveText(await app.clock.getAttribute("aria-valuetext").then((text) => text.match(/of ([\d:]+)/)[1]));
      // Step back from wave to wave until the one in which the controller reports it.
      const report = app.sentence(lane).filter({ hasText: "is complete" });
      await expect(async () => {
        if (await report.isHidden()) await app.button("Step back").click();
        await expect(report).toBeVisible({ timeout: 300 });
      }).toPass({ intervals: [0] });
      const time = await report.locator(".when").textContent();
      expect(seconds(time)).toBe(complete);
    }
  });
}

test("after a later scale, complete is when all its pods are there, and the old pods were gone before", async ({ sandbox, page }) => {
  const answers = () => Promise.all(["complete after", "last old pod gone"].map((label) => sandbox.answer(0, label).textContent()));
  const [complete, gone] = await answers();
  await sandbox.title.click();
  await page.keyboard.press("End");
  await sandbox.openWhatIf();
  await page.keyboard.press("Tab");
  await page.keyboard.type("40");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("list", { name: "What you did" })).toContainText(/you scale Deployment web to 40/);
  const [later, goneLater] = await answers();
  expect(seconds(later)).toBeGreaterThan(seconds(complete));
  expect(goneLater).toBe(gone);
});

test("picture, tiles, numbers and answers agree at every wave", async ({ sandbox, page }) => {
  await sandbox.title.click();
  await page.keyboard.press("Home");
  await expect(sandbox.position).toContainText("0:00 of");
  let [most, least] = [0, Infinity];
  for (let wave = 0; wave < 60; wave += 1) {
    const shown = await page.evaluate(() => {
      const lane = document.querySelector("section.lane");
      const name = lane.querySelector("svg.picture").getAttribute("aria-label");
      const number = (pattern) => Number(name.match(pattern)?.[1] ?? 0);
      const tile = (state) => lane.querySelectorAll(`.pod-row .tile${state}`).length;
      const { textContent } = document.querySelector(".position");
      return {
        label: [number(/: (\d+) pod/), number(/(\d+) available/), number(/(\d+) terminating/)],
        tiles: [tile(""), tile(".available"), tile(".terminating")],
        over: [number(/(\d+) over the limit/), Number.parseInt(lane.querySelector(".pod-row .over-limit").textContent, 10)],
        clock: [textContent.match(/^[\d:]+/)[0], document.querySelector(".handle[role=slider]").getAttribute("aria-valuetext").match(/[\d:]+/)[0]],
        last: /step (\d+) of \1\. /.test(document.querySelector(".handle[role=slider]").getAttribute("aria-valuetext")),
      };
    });
    expect(shown.tiles).toEqual(shown.label);
    expect(shown.over[1]).toBe(shown.over[0]);
    expect(shown.clock[1]).toBe(shown.clock[0]);
    [most, least] = [Math.max(most, shown.label[0]), Math.min(least, shown.label[1])];
    if (shown.last) break;
    const before = await sandbox.clock.getAttribute("aria-valuetext");
    await page.keyboard.press("ArrowRight");
    await expect(sandbox.clock).not.toHaveAttribute("aria-valuetext", before);
  }
  await expect(sandbox.answer(0, "pods at most")).toHaveText(String(most));
  await expect(sandbox.answer(0, "available at least")).toHaveText(String(least));
});
