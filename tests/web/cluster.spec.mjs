// The cluster around the rollout.
import { App, test as base, expect } from "./fixtures.mjs";

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

test("a quota keeps pods from being created, and a rollout that it holds up opens with what it refuses", async ({ cluster, sandbox, page }) => {
  await test.step("it keeps pods from being created", async () => {
    await cluster.type("Pods in the quota", "20");
    await expect(cluster.answer("pods at most")).toHaveText("20");
  });
  await sandbox.startOver();
  await test.step("it holds up a rollout", async () => {
    await sandbox.type(sandbox.input("Replicas"), "6");
    await sandbox.type(sandbox.input("Unavailable pods"), "0");
    await cluster.type("Pods in the quota", "6");
    await expect(page.getByText("the moment at which the rollout gets stuck.")).toBeVisible();
    await expect(sandbox.sentence(0)).toContainText("quota pods allows pods=6, and pods=6 is used");
  });
});

test("full nodes keep pods waiting, and an autoscaler adds one", async ({ sandbox, cluster, page }) => {
  await sandbox.type(sandbox.input("Time to stop"), "20");
  await cluster.type("Number of nodes", "2");
  await cluster.type("Pods that fit on a node", "9");
  await sandbox.button("Show pods by node").click();
  const table = sandbox.lane(0).getByRole("table", { name: "Pods by node" });
  await expect(table.getByRole("rowheader")).toHaveText(["no node yet", "node-a", "node-b"]);
  // In the table, a pod has the state that it has in the picture.
  const waiting = table.getByRole("row", { name: /^no node yet/ }).getByRole("img", { name: /: pending since / });
  await expect(waiting.first().locator(".tile")).toHaveClass(/\bpending\b/);
  const before = seconds(await cluster.answer("complete after").textContent());
  await cluster.type("A new node takes", "15");
  await sandbox.title.click();
  await page.keyboard.press("End");
  await expect(table.getByRole("rowheader").filter({ hasNotText: /^node-[ab]$/ })).not.toHaveCount(0);
  expect(before).toBeGreaterThan(0);
});

test("each table of pods by node has a name of its own, and its pods don't repeat the row's node", async ({ sandbox, cluster, page }) => {
  await cluster.type("Number of nodes", "2");
  await sandbox.settled();
  await sandbox.button("Show pods by node").click();
  for (const lane of ["Your settings", "TerminationComplete"]) {
    const table = page.getByRole("table", { name: `Pods by node: ${lane}`, exact: true });
    await expect(table.getByRole("rowheader", { name: "node-a" })).toBeVisible();
    await expect(table.getByRole("img", { name: /: available/ })).not.toHaveCount(0);
    await expect(table.getByRole("img", { name: / on node-/ })).toHaveCount(0);
  }
});

test("a tile has the end of its node's name, and one line says what the letters mean", async ({ sandbox, cluster }) => {
  await test.step("a tile with room for it has the end of its node's name", async () => {
    await sandbox.type(sandbox.input("Replicas"), "3");
    await cluster.type("Number of nodes", "2");
    await expect(sandbox.title).toContainText("You asked for 3 pods");
    await sandbox.settled();
    const tiles = await sandbox.tiles(0).evaluateAll((tiles) =>
      tiles.map((tile) => [tile.querySelector("title").textContent, tile.querySelector(".node")?.textContent ?? "none"]),
    );
    expect(tiles.map(([title]) => /on node-(\w)/.exec(title)?.[1] ?? "none")).toEqual(tiles.map(([, mark]) => mark));
    expect(tiles.map(([, mark]) => mark)).toEqual(expect.arrayContaining(["a", "b"]));
  });
  await sandbox.startOver();
  await test.step("one line says what the letters on the tiles mean", async () => {
    const legend = sandbox.page.locator(".tile-legend");
    await expect(legend).toHaveCount(0);
    await sandbox.type(sandbox.input("Replicas"), "3");
    await cluster.type("Number of nodes", "2");
    await expect(legend).toHaveText("Each tile shows its node on the left (a is node-a, b is node-b).");
    await cluster.type("Number of nodes", "4");
    await expect(legend).toHaveText("Each tile shows its node on the left (a to d are node-a to node-d).");
  });
});

test("a story with deletion costs on its tiles says what they mean, also on a phone", async ({ page, site }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  const app = new App(page);
  await app.openOwnCase(`${site}stories/who-dies-first/`);
  await expect(page.locator(".tile-legend")).toHaveText("Each tile shows its deletion cost on the right (the lowest is deleted first).");
  await expect(page.locator(".tile-legend")).toBeVisible();
  await app.openOwnCase(`${site}stories/lost-node/`);
  await expect(page.locator(".tile-legend")).toHaveText("Each tile shows its node on the left (a is node-a, b is node-b, c is node-c).");
});

