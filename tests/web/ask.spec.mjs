// Ask: which settings keep a wish, and what random delays make of a rollout.
import { expectNoSidewaysScroll, test, expect } from "./fixtures.mjs";

const ask = (page) => page.getByRole("region", { name: "Ask for settings" });
const rows = (page) => ask(page).getByRole("row");

async function wish(sandbox, page, texts) {
  for (const [label, text] of Object.entries(texts)) await sandbox.type(ask(page).getByLabel(label), text);
  await page.keyboard.press("Enter");
}

test("a wish is answered by a table, and a click takes a setting", async ({ sandbox, page }) => {
  await wish(sandbox, page, { "Never more than": "19", "Available at least": "12" });
  const table = ask(page).getByRole("table");
  await expect(table).toContainText("These settings keep it:");
  // As it is: what the picture says.
  const peak = await sandbox.answer(0, "pods at most").textContent();
  await expect(rows(page).nth(1)).toContainText("your settings");
  await expect(rows(page).nth(1).getByRole("cell").first()).toHaveText(peak);
  await expect(rows(page).nth(1)).toContainText(/misses: \d+ pods at most, \d+ more than 19/);

  const use = ask(page).getByRole("button", { name: /^Use / }).first();
  const row = rows(page).filter({ has: page.getByRole("button", { name: /^Use / }) }).first();
  const [most, least] = await row.getByRole("cell").allTextContents();
  const name = (await use.getAttribute("aria-label")).replace("Use ", "");
  await use.click();
  await expect(sandbox.answer(0, "pods at most")).toHaveText(most);
  await expect(sandbox.answer(0, "available at least")).toHaveText(least);
  await expect(rows(page).filter({ hasText: name }).first()).toContainText("in use");
  await sandbox.expectFocus();
});

test("the proposed policy is marked, and is compared", async ({ sandbox, page }) => {
  await wish(sandbox, page, { "Never more than": "19" });
  const proposed = rows(page).filter({ hasText: "proposed" }).first();
  await expect(proposed).toContainText("TerminationComplete");
  await page.getByRole("combobox", { name: "Compare with" }).selectOption("nothing");
  await expect(sandbox.lanes).toHaveCount(1);
  await proposed.getByRole("button", { name: /^Compare with / }).click();
  await expect(sandbox.lanes).toHaveCount(2);
  await expect(sandbox.lane(1).getByText("proposed", { exact: true })).toBeVisible();
});

test("if nothing keeps all wishes, it says which one to relax", async ({ sandbox, page }) => {
  await wish(sandbox, page, { "Never more than": "15", "Available at least": "15" });
  await expect(ask(page).getByRole("table")).toContainText("No setting of today's Kubernetes keeps all of this.");
  await expect(ask(page).getByRole("table")).toContainText(/Allow \d+ pods at most\./);
});

test("a time and a quota are wishes, too", async ({ sandbox, page }) => {
  await wish(sandbox, page, { "Complete within": "10" });
  await expect(rows(page).nth(1)).toContainText(/complete after .*, wished within 10s/);
  await sandbox.type(ask(page).getByLabel("Complete within"), "");
  await wish(sandbox, page, { "Fits a quota of": "20" });
  await expect(rows(page).nth(1)).toContainText(/quota allows 20 pods, \d+ needed/);
});

test("a wrong wish says what would be right, and keeps what was typed", async ({ sandbox, page }) => {
  await ask(page).getByRole("button", { name: "Find settings" }).click();
  await expect(ask(page).getByRole("alert")).toHaveText("Enter at least one limit.");
  await wish(sandbox, page, { "Never more than": "many" });
  await expect(ask(page).getByRole("alert")).toContainText("32bit integer");
  await expect(ask(page).getByLabel("Never more than")).toHaveValue("many");
  await expect(ask(page).getByLabel("Never more than")).toHaveAttribute("aria-invalid", "true");
});

test("many runs give ranges, with progress, and can be stopped", async ({ sandbox, page }) => {
  await sandbox.type(sandbox.input("Replicas"), "4");
  await ask(page).getByRole("button", { name: "Simulate 200 runs" }).click();
  await expect(ask(page).getByRole("progressbar", { name: "Runs" })).toBeVisible();
  await expect(ask(page)).toContainText(/In \d+ runs: /);
  await ask(page).getByRole("button", { name: "Stop" }).click();
  await expect(ask(page).getByRole("progressbar")).toHaveCount(0);
  await expect(ask(page)).toContainText(/In (\d|1?\d\d) ?0? ?runs: |In \d+ runs: /);
  await ask(page).getByRole("button", { name: "Simulate 200 runs" }).click();
  await expect(ask(page)).toContainText(/In 200 runs: \d+( to \d+)? pods at most, \d+( to \d+)? available at least, complete after \d+:\d\d to \d+:\d\d\./);
  // Other settings, other ranges.
  await sandbox.type(sandbox.input("Replicas"), "5");
  await expect(ask(page)).not.toContainText("In 200 runs");
});

for (const [width, height] of [[1440, 900], [768, 1024], [360, 740]]) {
  test(`nothing is wider than a window of ${width} px`, async ({ sandbox, page }) => {
    await page.setViewportSize({ width, height });
    await wish(sandbox, page, { "Never more than": "19" });
    await expect(ask(page).getByRole("table")).toBeVisible();
    await expectNoSidewaysScroll(page);
  });
}
