// The details below a lane.
import { test, expect } from "./fixtures.mjs";

const open = (app, lane) => app.lane(lane).getByRole("button", { name: "Details" }).click();
const table = (app, lane, name) => app.lane(lane).getByRole("table", { name });
const unfold = (app, lane, name) => app.lane(lane).locator("summary").filter({ hasText: name }).click();

test("conditions and annotations as they change", async ({ app, page }) => {
  await open(app, 0);
  await unfold(app, 0, "Conditions");
  await unfold(app, 0, "Annotations");
  const conditions = table(app, 0, "Conditions");
  await expect(conditions.locator("thead")).toHaveText(/Type.*Status.*Reason.*Message.*Last update.*Last transition/);
  await expect(conditions.locator("tbody tr").filter({ hasText: "Progressing" })).toContainText("ReplicaSetUpdated");
  await expect(table(app, 0, "Annotations")).toContainText("deployment.kubernetes.io/desired-replicas");
  await page.keyboard.press("End");
  await expect(conditions.locator("tbody tr").filter({ hasText: "Progressing" })).toContainText("NewReplicaSetAvailable");
});

test("a deletion has its ranking, with what decided between neighbours", async ({ app, page }) => {
  await page.keyboard.press("Home");
  const why = app.lane(0).locator(".why");
  const button = why.getByRole("button", { name: "Deletion order" });
  for (let press = 0; press < 20 && !(await button.isVisible()); press += 1) {
    await page.keyboard.press("ArrowRight");
    await app.quiet();
  }
  await button.click();
  const ranking = table(app, 0, /^Deletion order: 2 of 10 pods/);
  await expect(ranking.locator("tbody tr")).toHaveCount(10);
  await expect(ranking.locator("tr.marked")).toHaveCount(2);
  const reasons = await ranking.locator("tbody tr td:last-child").allTextContents();
  expect(reasons.slice(0, 9).every((reason) => /^(since|where) /.test(reason))).toBe(true);
});

test("the picture as tables: pods now, pods over time", async ({ app, page }) => {
  await open(app, 2);
  await unfold(app, 2, "Pods now");
  await unfold(app, 2, "Pods over time");
  const now = table(app, 2, "Pods now");
  await expect(now.locator("tbody tr")).toHaveCount(2);
  await expect(now.locator("thead")).toContainText("terminating");
  const course = table(app, 2, /^Pods over time/);
  expect(await course.locator("tbody tr").count()).toBeGreaterThan(5);
  const over = await course.locator("tbody tr td:last-child").allTextContents();
  expect(new Set(over)).toEqual(new Set(["0"]));
  await page.getByRole("button", { name: "Nodes" }).click();
  await expect(table(app, 2, "Pods now").locator("thead")).toContainText("Node");
});

test("by node each node is a row, and the counts are the same", async ({ app, page }) => {
  const before = (await app.state()).rulers;
  await page.getByRole("button", { name: "Nodes" }).click();
  await expect(app.lane(0).locator(".head").first()).toContainText("no node yet");
  expect((await app.state()).rulers).toEqual(before);
  await page.keyboard.press("g");
  await expect(app.lane(0).locator(".head").first()).toContainText("revision 1");
});
