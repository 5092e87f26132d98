// Jobs and CronJobs: their lanes, their stories, and the sandbox for a Job.
import { App, STORIES, test, expect } from "./fixtures.mjs";

/** Opens a story at a caption, counted from 0. */
async function openStory(page, site, name, caption = 0) {
  const app = new App(page);
  await app.openOwnCase(`${site}stories/${name}/`);
  for (let next = 0; next < caption; next += 1) await page.keyboard.press("n");
  await expect(app.captions.nth(caption)).toHaveAttribute("aria-current", "step");
  return app;
}

test("two pods of one index, and how long: in the picture, in text and in numbers", async ({ page, site }) => {
  const app = await openStory(page, site, "two-of-index");
  await expect(app.picture(0)).toHaveAccessibleName(/: 3 pods, 0 running, 3 starting, 0 terminating, 0 of 3 succeeded, 0 failed$/);
  await expect(app.lane(0).locator(".column-labels")).toHaveText(/^index\s*0\s*1\s*2$/);
  await page.keyboard.press("n");
  await expect(app.picture(0)).toHaveAccessibleName(/: 4 pods, .*, two pods of index 1$/);
  await expect(app.picture(1)).toHaveAccessibleName(/: 3 pods, 2 running, 1 terminating, [^t]*$/);
  await expect(app.lane(0).locator(".pod-row .over-limit")).toHaveText(/^(two pods|2) of index 1$/);
  await expect(app.lane(1).locator(".pod-row .over-limit")).toHaveCount(0);
  await expect(app.tiles(0)).toHaveCount(4);
  await expect(app.lane(0).locator(".tile.terminating")).toHaveCount(1);
  for (const [label, ...values] of [
    ["pods at most", "4", "3"],
    ["two pods of one index", "10 s", "never"],
    ["succeeded", "3 of 3", "3 of 3"],
    ["failed", "1", "1"],
    ["complete after", "1:32", "1:52"],
  ]) {
    for (const [lane, value] of values.entries()) await expect(app.answer(lane, label)).toHaveText(value);
  }
  await expect(page.getByText("never two pods of one index, but complete 20 s later.")).toBeVisible();
});

test("a back-off is visible as a wait, and counts down", async ({ page, site }) => {
  const app = new App(page);
  await app.open(`${site}stories/evicted-job/`);
  for (const caption of STORIES.find(({ name }) => name === "evicted-job").beginning.slice(1, 3)) {
    await page.keyboard.press("n");
    await expect(app.caption.getByRole("heading")).toHaveText(caption.title);
  }
  const awaited = app.lane(0).locator(".tile.awaited");
  await expect(awaited).toHaveText(/in 9 s$/);
  await expect(awaited.locator("title")).toHaveText("the Job creates the next pod in 9 s");
  await expect(app.lane(0).locator(".column-labels .meaning")).toHaveText("attempt");
  await app.goToOwnCase();
  await app.clock.focus();
  await page.keyboard.press("End");
  await expect(app.picture(0)).toHaveAccessibleName(/: 0 pods, .* 3 failed$/);
  await expect(app.lane(0).locator(".tile.failed")).toHaveCount(3);
  await expect(app.lane(1).locator(".tile.succeeded")).toHaveCount(1);
  await expect(app.answer(0, "failed after")).toHaveText("3:11");
  await expect(app.answer(1, "complete after")).toHaveText("5:52");
});

test("the runs of a CronJob are its columns", async ({ page, site }) => {
  const app = await openStory(page, site, "cron-comes-back", 3);
  await expect(app.lane(0).locator(".column-labels .meaning")).toHaveText("run");
  await expect(app.lane(0).locator(".column-labels .number")).toHaveText(["1", "2", "3", "4", "5"]);
  await expect(app.tiles(0).locator(".outline")).toHaveCount(5);
  await expect(app.picture(0)).toHaveAccessibleName(/: 1 pod, (1 running|0 running, 1 starting), /);
  await expect(app.answer(0, "runs")).toHaveText("5");
  await app.button("Open in the sandbox").click();
  await expect(app.title).toHaveText(/^CronJob sync starts \d+ Jobs here, with at most 1 pod at once\.$/);
  await app.button("Controls").click();
  await expect(page.getByRole("form", { name: "Your Job" }).getByRole("textbox", { name: "Run time" })).toHaveValue("20");
  await app.button("YAML").click();
  await page.getByRole("textbox", { name: "Your manifests, or the state of your cluster" }).click();
  await page.keyboard.press("ControlOrMeta+a");
  const template = "{ spec: { template: { spec: { restartPolicy: Never, containers: [{ name: app, image: 'report:v1' }] } } } }";
  await page.keyboard.insertText(
    `apiVersion: batch/v1\nkind: CronJob\nmetadata: { name: report }\nspec:\n  schedule: 30 5 * * *\n  jobTemplate: ${template}\n  timeZone: `,
  );
  await page.keyboard.type("Asia/Kolkat");
  const problems = page.getByRole("list", { name: "Problems in the text" });
  await expect(problems).toContainText("spec.timeZone: Invalid value: \"Asia/Kolkat\": unknown time zone Asia/Kolkat");
  await page.keyboard.type("a");
  await expect(app.title).toHaveText(/^CronJob report starts \d+ Jobs here, with at most 1 pod at once\.$/);
  await expect(problems).toHaveCount(0);
});

