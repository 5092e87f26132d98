// What if: takes another action in the middle of a rollout, and undoes it.
import { App, STORIES, test, expect } from "./fixtures.mjs";

const actionInput = (page) => page.getByRole("combobox", { name: /^What if / });
const did = (page) => page.getByRole("list", { name: "What you did" });

/** Opens the panel, chooses an action, types its value, and applies it. */
async function whatIf(page, what, typed) {
  await new App(page).openWhatIf();
  await actionInput(page).selectOption(what);
  if (typed !== undefined) {
    await page.keyboard.press("Tab");
    await page.keyboard.press("ControlOrMeta+a");
    if (typed === "") await page.keyboard.press("Delete");
    else await page.keyboard.type(typed);
  }
  await page.getByRole("button", { name: "Do it" }).click();
}

/** The possible actions, how each is described, and its result at the end. */
const ACTIONS = [
  ["scale it to", "20", /^At 0:07, you scale Deployment web to 20\./, /: 20 pods, 20 available/],
  ["set the image", "example/web:v3", /^At 0:07, you change the pod template of Deployment web/, /: 15 pods, 15 available/],
  ["pause it", undefined, /^At 0:07, you pause Deployment web/, / available/],
  ["undo the rollout", undefined, /^At 0:07, you .*(back|undo)/, /: 15 pods, 15 available/],
  ["run an action (JSON)", '{"scale": {"replicas": 4}}', /^At 0:07, you scale Deployment web to 4\./, /: 4 pods, 4 available/],
];
test("each action is applied at the playhead, and undone", async ({ sandbox, page, site }) => {
  test.slow();
  await sandbox.title.click();
  await sandbox.button("To the end").click();
  await expect(sandbox.picture(0)).toHaveAccessibleName(/: 15 pods, 15 available/);
  const before = await sandbox.state();
  for (const [what, typed, sentence, end] of ACTIONS) {
    await test.step(what, async () => {
      // Without the moment that is now in the address.
      await sandbox.open(`${site}sandbox/`);
      await expect(sandbox.clock).toHaveText("0:07");
      await whatIf(page, what, typed);
      await expect(did(page).getByRole("listitem")).toHaveText(sentence);
      await expect(page.getByRole("alert")).toHaveCount(0);
      await expect(sandbox.whatIf).toBeHidden();
      // The playhead stays where the action was applied.
      await expect(sandbox.clock).toHaveText("0:07");
      await sandbox.button("To the end").click();
      await expect(sandbox.picture(0)).toHaveAccessibleName(end);
      await page.getByRole("button", { name: "Remove this change" }).click();
      await expect(did(page)).toHaveCount(0);
      // The lanes have been played without it.
      await sandbox.settled();
      await sandbox.button("To the end").click();
      await expect.poll(() => sandbox.state()).toEqual(before);
    });
  }
});

test("a paused rollout says what it waits for, and continues once it is resumed, also by the fix that is offered", async ({ sandbox, page }) => {
  await test.step("a rollout that an action keeps from its end says what it waits for", async () => {
    const waits = page.getByRole("region", { name: "What your rollouts wait for" });
    await sandbox.title.click();
    await page.keyboard.press("Home");
    await whatIf(page, "pause it");
    await expect(waits.getByRole("heading", { level: 2 })).toHaveText("web is paused");
    await expect(waits.getByRole("listitem").filter({ hasText: /^Resume it/ })).toContainText("then it completes");
    await page.getByRole("button", { name: "Remove this change" }).click();
    await expect(waits).toHaveCount(0);
  });
  await sandbox.startOver();
  await test.step("a paused rollout continues once it is resumed", async () => {
    await sandbox.title.click();
    await page.keyboard.press("Home");
    await expect(sandbox.clock).toHaveAttribute("aria-valuenow", "1");
    await whatIf(page, "pause it");
    await expect(did(page).getByRole("listitem")).toHaveCount(1);
    await expect(sandbox.answer(0, "complete after")).toHaveText("never");
    await sandbox.button("To the end").click();
    await whatIf(page, "resume it");
    await expect(did(page).getByRole("listitem")).toHaveCount(2);
    await sandbox.button("To the end").click();
    await expect(sandbox.picture(0)).toHaveAccessibleName(/: 15 pods, 15 available, 0 terminating/);
  });
  await sandbox.startOver();
  await test.step("a fix of a rollout that stands still is played from its end", async () => {
    const waits = page.getByRole("region", { name: "What your rollouts wait for" });
    await sandbox.title.click();
    await page.keyboard.press("Home");
    await whatIf(page, "pause it");
    await waits.getByRole("button", { name: "Play it: Resume it" }).click();
    await expect(did(page).getByRole("listitem")).toHaveText([/you pause Deployment web/, /you resume Deployment web/]);
    await expect(waits).toHaveCount(0);
    await expect(sandbox.answer(0, "complete after")).not.toHaveText("never");
    await expect(sandbox.title).toBeFocused();
  });
});