test("what is invalid is kept, with an error beside it", async ({ sandbox, cluster, page }) => {
  await test.step("a number of nodes", async () => {
    await cluster.type("Number of nodes", "0");
    await expect(page.getByRole("alert")).toHaveText("Number of nodes: “0” must be a number of nodes, from 1 to 200.");
  });
  for (const [label, text, problem] of [
    ["CPU that a pod requests", "half", "CPU that a pod requests: “half” must be an amount like 500m or 2."],
    ["Memory that a pod requests", "-1Gi", "Memory that a pod requests: “-1Gi” must be greater than or equal to 0."],
  ]) {
    await sandbox.startOver();
    await test.step(label, async () => {
      await cluster.type(label, text);
      const input = page.getByRole("textbox", { name: label });
      await expect(input).toBeFocused();
      await expect(input).toHaveAttribute("aria-invalid", "true");
      await expect(input).toHaveAccessibleDescription(new RegExp(problem));
      // The picture, Ask and the tables.
      await expect(page.locator(":is(.result, .rest) > .stale[inert]")).toHaveCount(3);
      await expect(page.locator(".how-to-read")).toHaveText("This still shows the previous result until you fix the marked setting.");
      for (const key of ["Backspace", "Backspace", "Backspace", "Backspace", "1"]) await page.keyboard.press(key);
      await expect(input).toHaveValue("1");
      await expect(input).not.toHaveAttribute("aria-invalid");
      await expect(page.locator(".stale")).toHaveCount(0);
      await sandbox.settled();
    });
  }
  await sandbox.startOver();
  await test.step("the new version's time: at its own field", async () => {
    await cluster.type("Its time to start", "soon");
    await expect(page.getByRole("textbox", { name: "Its time to start" })).toHaveAttribute("aria-invalid", "true");
    await expect(page.getByRole("textbox", { name: /^Time to start/ })).not.toHaveAttribute("aria-invalid");
  });
});

const ANSWERS = ["pods at most", "available at least", "complete after", "last old pod gone"];

/** How a number of pods, or a time, has changed. */
function difference(before, after) {
  if (before === after || after === "never") return before === after ? "same" : after;
  return seconds(after) > seconds(before) ? "more" : "less";
}

const DELAYED = { "pods at most": "less", "complete after": "more", "last old pod gone": "more" };
// The rollout waits for room anyway.
const CROWDED = { "pods at most": "less", "last old pod gone": "more" };
const STUCK = { "pods at most": "less", "complete after": "never", "last old pod gone": "never" };

/** A control and its text, which answers change and how, and what is set before. The other answers stay as they are. */
const EFFECTS = [
  ["CPU of a node", "6", DELAYED, { "CPU that a pod requests": "1" }],
  ["CPU that a pod requests", "1", DELAYED, { "CPU of a node": "6" }],
  ["Memory of a node", "6Gi", DELAYED, { "Memory that a pod requests": "1Gi" }],
  ["Memory that a pod requests", "1Gi", DELAYED, { "Memory of a node": "6Gi" }],
  ["CPU in the quota", "9", DELAYED, { "CPU that a pod requests": "500m" }],
  ["Memory in the quota", "9Gi", DELAYED, { "Memory that a pod requests": "512Mi" }],
  // New pods that don't request CPU are refused. The old ones are older than the quota.
  ["CPU in the quota", "9", STUCK],
  ["First probe after", "20", DELAYED],
  ["Restart after failed probes", "1", STUCK, { "Probe every": "3" }],
  // It delays old pods, but not the new ones.
  ["preStop hook takes", "8", { "last old pod gone": "more" }],
  ["Pods of other Deployments", "5", DELAYED, { "Pods that fit on a node": "8" }],
  ["Pods of other Deployments", "5", DELAYED, { "Pods in the quota": "24" }],
  ["Pods of other Deployments", "2, 3", DELAYED, { "Pods in the quota": "24" }],
  ["CPU that their pods request", "2", CROWDED, { "CPU of a node": "9", "CPU that a pod requests": "1", "Pods of other Deployments": "3" }],
  ["Memory that their pods request", "2Gi", CROWDED, { "Memory of a node": "9Gi", "Memory that a pod requests": "1Gi", "Pods of other Deployments": "3" }],
  // Standing still, the others need no more room.
  ["They roll out after", "0", DELAYED, { "Pods in the quota": "30", "Pods of other Deployments": "8" }],
];
test("each control of the cluster changes its answers", async ({ sandbox, cluster }) => {
  test.slow();
  const answers = () => Promise.all(ANSWERS.map((label) => cluster.answer(label).textContent()));
  for (const [label, text, changes, given = {}] of EFFECTS) {
    const situation = Object.entries(given).map(([label, text]) => `, with ${label} ${text}`).join("");
    await test.step(`${label} ${text}${situation}`, async () => {
      for (const [label, text] of Object.entries(given)) await cluster.type(label, text);
      await sandbox.type(sandbox.input("Time to stop"), "20");
      await sandbox.settled();
      const before = await answers();
      await cluster.type(label, text);
      const differences = async () => (await answers()).map((after, index) => `${ANSWERS[index]}: ${difference(before[index], after)}`);
      const expected = ANSWERS.map((answer) => `${answer}: ${changes[answer] ?? "same"}`);
      await expect.configure({ soft: true }).poll(differences, `${label} ${text}${situation}`).toEqual(expected);
    });
    await sandbox.startOver();
  }
  // What the other answers do is the new version's.
  for (const [label, text, complete] of [
    ["Time to pull its image", "never", /^never$/],
    ["It crashes after", "3", /^never$/],
    ["Its time to start", "never", /^never$/],
    ["Probe every", "30", "more"],
    ["A second rollout after", "10", "more"],
  ]) {
    await test.step(`${label} ${text}`, async () => {
      await sandbox.type(sandbox.input("Time to stop"), "20");
      await sandbox.settled();
      const before = await cluster.answer("complete after").textContent();
      await cluster.type(label, text);
      if (complete === "more") await expect.poll(async () => difference(before, await cluster.answer("complete after").textContent())).toBe("more");
      else await expect(cluster.answer("complete after")).toHaveText(complete);
    });
    await sandbox.startOver();
  }
});

