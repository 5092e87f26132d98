// Why is my rollout stuck? Opens the state of a running cluster in the sandbox.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { violations } from "./axe.mjs";
import { App, expectNoSidewaysScroll, test, expect } from "./fixtures.mjs";

const state = (name) => fileURLToPath(new URL(`../cli/cases/explain.in/${name}`, import.meta.url));
const outlook = (page) => page.getByRole("region", { name: "The state of your rollouts" });

/** Opens a state, or what was made of it. */
async function open(sandbox, page, name, list) {
  await sandbox.button("YAML").click();
  const file = list ? { name, mimeType: "application/json", buffer: Buffer.from(JSON.stringify(list)) } : state(name);
  await page.getByLabel("Open a file").setInputFiles(file);
  await expect(outlook(page).getByRole("heading", { level: 2 }).first()).toBeVisible();
  // The controls follow the state that was read, and then it is looked at once more.
  await expect(outlook(page)).toHaveAttribute("aria-busy", "false");
}

/** Does something that needs no value at the playhead. */
async function whatIf(page, what) {
  await new App(page).openWhatIf();
  await page.getByRole("combobox", { name: /^What if / }).selectOption(what);
  await page.getByRole("button", { name: "Do it" }).click();
}

/** A time in words: `40 s`, `1 min 5 s`. */
const TIME = String.raw`\d+ (?:h|min|s|ms)(?: \d+ (?:min|s))?`;
const AFTER = new RegExp(String.raw`then it completes (after ${TIME}|at once)\.`);
/** After the API server has refused pods, the controller waits; after a container has failed, the kubelet does. */
const AFTER_NEXT_TRY = new RegExp(String.raw`then it completes ${TIME} after the next try\.`);

/** A state, where its rollout stands, what it waits for, and what would unblock it, when. */
const STATES = [
  ["image.json", "web is stuck", "ImagePullBackOff", { "Roll back": AFTER, "Fix what keeps its pods from becoming ready": AFTER_NEXT_TRY }],
  ["quota.json", "web is stuck", "exceeded quota: team", { "Raise quota team": AFTER_NEXT_TRY, "Allow 1 unavailable pod": AFTER_NEXT_TRY }],
  ["paused.json", "web is paused", "It is paused", { "Resume it": AFTER }],
];
/** The objects of a state, changed. */
function changed(name, change) {
  const list = JSON.parse(readFileSync(state(name), "utf8"));
  for (const object of list.items) change(object);
  return list;
}

const node = (name, ready) => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, uid: name },
  status: { allocatable: { pods: "110" }, conditions: [{ type: "Ready", status: ready }] },
});

const isNew = ({ kind, status }) => kind === "Pod" && status.containerStatuses?.some(({ state }) => state.waiting);

/** A rollout that waits for the pods of a node that is lost. */
function lostNode() {
  const list = changed("rolling.json", (object) => {
    if (object.kind === "Deployment") object.spec.strategy = { type: "Recreate" };
    if (object.kind === "Pod") object.spec.nodeName = "node-a";
  });
  list.items.push(node("node-a", "Unknown"), node("node-b", "True"));
  return list;
}

// tests/cli/causes.yaml has all causes.
test("causes are named, and what would unblock them was played", async ({ sandbox, page }) => {
  test.slow();
  for (const [name, standing, why, remedies] of STATES) {
    await test.step(name, async () => {
      await open(sandbox, page, name);
      await expect(outlook(page).getByRole("heading", { level: 2 })).toHaveText(standing);
      await expect(outlook(page)).toContainText(why);
      for (const [remedy, when] of Object.entries(remedies)) {
        await expect(outlook(page).getByRole("listitem").filter({ hasText: new RegExp(`^${remedy}`) })).toContainText(when);
      }
    });
  }
  await test.step("paused.json: the advice about a cause ends with its command", async () => {
    const cause = outlook(page).getByRole("listitem").filter({ hasText: "It is paused" });
    await expect(cause).toContainText("Resume it:");
    await expect(cause.locator("code")).toHaveText("kubectl rollout resume deployment/web --namespace shop");
  });
  await test.step("a lost node", async () => {
    await open(sandbox, page, "rolling.json", lostNode());
    await expect(outlook(page)).toContainText(/node node-a no longer reports: 2 of its \d pods are evicted in 5 min .* and replaced; all stay until the node returns/);
    await expect(outlook(page).getByRole("listitem").filter({ hasText: "Bring node node-a back" })).toContainText(new RegExp(`then it completes after ${TIME}`));
  });
  await test.step("a rollout in progress shows what comes next, and needs nothing", async () => {
    await open(sandbox, page, "rolling.json");
    await expect(outlook(page).getByRole("heading", { level: 2 })).toHaveText("web is in progress");
    await expect(outlook(page)).toContainText("What comes next");
    await expect(outlook(page)).not.toContainText("How to unblock it");
  });
  await test.step("manifests have no outlook", async () => {
    await sandbox.startOver();
    await sandbox.button("YAML").click();
    await expect(outlook(page)).toHaveCount(0);
  });
});

