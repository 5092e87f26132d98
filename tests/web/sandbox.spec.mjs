// The sandbox: settings and their results.
import { packedState, test, expect } from "./fixtures.mjs";

test("opens on the moment that shows the consequence, next to the proposal, above the fold", async ({ sandbox, page }) => {
  await test.step("the moment", async () => {
    await expect(sandbox.title).toHaveText(/^You asked for 15 pods\. During an update the limit is 19\. Kubernetes runs \d+\.$/);
    await expect(sandbox.lanes).toHaveCount(2);
    const peak = await sandbox.answer(0, "pods at most").textContent();
    await expect(sandbox.picture(0)).toHaveAccessibleName(new RegExp(`: ${peak} pods, .* ${peak - 19} over the limit of 19$`));
    await expect(sandbox.title).toContainText(`Kubernetes runs ${peak}.`);
    await expect(sandbox.answer(1, "pods at most")).toHaveText("19");
    await expect(sandbox.picture(1)).not.toHaveAccessibleName(/over the limit/);
    await expect(sandbox.lane(1).getByText("proposed", { exact: true })).toBeVisible();
  });
  await test.step("above the fold", async () => {
    for (const lane of [0, 1]) await expect(sandbox.lane(lane).locator(".answers")).toBeInViewport({ ratio: 1 });
    await expect(sandbox.picture(0)).toBeInViewport({ ratio: 1 });
    await expect(sandbox.input("maxUnavailable")).toBeInViewport({ ratio: 1 });
  });
  await test.step("the difference and the trade-off are stated once", async () => {
    await expect(sandbox.lane(1).locator(".answers > div", { hasText: "pods at most" }).locator(".difference")).toHaveText(/^−\d+$/);
    await expect(sandbox.lane(1).locator(".answers > div", { hasText: "complete after" }).locator(".difference")).toHaveText(/^\+(\d+ min )?\d+ s$/);
    await expect(sandbox.lane(0).locator(".difference")).toHaveCount(0);
    await expect(page.getByText(/^TerminationComplete: \d+ fewer pods at most, but complete (\d+ min )?\d+ s later( \([\d.]+ times as long\))?\.$/)).toBeVisible();
  });
});

/** An input, a text, and the marks above the picture of the first lane. */
const CHANGES = [
  ["Replicas", "20", ["minimum 15", "limit 25"]],
  ["maxSurge", "50%", ["minimum 12", "limit 23"]],
  ["maxSurge", "1", ["minimum 12", "limit 16"]],
  ["maxUnavailable", "0", ["minimum and asked 15", "limit 19"]],
];
test("the picture and the answers change while you type", async ({ sandbox, page }) => {
  for (const [label, text, marks] of CHANGES) {
    await test.step(`${label} ${text}`, async () => {
      await sandbox.type(sandbox.input(label), text);
      for (const lane of [0, 1]) {
        for (const mark of marks) await expect(sandbox.lane(lane).getByText(mark, { exact: true })).toBeVisible();
      }
    });
    await sandbox.startOver();
  }
  await test.step("with each letter", async () => {
    const seen = new Set();
    await sandbox.type(sandbox.input("Replicas"), "");
    for (const letter of "24") {
      await page.keyboard.type(letter);
      await expect(sandbox.title).toContainText(`You asked for ${await sandbox.input("Replicas").inputValue()} pods`);
      seen.add(await sandbox.answer(0, "pods at most").textContent());
    }
    expect(seen.size).toBe(2);
  });
  for (const [label, text, answer] of [
    ["Time to start", "12", "complete after"],
    ["Time to stop", "9", "last old pod gone"],
    ["minReadySeconds", "12", "complete after"],
  ]) {
    await sandbox.startOver();
    await test.step(`${label} changes “${answer}”`, async () => {
      const before = await sandbox.answer(0, answer).textContent();
      await sandbox.type(sandbox.input(label), text);
      await expect(sandbox.answer(0, answer)).not.toHaveText(before);
    });
  }
});

