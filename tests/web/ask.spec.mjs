// Ask: which settings meet the constraints, and what random delays make of a rollout.
import { readFileSync } from "node:fs";
import { expectNoSidewaysScroll, pasteOverAll, test, expect } from "./fixtures.mjs";

const ask = (page) => page.getByRole("region", { name: "Ask for settings" });
const rows = (page) => ask(page).getByRole("row");

async function constraints(sandbox, page, texts) {
  for (const [label, text] of Object.entries(texts)) await sandbox.type(ask(page).getByLabel(label), text);
  await page.keyboard.press("Enter");
}

test("a constraint is answered by a table, and a click takes a setting", async ({ sandbox, page }) => {
  await test.step("the number of results is announced, and rows that miss a limit stand apart", async () => {
    await constraints(sandbox, page, { "Never more than": "19", "Available at least": "12" });
    const status = ask(page).locator(".asking [role=status]");
    await expect(status).toHaveText(/^Other settings that stay within your limits: \d+\./);
    const groups = ask(page).getByRole("rowgroup");
    const fits = groups.filter({ hasText: "Settings that stay within your limits" });
    await expect(fits.getByRole("row").nth(1)).toBeVisible();
    await expect(fits).not.toContainText("misses:");
    const [, count] = (await status.textContent()).match(/limits: (\d+)\./);
    await expect(fits.getByRole("button")).toHaveCount(Number(count));
    // Each of them says which limit.
    for (const row of await groups.filter({ hasText: "Settings that miss a limit" }).getByRole("row").filter({ has: page.getByRole("button") }).all()) {
      await expect(row).toContainText("misses:");
    }
  });
  await sandbox.startOver();
  await test.step("a click takes a setting", async () => {
    await constraints(sandbox, page, { "Never more than": "19", "Available at least": "12" });
    const table = ask(page).getByRole("table");
    await expect(table).toContainText("Your settings miss a limit. Other settings stay within all limits.");
    // The current settings: the same number as above the picture.
    const peak = await sandbox.answer(0, "pods at most").textContent();
    await expect(rows(page).nth(1)).toContainText("your settings");
    await expect(rows(page).nth(1).getByRole("cell").first()).toHaveText(peak);
    await expect(rows(page).nth(1)).toContainText(/misses: up to \d+ pods, \d+ more than 19/);

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
});

const PODS = ["pods at most", "available at least"];
const TIMES = ["complete after", "last old pod gone"];

/** Expects that the row of the current settings has these numbers above the picture. */
async function expectNumbersOfPicture(sandbox, page, labels = [...PODS, ...TIMES]) {
  const cells = rows(page).nth(1).getByRole("cell");
  await expect(rows(page).nth(1)).toContainText("your settings");
  for (const [column, label] of labels.entries()) {
    await expect(cells.nth(column)).toHaveText(await sandbox.answer(0, label).textContent());
  }
}

test("the cluster's quota is enforced as in the picture, also without being a limit", async ({ sandbox, page }) => {
  await page.getByText("The cluster around it").click();
  await sandbox.type(page.getByRole("textbox", { name: "Pods in the quota" }), "17");
  await expect(sandbox.answer(0, "pods at most")).toHaveText("17");
  const misses = /misses: quota pods allows 17 pods, and the rollout needs \d+/;
  for (const fits of [false, true]) {
    if (fits) await ask(page).getByLabel("Fits the cluster's quotas").click();
    await constraints(sandbox, page, { "Never more than": "30" });
    // The second answer replaces the first one.
    if (fits) await expect(rows(page).nth(1)).toContainText(misses);
    await expectNumbersOfPicture(sandbox, page);
    if (!fits) await expect(rows(page).nth(1)).not.toContainText("misses");
    await expect(ask(page)).toContainText("The cluster's quotas are enforced, as in the picture");
  }
});

test("nothing is wider than the window, and on a phone the table can be read as a whole", async ({ sandbox, page }) => {
  // So that no proposed setting is compared already.
  await page.getByRole("combobox", { name: "Compare with" }).selectOption("nothing");
  await constraints(sandbox, page, { "Never more than": "19", "Available at least": "12" });
  const table = ask(page).getByRole("region", { name: "Settings within your limits" });
  const caption = table.locator("caption");
  await expect(table).toBeVisible();
  for (const [width, height] of [[1440, 900], [768, 1024], [360, 740], [320, 740]]) {
    await test.step(`${width} px`, async () => {
      await page.setViewportSize({ width, height });
      await expectNoSidewaysScroll(page);
      if (width > 360) return;
      // No number is out of sight.
      await expect.poll(() => table.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(1);
      // The button of a setting stands below its name.
      for (const name of [/^Use maxSurge /, /^Use and compare with /]) {
        const row = rows(page).filter({ has: page.getByRole("button", { name }) }).first();
        const [head, button] = [await row.getByRole("rowheader").boundingBox(), await row.getByRole("button").boundingBox()];
        expect(button.y).toBeGreaterThanOrEqual(head.y + head.height - 1);
        expect(button.x).toBeLessThan(head.x + 8);
      }
      // The sentence above the table is all seen.
      const [outer, inner] = [await table.boundingBox(), await caption.boundingBox()];
      expect(inner.x).toBeGreaterThanOrEqual(outer.x - 1);
      expect(inner.x + inner.width).toBeLessThanOrEqual(outer.x + outer.width + 1);
    });
  }
});

test("a quota that is only asked for refuses no pods, and one that the pods never meet refuses new ones", async ({ sandbox, page }) => {
  await test.step("only asked for", async () => {
    await constraints(sandbox, page, { "Fits a quota of": "17" });
    await expectNumbersOfPicture(sandbox, page);
    await expect(ask(page)).toContainText("this quota refuses no pods");
  });
  await sandbox.startOver();
  await test.step("never met, in the picture and in Ask", async () => {
    await page.getByText("The cluster around it").click();
    // It wants pods that request CPU, and these request none; they are older than the quota.
    await sandbox.type(page.getByRole("textbox", { name: "CPU in the quota" }), "4");
    await expect(sandbox.answer(0, "pods at most")).toHaveText("15");
    await expect(sandbox.answer(0, "complete after")).toHaveText("never");
    await constraints(sandbox, page, { "Never more than": "30" });
    await expectNumbersOfPicture(sandbox, page);
  });
});

test("settings are tried from the pasted state on", async ({ sandbox, page }) => {
  const paste = async (name) => {
    const state = readFileSync(new URL(`../controlplane/states/${name}.yaml`, import.meta.url), "utf8");
    await pasteOverAll(page.getByRole("textbox", { name: "Your manifests, or the state of your cluster" }), state);
  };
  await sandbox.button("YAML").click();
  await expect(page.locator("yaml-editor")).toBeVisible();
  await paste("rolling-middle");
  await expect(page.locator(".how-to-read")).toContainText("your cluster, as it was when you read it");
  await sandbox.settled();
  await constraints(sandbox, page, { "Never more than": "100" });
  await expect(ask(page)).toContainText("Each row starts from the state that you pasted");
  await expectNumbersOfPicture(sandbox, page, PODS);
  // When it ends, is said above the picture.
  const outlook = await page.getByText(/complete in \d+ s; the last old pod is gone in \d+ s/).textContent();
  const times = outlook.match(/in \d+ s/g).map((text) => `0:${text.match(/\d+/)[0].padStart(2, "0")}`);
  await expect(rows(page).nth(1).getByRole("cell")).toHaveText([/^\d+$/, /^\d+$/, ...times, "in use"]);
  // What the table says of another setting, the picture plays.
  const use = ask(page).getByRole("button", { name: /^Use / }).first();
  const row = rows(page).filter({ has: page.getByRole("button", { name: /^Use / }) }).first();
  const [most, least] = await row.getByRole("cell").allTextContents();
  await use.click();
  await expect(sandbox.answer(0, "pods at most")).toHaveText(most);
  await expect(sandbox.answer(0, "available at least")).toHaveText(least);
});

test("an answer about other settings is grayed, and says so", async ({ sandbox, page }) => {
  await constraints(sandbox, page, { "Never more than": "19" });
  const table = ask(page).getByRole("table");
  const grayed = ask(page).locator(".stale").filter({ has: page.getByRole("table") });
  const changed = ask(page).getByText("You have changed your settings since.");
  await expect(table).toBeVisible();
  await expect(grayed).toHaveCount(0);
  for (const replicas of ["60", "-1"]) {
    await sandbox.type(sandbox.input("Replicas"), replicas);
    await expect(grayed).toHaveCount(1);
    await expect(changed).toBeVisible();
    await sandbox.type(sandbox.input("Replicas"), "15");
    await expect(grayed).toHaveCount(0);
    await expect(changed).toHaveCount(0);
  }
  // A setting of the table is one that the answer is about.
  await ask(page).getByRole("button", { name: /^Use / }).first().click();
  await expect(ask(page).getByRole("cell", { name: "in use" })).toHaveCount(1);
  await expect(grayed).toHaveCount(0);
});

test("an answer about another text is grayed, and nothing is asked about a broken one", async ({ sandbox, page }) => {
  const type = (text) => pasteOverAll(page.getByRole("textbox", { name: "Your manifests, or the state of your cluster" }), text);
  const manifest = (timing) => JSON.stringify({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: {
      replicas: 10,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "web:1", readinessProbe: { httpGet: { port: 80 }, ...timing } }] } },
    },
  });
  await sandbox.button("YAML").click();
  await expect(page.locator("yaml-editor")).toBeVisible();
  await type(manifest({}));
  await sandbox.settled();
  await constraints(sandbox, page, { "Never more than": "12" });
  const grayed = ask(page).locator(".stale").filter({ has: page.getByRole("table") });
  await expect(ask(page).getByRole("table")).toBeVisible();
  await expect(grayed).toHaveCount(0);
  await type(manifest({ initialDelaySeconds: 60 }));
  await expect(grayed).toHaveCount(1);
  await expect(ask(page).getByText("You have changed your settings since.")).toBeVisible();
  const panel = page.locator("section.ask");
  await expect(panel).not.toHaveAttribute("inert");
  await type("kind: [");
  await expect(panel).toHaveAttribute("inert");
});

