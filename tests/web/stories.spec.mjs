// The stories: their addresses, their captions, and how they play.
import { App, STORIES, expectNoSidewaysScroll, scenarioFile, test, expect } from "./fixtures.mjs";

const [FIRST] = STORIES;

test("every story has an address, a title and captions whose headings and answers are in sight, says what happens at 0:00 as its document does, and what would have helped", async ({ page, site, story }) => {
  test.slow();
  const text = page.locator(".how-to-read");
  for (const it of STORIES) {
    await story.openStory(it);
    if (it !== FIRST) await expect(page).toHaveURL(`${site}stories/${it.name}/`);
    await expect(page).toHaveTitle(`${it.title} · Changeover`);
    await expect(page.getByRole("combobox", { name: /^Story \d+ of/ })).toHaveValue(it.name);
    await expect(story.captions.getByRole("heading")).toHaveText(it.captions.map(({ title }) => title));
    // None if there is no step of the timeline.
    await expect(story.captions.locator(".caption-time")).toHaveCount(it.captions.length);
    for (const { text, href } of it.source ?? []) await expect(page.getByRole("link", { name: text })).toHaveAttribute("href", href);
    if (it.headline === it.title) {
      await expect(text).toContainText(`The tiles show all pods at the time beside them. 0:00: ${it.change}.`);
      expect(await (await page.request.get(`${site}stories/${it.name}/`)).text()).toContain(await text.textContent());
    }
    // A story whose second lane is only a sentence doesn't count lanes.
    if ((await page.locator(".lanes .repeated").count()) > 0) {
      await expect(story.captions.filter({ hasText: /\b(both|two) lanes\b/i }), it.name).toHaveCount(0);
    }
    for (const difference of await page.locator(".difference").all()) {
      const lines = await difference.evaluate((it) => {
        const range = document.createRange();
        range.selectNodeContents(it);
        return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
      });
      expect(lines, `${it.name}: ${await difference.textContent()}`).toBe(1);
    }
    for (const [index, { title }] of it.captions.entries()) {
      if (index > 0) await story.button("Next").click();
      await expect(story.caption.getByRole("heading")).toHaveText(title);
      const highest = () => story.lanes.locator("h2, .answers").evaluateAll((parts) => Math.min(...parts.map((part) => part.getBoundingClientRect().top)));
      await expect.poll(highest, `${it.name}: ${title}`).toBeGreaterThanOrEqual(0);
    }
    await expect(page.getByText(it.helps.text)).toBeAttached();
    await page.getByRole("button", { name: it.helps.button }).click();
    await expect(story.caption.getByRole("heading")).toHaveText(it.helps.caption.title);
    await expect(page.getByRole("button", { name: "Back to what happened" })).toBeVisible();
    // What would have helped may begin with something else.
    if (it.helps.change) await expect(text).toContainText(`0:00: ${it.helps.change}.`);
    await expect(page.getByRole("alert")).toHaveCount(0);
  }
});

test("after a rollback, the pods of the first version are not called new", async ({ page, site }) => {
  const app = new App(page);
  const { captions } = STORIES.find(({ name }) => name === "stuck");
  await app.openOwnCase(`${site}stories/stuck/`);
  for (const _ of captions.slice(1)) await page.keyboard.press("n");
  await expect(app.captions.last()).toHaveAttribute("aria-current", "step");
  await expect(page.locator(".caption-why .sentence")).toContainText(/ is complete: 4 pods, all 4 up to date, /);
});