test("the runs that a CronJob skips are marked on the clock and named in the picture", async ({ page, site }) => {
  const app = await openStory(page, site, "cron-deadline");
  const marks = (lane) => app.lane(lane).locator(".time-axis").getByRole("img");
  for (const time of ["2:00", "4:00", "6:00"]) await expect(marks(0).and(page.getByLabel(`1 run skipped, at ${time}`, { exact: true }))).toHaveCount(1);
  await expect(marks(0)).toHaveCount(3);
  await expect(marks(1)).toHaveCount(1);
  // One text for all of them.
  await expect(app.picture(0).locator(".labels .setback-text")).toHaveText([/^3 (runs )?skipped( until 6:00)?$/]);
  // Those of a break share a mark.
  await openStory(page, site, "cron-comes-back");
  await expect(marks(0)).toHaveCount(1);
  await expect(marks(0)).toHaveAccessibleName(/^147 runs skipped, 0:03:00 to \S+$/);
  await expect(app.picture(0).locator(".labels .setback-text")).toHaveText(/^147 (runs )?skipped$/);
});

test("the times of the clock are whole, and clear of the marks on it", async ({ page, site }) => {
  test.slow();
  const wrong = () =>
    page.locator(".time-axis").evaluateAll((axes) =>
      axes.flatMap((axis) => {
        const edge = axis.closest(".lane").getBoundingClientRect().left;
        const [times, marks] = [".time, .handle", ".setback"].map((part) => [...axis.querySelectorAll(part)]);
        const touches = (time) => {
          const box = time.getBoundingClientRect();
          const others = marks.map((mark) => mark.getBoundingClientRect());
          return others.some(({ left, top, bottom }) => box.right > left + 0.5 && box.bottom > top + 0.5 && box.top < bottom - 0.5);
        };
        const cut = times.filter((time) => time.getBoundingClientRect().left < edge - 0.5);
        const touching = times.filter((time) => time.matches(".time") && touches(time));
        return [...cut, ...touching].map((time) => time.textContent);
      }),
    );
  for (const { name, captions } of STORIES.filter(({ name }) => name.startsWith("cron-"))) {
    const app = await openStory(page, site, name);
    for (const [index, { title }] of captions.entries()) {
      if (index > 0) await app.button("Next").click();
      await expect(app.caption.getByRole("heading")).toHaveText(title);
      for (const [width, height] of [[360, 740], [1440, 900]]) {
        await page.setViewportSize({ width, height });
        await expect.poll(wrong, `${name}: ${title}, ${width} px`).toEqual([]);
      }
    }
  }
});

test("a story's Job opens in the sandbox with what happens to its pod", async ({ page, site }) => {
  const app = await openStory(page, site, "two-of-index");
  await app.button("Open in the sandbox").click();
  await expect(app.title).toHaveText("You asked for 3 pods at once. By default, one index has two pods for 10 s.");
  await expect(page.locator(".how-to-read")).toContainText("0:00: you create it. What happens: pod 1 is evicted after 20 s.");
  await expect(page.locator("yaml-editor")).toBeVisible();
  expect(await page.locator("#manifests").evaluate((element) => element.value)).toContain("kind: Job\n");
  await app.button("Controls").click();
  const form = page.getByRole("form", { name: "Your Job" });
  await expect(form.getByRole("combobox", { name: "One pod" })).toHaveValue("is evicted");
});