test("a pod that needs longer to stop than its grace period is killed, and the page explains it", async ({ sandbox, page }) => {
  const lastOldPodGone = sandbox.answer(0, "last old pod gone");
  await sandbox.type(sandbox.input("Time to stop"), "20");
  await expect(lastOldPodGone).toHaveText("0:34");
  await sandbox.type(sandbox.input("Grace period"), "10");
  await expect(lastOldPodGone).toHaveText("0:24");
  const reading = page.locator(".how-to-read");
  await expect(reading).toContainText("Terminating pods are shutting down. 0:00: you change the image.");
  await expect(reading).toContainText("Here, a pod takes 6 s to start and is killed after its grace period of 10 s.");
  await sandbox.type(sandbox.input("Time to stop"), "");
  await expect(lastOldPodGone).toHaveText("0:24");
  await expect(reading).toContainText("is killed after its grace period of 10 s.");
  await sandbox.type(sandbox.input("Time to stop"), "5");
  await expect(lastOldPodGone).not.toHaveText("0:24");
  await expect(reading).toContainText("Here, a pod takes 6 s to start and 5 s to stop.");
  await sandbox.type(sandbox.input("Time to stop"), "10");
  await expect(lastOldPodGone).toHaveText("0:24");
  await expect(page.getByText(/longer to stop than its grace period is killed/)).toBeVisible();
});

test("the first moment is the one that matters, and the page says which it is", async ({ sandbox, page }) => {
  await test.step("the moment", async () => {
    await expect(page.getByText(/^ ?Shown: \d+:\d\d, the moment with the most pods\.$/)).toBeVisible();
    // Nothing goes over the limit.
    await sandbox.unfold();
    await page.getByRole("combobox", { name: "Strategy" }).selectOption("Recreate");
    await expect(page.getByText("the moment with the fewest available pods.")).toBeVisible();
    await expect(sandbox.picture(0)).toHaveAccessibleName(/ pods, 0 available, /);
    // The old pods are gone, and the new ones are never ready.
    await sandbox.type(sandbox.input("Time to start"), "never");
    await expect(page.getByText("the moment at which the rollout gets stuck.")).toBeVisible();
    await expect(sandbox.picture(0)).toHaveAccessibleName(/: 15 pods, 0 available, 0 terminating$/);
    await sandbox.button("To the start").click();
    await expect(page.getByText("the moment at which the rollout gets stuck.")).toBeHidden();
  });
  await sandbox.startOver();
  await test.step("Recreate takes neither extra nor missing pods, and gives them back", async () => {
    await sandbox.unfold();
    await page.getByRole("combobox", { name: "Strategy" }).selectOption("Recreate");
    await expect(sandbox.input("maxSurge")).toBeDisabled();
    await expect(sandbox.input("maxUnavailable")).toBeDisabled();
    await expect(sandbox.answer(0, "available at least")).toHaveText("0");
    await page.getByRole("combobox", { name: "Strategy" }).selectOption("RollingUpdate");
    await expect(sandbox.input("maxSurge")).toHaveValue("25%");
    await expect(sandbox.answer(0, "available at least")).toHaveText("12");
  });
});

/** The number of a clock like 1:05. */
const seconds = (clock) => clock.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);

test("the rate limit of the controllers is on, and can be turned off", async ({ sandbox, page }) => {
  await page.getByText(/^The controllers/).click();
  const toggle = page.getByRole("checkbox", { name: /20 requests a second/ });
  await expect(toggle).toBeChecked();
  await sandbox.type(sandbox.input("Replicas"), "300");
  await expect(sandbox.title).toContainText("You asked for 300 pods");
  const limited = await sandbox.answer(0, "complete after").textContent();
  await toggle.uncheck();
  await expect(sandbox.answer(0, "complete after")).not.toHaveText(limited);
  expect(seconds(await sandbox.answer(0, "complete after").textContent())).toBeLessThan(seconds(limited));
});

