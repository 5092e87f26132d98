// Problems that four readers ran into, replayed step by step.
import { App, STORIES, expectNoSidewaysScroll, test, expect } from "./fixtures.mjs";

const status = (page) => page.locator("[role=status].visually-hidden");
const answers = (app, lane) => app.lane(lane).locator(".answers");

/** Where the row of pods is open in the first picture, and how wide the terminating pods just above or below it are drawn. */
function drawn(page, side) {
  return page.evaluate((side) => {
    const picture = document.querySelector("section.lane svg.picture");
    const cut = Number(picture.querySelector(".pod-row").getAttribute("transform").match(/translate\(0 ([\d.]+)\)/)[1]);
    const y = side === "below" ? cut + 0.3 : cut - 0.3;
    const rectangle = /M([\d.]+) ([\d.]+)H([\d.]+)V([\d.]+)H/g;
    const widths = (band) => {
      const paths = [...picture.querySelectorAll(`.area.${band}`)].map((path) => path.getAttribute("d") ?? "");
      const there = paths.flatMap((path) => [...path.matchAll(rectangle)]).map((match) => match.slice(1).map(Number));
      return there.filter(([, top, , bottom]) => top <= y && y < bottom).reduce((sum, [left, , right]) => sum + right - left, 0);
    };
    return { cut, terminating: widths("terminating") };
  }, side);
}

test("the chart draws no terminating pods that are gone, even after a drain", async ({ sandbox, page }) => {
  const check = async () => {
    await sandbox.button("To the end").click();
    await expect(sandbox.picture(0)).toHaveAccessibleName(/, 0 terminating/);
    const end = await drawn(page, "above");
    expect(end.terminating).toBe(0);
    // One step back is in the long quiet time before the end.
    await sandbox.button("Step back").click();
    await expect(sandbox.picture(0)).toHaveAccessibleName(/, 0 terminating/);
    expect((await drawn(page, "below")).terminating).toBe(0);
  };
  await check();
  await sandbox.openWhatIf();
  await page.getByRole("combobox", { name: /^What if / }).selectOption("drain the node");
  await expect(page.getByText(/no PodDisruptionBudget/).last()).toBeVisible();
  await sandbox.button("Do it").click();
  await expect(page.getByRole("list", { name: "What you did" })).toContainText("drain Node node-a");
  // There are other nodes for its pods.
  await sandbox.button("To the end").click();
  await expect(sandbox.picture(0)).toHaveAccessibleName(/: 15 pods, 15 available, 0 terminating/);
  // Back through the last steps: the picture below the row of pods matches the picture's name.
  let next = null;
  for (let press = 0; press < 8; press += 1) {
    const { cut, terminating } = await drawn(page, "below");
    const name = await sandbox.picture(0).getAttribute("aria-label");
    // A row has to be tall enough to be visible.
    if (next !== null && next - cut > 2) expect(terminating > 0, name).toBe(!/ 0 terminating/.test(name));
    next = cut;
    await sandbox.button("Step back").click();
    await expect(sandbox.picture(0)).not.toHaveAccessibleName(name);
  }
});

test("stories have figures for what happens in them, and name the limit that was exceeded", async ({ page, site }) => {
  const app = new App(page);
  await app.openOwnCase(`${site}stories/five-two-five/`);
  await expect(answers(app, 0)).toContainText(/8 \(3 over 5\)/);
  await expect(app.answer(0, "all available after")).toHaveText("0:15");
  await expect(app.answer(1, "all available after")).toHaveText("0:35");
  await expect(app.answer(1, "pods at most")).toHaveText("5");
  await expect(answers(app, 1)).not.toContainText("over");
  await expect(page.getByText("Both have 3 pods over the limit while it is 2.")).toBeVisible();
  await expect(answers(app, 0)).not.toContainText("complete");
  await app.openStory(STORIES.find(({ name }) => name === "who-dies-first"));
  await expect(answers(app, 0)).not.toContainText("better");
  await expect(app.lane(1)).toContainText("the idle pod goes");
  await app.openStory(STORIES.find(({ name }) => name === "lost-node"));
  await expect(app.answer(0, "complete after")).toHaveText("0:15");
  await expect(page.getByText(/5 fewer pods at most, but never complete\./)).toBeVisible();
  // Captions at almost the same time have tenths.
  await app.open(`${site}stories/who-dies-first/`);
  await expect(page.locator(".caption-time").filter({ hasText: "0:00.6" })).toHaveCount(1);
  for (const story of STORIES) {
    await app.openStory(story);
    await expect(answers(app, 0).getByText("0:00", { exact: true })).toHaveCount(0);
  }
});