test("the line of settings is that of the story, and names what differs between the lanes", async ({ page, story }) => {
  const settings = page.locator(".given");
  const open = (name) => story.openStory(STORIES.find((it) => it.name === name));
  await expect(settings).toContainText("replicas");
  await expect(settings).not.toContainText("nodes");
  for (const [name, text] of [
    ["evicted-job", "parallelism 1, completions 1, backoffLimit 2, terminationGracePeriodSeconds 30, NonIndexed, "],
    ["evicted-job", /; With Ignore: .*podFailurePolicy Ignore DisruptionTarget$/],
    // When a CronJob starts Jobs.
    ["cron-deadline", "schedule * * * * *, concurrencyPolicy Forbid, startingDeadlineSeconds 10, "],
    ["cron-deadline", "; Without a deadline: no startingDeadlineSeconds"],
    // The grace periods that the captions are about.
    ["partial", /, grace period 1 min 20 s, .*; grace period 40 s for 10 of the pods that terminate at first$/],
    ["evicted", "nodes 2"],
    ["lost-node", "nodes 3"],
    ["preempted", "backoffLimit 0, "],
  ]) {
    await open(name);
    await expect(settings, name).toContainText(text);
  }
  await story.button("Fail on exit code 42").click();
  await expect(settings).toContainText(/backoffLimit 4, .*; Fails at once: .*FailJob on exit code 42$/);
  // The summary names the node that is not added.
  await open("autoscaler");
  await expect(page.locator(".trade")).toContainText("and just as fast. The autoscaler adds 1 fewer node.");
});