test("each of two actions can be undone on its own", async ({ sandbox, page }) => {
  await sandbox.title.click();
  await whatIf(page, "scale it to", "12");
  await expect(did(page).getByRole("listitem")).toHaveCount(1);
  await page.keyboard.press("Escape");
  await sandbox.button("To the end").click();
  await whatIf(page, "scale it to", "9");
  await expect(did(page).getByRole("listitem")).toHaveText([/ to 12\./, / to 9\./]);
  // Another setting keeps both.
  await sandbox.type(sandbox.input("maxSurge"), "1");
  await expect(sandbox.lane(0).getByText("limit 16", { exact: true }).or(sandbox.lane(0).getByText("limit 13", { exact: true }))).toBeVisible();
  await expect(did(page).getByRole("listitem")).toHaveCount(2);
  await page.getByRole("button", { name: "Remove this change" }).first().click();
  await expect(did(page).getByRole("listitem")).toHaveText([/ to 9\./]);
  await page.getByRole("button", { name: "Remove this change" }).click();
  await expect(did(page)).toHaveCount(0);
});

test("a node of the story is offered, and the lost one to help it", async ({ page, site }) => {
  const app = new App(page);
  const node = page.getByRole("combobox", { name: "Node", exact: true });
  await app.openOwnCase(`${site}stories/lost-node/`);
  for (const [what, sentence] of [
    ["drain the node", /you drain Node node-a/],
    ["lose the node", /Node node-a/],
    ["reconnect the node", /you reconnect Node node-c to the network\./],
    ["delete the node", /you delete Node node-c\./],
  ]) {
    await test.step(what, async () => {
      await app.openWhatIf();
      await actionInput(page).selectOption(what);
      await expect(node).toHaveValue(/node-[ac]/.exec(sentence.source)[0]);
      await page.getByRole("button", { name: "Do it" }).click();
      await expect(did(page).getByRole("listitem")).toHaveText(sentence);
      await page.getByRole("button", { name: "Back to what happened" }).click();
      await expect(did(page)).toHaveCount(0);
    });
  }
  await test.step("uncordon the node: only a node that is cordoned is filled in", async () => {
    await app.openWhatIf();
    await actionInput(page).selectOption("uncordon the node");
    await expect(node).toHaveValue("");
    await actionInput(page).selectOption("drain the node");
    await node.click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("node-b");
    await page.getByRole("button", { name: "Do it" }).click();
    await expect(did(page).getByRole("listitem")).toHaveCount(1);
    await expect(app.whatIf).toBeHidden();
    await app.openWhatIf();
    await actionInput(page).selectOption("uncordon the node");
    await expect(node).toHaveValue("node-b");
    await page.getByRole("button", { name: "Do it" }).click();
    await expect(did(page).getByRole("listitem").last()).toHaveText(/you uncordon Node node-b: it may get new pods again\./);
  });
});

