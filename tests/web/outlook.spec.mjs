// Why is my rollout stuck? Opens the state of a running cluster in the sandbox.
import { fileURLToPath } from "node:url";
import { AxeBuilder } from "@axe-core/playwright";
import { expectNoSidewaysScroll, test, expect } from "./fixtures.mjs";

const state = (name) => fileURLToPath(new URL(`../cli/cases/explain.in/${name}`, import.meta.url));
const outlook = (page) => page.getByRole("region", { name: "The state of your rollouts" });

async function open(sandbox, page, name) {
  await sandbox.button("YAML").click();
  await page.getByLabel("Open a file").setInputFiles(state(name));
  await expect(outlook(page).getByRole("heading", { level: 2 })).toBeVisible();
}

/** A state, where its rollout stands, what it waits for, and what would unblock it. */
const STATES = [
  ["image.json", "web is stuck", "ImagePullBackOff", ["Roll back", "Fix what its pods wait for"]],
  ["quota.json", "web is stuck", "exceeded quota: team", ["Raise quota team", "Allow 1 unavailable pod"]],
  ["paused.json", "web is paused", "It is paused", ["Resume it"]],
];
for (const [name, standing, why, remedies] of STATES) {
  test(`${name}: the cause, and what would unblock it`, async ({ sandbox, page }) => {
    await open(sandbox, page, name);
    await expect(outlook(page).getByRole("heading", { level: 2 })).toHaveText(standing);
    await expect(outlook(page)).toContainText(why);
    for (const remedy of remedies) {
      await expect(outlook(page).getByRole("listitem").filter({ hasText: new RegExp(`^${remedy}`) })).toContainText(/then it completes after \d+:\d\d/);
    }
  });
}

test("a rollout in progress shows what comes next, and needs nothing", async ({ sandbox, page }) => {
  await open(sandbox, page, "rolling.json");
  await expect(outlook(page).getByRole("heading", { level: 2 })).toHaveText("web is in progress");
  await expect(outlook(page)).toContainText("What comes next");
  await expect(outlook(page)).not.toContainText("How to unblock it");
});

test("manifests have no outlook", async ({ sandbox, page }) => {
  await sandbox.button("YAML").click();
  await expect(sandbox.title).toContainText("pods");
  await expect(outlook(page)).toHaveCount(0);
});

for (const [width, height] of [[1440, 900], [768, 1024], [360, 740]]) {
  test(`axe finds no problem, and nothing is wider than a window of ${width} px`, async ({ sandbox, page }) => {
    await page.setViewportSize({ width, height });
    await open(sandbox, page, "image.json");
    await expectNoSidewaysScroll(page);
    const { violations } = await new AxeBuilder({ page }).include(".outlook").analyze();
    expect(violations.map(({ id }) => id)).toEqual([]);
  });
}