test.describe("without JavaScript", () => {
  test.use({
      javaScriptEnabled: false,
      // Preloaded files are not used then.
      expectedProblems: /^failed: .*\.js$|preloaded using link preload/,
    });

  // xtask/src/html.rs checks the text of every page.
  test("a story can be read, and leads to all others", async ({ page, site }) => {
    for (const story of [FIRST, STORIES.at(-1)]) {
      await page.goto(`${site}stories/${story.name}/`);
      await expect(page).toHaveTitle(`${story.title} · Changeover`);
      await expect(page.getByRole("heading", { level: 1 })).toHaveText(story.headline);
      for (const { title, text } of [...story.beginning, ...story.captions]) {
        await expect(page.getByRole("heading", { name: title, exact: true }).first()).toBeVisible();
        await expect(page.getByText(text, { exact: true })).toBeVisible();
      }
      await expect(page.getByText(story.helps.text, { exact: true })).toBeVisible();
      const links = page.getByRole("navigation", { name: "All stories" }).getByRole("link");
      await expect(links).toHaveText(STORIES.map(({ label }) => label));
    }
    await page.getByRole("link", { name: STORIES[3].label }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(STORIES[3].headline);
    await page.setViewportSize({ width: 320, height: 640 });
    await expectNoSidewaysScroll(page);
    await page.getByRole("link", { name: "Sandbox" }).click();
    await expect(page.getByText(/It needs JavaScript/)).toBeVisible();
  });
});

test("picture and captions agree: 22, then 26, and 19 with the proposal", async ({ story }) => {
  const texts = (await story.captions.locator("p").allTextContents()).join(" ");
  expect(texts).toMatch(/a setting that KEP-5882 \(a proposal for Kubernetes\) adds/);
  // It explains a ReplicaSet, and needs the word nowhere else.
  expect(texts.match(/ReplicaSets?(, which creates its pods)?/g)).toEqual(["ReplicaSet, which creates its pods"]);
  await expect(story.picture(0)).toHaveAccessibleName(/: 15 pods, 15 available/);
  await story.button("Next").click();
  await expect(story.picture(0)).toHaveAccessibleName(/: 22 pods, .* 3 over the limit of 19$/);
  await expect(story.picture(1)).toHaveAccessibleName(/: 19 pods, /);
  await story.button("Next").click();
  await story.button("Next").click();
  await expect(story.picture(0)).toHaveAccessibleName(/: 26 pods, .* 7 over the limit of 19$/);
  await expect(story.picture(1)).toHaveAccessibleName(/: 19 pods, /);
  await expect(story.answer(0, "pods at most")).toHaveText("26");
  await expect(story.answer(1, "pods at most")).toHaveText("19");
});

test("tries that a quota refuses are marked on the clock, and named in the picture", async ({ page, site }) => {
  const app = new App(page);
  await app.open(`${site}stories/quota/`);
  const marks = app.lane(0).locator(".time-axis").getByRole("img");
  await expect(marks.first()).toHaveAccessibleName(/^(1 try|\d+ tries) refused, (at \d|\d+:\d\d to \d)/);
  await expect(app.picture(0).locator(".labels .setback-text").first()).toHaveText(/^15 (tries )?refused( until 1:26)?$/);
  const tops = await marks.evaluateAll((all) => all.map((mark) => mark.getBoundingClientRect().top));
  // No mark covers another one.
  expect(tops.every((top, index) => index === 0 || top - tops[index - 1] >= 16)).toBe(true);
  // A click on a mark goes to its time.
  const before = await app.clock.getAttribute("aria-valuenow");
  await marks.last().click();
  await expect(app.clock).not.toHaveAttribute("aria-valuenow", before);
  // Nothing is refused in the first story.
  await app.open(site);
  await expect(app.lanes.locator(".setback")).toHaveCount(0);
});

test("what is over a limit that changes later has that limit's number, in both lanes", async ({ page, site }) => {
  const app = new App(page);
  await app.openOwnCase(`${site}stories/five-two-five/`);
  for (const lane of [0, 1]) {
    await expect(app.picture(lane).locator(".labels .over-limit").first()).toHaveText("3 over: limit is 2 here");
  }
  // The figures above the pictures don't blame one lane for it.
  const notes = (lane) => app.lane(lane).locator(".answers > div", { hasText: "pods at most" }).locator(".note");
  await expect(notes(0)).toHaveText("(3 over 5)");
  await expect(notes(1)).toHaveCount(0);
  await expect(page.locator(".trade")).toContainText("Both have 3 pods over the limit while it is 2.");
  // What only one lane has over another limit stands above its picture, after the difference.
  await app.openOwnCase(`${site}stories/partial/`);
  await expect(app.lane(1).locator(".answers > div", { hasText: "pods at most" })).toContainText("−15 (once 5 over 110)");
  // As many are over each of three limits: the picture says it once, at the peak.
  await expect(app.picture(0).locator(".labels .over-limit", { hasText: "15 over" })).toHaveText(["15 over"]);
  await app.open(site);
  await app.goToOwnCase();
  await expect(app.picture(0).locator(".labels .over-limit")).toHaveText("7 over");
});

test("n, b and a click on a caption go to its time", async ({ story, page }) => {
  await page.keyboard.press("n");
  await page.keyboard.press("n");
  await expect(story.caption.getByRole("heading")).toHaveText(FIRST.captions[2].title);
  await page.keyboard.press("b");
  await expect(story.caption.getByRole("heading")).toHaveText(FIRST.captions[1].title);
  await expect(story.caption.getByText("0:00", { exact: true }).first()).toBeVisible();
  await expect(story.clock).toHaveText("0:00");
  await story.captions.nth(3).getByRole("heading").click();
  await expect(story.caption.getByRole("heading")).toHaveText(FIRST.captions[3].title);
  await expect(story.clock).toHaveText("0:12");
});

test("the caption is that of the playhead, wherever the reader moves it, and stays in sight", async ({ story, page }) => {
  const number = page.getByRole("group", { name: "Story", exact: true }).locator(".position");
  const expectCaption = async (index) => {
    await expect(story.caption.getByRole("heading")).toHaveText(FIRST.captions[index].title);
    const before = FIRST.beginning.length;
    await expect(number).toHaveText(`${before + index + 1} of ${before + FIRST.captions.length}`);
    await expect(story.caption.getByRole("heading")).toBeInViewport();
  };
  await page.keyboard.press("End");
  await expectCaption(FIRST.captions.length - 1);
  await expect(story.button("Next")).toBeDisabled();
  await page.keyboard.press("Home");
  await expectCaption(0);
  await page.keyboard.press("n");
  await page.keyboard.press("n");
  await expectCaption(2);
  await page.keyboard.press("Home");
  await expectCaption(0);
  await page.keyboard.press("n");
  await expectCaption(1);
  const { x, y, width, height } = await story.picture(0).boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  // Beyond its edge.
  await page.mouse.move(x + width / 2, y + height + 40, { steps: 4 });
  await page.mouse.up();
  await expectCaption(FIRST.captions.length - 1);
});

test("after a What if, heading, title and captions do not say the old numbers as if they were shown", async ({ story, page }) => {
  const status = page.locator("[role=status].visually-hidden");
  await story.button("Next").click();
  await story.openWhatIf();
  await page.keyboard.press("Tab");
  await page.keyboard.type("12");
  await page.keyboard.press("Enter");
  const result = /^At 0:00, you scale Deployment web to 12\. Kubernetes runs up to \d+ pods/;
  await expect(story.title).toHaveText(result);
  await expect(page).toHaveTitle(result);
  const note = story.captions.getByText("Without your changes:", { exact: true });
  await expect(note).toHaveCount(FIRST.captions.length);
  const color = (element) => element.evaluate((it) => getComputedStyle(it).color);
  expect(await color(story.caption)).toBe(await color(story.captions.last()));
  // What is shown is announced instead of the caption.
  await page.keyboard.press("b");
  await expect(story.caption.getByRole("heading")).toHaveText(FIRST.captions[0].title);
  await expect(page.locator("output")).toHaveText(/^before the change\. Today: 15 pods\./);
  await expect(status).toBeEmpty();
  await story.button("Back to what happened").click();
  await expect(story.title).toHaveText(FIRST.headline);
  await expect(page).toHaveTitle(`${FIRST.title} · Changeover`);
  await expect(note).toHaveCount(0);
});

test("after What if, captions whose step never comes are skipped", async ({ page, site }) => {
  const story = scenarioFile("five-two-five.story.json");
  const app = new App(page);
  await app.openOwnCase(`${site}stories/five-two-five/`);
  await page.keyboard.press("n");
  await expect(app.caption.getByRole("heading")).toHaveText(story.captions[1].title);
  await app.openWhatIf();
  await page.keyboard.press("Tab");
  await page.keyboard.type("2");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("list", { name: "What you did" }).getByRole("listitem")).toHaveText(/ to 2\./);
  await expect(page.getByRole("alert")).toHaveCount(0);
  // Each of them has no time.
  const played = [];
  for (const [index, { title }] of story.captions.entries()) {
    if ((await app.captions.nth(index).locator(".caption-time").count()) > 0) played.push(title);
  }
  expect(played.length).toBeLessThan(story.captions.length);
  for (const title of played.slice(2)) {
    await page.keyboard.press("n");
    await expect(app.caption.getByRole("heading")).toHaveText(title);
  }
  await expect(app.button("Next")).toBeDisabled();
  await page.getByRole("button", { name: "Back to what happened" }).click();
  await expect(app.captions.locator(".caption-time")).toHaveCount(story.captions.length);
  await expect(page.getByRole("alert")).toHaveCount(0);
});