test("after a what if, headline and figure agree", async ({ sandbox, page }) => {
  await sandbox.openWhatIf();
  await page.keyboard.press("Tab");
  await page.keyboard.type("30");
  await page.keyboard.press("Enter");
  await expect(sandbox.title).toHaveText(/^At 0:07, you scale Deployment web to 30\. Kubernetes runs up to \d+ pods where the limit is 38\.$/);
  const peak = await sandbox.answer(0, "pods at most").textContent();
  await expect(sandbox.title).toContainText(`up to ${peak} pods`);
  await expect(answers(sandbox, 0)).toContainText(`${peak} (${peak - 38} over 38)`);
});

test("screen readers announce Next and Back", async ({ firstVisit, page }) => {
  const [first, second] = STORIES[0].beginning;
  await expect(status(page)).toHaveText("");
  await firstVisit.button("Next").click();
  await expect(status(page)).toHaveText(`${second.title}. ${second.text}`);
  await firstVisit.button("Back").click();
  await expect(status(page)).toHaveText(`${first.title}. ${first.text}`);
});

test("the sandbox announces its result once typing stops", async ({ sandbox, page }) => {
  await sandbox.type(sandbox.input("Replicas"), "24");
  await expect(status(page)).toHaveText(/^You asked for 24 pods\. .* TerminationComplete: \d+ fewer pods at most/);
});

test("moving the focus does not move time", async ({ story, page }) => {
  await story.button("Next").click();
  await story.button("Next").click();
  await expect(story.caption.getByRole("heading")).toHaveText(STORIES[0].captions[2].title);
  const moment = await story.clock.textContent();
  await page.getByRole("button", { name: "Open in the sandbox" }).focus();
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(900);
  await page.keyboard.press("Tab");
  await page.getByRole("combobox", { name: /^Story \d+ of/ }).focus();
  await expect.poll(() => page.evaluate(() => scrollY)).toBeLessThan(300);
  // Scroll events arrive with the next frame.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await expect(story.clock).toHaveText(moment);
  await expect(story.caption.getByRole("heading")).toHaveText(STORIES[0].captions[2].title);
});

test("a click on the picture goes to the time shown there", async ({ sandbox, page }) => {
  await page.keyboard.press("Home");
  await expect(sandbox.position).toContainText("0:00 of");
  // A label of the clock shows which time that is.
  const label = sandbox.lane(0).locator(".time-axis .time").filter({ hasText: /^0:1\d$|^0:2\d$/ }).first();
  const shown = await label.textContent();
  const [time, box] = [await label.boundingBox(), await sandbox.picture(0).boundingBox()];
  await page.mouse.click(box.x + box.width / 3, time.y + time.height / 2);
  const seconds = (clock) => clock.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
  await expect.poll(async () => Math.abs(seconds(await sandbox.clock.textContent()) - seconds(shown))).toBeLessThanOrEqual(1);
});

test("shortcuts that are turned off stay off", async ({ sandbox, page }) => {
  await sandbox.button("Help").click();
  await sandbox.help.getByRole("checkbox", { name: /single-character keys/ }).uncheck();
  await page.reload();
  await sandbox.ready();
  await page.keyboard.press("f");
  await sandbox.button("Help").click();
  await expect(sandbox.help.getByRole("checkbox", { name: /single-character keys/ })).not.toBeChecked();
  await expect(sandbox.whatIf).toBeHidden();
});