test("the proposed policy is marked, and is compared", async ({ sandbox, page }) => {
  await constraints(sandbox, page, { "Never more than": "19" });
  const proposed = rows(page).filter({ hasText: "proposed" }).first();
  await expect(proposed).toContainText("TerminationComplete");
  await page.getByRole("combobox", { name: "Compare with" }).selectOption("nothing");
  await expect(sandbox.lanes).toHaveCount(1);
  await proposed.getByRole("button", { name: /^Use and compare with TerminationComplete: maxSurge / }).click();
  await expect(sandbox.lanes).toHaveCount(2);
  await expect(sandbox.lane(1).getByText("proposed", { exact: true })).toBeVisible();
  // The button says so, and keeps the focus.
  const button = proposed.getByRole("button", { name: "compared", exact: true });
  await expect(button).toHaveAttribute("aria-disabled", "true");
  await expect(button).toBeFocused();
  await page.getByRole("combobox", { name: "Compare with" }).selectOption("nothing");
  await expect(proposed.getByRole("button", { name: /^Use and compare with TerminationComplete: / })).not.toHaveAttribute("aria-disabled");
});

test("settings that leave no pod available come last, and say so", async ({ sandbox, page }) => {
  await constraints(sandbox, page, { "Never more than": "15", "Available at least": "0" });
  const fits = ask(page).getByRole("rowgroup").filter({ hasText: "Settings that stay within your limits" });
  await expect(fits.getByRole("row").filter({ hasText: "no pod is available for a while" })).not.toHaveCount(0);
  const outages = await fits.getByRole("row").filter({ has: page.getByRole("cell") }).evaluateAll((rows) =>
    rows.map((row) => [row.cells[2].textContent === "0", row.textContent.includes("no pod is available for a while")]),
  );
  for (const [isOutage, isMarked] of outages) expect(isMarked).toBe(isOutage);
  const order = outages.map(([isOutage]) => isOutage);
  expect(order).toEqual(order.toSorted());
  // Whoever takes one of them anyway reads for how long.
  await expect(sandbox.title).not.toContainText("No pod is available");
  await fits.getByRole("row").filter({ hasText: "no pod is available for a while" }).first().getByRole("button", { name: /^Use / }).click();
  await expect(sandbox.title).toContainText(/ No pod is available for \d+ /);
});