/** Scrolls with a wheel, as a user would, until the condition holds. */
async function wheelUntil(page, by, holds) {
  await expect(async () => {
    await page.mouse.wheel(0, by);
    await expect.poll(holds, { timeout: 200, intervals: [20] }).toBe(true);
  }).toPass({ intervals: [0] });
}

for (const [name, viewport] of [
  ["desktop", { width: 1440, height: 900 }],
  ["phone", { width: 360, height: 740 }],
]) {
  test.describe(name, () => {
    test.use({ viewport });

    test("scrolling past the picture moves the playhead, and the picture stays", async ({ story, page }) => {
      const { width, height } = viewport;
      await page.mouse.move(width === 360 ? 180 : 150, height - 100);
      const current = async () => Number(await story.captions.evaluateAll((captions) => captions.findIndex((caption) => caption.ariaCurrent === "step")));
      const times = new Set();
      for (let caption = 1; caption < FIRST.captions.length; caption += 1) {
        await wheelUntil(page, 120, async () => (await current()) >= caption);
        times.add(await story.clock.getAttribute("aria-valuetext"));
        for (const lane of [0, 1]) await expect(story.lane(lane).locator(".pod-row")).toBeInViewport({ ratio: 0.9 });
      }
      expect(times.size).toBeGreaterThan(2);
      const clock = Number(await story.clock.getAttribute("aria-valuenow"));
      await wheelUntil(page, -200, async () => (await current()) === 0);
      await expect.poll(async () => Number(await story.clock.getAttribute("aria-valuenow"))).toBeLessThan(clock);
    });
  });
}