test("a large text shows how much of it is read, and nothing earlier as its result", async ({ sandbox, page }) => {
  test.slow();
  const list = changed("image.json", () => {});
  const pod = list.items.find((object) => object.kind === "Pod" && !isNew(object));
  for (let index = 0; index < 500; index += 1) {
    const other = structuredClone(pod);
    Object.assign(other.metadata, { name: `${pod.metadata.name}-${index}`, uid: `other-${index}`, annotations: { note: "x".repeat(2_000) } });
    list.items.push(other);
  }
  await open(sandbox, page, "paused.json");
  const earlier = await sandbox.title.textContent();
  // Any machine takes long by a clock that jumps whenever somebody looks at it.
  const workbench = page.workers().find((worker) => worker.url().endsWith("/workbench.js"));
  await workbench.evaluate(() => {
    let looks = 0;
    const now = performance.now.bind(performance);
    performance.now = () => now() + 1_000 * looks++;
  });
  await page.evaluate(() => {
    window.percentages = [];
    window.current = [];
    let wasMuted = false;
    const look = () => {
      const sign = document.getElementById("loading");
      if (sign?.textContent.startsWith("Working")) window.percentages.push(Number.parseInt(sign.lastChild.textContent));
      // The earlier result is muted a moment after it is no longer wanted, and then until the new one is there.
      const title = document.querySelector("h1");
      const isMuted = title.classList.contains("stale");
      if (wasMuted && !isMuted) window.current.push(title.textContent);
      wasMuted ||= isMuted;
    };
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
  });
  // YAML, of which the number of lines is known.
  const text = `# A state\n${JSON.stringify(list, null, 1)}`;
  await page.getByLabel("Open a file").setInputFiles({ name: "state.yaml", mimeType: "text/yaml", buffer: Buffer.from(text) });
  await expect(outlook(page).getByRole("heading", { level: 2 })).toHaveText("web is stuck", { timeout: 120_000 });
  const { percentages, current } = await page.evaluate(() => ({ percentages: window.percentages, current: window.current }));
  expect(percentages.length).toBeGreaterThan(2);
  expect(current).not.toContain(earlier);
  await expect(page.locator("#loading")).toHaveCount(0);
});

test("of several Deployments, the stuck one is shown, and all that is read of sets is explained", async ({ sandbox, page }) => {
  const list = changed("complete.json", () => {});
  for (const { metadata } of list.items) {
    metadata.name = `a-${metadata.name}`;
    metadata.uid = `a-${metadata.uid}`;
    for (const owner of metadata.ownerReferences ?? []) Object.assign(owner, { name: `a-${owner.name}`, uid: `a-${owner.uid}` });
  }
  list.items.push(...changed("image.json", () => {}).items);
  await open(sandbox, page, "image.json", list);
  await expect(outlook(page).locator(".stuck-ones")).toHaveText("1 of 2 rollouts is stuck: web.");
  await expect(sandbox.title).toContainText("Deployment web wants");
  const set = { apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name: "agent", namespace: "shop", uid: "set", generation: 1 } };
  set.spec = { selector: { matchLabels: { app: "agent" } }, template: { metadata: { labels: { app: "agent" } }, spec: { containers: [{ name: "agent", image: "agent:1" }] } } };
  set.status = { desiredNumberScheduled: 1, currentNumberScheduled: 1, updatedNumberScheduled: 1, observedGeneration: 1 };
  const owner = { apiVersion: "apps/v1", kind: "DaemonSet", name: "agent", uid: "set", controller: true };
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "agent-1", namespace: "shop", uid: "pod", creationTimestamp: "2026-01-01T00:00:00Z", ownerReferences: [owner] } };
  pod.spec = { nodeName: "node-a", containers: [{ name: "agent", image: "agent:1" }] };
  const state = { waiting: { reason: "CrashLoopBackOff" } };
  pod.status = { phase: "Running", containerStatuses: [{ name: "agent", ready: false, restartCount: 9, state, lastState: { terminated: { reason: "OOMKilled", exitCode: 137 } } }] };
  await open(sandbox, page, "set.json", { apiVersion: "v1", kind: "List", items: [set, pod] });
  await expect(outlook(page).getByRole("heading", { level: 2 })).toHaveText("DaemonSet agent is stuck");
  await expect(outlook(page)).toContainText("OOMKilled");
  await expect(sandbox.title).toHaveText("The state of your rollouts");
});

