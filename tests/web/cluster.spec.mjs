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

for (const [label, text, problem] of [
  ["CPU that a pod requests", "half", 'requests[cpu]: Invalid value: "half": must be an amount like 500m or 2'],
  ["Memory that a pod requests", "-1Gi", 'requests[memory]: Invalid value: "-1Gi": must be greater than or equal to 0'],
]) {
  test(`${label}: an invalid amount is kept, with an error beside it`, async ({ sandbox, cluster, page }) => {
    await cluster.type(label, text);
    const input = page.getByRole("textbox", { name: label });
    await expect(input).toBeFocused();
    await expect(input).toHaveAttribute("aria-invalid", "true");
    await expect(input).toHaveAccessibleDescription(new RegExp(problem.replace(/[[\]]/g, "\\$&")));
    // The picture, and Ask.
    await expect(page.locator(".result > .stale[inert]")).toHaveCount(2);
    await expect(page.locator(".how-to-read")).toHaveText("This is still the last result, until you fix the marked setting.");
    for (const key of ["Backspace", "Backspace", "Backspace", "Backspace", "1"]) await page.keyboard.press(key);
    await expect(input).toHaveValue("1");
    await expect(input).not.toHaveAttribute("aria-invalid");
    await expect(page.locator(".stale")).toHaveCount(0);
    await sandbox.settled();
  });
}

test("an error about the new version's time is at its own field", async ({ cluster, page }) => {
  await cluster.type("Its time to start", "soon");
  await expect(page.getByRole("textbox", { name: "Its time to start" })).toHaveAttribute("aria-invalid", "true");
  await expect(page.getByRole("textbox", { name: /^Time to start/ })).not.toHaveAttribute("aria-invalid");
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