test("if nothing meets all constraints, it says which one to relax, or which ones together", async ({ sandbox, page }) => {
  await test.step("one", async () => {
    await constraints(sandbox, page, { "Never more than": "15", "Available at least": "15" });
    await expect(ask(page).getByRole("table")).toContainText("No settings of today's Kubernetes stay within all of your limits.");
    await expect(ask(page).getByRole("table")).toContainText(/Allow up to \d+ pods\./);
  });
  await sandbox.startOver();
  await test.step("several", async () => {
    await constraints(sandbox, page, { "Never more than": "15", "Available at least": "15", "Complete within": "1" });
    await expect(ask(page).getByRole("table")).toContainText("Changing a single limit is not enough.");
    await expect(ask(page).getByRole("table")).toContainText(/Change both: Allow up to \d+ pods\. Allow it to take /);
    await expect(ask(page).getByRole("table")).toContainText(/Change both: Accept as few as \d+ available pods\. Allow it to take /);
  });
  await sandbox.startOver();
  await test.step("a time and a quota are constraints, too", async () => {
    await constraints(sandbox, page, { "Complete within": "10" });
    await expect(rows(page).nth(1)).toContainText(/complete after .*, more than 10 s/);
    await sandbox.type(ask(page).getByLabel("Complete within"), "");
    await constraints(sandbox, page, { "Fits a quota of": "20" });
    await expect(rows(page).nth(1)).toContainText(/misses: your quota allows 20 pods, and the rollout needs \d+/);
  });
});