test("the timing is realistic, and can be set to the exact order", async ({ sandbox, page }) => {
  await page.getByText(/^The controllers/).click();
  const toggle = sandbox.form.getByRole("checkbox", { name: "Realistic timing of the controllers" });
  await expect(toggle).toBeChecked();
  await expect(toggle).toHaveAccessibleDescription(/^A request takes 10 ms .* Off: exact order\. .* real clusters hardly ever do it\.$/);
  await expect(page.getByText(/^Assumed: .* requests of the controllers take 10 ms and show up 5 ms later\./)).toBeVisible();
  await sandbox.type(sandbox.input("Replicas"), "100");
  await sandbox.type(sandbox.input("Time to start"), "1");
  await sandbox.type(sandbox.input("Time to stop"), "1");
  await expect(sandbox.title).toContainText("You asked for 100 pods");
  await sandbox.settled();
  const realistic = await sandbox.clock.getAttribute("aria-valuetext");
  await toggle.press("Space");
  await expect(toggle).not.toBeChecked();
  await expect(sandbox.clock).not.toHaveAttribute("aria-valuetext", realistic);
  await expect(page.getByText(/^Assumed: .* controllers see every change at once\./)).toBeVisible();
  // The rate limit is a switch of its own.
  const limit = sandbox.form.getByRole("checkbox", { name: /20 requests a second/ });
  await expect(limit).toBeChecked();
  // The address is written once nothing has changed for a moment.
  await expect.poll(async () => JSON.stringify(await packedState(page))).toContain('"exact"');
  await page.reload();
  await sandbox.ready();
  await expect(toggle).not.toBeChecked();
  await expect(limit).toBeChecked();
  await toggle.press("Space");
  await expect(sandbox.clock).toHaveAttribute("aria-valuetext", realistic);
});

test("compare with nothing, with a policy by name, with other settings", async ({ sandbox, page }) => {
  const select = page.getByRole("combobox", { name: "Compare with" });
  await select.selectOption("nothing");
  await expect(sandbox.lanes).toHaveCount(1);
  await expect(page.locator(".difference")).toHaveCount(0);
  // It repeats the first lane, so it is replaced by a sentence.
  await select.selectOption("TerminationStarted (proposed)");
  await expect(page.getByText("TerminationStarted: exactly the same as “Your settings”.")).toBeVisible();
  await expect(sandbox.lanes).toHaveCount(1);
  await select.selectOption("my other settings");
  await expect(page.getByText("Other settings: exactly the same as “Your settings”.")).toBeVisible();
  const other = page.getByRole("form", { name: "The other rollout" });
  await sandbox.type(other.getByRole("textbox", { name: "maxSurge" }), "0");
  await expect(sandbox.lanes).toHaveCount(2);
  await expect(page.getByText(/^Other settings: .* fewer pods at most/)).toBeVisible();
  // The first lane is unchanged.
  await expect(sandbox.input("maxSurge")).toHaveValue("25%");
});

test("pods are shown by node", async ({ sandbox, page }) => {
  await sandbox.button("Show pods by node").click();
  const table = sandbox.lane(0).getByRole("table", { name: "Pods by node" });
  await expect(table).toBeVisible();
  const sum = async () => {
    const counts = await table.getByRole("cell", { name: /^\d+ pods?$/ }).allTextContents();
    return counts.reduce((sum, text) => sum + Number.parseInt(text, 10), 0);
  };
  expect(await sum()).toBe(Number(await sandbox.answer(0, "pods at most").textContent()));
  // It follows the playhead.
  await sandbox.title.click();
  await page.keyboard.press("Home");
  await expect.poll(sum).toBe(22);
  await sandbox.button("Hide pods by node").click();
  await expect(table).toHaveCount(0);
});