test("a Job's story: its numbers as a table, and another eviction by keyboard", async ({ page, site }) => {
  await test.step("the numbers of a Job as a table", async () => {
    const app = await openStory(page, site, "two-of-index");
    await app.button("Show the numbers as a table").click();
    const table = page.getByRole("table", { name: "Default" });
    await expect(table.getByRole("columnheader")).toHaveText(
      ["Time", "starting", "running", "terminating", "all pods", "succeeded", "failed", "index with two pods"],
    );
    await expect(table.getByRole("row", { name: /^0:33/ }).getByRole("cell")).toHaveText(["0", "3", "1", "4", "0", "1", "1"]);
  });
  await test.step("what if: evict another pod, by keyboard", async () => {
    const app = await openStory(page, site, "two-of-index", 1);
    await app.openWhatIf();
    await expect(app.whatIf.getByRole("combobox")).toHaveValue("evict the pod");
    await page.keyboard.press("Tab");
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("train/2");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("list", { name: "What you did" })).toContainText(/At 0:30, you evict Pod train-2-/);
    await expect(app.answer(0, "failed")).toHaveText("2");
  });
});

test("the picture of a Job moves with a press, counts no failed pod twice, and names a wait", async ({ page, site }) => {
  await test.step("a press in the picture moves the playhead", async () => {
    const app = await openStory(page, site, "preempted");
    const before = await app.clock.getAttribute("aria-valuenow");
    const { x, y, width, height } = await app.picture(1).boundingBox();
    await page.mouse.click(x + width / 2, y + height * 0.9);
    await expect(app.clock).not.toHaveAttribute("aria-valuenow", before);
  });
  await test.step("terminating pods that count as failed", async () => {
    const app = await openStory(page, site, "preempted", 1);
    await expect(app.picture(0)).toHaveAccessibleName(/ 3 terminating, 0 of 3 succeeded, 3 failed \(including 3 terminating\)$/);
    await expect(app.lane(0).locator(".tile.terminating")).toHaveCount(3);
    await app.clock.focus();
    await page.keyboard.press("End");
    await expect(app.picture(0)).toHaveAccessibleName(/: 0 pods, .* 0 terminating, 0 of 3 succeeded, 3 failed$/);
  });
  await test.step("the picture names a wait as long as the caption does", async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    const app = await openStory(page, site, "preempted", 2);
    await expect(app.caption).toContainText("10 seconds after it has ended");
    // The row of pods is then out of the way.
    await app.clock.focus();
    await page.keyboard.press("End");
    await expect(app.lane(1).locator(".labels .label").filter({ hasText: "waits" })).toHaveText(["waits 10 s"]);
  });
});