test("each step of the clock has a text of its own, and the labels beside it are not read", async ({ sandbox, page }) => {
  await sandbox.clock.focus();
  const texts = new Set();
  for (let press = 0; press < 5; press += 1) {
    texts.add(await sandbox.clock.getAttribute("aria-valuetext"));
    await page.keyboard.press("ArrowDown");
    await expect.poll(async () => texts.has(await sandbox.clock.getAttribute("aria-valuetext"))).toBe(false);
  }
  await expect(sandbox.lane(0).locator(".time-axis .time").first()).toHaveAttribute("aria-hidden", "true");
  await expect(sandbox.lane(0).locator(".mark-labels")).toHaveAttribute("aria-hidden", "true");
});

test("the numbers are also a table, and as text with spaces, and every row has a time of its own", async ({ sandbox, page }) => {
  await test.step("the numbers are also a table, and as text with spaces", async () => {
    await expect(answers(sandbox, 0).locator("dd").first()).toHaveText(/^\d+ \(\d+ over 19\)/);
    await sandbox.button("Show the numbers as a table").click();
    const table = page.getByRole("table", { name: "Your settings" });
    const peak = await sandbox.answer(0, "pods at most").textContent();
    const counts = await table.getByRole("row").evaluateAll((rows) => rows.slice(1).map((row) => Number(row.cells[row.cells.length - 3].textContent)));
    expect(Math.max(...counts)).toBe(Number(peak));
    await sandbox.button("Hide the numbers").click();
    await expect(table).toHaveCount(0);
  });
  await test.step("every row of the table has a time of its own, with decimals within a second", async () => {
    await sandbox.type(sandbox.input("Random delay"), "40");
    await sandbox.button("Show the numbers as a table").click();
    const times = () => page.getByRole("table", { name: "Your settings" }).getByRole("rowheader").allTextContents();
    await expect.poll(async () => (await times()).some((time) => /^\d+:\d\d\.\d+/.test(time))).toBe(true);
    const clocks = (await times()).filter((time) => time !== "before");
    expect(new Set(clocks).size).toBe(clocks.length);
    // All are written in the same way.
    const decimals = clocks.flatMap((time) => time.split("–")).filter((time) => time !== "before").map((time) => time.split(".")[1]?.length ?? 0);
    expect(new Set(decimals).size).toBe(1);
    // Moments with the same numbers share a row.
    const rows = await page.getByRole("table", { name: "Your settings" }).getByRole("row").evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent).join(" ")),
    );
    expect(rows.filter((row, index) => row === rows[index - 1])).toEqual([]);
  });
});

test("a story lists its settings below its picture, and its table has the width of the page", async ({ page, story }) => {
  for (const [width, place] of [[360, ".about"], [1440, ".pinned"]]) {
    await page.setViewportSize({ width, height: 900 });
    await expect(page.locator(place).getByText(/^15 replicas, RollingUpdate, maxSurge 25%, .*time to start 6 s, time to stop 5 s/)).toBeVisible();
    await expect(page.getByText(/^15 replicas, RollingUpdate/)).toHaveCount(1);
  }
  await story.button("Show the numbers as a table").click();
  const table = page.getByRole("region", { name: "Numbers: Today" });
  await expect(table).toBeVisible();
  expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
});

test("the sandbox opens at its top, and the story lists what it takes along", async ({ page, site }) => {
  const app = new App(page);
  await app.openOwnCase(`${site}stories/five-two-five/`);
  const open = page.getByRole("button", { name: "Open in the sandbox" });
  await expect(open).toHaveAccessibleDescription(/starts with these settings and updates the image/);
  await open.click();
  await expect(app.title).toContainText("You asked for 5 pods");
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
});