for (const [what, press] of [
  // The second press finds the focus where it is.
  [
    "a button",
    async (story) => {
      await story.showPlayer();
      await story.button("To the end").click({ clickCount: 2 });
    },
  ],
  ["the picture", (story) => story.picture(0).click()],
]) {
  test(`the playhead stays where the reader moved it with ${what} when the browser scrolls`, async ({ story, page }) => {
    await press(story);
    await expect(story.clock).not.toHaveText("before");
    const time = await story.clock.textContent();
    // As far as a caption of another time.
    await page.evaluate(
      () =>
        new Promise((done) => {
          addEventListener("scroll", () => requestAnimationFrame(done), { once: true });
          scrollBy({ top: innerHeight / 2, behavior: "instant" });
        }),
    );
    expect(await story.clock.textContent()).toBe(time);
  });
}

test.describe("at 360 x 740", () => {
  test.use({ viewport: { width: 360, height: 740 } });

  test("in every story, the pods of all lanes are directly above every caption, and all pictures in the window", async ({ page, story }) => {
    test.slow();
    const heading = story.caption.getByRole("heading");
    /** Whether parts are from top to bottom. Fractions of a pixel don't matter. */
    const isInOrder = async (...parts) => {
      const boxes = await Promise.all(parts.map((part) => part.boundingBox()));
      const edges = [0, ...boxes.flatMap(({ y, height }) => [y, y + height])];
      return edges.every((edge, index) => index === 0 || edges[index - 1] < edge + 1);
    };
    for (const it of STORIES) {
      await story.openStory(it);
      // A lane that does the same as another one is shown as a sentence.
      const shown = it.lanes.length - (await page.locator(".lanes .repeated").count());
      for (const [index, { title }] of it.captions.entries()) {
        if (index === 0) continue;
        const what = `${it.name}: ${title}`;
        await story.button("Next").click();
        await expect(heading).toHaveText(title);
        // The caption is scrolled to below the picture.
        await expect(heading).toBeInViewport({ ratio: 1 });
        await expect(story.lanes.locator(".pod-row")).toHaveCount(shown);
        await expect.poll(async () => isInOrder(...(await story.lanes.locator(".pod-row").all()), heading), what).toBe(true);
        // Nothing covers the caption.
        const covered = () =>
          heading.evaluate((heading) => {
            const { left, top, width, height } = heading.getBoundingClientRect();
            const there = document.elementFromPoint(left + Math.min(width, 40) / 2, top + height / 2);
            return !heading.contains(there);
          });
        await expect.poll(covered, what).toBe(false);
        if (index > 1) continue;
        for (const [width, height] of [[320, 640], [360, 740]]) {
          await page.setViewportSize({ width, height });
          // In a window of another size, the caption is scrolled to again.
          await story.button("Back").click();
          await expect(heading).toHaveText(it.captions[0].title);
          await story.button("Next").click();
          await expect(heading).toHaveText(title);
          // The bar is at the bottom of the window.
          const parts = async () => [...(await story.lanes.locator("svg.picture").all()), heading, page.locator(".pinned > .bar")];
          await expect.poll(async () => isInOrder(...(await parts())), `${what}, ${width} px`).toBe(true);
          await expect(heading).toBeInViewport({ ratio: 1 });
        }
      }
    }
  });
});