test.describe("the sandbox", () => {
  /** The sandbox with a Job. */
  async function jobSandbox(sandbox) {
    await sandbox.page.getByRole("combobox", { name: "Workload" }).selectOption("Job");
    await expect(sandbox.title).toContainText("By default, one index has two pods for 10 s");
    return sandbox.page.getByRole("form", { name: "Your Job" });
  }

  test("takes a Job, by keyboard, and shows what its settings change", async ({ sandbox, page }) => {
    await test.step("by keyboard", async () => {
      await page.getByRole("combobox", { name: "Workload" }).focus();
      await page.keyboard.press("J");
      const form = page.getByRole("form", { name: "Your Job" });
      await expect(sandbox.title).toHaveText("You asked for 3 pods at once. By default, one index has two pods for 10 s.");
      await form.getByRole("textbox", { name: "Time to stop" }).focus();
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.type("5");
      await expect(sandbox.title).toHaveText("You asked for 3 pods at once. Kubernetes never runs more.");
      await expect(sandbox.answer(1, "two pods of one index")).toHaveText("never");
    });
    await sandbox.startOver();
    await test.step("identical Jobs are shown once", async () => {
      const form = await jobSandbox(sandbox);
      await form.getByRole("combobox", { name: "One pod" }).selectOption("runs undisturbed");
      await expect(page.getByText("Failed: exactly the same as “TerminatingOrFailed”.")).toBeVisible();
      await expect(form.getByRole("textbox", { name: "After" })).toBeDisabled();
      await expect(sandbox.lanes).toHaveCount(1);
    });
    await sandbox.startOver();
    await test.step("invalid input is kept, with an error", async () => {
      const form = await jobSandbox(sandbox);
      const input = form.getByRole("textbox", { name: "Pods at once" });
      await sandbox.type(input, "-1");
      await expect(page.getByRole("alert")).toContainText("must be greater than or equal to 0");
      await expect(input).toHaveAttribute("aria-invalid", "true");
      await sandbox.type(input, "2");
      await expect(page.getByRole("alert")).toHaveCount(0);
      await expect(sandbox.title).toContainText("You asked for 2 pods at once");
    });
    await sandbox.startOver();
    await test.step("without indexes, a column is an attempt", async () => {
      const form = await jobSandbox(sandbox);
      await form.getByRole("combobox", { name: /Indexes/ }).selectOption("NonIndexed");
      await expect(sandbox.lane(0).locator(".column-labels .meaning")).toHaveText("attempt");
      await expect(sandbox.title).toContainText("By default, Kubernetes runs 4.");
      await form.getByRole("combobox", { name: "One pod" }).selectOption("fails");
      await sandbox.type(form.getByRole("textbox", { name: "Exit code" }), "42");
      await expect(sandbox.answer(0, "failed")).toHaveText("1");
    });
    await sandbox.startOver();
    await test.step("the chosen policy is the first lane", async () => {
      const form = await jobSandbox(sandbox);
      await form.getByRole("combobox", { name: /podReplacementPolicy/ }).selectOption("Failed");
      await expect(sandbox.title).toHaveText("You asked for 3 pods at once. Kubernetes never runs more.");
      await expect(sandbox.answer(1, "two pods of one index")).toHaveText("10 s");
    });
    await sandbox.startOver();
    await test.step("what was done to a Deployment is not done to a Job", async () => {
      await sandbox.openWhatIf();
      await page.keyboard.press("Tab");
      await page.keyboard.type("20");
      await page.keyboard.press("Enter");
      await expect(page.getByRole("list", { name: "What you did" })).toBeVisible();
      await jobSandbox(sandbox);
      await expect(page.getByRole("list", { name: "What you did" })).toHaveCount(0);
    });
    await sandbox.startOver();
    await test.step("many completions are still shown", async () => {
      const form = await jobSandbox(sandbox);
      await sandbox.type(form.getByRole("textbox", { name: "Pods that must succeed" }), "600");
      await sandbox.type(form.getByRole("textbox", { name: "Pods at once" }), "50");
      await expect(sandbox.title).toContainText("You asked for 50 pods at once");
      await expect(sandbox.answer(0, "succeeded")).toHaveText("600 of 600");
      await expect(sandbox.lane(0).locator(".mark-labels .limit")).toHaveText("limit and asked 50");
    });
  });

  test("a pod that starts has one label, before and after it is on a node", async ({ sandbox, page }) => {
    await sandbox.button("YAML").click();
    await page.getByRole("textbox", { name: "Your manifests, or the state of your cluster" }).click();
    await page.keyboard.press("ControlOrMeta+a");
    const template = { spec: { restartPolicy: "Never", containers: [{ name: "work", image: "example/work:v1" }] } };
    const spec = { parallelism: 4, completions: 4, completionMode: "Indexed", template };
    await page.keyboard.insertText(JSON.stringify({ apiVersion: "batch/v1", kind: "Job", metadata: { name: "train" }, spec }));
    await expect(sandbox.title).toContainText("You asked for 4 pods at once");
    await sandbox.button("To the end").click();
    await expect(sandbox.picture(0).locator(".label.starting")).toHaveText(Array(4).fill("starting"));
  });

  test("a reload, Back and Forward bring the Job back", async ({ sandbox, page }) => {
    const form = await jobSandbox(sandbox);
    await expect(page).toHaveURL(/#state=/);
    const first = page.url();
    await sandbox.type(form.getByRole("textbox", { name: "Run time" }), "40");
    await expect(sandbox.answer(0, "complete after")).toHaveText(/^1:1\d$/);
    await expect.poll(() => page.url()).not.toBe(first);
    await page.reload();
    await sandbox.ready();
    await expect(form.getByRole("textbox", { name: "Run time" })).toHaveValue("40");
    await expect(sandbox.answer(0, "complete after")).toHaveText(/^1:1\d$/);
    await page.goBack();
    await expect(form.getByRole("textbox", { name: "Run time" })).toHaveValue("60");
    await page.goBack();
    await expect(sandbox.title).toContainText("You asked for 15 pods");
    await page.goForward();
    await page.goForward();
    await expect(form.getByRole("textbox", { name: "Run time" })).toHaveValue("40");
  });

});