test("wrong constraints say what would be right, and keep what was typed", async ({ sandbox, page }) => {
  await test.step("one", async () => {
    await ask(page).getByRole("button", { name: "Find settings" }).click();
    await expect(ask(page).getByRole("alert")).toHaveText("Enter at least one limit.");
    await constraints(sandbox, page, { "Never more than": "many" });
    await expect(ask(page).getByRole("alert")).toHaveText("Never more than: “many” isn't a whole number from 0 to 2,147,483,647.");
    await expect(ask(page).getByLabel("Never more than")).toHaveValue("many");
    await expect(ask(page).getByLabel("Never more than")).toHaveAttribute("aria-invalid", "true");
    await sandbox.type(ask(page).getByLabel("Never more than"), "");
    await constraints(sandbox, page, { "Fits a quota of": "1.5" });
    await expect(ask(page).getByRole("alert")).toHaveText("Fits a quota of: “1.5” isn't a whole number from 0 to 2,147,483,647.");
  });
  await test.step("all at once", async () => {
    await constraints(sandbox, page, { "Never more than": "abc", "Available at least": "-1", "Complete within": "soon", "Fits a quota of": "many" });
    const problems = ask(page).locator("form .problem");
    await expect(problems).toHaveText([/^Never more than: “abc” /, /^Available at least: “-1” /, /^Complete within: “soon” /, /^Fits a quota of: “many” /]);
    for (const input of await ask(page).getByRole("textbox").all()) await expect(input).toHaveAttribute("aria-invalid", "true");
  });
});