for (const [width, height] of [[360, 740], [1440, 900]]) {
  test(`while a story plays, the caption at the playhead is in sight, ${width} px`, async ({ virtualClock, story, page }) => {
    await page.setViewportSize({ width, height });
    const heading = story.caption.getByRole("heading");
    await story.button("Play").click();
    const seen = new Set();
    for (let step = 0; step < 90 && (await story.pause.count()) > 0; step += 1) {
      await virtualClock.runFor(400);
      await expect(heading).toBeInViewport({ ratio: 1 });
      seen.add(await heading.textContent());
    }
    await expect(heading).toHaveText(FIRST.captions.at(-1).title);
    await expect(heading).toBeInViewport({ ratio: 1 });
    expect(seen.size).toBeGreaterThan(2);
  });
}

test("where a second lane joins the first one, the picture does not cover the caption, 360 px", async ({ page, site }) => {
  test.slow();
  await page.setViewportSize({ width: 360, height: 740 });
  const app = new App(page);
  for (const it of STORIES.filter(({ beginning, lanes }) => beginning.length > 0 && lanes.length > 1)) {
    await app.open(`${site}stories/${it.name}/`);
    for (const _ of it.beginning) await page.keyboard.press("ArrowRight");
    const heading = app.caption.getByRole("heading");
    await expect(heading).toHaveText(it.captions[0].title);
    await expect(app.captions.first().locator(".caption-time")).toBeVisible();
    await app.ready();
    const covered = async () => {
      const [picture, title, bar] = await Promise.all([".pinned .lanes", "#current-caption", ".pinned > .bar"].map((part) => page.locator(part).boundingBox()));
      return title.y < picture.y + picture.height || title.y + title.height > bar.y;
    };
    await expect.poll(covered, it.name).toBe(false);
  }
});

test.describe("with motion", () => {
  test.use({ contextOptions: { reducedMotion: "no-preference" } });

  test("nothing plays or scrolls by itself", async ({ virtualClock, firstVisit, page }) => {
    const before = await firstVisit.clock.getAttribute("aria-valuetext");
    await virtualClock.runFor(60_000);
    await expect(firstVisit.clock).toHaveAttribute("aria-valuetext", before);
    expect(await page.evaluate(() => scrollY)).toBe(0);
  });
});

test("a reader who scrolls down never goes back to an earlier caption", async ({ firstVisit, page }) => {
  // The last captions of a smaller case: the next case has other headings, and so another height.
  await page.locator(".caption").nth(FIRST.beginning.length - 1).getByRole("heading").click();
  await expect(firstVisit.caption.getByRole("heading")).toHaveText(FIRST.beginning.at(-1).title);
  const numbers = await page.evaluate(async () => {
    const number = () => Number.parseInt(document.querySelector(".caption-buttons .position").textContent);
    const numbers = [number()];
    for (let step = 0; step < 60; step += 1) {
      dispatchEvent(new WheelEvent("wheel"));
      scrollBy({ top: 15, behavior: "instant" });
      for (let frame = 0; frame < 6; frame += 1) {
        await new Promise((done) => requestAnimationFrame(done));
        numbers.push(number());
      }
    }
    return numbers;
  });
  expect(numbers.at(-1)).toBeGreaterThan(numbers[0]);
  expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
});

test("→ and ← do what Next and Back do, and with Shift they go from step to step", async ({ firstVisit, page }) => {
  const position = page.getByRole("group", { name: "Story", exact: true }).locator(".position");
  const count = FIRST.beginning.length + FIRST.captions.length;
  for (let caption = 2; caption <= count; caption += 1) {
    await page.keyboard.press("ArrowRight");
    await expect(position).toHaveText(`${caption} of ${count}`);
  }
  await expect(firstVisit.button("Next")).toBeDisabled();
  await firstVisit.ready();
  await page.keyboard.press("ArrowLeft");
  await expect(position).toHaveText(`${count - 1} of ${count}`);
  await expect(firstVisit.picture(0)).toHaveAccessibleName(/: 26 pods, /);
  // The caption stays until the next one begins.
  const time = await firstVisit.clock.getAttribute("aria-valuenow");
  await page.keyboard.press("Shift+ArrowRight");
  await expect(firstVisit.clock).toHaveAttribute("aria-valuenow", String(Number(time) + 1));
  await expect(position).toHaveText(`${count - 1} of ${count}`);
  await page.keyboard.press("Shift+ArrowLeft");
  await expect(firstVisit.clock).toHaveAttribute("aria-valuenow", time);
});

