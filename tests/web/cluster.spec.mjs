// The cluster around the rollout.
import { test as base, expect } from "./fixtures.mjs";

const test = base.extend({
  cluster: async ({ sandbox, page }, use) => {
    await page.getByText("The cluster around it").click();
    await use({
      type: async (label, text) => sandbox.type(page.getByRole("textbox", { name: label }), text),
      answer: (label) => sandbox.answer(0, label),
    });
  },
});

const seconds = (clock) => clock.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);

test("a quota keeps pods from being created", async ({ cluster }) => {
  await cluster.type("Pods in the quota", "20");
  await expect(cluster.answer("pods at most")).toHaveText("20");
});

test("full nodes keep pods waiting, and an autoscaler adds one", async ({ sandbox, cluster, page }) => {
  await cluster.type("Number of nodes", "2");
  await cluster.type("Pods that fit on a node", "9");
  await sandbox.button("Show pods by node").click();
  const table = sandbox.lane(0).getByRole("table", { name: "Pods by node" });
  await expect(table.getByRole("rowheader")).toHaveText(["no node yet", "node-a", "node-b"]);
  const before = seconds(await cluster.answer("complete after").textContent());
  await cluster.type("A new node takes", "15");
  await sandbox.title.click();
  await page.keyboard.press("End");
  await expect(table.getByRole("rowheader").filter({ hasNotText: /^node-[ab]$/ })).not.toHaveCount(0);
  expect(before).toBeGreaterThan(0);
});

test("an invalid number of nodes is kept, with an error", async ({ cluster, page }) => {
  await cluster.type("Number of nodes", "0");
  await expect(page.getByRole("alert")).toHaveText("Invalid value: must be a number of nodes, from 1 to 200");
});

for (const [label, text] of [
  ["Time to pull its image", "never"],
  ["It crashes after", "3"],
  ["Its time to start", "never"],
]) {
  test(`a new version is never complete: ${label} ${text}`, async ({ cluster }) => {
    await cluster.type(label, text);
    await expect(cluster.answer("complete after")).toHaveText("never");
  });
}

test("probes decide when a pod is ready", async ({ cluster }) => {
  const before = seconds(await cluster.answer("complete after").textContent());
  await cluster.type("Probe every", "30");
  await expect.poll(async () => seconds(await cluster.answer("complete after").textContent())).toBeGreaterThan(before);
});

test("a second rollout in the middle of the first takes longer", async ({ cluster }) => {
  const before = seconds(await cluster.answer("complete after").textContent());
  await cluster.type("A second rollout after", "10");
  await expect.poll(async () => seconds(await cluster.answer("complete at").textContent())).toBeGreaterThan(before);
});

test("the YAML view contains the cluster's settings", async ({ sandbox, cluster, page }) => {
  await cluster.type("Pods that must stay available", "12");
  await cluster.type("Pods of another Deployment", "4");
  await sandbox.button("YAML").click();
  const text = await page.locator("#manifests").evaluate((element) => element.value);
  expect(text).toContain("kind: PodDisruptionBudget");
  expect(text).toContain("name: other");
});