test("a drained node, with pods that must stay available and without", async ({ sandbox, cluster, page }) => {
  for (const [budget, sentence, least] of [
    ["", /Node node-a is drained: its pods are gone\./, "10"],
    ["14", /Node node-a is drained: its pods are gone\./, "12"],
    ["15", /can't be evicted: the disruption budget web needs 15 healthy pods and has 15\./, "12"],
  ]) {
    await test.step(`${budget || "no"} pods`, async () => {
      await sandbox.type(sandbox.input("Time to stop"), "20");
      if (budget) await cluster.type("Pods that must stay available", budget);
      await sandbox.settled();
      await sandbox.title.click();
      await sandbox.button("To the end").click();
      await expect(sandbox.picture(0)).toHaveAccessibleName(/: 15 pods, 15 available, 0 terminating/);
      await sandbox.openWhatIf();
      await sandbox.whatIf.getByRole("combobox", { name: /^What if / }).selectOption("drain the node");
      await sandbox.button("Do it").click();
      await expect(page.getByRole("list", { name: "What you did" }).getByRole("listitem")).toContainText("you drain Node node-a");
      await sandbox.button("To the end").click();
      await expect(sandbox.sentence(0)).toHaveText(sentence);
      await expect(cluster.answer("available at least")).toHaveText(least);
    });
    await sandbox.startOver();
  }
});

test("a rollout without progress says so after its progress deadline", async ({ sandbox, cluster, page }) => {
  await cluster.type("Time to pull its image", "never");
  for (const deadline of ["30", "45"]) {
    await cluster.type("Progress deadline", deadline);
    await sandbox.settled();
    await sandbox.title.click();
    await page.keyboard.press("End");
    await expect(sandbox.sentence(0)).toContainText(`Deployment web made no progress for ${deadline} s: 19 pods, 7 up to date, 12 ready, 12 available.`);
  }
});

test("the YAML view contains the cluster's settings", async ({ sandbox, cluster, page }) => {
  await cluster.type("Pods that must stay available", "12");
  await cluster.type("Pods of other Deployments", "4, 2");
  await cluster.type("CPU that their pods request", "500m");
  await sandbox.button("YAML").click();
  const text = await page.locator("#manifests").evaluate((element) => element.value);
  expect(text).toContain("kind: PodDisruptionBudget");
  for (const [name, replicas] of [["other-1", 4], ["other-2", 2]]) {
    expect(text).toContain(`kind: Deployment\nmetadata:\n  name: ${name}\nspec:\n  replicas: ${replicas}\n`);
  }
  expect(text.match(/cpu: "?500m/g)).toHaveLength(2);
});

test("a list of other Deployments that is wrong says what would be right", async ({ sandbox, cluster, page }) => {
  // Before there are any, nothing can be said about their pods.
  const cpu = page.getByRole("textbox", { name: "CPU that their pods request" });
  await expect(cpu).toBeDisabled();
  await expect(cpu).toHaveAccessibleDescription("This applies to other Deployments. Enter their pods first.");
  await cluster.type("Pods of other Deployments", "5, x");
  const pods = page.getByRole("textbox", { name: "Pods of other Deployments" });
  await expect(pods).toHaveAccessibleDescription(/“5, x” must be the pods of each Deployment/);
  await page.keyboard.press("Backspace");
  await page.keyboard.type("3");
  await expect(pods).toHaveValue("5, 3");
  await cluster.type("CPU that their pods request", "1, 1, 1");
  await expect(cpu).toHaveAccessibleDescription(/must be one amount, or one for each of the 2 Deployments/);
  await cluster.type("CPU that their pods request", "1, 500m");
  await expect(page.getByRole("alert")).toHaveCount(0);
  await sandbox.settled();
});