test("rollouts of two namespaces are named with them", async ({ sandbox, page }) => {
  const list = changed("image.json", () => {});
  const others = structuredClone(list.items);
  for (const { metadata } of others) {
    metadata.namespace = "other";
    metadata.uid = `other-${metadata.uid}`;
    for (const owner of metadata.ownerReferences ?? []) owner.uid = `other-${owner.uid}`;
  }
  list.items.push(...others);
  await open(sandbox, page, "image.json", list);
  await expect(outlook(page).locator(".stuck-ones")).toHaveText("2 of 2 rollouts are stuck: other/web, shop/web; other/web.");
  await expect(outlook(page).getByRole("heading", { level: 2 })).toHaveText(["other/web is stuck", "shop/web is stuck"]);
});

test("What if offers the lost node to reconnect or delete it", async ({ sandbox, page }) => {
  const list = lostNode();
  // A healthy node comes first.
  for (const { spec } of list.items.filter(({ kind }) => kind === "Pod").slice(1)) spec.nodeName = "node-c";
  list.items.find(({ kind, metadata }) => kind === "Node" && metadata.name === "node-a").status.conditions[0].status = "True";
  list.items.push(node("node-c", "Unknown"));
  await open(sandbox, page, "rolling.json", list);
  await sandbox.title.click();
  await new App(page).openWhatIf();
  const offered = page.getByRole("combobox", { name: "Node", exact: true });
  for (const [what, name] of [["drain the node", "node-a"], ["delete the node", "node-c"], ["reconnect the node", "node-c"]]) {
    await page.getByRole("combobox", { name: /^What if / }).selectOption(what);
    await expect(offered).toHaveValue(name);
  }
});

test("after a What if, the state that was read is folded until the change is removed", async ({ sandbox, page }) => {
  await open(sandbox, page, "paused.json");
  await expect(sandbox.answer(0, "complete after")).toHaveText("never");
  await sandbox.title.click();
  await whatIf(page, "resume it");
  const before = page.getByText("When you read the cluster", { exact: true });
  await expect(before).toBeVisible();
  await expect(outlook(page)).toBeHidden();
  await expect(sandbox.answer(0, "complete after")).toHaveText(/^\d+:\d\d$/);
  await expect(sandbox.answer(0, "last old pod gone")).toHaveText(/^\d+:\d\d$/);
  await before.click();
  await expect(outlook(page).getByRole("heading", { level: 2 })).toHaveText("web is paused");
  expect(await violations(page, { within: ".outlook-before", targetSize: true })).toEqual([]);
  await page.getByRole("button", { name: "Remove this change" }).click();
  await expect(before).toHaveCount(0);
  await expect(outlook(page).getByRole("heading", { level: 2 })).toHaveText("web is paused");
});

/** The seconds of a time in words: 71 for `1 min 11 s`. */
function secondsOf(words) {
  const [, minutes = 0, seconds = 0] = words.match(/^(?:(\d+) min)? ?(?:(\d+) s)?$/);
  return 60 * Number(minutes) + Number(seconds);
}

const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

test("a fix is played, and takes as long as it says", async ({ sandbox, page }) => {
  test.slow();
  for (const [what, name, list, done] of [
    ["Resume it", "paused.json", undefined, /^At 0:00, you resume Deployment web/],
    ["Roll back", "image.json", undefined, /^At 0:00, you .*(back|undo)/],
    ["Allow 1 unavailable pod instead of extra pods", "quota.json", undefined, /^At 0:00, you allow 1 unavailable pod instead of extra pods \(maxSurge 0, maxUnavailable 1\)\./],
    ["Bring node node-a back", "rolling.json", lostNode(), /^At 0:00, you reconnect Node node-a/],
    ["As a last resort, delete node node-a, if it is switched off for good", "rolling.json", lostNode(), /^At 0:00, you delete Node node-a\./],
  ]) {
    await test.step(what, async () => {
      await open(sandbox, page, name, list);
      const fix = outlook(page).getByRole("listitem").filter({ has: page.getByRole("button", { name: `Play it: ${what}`, exact: true }) });
      const [, words] = (await fix.textContent()).match(new RegExp(`then it completes (?:after )?(${TIME})(?: after the next try)?\\.`));
      await fix.getByRole("button").click();
      await expect(page.getByRole("list", { name: "What you did" }).getByRole("listitem")).toHaveText(done);
      await expect(sandbox.answer(0, "complete")).toHaveText(clock(secondsOf(words)));
      await expect(sandbox.title).toBeFocused();
      // Played once, the fixes are those of an earlier state.
      await page.getByText("When you read the cluster", { exact: true }).click();
      await expect(outlook(page).getByRole("heading", { level: 2 })).toBeVisible();
      await expect(outlook(page).getByRole("button")).toHaveCount(0);
    });
    await sandbox.startOver();
  }
});