test("many runs give ranges, show progress, and can be stopped", async ({ sandbox, page }) => {
  await test.step("ranges and progress", async () => {
    // With this many pods, no browser finishes all runs before the click.
    await sandbox.type(sandbox.input("Replicas"), "150");
    await ask(page).getByRole("button", { name: "Simulate 200 runs" }).click();
    await expect(ask(page).getByRole("progressbar", { name: "Runs" })).toBeVisible();
    await expect(ask(page)).toContainText(/In \d+ runs: /);
    await ask(page).getByRole("button", { name: "Stop" }).click();
    await expect(ask(page).getByRole("progressbar")).toHaveCount(0);
    const [, done] = (await ask(page).textContent()).match(/In (\d+) runs: /);
    expect(Number(done)).toBeLessThan(200);
    await sandbox.type(sandbox.input("Replicas"), "4");
    await ask(page).getByRole("button", { name: "Simulate 200 runs" }).click();
    await expect(ask(page)).toContainText(/In 200 runs: at most \d+( to \d+)? pods, at least \d+( to \d+)? available, complete after \d+:\d\d to \d+:\d\d\./);
    // Other settings give other ranges.
    await sandbox.type(sandbox.input("Replicas"), "5");
    await expect(ask(page)).not.toContainText("In 200 runs");
  });
  await sandbox.startOver();
  await test.step("the quota that is asked for", async () => {
    await sandbox.type(sandbox.input("Replicas"), "4");
    await sandbox.type(ask(page).getByLabel("Fits a quota of"), "4");
    await ask(page).getByRole("button", { name: "Simulate 200 runs" }).click();
    await expect(ask(page)).toContainText("None of the 200 runs stays within your limits.");
  });
});

test("a search can be stopped, and other questions are still answered", async ({ sandbox, page }) => {
  await sandbox.button("YAML").click();
  const editor = page.getByRole("textbox", { name: "Your manifests, or the state of your cluster" });
  await expect(page.locator("yaml-editor")).toBeVisible();
  const paste = async (replicas) => {
    const container = { name: "web", image: "web:1" };
    const labels = { app: "web" };
    const spec = { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container] } } };
    await editor.click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText(JSON.stringify({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec }));
  };
  await paste(1500);
  await expect(sandbox.title).toContainText("You asked for 1500 pods");
  await constraints(sandbox, page, { "Never more than": "1501" });
  await expect(ask(page).getByText("Simulating settings…")).toBeVisible();
  // The button is no word of the sentence.
  await expect(ask(page).locator(".asking [role=status]")).toHaveText("Simulating settings…");
  // The worker would read this only after the search.
  await paste(7);
  await expect(sandbox.title).toContainText("1500");
  await ask(page).getByRole("button", { name: "Stop" }).press("Enter");
  await expect(sandbox.title).toContainText("You asked for 7 pods");
  await expect(ask(page).getByRole("table")).toHaveCount(0);
});

test("the worst of all orders is explored, with the order, or bounded", async ({ sandbox, page }) => {
  const find = ask(page).getByRole("button", { name: "Find the worst case" });
  await sandbox.type(sandbox.input("Replicas"), "2");
  await sandbox.type(sandbox.input("maxSurge"), "1");
  await sandbox.type(ask(page).getByLabel("Fits a quota of"), "3");
  await find.press("Enter");
  await expect(ask(page)).toContainText("In the worst of all orders: at most 4 pods, at least 2 available. Without random delays, it is complete after at most 14 s, plus the time that controllers take. A quota of 3 pods can be too small: it then refuses pods.");
  await expect(ask(page)).toContainText("With TerminationComplete (proposed): at most 3 pods");
  await ask(page).getByText("An order that leads to 4 pods").click();
  await expect(ask(page).getByText("The new ReplicaSet creates 1 pod.").first()).toBeVisible();
  await ask(page).getByText("An order that takes 14 s").click();
  await expect(ask(page).getByText("14 s: The old ReplicaSet deletes 1 pod.")).toBeVisible();
  await expect(find).toBeVisible();
  // The answer is about these settings only.
  await sandbox.type(sandbox.input("Replicas"), "20");
  await expect(ask(page)).not.toContainText("In the worst of all orders");
  await find.press("Enter");
  await expect(ask(page)).toContainText("In any order (a proven bound that may never be reached): at most 40 pods, at least 15 available.");
});