test("the first story grows from three pods to fifteen, and to two lanes, with → alone", async ({ firstVisit, page }) => {
  const state = async () => [await firstVisit.clock.getAttribute("aria-valuetext"), await firstVisit.caption.getByRole("heading").textContent()];
  const titles = [...FIRST.beginning, ...FIRST.captions].map(({ title }) => title);
  const seen = new Map();
  let now = await state();
  while (now[1] !== titles.at(-1)) {
    await expect(firstVisit.caption.getByRole("heading")).toBeInViewport();
    if (!seen.has(now[1])) seen.set(now[1], [await firstVisit.lanes.count(), await firstVisit.picture(0).getAttribute("aria-label")]);
    await page.keyboard.press("ArrowRight");
    await expect.poll(state).not.toEqual(now);
    now = await state();
  }
  const pictures = [...seen.values()];
  expect(pictures[0][1]).toContain(": 3 pods");
  expect(pictures.map(([lanes]) => lanes)).toEqual(expect.arrayContaining([1, 2]));
  expect([...seen.keys(), titles.at(-1)]).toEqual([...new Set(titles)]);
});

test("the first screen of the first story is short, and its limit comes when it is needed", async ({ firstVisit, page }) => {
  const words = () =>
    page.evaluate(() => {
      const texts = [];
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const element = node.parentElement;
        if (node.textContent.trim() === "" || element.closest("option, .visually-hidden, script, style")) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        const { top, bottom, width } = range.getBoundingClientRect();
        // For an SVG text that is not drawn, checkVisibility is true.
        const isVisible = width > 0 && element.getBoundingClientRect().width > 0 && element.checkVisibility({ visibilityProperty: true });
        if (isVisible && bottom <= innerHeight && top >= 0) texts.push(node.textContent.trim());
      }
      return texts.join(" ").split(/\s+/);
    });
  const shown = await words();
  expect(shown.length, shown.join(" ")).toBeLessThan(80);
  const limit = firstVisit.lane(0).locator(".pod-row .mark.limit");
  await expect(limit).toHaveCSS("visibility", "hidden");
  const showing = FIRST.beginning.findIndex(({ showsLimit }) => showsLimit);
  for (let caption = 0; caption < showing; caption += 1) await firstVisit.button("Next").click();
  await expect(firstVisit.caption.getByRole("heading")).toHaveText(FIRST.beginning[showing].title);
  await expect(limit).toHaveCSS("visibility", "visible");
  await expect(firstVisit.picture(0)).toHaveAccessibleName(/: 5 pods, .* 1 over the limit of 4$/);
});