test("the fixes of an image: commands once, and once one is played, nothing says the earlier result anymore", async ({ sandbox, page }) => {
  await test.step("a fix that is no single action has no button, and each command is there once", async () => {
    await open(sandbox, page, "image.json");
    const repair = outlook(page).getByRole("listitem").filter({ hasText: "Fix what keeps its pods from becoming ready" });
    await expect(repair).toContainText("then it completes");
    await expect(repair.getByRole("button")).toHaveCount(0);
    const commands = await outlook(page).locator("code").allTextContents();
    expect(commands).toContain("kubectl rollout undo deployment/web --namespace shop");
    expect(commands).toEqual([...new Set(commands)]);
  });
  await test.step("once a fix is played, nothing says the earlier result anymore", async () => {
    await open(sandbox, page, "image.json");
    const status = page.locator("[role=status].visually-hidden");
    await expect(status).toContainText("The rollout never completes.");
    await page.getByRole("button", { name: "Play it: Roll back", exact: true }).click();
    await expect(sandbox.answer(0, "complete after")).toHaveText(/^\d+:\d\d$/);
    expect(await status.textContent()).not.toContain("The rollout never completes.");
    await expect(sandbox.title).not.toContainText("The rollout never completes.");
    await expect(status).toContainText(await sandbox.title.textContent());
  });
});

test("names and messages of others turn none of our sentences", async ({ sandbox, page }) => {
  const list = changed("image.json", (object) => {
    if (object.kind === "Deployment") object.metadata.annotations["argocd.argoproj.io/tracking-id"] = "web:apps/Deployment:default/web";
    if (isNew(object)) for (const { state } of object.status.containerStatuses) state.waiting.message = "\u05d0\u05d1\u05d2 \u05d3 3\u202e pods";
  });
  await open(sandbox, page, "turned.json", list);
  const cause = outlook(page).getByRole("listitem").first();
  await expect(cause.locator("bdi")).toHaveText("\u05d0\u05d1\u05d2 \u05d3");
  await expect(cause).toContainText("\u05d0\u05d1\u05d2 \u05d3 3 pods");
  // What follows is to the right of it, as it is in the sentence.
  const [words, rest] = await cause.evaluate((item) => {
    const bdi = item.querySelector("bdi");
    const range = document.createRange();
    range.selectNode(bdi.nextSibling);
    return [bdi, range].map((it) => it.getBoundingClientRect().right);
  });
  expect(rest).toBeGreaterThan(words);
});

test("what a tool applies gets a change of the manifest instead of a command, and several rollouts a headline", async ({ sandbox, page }) => {
  const list = changed("image.json", (object) => {
    if (object.kind === "Deployment") object.metadata.annotations["argocd.argoproj.io/tracking-id"] = "web:apps/Deployment:default/web";
  });
  const other = readFileSync(state("complete.json"), "utf8").replace(/\bweb\b/g, "alpha").replace(/"(d|rs|p)-/g, '"$1-other-');
  list.items.push(...JSON.parse(other).items);
  await sandbox.button("YAML").click();
  await page.getByLabel("Open a file").setInputFiles({ name: "managed.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(list)) });
  await expect(outlook(page)).toContainText("1 of 2 rollouts is stuck: web.");
  await expect(outlook(page).locator("pre").first()).toContainText("image: ");
  await expect(outlook(page).getByText("kubectl rollout undo")).toHaveCount(0);
});

test("axe finds no problem, and nothing is wider than the window", async ({ sandbox, page }) => {
  await open(sandbox, page, "image.json");
  for (const [width, height] of [[1440, 900], [768, 1024], [360, 740]]) {
    await page.setViewportSize({ width, height });
    await expectNoSidewaysScroll(page);
    expect(await violations(page, { within: ".outlook" }), `${width} px`).toEqual([]);
  }
});