test.describe("at 360 x 740", () => {
  test.use({ viewport: { width: 360, height: 740 } });

  /** Where the reader is: the time at the playhead, and how far down the page. */
  const place = async (story) => [await story.clock.getAttribute("aria-valuetext"), await story.page.evaluate(() => scrollY)];

  /** Clicks on something in the current caption, and expects that the reader stays there. */
  async function clickInPlace(story, button) {
    // Now it is in the window.
    await button.hover();
    const before = await place(story);
    await button.click();
    // A caption scrolls with the next frame.
    await story.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    expect(await place(story)).toEqual(before);
  }

  test("the rule below a caption is that of the step to which the reader went", async ({ story }) => {
    const sentence = story.caption.locator(".sentence");
    const told = async () => (await sentence.textContent()).replace(/(Show|Hide) the rule$/, "");
    await story.button("Next").click();
    await expect(story.clock).toHaveText("0:00");
    await expect(sentence).toBeVisible();
    const [ofCaption, moment] = [await told(), await story.clock.getAttribute("aria-valuetext")];
    await story.button("More").click();
    await story.button("Step").click();
    await expect(story.clock).not.toHaveAttribute("aria-valuetext", moment);
    await expect.poll(told).not.toBe(ofCaption);
    const ofStep = await told();
    // What "More" opens covers the end of the caption.
    await story.page.keyboard.press("Escape");
    await clickInPlace(story, story.caption.getByRole("button", { name: "Show the rule" }));
    await expect(story.caption.locator(".rule")).toBeVisible();
    expect(await told()).toBe(ofStep);
  });

  test("the numbers below a caption light up in the picture", async ({ story, page }) => {
    await story.button("Next").click();
    const lit = page.locator("svg.picture.lit");
    await story.caption.locator(".sentence .operand.linked").first().hover();
    await expect(lit).toHaveCount(1);
    await story.caption.getByRole("heading").hover();
    await expect(lit).toHaveCount(0);
    await clickInPlace(story, story.caption.getByRole("button", { name: "Show the rule" }));
    const show = story.caption.getByRole("button", { name: /^Show .* in the picture$/ }).first();
    await expect(show).toHaveAttribute("aria-pressed", "false");
    await clickInPlace(story, show);
    await expect(lit).toHaveCount(1);
    await expect(lit).toBeInViewport();
    await expect(show).toHaveAttribute("aria-pressed", "true");
    // It says whether it is on, and Enter switches it, too.
    await page.keyboard.press("Enter");
    await expect(lit).toHaveCount(0);
    await expect(show).toHaveAttribute("aria-pressed", "false");
    await page.keyboard.press("Enter");
    await expect(lit).toHaveCount(1);
    await page.keyboard.press("Tab");
    await expect(lit).toHaveCount(0);
  });
});

test("Next, Back and their keys bring the caption into the window, at 400 % zoom and with text twice as large", async ({ story, page }) => {
  const { captions } = STORIES[0];
  const heading = story.caption.getByRole("heading");
  const expectCaption = async (index) => {
    await expect(heading).toHaveText(captions[index].title);
    await expect(heading).toBeInViewport({ ratio: 1 });
  };
  for (const [width, height, text] of [[320, 256, 1], [360, 740, 2]]) {
    await page.setViewportSize({ width, height });
    await page.evaluate((text) => (document.documentElement.style.fontSize = `${100 * text}%`), text);
    await expect(page.locator(".pinned")).toHaveCSS("position", "static");
    await page.keyboard.press("n");
    await expectCaption(1);
    await story.button("Next").focus();
    await page.keyboard.press("Enter");
    await expectCaption(2);
    await page.keyboard.press("b");
    await expectCaption(1);
    await story.button("Back").click();
    await expectCaption(0);
  }
});

test.describe("at 320 x 256, which is 400 % zoom", () => {
  test.use({ viewport: { width: 320, height: 256 } });

  test("the steps and what if are behind a button", async ({ story, page }) => {
    await story.button("More").click();
    await story.button("Step").click();
    await story.button("What if…").click();
    await expect(story.whatIf.getByRole("combobox")).toBeFocused();
    await expectNoSidewaysScroll(page);
  });
});