test("settings are kept on the way through all pages, and by the link to the current page", async ({ sandbox, page }) => {
  const link = (name) => page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name });
  const expectSettings = async () => {
    await expect(sandbox.input("Replicas")).toHaveValue("11");
    await expect(page.getByRole("list", { name: "What you did" })).toContainText("scale");
    await expect(sandbox.title).toContainText("you scale Deployment web to 20");
  };
  await sandbox.type(sandbox.input("Replicas"), "11");
  await expect(sandbox.title).toContainText("You asked for 11 pods");
  await sandbox.title.click();
  await sandbox.openWhatIf();
  await page.keyboard.press("Tab");
  await page.keyboard.type("20");
  await page.keyboard.press("Enter");
  await expectSettings();
  await link("Stories").click();
  await expect(sandbox.captions.first()).toBeVisible();
  await link("API server").click();
  await expect(sandbox.title).toHaveText("What would the API server say?");
  await link("Sandbox").click();
  await expectSettings();
  await link("Sandbox").click();
  await expectSettings();
  await page.reload();
  await expectSettings();
});

test("settings are kept during a page without the app", async ({ sandbox, page }) => {
  await sandbox.type(sandbox.input("Replicas"), "11");
  await page.getByRole("link", { name: "How do you know?" }).click();
  await expect(page).toHaveURL(/\/proof\/$/);
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Sandbox" }).click();
  await expect(sandbox.input("Replicas")).toHaveValue("11");
  await expect(sandbox.title).toContainText("You asked for 11 pods");
  // Typing the address opens the page with its defaults.
  const address = new URL(".", page.url()).href;
  await page.goto("about:blank");
  await page.goto(address);
  await expect(sandbox.input("Replicas")).toHaveValue("15");
});

test("what was done a moment ago is still there after a story, however large", async ({ sandbox, page }) => {
  // Random text, which no address holds.
  const note = await page.evaluate(() => Array.from(crypto.getRandomValues(new Uint8Array(9000)), (byte) => byte.toString(16)).join(""));
  await sandbox.openWhatIf();
  await sandbox.whatIf.getByRole("combobox").selectOption("run an action (JSON)");
  await sandbox.whatIf.getByRole("textbox").click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(JSON.stringify({ annotate: { kind: "Deployment", name: "web", annotations: { note } } }));
  await page.keyboard.press("Enter");
  const done = page.getByRole("list", { name: "What you did" });
  await expect(done).toContainText("annotate");
  await page.getByRole("link", { name: "Stories" }).click();
  await expect(sandbox.captions.first()).toBeVisible();
  await page.getByRole("link", { name: "Sandbox" }).click();
  await expect(done).toContainText("annotate");
});

test("Start over brings the first settings back, and Back undoes it", async ({ sandbox, page }) => {
  await sandbox.type(sandbox.input("Replicas"), "7");
  await expect(sandbox.title).toContainText("You asked for 7 pods");
  await sandbox.button("Show pods by node").click();
  await sandbox.title.click();
  await sandbox.openWhatIf();
  await page.keyboard.press("Tab");
  await page.keyboard.type("20");
  await page.keyboard.press("Enter");
  const done = page.getByRole("list", { name: "What you did" });
  await expect(done).toContainText("scale");
  await expect.poll(async () => (await packedState(page)).forks?.length).toBe(1);
  await sandbox.button("Start over").focus();
  await page.keyboard.press("Enter");
  await expect(sandbox.title).toContainText("You asked for 15 pods");
  await expect(sandbox.title).toBeFocused();
  await expect(sandbox.input("Replicas")).toHaveValue("15");
  await expect(done).toHaveCount(0);
  await expect(page).toHaveURL(/\/sandbox\/$/);
  await page.goBack();
  await expect(sandbox.input("Replicas")).toHaveValue("7");
  await expect(done).toContainText("scale");
  await expect(sandbox.title).toContainText("you scale Deployment web to 20");
});