/** An action, its value, and the error message. */
const PROBLEMS = [
  ["scale it to", "-1", /^Number of pods: “-1” must be greater than or equal to 0\.$/],
  ["scale it to", "abc", /^Number of pods: “abc” isn't a whole number from 0 to 2,147,483,647\.$/],
  ["scale it to", "", /^Number of pods: must not be empty\.$/],
  ["scale it to", "250001", /^Number of pods: more than 250,000 pods at once are not simulated\.$/],
  ["run an action (JSON)", "{evict", /can't be read as JSON: /],
  ["run an action (JSON)", "{}", /0 actions: must be exactly one/],
  ["run an action (JSON)", '{"evct": {}}', /evct/],
  ["lose the node", "nowhere", /"nowhere" not found/],
  ["resume it", undefined, /^Nothing would change/],
];
test("an error is next to the action, and the lanes stay", async ({ sandbox, page }) => {
  test.slow();
  for (const [what, typed, sentence] of PROBLEMS) {
    await test.step(`${what} ${typed ?? ""}`, async () => {
      await sandbox.title.click();
      const before = await sandbox.state();
      await whatIf(page, what, typed);
      await expect(page.getByRole("alert")).toHaveText(sentence);
      await expect(page.getByRole("alert")).toHaveCount(1);
      await expect(sandbox.whatIf).toBeVisible();
      expect(await sandbox.state()).toEqual(before);
      if (typed !== undefined) {
        const input = sandbox.whatIf.locator("input");
        await expect(input).toHaveValue(typed);
        await expect(input).toHaveAttribute("aria-invalid", "true");
        await expect(input).toHaveAccessibleDescription(sentence);
      }
      // Another action begins without the error, and can follow.
      await actionInput(page).selectOption("set the image");
      await expect(page.getByRole("alert")).toHaveCount(0);
      await expect(page.getByRole("textbox", { name: "Image" })).not.toHaveAttribute("aria-invalid", "true");
      await actionInput(page).selectOption("scale it to");
      await sandbox.type(page.getByRole("textbox", { name: "Number of pods" }), "2");
      await page.keyboard.press("Enter");
      await expect(did(page).getByRole("listitem")).toHaveText(/ to 2\./);
      await expect(page.getByRole("alert")).toHaveCount(0);
      await page.getByRole("button", { name: "Remove this change" }).click();
      await expect(did(page)).toHaveCount(0);
      await sandbox.settled();
    });
  }
});

test("an action that is refused is not followed by the earlier result", async ({ sandbox, page }) => {
  const status = page.locator("[role=status].visually-hidden");
  await expect(status).toContainText("You asked for 15 pods");
  await status.evaluate((status) => {
    window.announced = [];
    new MutationObserver(() => window.announced.push(status.textContent)).observe(status, { childList: true, characterData: true, subtree: true });
  });
  await whatIf(page, "scale it to", "b1n2");
  await expect(page.getByRole("alert")).toContainText("“b1n2” isn't a whole number");
  // The lanes are played again as they were.
  await sandbox.settled();
  expect(await page.evaluate(() => window.announced)).toEqual([]);
  await sandbox.type(page.getByRole("textbox", { name: "Number of pods" }), "20");
  await page.keyboard.press("Enter");
  await expect(status).toContainText("you scale Deployment web to 20.");
});

test("Escape closes it with its error, and the next time there is none", async ({ sandbox, page }) => {
  await whatIf(page, "scale it to", "-1");
  await expect(page.getByRole("alert")).toHaveCount(1);
  await page.keyboard.press("Escape");
  await expect(sandbox.whatIf).toBeHidden();
  await expect(page.getByRole("alert")).toHaveCount(0);
  // A screen reader would say an alert that is gone after a moment, too.
  await page.evaluate(() => {
    window.alerts = [];
    const alertsIn = (node) => (node instanceof Element ? [node, ...node.querySelectorAll("*")].filter((element) => element.matches("[role=alert]")) : []);
    const record = (records) => window.alerts.push(...records.flatMap(({ addedNodes }) => [...addedNodes]).flatMap(alertsIn).map((alert) => alert.textContent));
    new MutationObserver(record).observe(document.body, { childList: true, subtree: true });
  });
  await sandbox.openWhatIf();
  await expect(page.getByRole("alert")).toHaveCount(0);
  await expect(page.getByRole("textbox", { name: "Number of pods" })).not.toHaveAttribute("aria-invalid", "true");
  expect(await page.evaluate(() => window.alerts)).toEqual([]);
});

test("in a story, the result of an action is announced, and so is its removal", async ({ story, page }) => {
  const status = page.locator("[role=status].visually-hidden");
  await page.keyboard.press("n");
  await expect(status).toContainText(STORIES[0].captions[1].title);
  await whatIf(page, "scale it to", "20");
  await expect(status).toHaveText(/^At 0:00, you scale Deployment web to 20\. Kubernetes /);
  await page.getByRole("button", { name: "Back to what happened" }).click();
  await expect(status).toHaveText("This is what happened, without your changes.");
  await page.keyboard.press("n");
  await expect(status).toContainText(STORIES[0].captions[2].title);
  await expect(story.caption.getByRole("heading")).toHaveText(STORIES[0].captions[2].title);
});

test("in a story, actions apply at its moment and are undone together; another story starts without them", async ({ story, page }) => {
  await story.button("Next").click();
  await expect(story.clock).toHaveText("0:00");
  await whatIf(page, "scale it to", "20");
  await expect(did(page).getByRole("listitem")).toHaveText(/^At 0:00, you scale Deployment web to 20\./);
  await story.showPlayer();
  await story.button("To the end").click();
  await expect(story.picture(0)).toHaveAccessibleName(/: 20 pods, 20 available/);
  await page.getByRole("button", { name: "Back to what happened" }).click();
  await expect(did(page)).toHaveCount(0);
  await expect(story.picture(0)).toHaveAccessibleName(/: 22 pods/);
  await whatIf(page, "scale it to", "20");
  await expect(did(page).getByRole("listitem")).toHaveCount(1);
  await page.getByRole("combobox", { name: /^Story \d+ of/ }).selectOption(STORIES[1].label);
  await expect(story.title).toHaveText(STORIES[1].headline);
  await expect(did(page)).toHaveCount(0);
});