test("a number in the text can be dragged, and the picture and the text follow", async ({ firstVisit, page }) => {
  const replicas = page.getByRole("slider", { name: "Replicas" }).first();
  await expect(replicas).toHaveText("3 pods");
  const { x, y, width, height } = await replicas.boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 2 + 45, y + height / 2, { steps: 6 });
  await page.mouse.up();
  await expect(replicas).toHaveText("6 pods");
  await expect(firstVisit.picture(0)).toHaveAccessibleName(/: 6 pods, 6 available/);
  await replicas.press("ArrowRight");
  await expect(replicas).toHaveText("7 pods");
  await expect(firstVisit.picture(0)).toHaveAccessibleName(/: 7 pods, 7 available/);
  const showing = FIRST.beginning.findIndex(({ showsLimit }) => showsLimit);
  await page.locator(".caption").nth(showing).getByRole("heading").click();
  await expect(firstVisit.caption).toContainText("You asked for 7 pods and allowed 1 more, so the limit is 8. Yet 9 pods run: 1 over it.");
  const surge = firstVisit.caption.getByRole("slider", { name: "maxSurge" });
  await surge.press("ArrowUp");
  await expect(firstVisit.caption).toContainText("allowed 2 more, so the limit is 9.");
  // A number that is pointed at lights up.
  await firstVisit.caption.locator(".figure", { hasText: "9" }).first().hover();
  await expect(page.locator("svg.picture.lit")).toHaveCount(1);
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("the select and the links go to another story, and back", async ({ story, page, site }) => {
  await page.getByRole("combobox", { name: /^Story \d+ of/ }).selectOption(STORIES[4].label);
  await expect(page).toHaveURL(`${site}stories/${STORIES[4].name}/`);
  await expect(page).toHaveTitle(`${STORIES[4].title} · Changeover`);
  await expect(story.caption.getByRole("heading")).toHaveText([...STORIES[4].beginning, ...STORIES[4].captions][0].title);
  await page.getByRole("link", { name: STORIES[5].label }).click();
  await expect(page).toHaveURL(`${site}stories/${STORIES[5].name}/`);
  await page.goBack();
  await expect(story.title).toHaveText(STORIES[4].headline);
  await page.goBack();
  await expect(story.title).toHaveText(FIRST.headline);
  // The first one follows the last one.
  await story.open(`${site}stories/${STORIES.at(-1).name}/`);
  await expect(page.getByRole("link", { name: FIRST.label })).toBeVisible();
});

test("a story is taken to the sandbox with its settings", async ({ page, site }) => {
  const app = new App(page);
  await app.open(`${site}stories/quota/`);
  await expect(page.locator(".given")).toContainText("quota of pods 3");
  await page.getByRole("button", { name: "Open in the sandbox" }).click();
  await expect(page).toHaveURL(/\/sandbox\/#state=/);
  await expect(app.input("Replicas")).toHaveValue("2");
  await expect(app.input("maxSurge")).toHaveValue("0");
  await app.unfold();
  await expect(app.input("Grace period")).toHaveValue("90");
  await expect(app.input("Pods in the quota")).toHaveValue("3");
  await expect(page.getByRole("alert")).toHaveCount(0);
  await expect(app.title).toContainText("You asked for 2 pods");
});

test("while Space plays, the caption follows the playhead", async ({ virtualClock, story, page }) => {
  const heading = story.caption.getByRole("heading");
  const last = FIRST.captions.at(-1).title;
  await story.clock.focus();
  await page.keyboard.press("End");
  await expect(heading).toHaveText(last);
  await page.keyboard.press("Space");
  await expect(heading).not.toHaveText(last);
  await page.clock.runFor(90_000);
  await expect(heading).toHaveText(last);
});

test("what would have helped is compared with what happened in the sandbox, too", async ({ page, site }) => {
  const app = new App(page);
  await app.open(`${site}stories/fifteen/`);
  await app.goToOwnCase();
  await app.button(FIRST.helps.button).click();
  await expect(app.answer(1, "complete after")).toHaveText("0:53");
  const answers = () => Promise.all([0, 1].map((lane) => app.lane(lane).locator(".answers b").allTextContents()));
  const told = await answers();
  await page.getByRole("button", { name: "Open in the sandbox" }).click();
  await expect(page).toHaveURL(/\/sandbox\/#state=/);
  await expect(page.getByRole("combobox", { name: "Compare with" })).toHaveValue("settings");
  await expect.poll(answers).toEqual(told);
});

test("an unknown address gets an error and links", async ({ browser, site }) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const response = await page.goto(`${site}stories/none/`);
  expect(response.status()).toBe(404);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Page not found");
  await context.close();
});
