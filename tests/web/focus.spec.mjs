// After every action, the focus is on an existing, visible element.
import { App, STORIES, test, expect } from "./fixtures.mjs";

test("in the sandbox: the rule, an action, and the player", async ({ sandbox, page }) => {
  await test.step("Show the rule and Hide the rule", async () => {
    const show = sandbox.lane(0).getByRole("button", { name: "Show the rule" });
    await show.focus();
    await page.keyboard.press("Enter");
    const hide = sandbox.lane(0).getByRole("button", { name: "Hide the rule" });
    await expect(hide).toBeFocused();
    await expect(hide).toHaveAttribute("aria-expanded", "true");
    await page.keyboard.press("Enter");
    await expect(show).toBeFocused();
  });
  await sandbox.startOver();
  await test.step("an action is done, and undone", async () => {
    await sandbox.openWhatIf();
    await page.keyboard.press("Tab");
    await page.keyboard.type("9");
    await page.keyboard.press("Enter");
    const takeBack = page.getByRole("button", { name: "Remove this change" });
    await expect(takeBack).toBeVisible();
    await sandbox.expectFocus();
    await takeBack.focus();
    await page.keyboard.press("Enter");
    await expect(takeBack).toHaveCount(0);
    await expect(sandbox.button("What if…")).toBeFocused();
  });
  await sandbox.startOver();
  await test.step("what runs now, and the YAML, are kept and removed", async () => {
    await sandbox.button("YAML").click();
    const keep = sandbox.button("This is what runs now");
    const remove = sandbox.button("Remove what runs now");
    await keep.focus();
    await page.keyboard.press("Enter");
    await expect(remove).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(keep).toBeFocused();
    await sandbox.button("Controls").click();
    await sandbox.button("Remove the YAML").focus();
    await page.keyboard.press("Enter");
    await expect(sandbox.button("Remove the YAML")).toHaveCount(0);
    await expect(sandbox.title).toBeFocused();
  });
  await sandbox.startOver();
  await test.step("the buttons of the player keep the focus", async () => {
    for (const name of ["To the start", "Step", "Step back", "To the end"]) {
      await sandbox.button(name).focus();
      for (let press = 0; press < 3; press += 1) await page.keyboard.press("Enter");
      await expect(sandbox.button(name)).toBeFocused();
    }
    await sandbox.button("zoom in").focus();
    await page.keyboard.press("Enter");
    await expect(sandbox.button("zoom in")).toBeFocused();
    await expect(sandbox.button("zoom in")).toHaveAttribute("aria-pressed", "true");
    await sandbox.button("Show pods by node").focus();
    await page.keyboard.press("Enter");
    await expect(sandbox.button("Hide pods by node")).toBeFocused();
    await expect(sandbox.button("Hide pods by node")).toHaveAttribute("aria-expanded", "true");
  });
});

test("arrow keys scroll a wide table that has the focus, and don't move the playhead", async ({ page, site }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  const app = new App(page);
  await app.open(`${site}sandbox/`);
  await app.button("Show the numbers as a table").click();
  await page.keyboard.press("Tab");
  const table = page.getByRole("region", { name: /^Numbers: / }).first();
  await expect(table).toBeFocused();
  const scrolled = () => table.evaluate((it) => it.scrollLeft);
  const time = await app.clock.getAttribute("aria-valuetext");
  await page.keyboard.press("ArrowRight");
  await expect.poll(scrolled).toBeGreaterThan(0);
  await page.keyboard.press("ArrowLeft");
  await expect.poll(scrolled).toBe(0);
  await expect(app.clock).toHaveAttribute("aria-valuetext", time);
  // Elsewhere, the key goes to the next step.
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("ArrowRight");
  await expect(app.clock).not.toHaveAttribute("aria-valuetext", time);
});

test("in a story: captions, stories, pages, and what would have helped", async ({ story, page }) => {
  await test.step("Next to the last caption, and Back to the first", async () => {
    const { captions } = STORIES[0];
    await story.button("Next").focus();
    for (const caption of captions.slice(1)) {
      await page.keyboard.press("Enter");
      await expect(story.caption.getByRole("heading")).toHaveText(caption.title);
      await story.expectFocus();
    }
    await story.button("Back").focus();
    for (const caption of captions.slice(0, -1).reverse()) {
      await page.keyboard.press("Enter");
      await expect(story.caption.getByRole("heading")).toHaveText(caption.title);
      await story.expectFocus();
    }
  });
  await story.openStory(STORIES[0]);
  await test.step("what would have helped, and back", async () => {
    const { helps, captions } = STORIES[0];
    await page.getByRole("button", { name: helps.button }).focus();
    await page.keyboard.press("Enter");
    await expect(story.caption.getByRole("heading")).toHaveText(helps.caption.title);
    await expect(story.caption.getByRole("heading")).toBeFocused();
    await page.getByRole("button", { name: "Back to what happened" }).focus();
    await page.keyboard.press("Enter");
    await expect(story.caption.getByRole("heading")).toHaveText(captions.at(-1).title);
    await expect(story.caption.getByRole("heading")).toBeFocused();
  });
  await story.openStory(STORIES[0]);
  await page.keyboard.press("Home");
  await test.step("actions in a story are undone together", async () => {
    await story.button("Next").click();
    await story.openWhatIf();
    await page.keyboard.press("Tab");
    await page.keyboard.type("9");
    await page.keyboard.press("Enter");
    const back = page.getByRole("button", { name: "Back to what happened" });
    // When the form closes, the focus moves there.
    await expect(story.button("More")).toBeFocused();
    await back.focus();
    await page.keyboard.press("Enter");
    await expect(back).toHaveCount(0);
    await expect(story.button("More")).toBeFocused();
  });
  await story.openStory(STORIES[0]);
  await test.step("the story select", async () => {
    const select = page.getByRole("combobox", { name: /^Story \d+ of/ });
    await select.focus();
    await select.selectOption(STORIES[2].label);
    await expect(story.title).toHaveText(STORIES[2].headline);
    await expect(select).toHaveValue(STORIES[2].name);
    await expect(select).toBeFocused();
  });
  await story.openStory(STORIES[0]);
  await test.step("the browser's Back", async () => {
    await page.getByRole("link", { name: STORIES[1].label }).focus();
    await page.keyboard.press("Enter");
    await expect(story.title).toHaveText(STORIES[1].headline);
    await page.goBack();
    await expect(story.title).toHaveText(STORIES[0].headline);
    await expect(story.title).toBeFocused();
    // It starts at the top, where the focus is.
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
  });
  await story.openStory(STORIES[0]);
  await test.step("the link to the next story", async () => {
    await page.getByRole("link", { name: STORIES[1].label }).focus();
    await page.keyboard.press("Enter");
    await expect(story.title).toHaveText(STORIES[1].headline);
    await expect(story.title).toBeFocused();
    // It starts at the top.
    await expect(story.title).toBeInViewport();
    // The keys of the story work.
    await page.keyboard.press("n");
    await expect(story.caption.getByRole("heading")).toHaveText(STORIES[1].beginning[1].title);
  });
  await story.openStory(STORIES[0]);
  await test.step("the pages of the header, and back", async () => {
    await page.getByRole("link", { name: "Sandbox" }).focus();
    await page.keyboard.press("Enter");
    await expect(story.form).toBeVisible();
    await story.expectFocus();
    await page.goBack();
    await expect(story.title).toHaveText(STORIES[0].headline);
  });
  await story.openStory(STORIES[0]);
  await test.step("Open in the sandbox", async () => {
    await page.getByRole("button", { name: "Open in the sandbox" }).focus();
    await page.keyboard.press("Enter");
    await expect(story.input("Replicas")).toHaveValue("15");
    await story.expectFocus();
  });
});

test("arrow keys in the story select: a story opens once they pause and is announced, and Back leaves all of them", async ({ virtualClock, story, page }) => {
  const select = page.getByRole("combobox", { name: /^Story \d+ of/ });
  const path = () => page.evaluate(() => location.pathname);
  const first = await path();
  await virtualClock.pauseAt(Date.now() + 3_600_000);
  await select.focus();
  for (const { name } of STORIES.slice(1, 4)) {
    await page.keyboard.press("ArrowDown");
    await expect(select).toHaveValue(name);
    await virtualClock.runFor(500);
    expect(await path()).toBe(first);
  }
  await virtualClock.resume();
  const expectOpened = async ({ title, headline }) => {
    await expect(story.title).toHaveText(headline);
    await expect(select).toBeFocused();
    await expect(page.locator("[role=status].visually-hidden")).toHaveText(title);
  };
  await expectOpened(STORIES[3]);
  await page.keyboard.press("ArrowDown");
  await expectOpened(STORIES[4]);
  await page.goBack();
  await expect(story.title).toHaveText(STORIES[0].headline);
});

test("Help and What if, closed with Escape and with their buttons", async ({ sandbox, page }) => {
  for (const closes of ["Escape", "its button"]) {
    await test.step(`Help, ${closes}`, async () => {
      await sandbox.button("Help").focus();
      await page.keyboard.press("Enter");
      await expect(sandbox.help).toBeVisible();
      await expect(sandbox.help.locator(":focus")).toHaveCount(1);
      if (closes === "Escape") await page.keyboard.press("Escape");
      else await sandbox.help.getByRole("button", { name: "Close" }).click();
      await expect(sandbox.help).toBeHidden();
      await expect(sandbox.button("Help")).toBeFocused();
    });
    await test.step(`What if, ${closes}`, async () => {
      const button = sandbox.button("What if…");
      await button.focus();
      await page.keyboard.press("Enter");
      await expect(button).toHaveAttribute("aria-expanded", "true");
      await expect(page.getByRole("combobox", { name: /^What if / })).toBeFocused();
      if (closes === "Escape") await page.keyboard.press("Escape");
      else await page.getByRole("button", { name: "Close what if" }).click();
      await expect(sandbox.whatIf).toBeHidden();
      await expect(button).toBeFocused();
      await expect(button).toHaveAttribute("aria-expanded", "false");
    });
  }
});

/** Whether nothing covers an element, and all of it is in the window. */
const isClear = (locator) =>
  locator.evaluate((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return top >= 0 && bottom <= innerHeight && there !== null && (element.contains(there) || there.contains(element));
  });

for (const path of ["", "sandbox/"]) {
  test(`What if is seen when it opens, and its end leads to a button: ${path || "a story"}`, async ({ page, site }) => {
    const app = new App(page);
    await app.open(`${site}${path}`);
    if (path === "") await app.goToOwnCase();
    for (const [width, height] of [[853, 533], [640, 400], [320, 256]]) {
      await page.setViewportSize({ width, height });
      // As when the page has just been loaded.
      await page.evaluate(() => {
        document.activeElement.blur();
        scrollTo(0, 0);
      });
      await app.openWhatIf();
      await expect.poll(() => isClear(app.whatIf.getByRole("combobox")), `${width} x ${height}`).toBe(true);
      await page.keyboard.press("Escape");
      await expect(app.whatIf).toBeHidden();
      await expect(page.getByRole("button", { name: /^(What if…|More)$/ }).and(page.locator(":focus"))).toBeVisible();
    }
  });
}

for (const height of [740, 800]) {
  test(`the player of a story is in the window when it opens, at every Tab, and after Next, 360 x ${height}`, async ({ page, site }) => {
    await page.setViewportSize({ width: 360, height });
    const story = new App(page);
    await story.open(site);
    await story.goToOwnCase();
    await page.evaluate(() => scrollTo(0, 0));
    const more = story.button("More");
    for (let press = 0; press < 30 && !(await more.evaluate((it) => it === document.activeElement)); press += 1) {
      await page.keyboard.press("Tab");
    }
    await expect(more).toBeFocused();
    await expect.poll(() => isClear(more)).toBe(true);
    await page.keyboard.press("Enter");
    await expect(story.button("Less")).toBeFocused();
    await expect.poll(() => isClear(page.getByRole("group", { name: "Playback" }))).toBe(true);
    await story.button("Back").focus();
    for (const name of ["Back", "Play", "Next", "Less", "To the start", "Step back", "Step", "To the end", "zoom in", "Speed", "What if…"]) {
      const control = name === "Speed" ? page.getByRole("combobox", { name }) : story.button(name);
      await expect(control).toBeFocused();
      await expect.poll(() => isClear(control), name).toBe(true);
      await page.keyboard.press("Tab");
    }
    await story.button("Step").focus();
    const time = await story.clock.getAttribute("aria-valuetext");
    await page.keyboard.press("Enter");
    await expect(story.clock).not.toHaveAttribute("aria-valuetext", time);
    await expect.poll(() => isClear(story.button("Step"))).toBe(true);
    const next = story.button("Next");
    await next.focus();
    await page.keyboard.press("Enter");
    // The player makes room for the caption below the picture.
    await expect(more).toHaveAttribute("aria-expanded", "false");
    await expect(next).toBeFocused();
    await expect(story.caption.getByRole("heading")).toBeInViewport({ ratio: 1 });
    await expect.poll(() => isClear(next)).toBe(true);
  });
}

test("Escape closes What if and then the player of a story, and leads to the button of each", async ({ page, site }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  const story = new App(page);
  await story.open(site);
  await story.goToOwnCase();
  const more = story.button("More");
  await more.focus();
  await page.keyboard.press("Enter");
  await expect(story.button("Less")).toBeFocused();
  await story.openWhatIf();
  await page.keyboard.press("Escape");
  await expect(story.whatIf).toBeHidden();
  await expect(story.button("What if…")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(more).toBeFocused();
  await expect(more).toHaveAttribute("aria-expanded", "false");
  await expect.poll(() => isClear(more)).toBe(true);
});

test("what has the focus stays in the window when pods are shown by node, and with the rule after an action", async ({ sandbox, page }) => {
  await test.step("pods by node", async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await sandbox.button("Show pods by node").focus();
    await page.keyboard.press("Enter");
    const hide = sandbox.button("Hide pods by node");
    await expect(page.getByRole("table", { name: "Pods by node" }).first()).toBeVisible();
    await expect(hide).toBeFocused();
    await expect.poll(() => isClear(hide)).toBe(true);
  });
  await sandbox.startOver();
  await test.step("the rule, after an action", async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    const show = sandbox.lane(0).getByRole("button", { name: "Show the rule" });
    await show.focus();
    await page.keyboard.press("Enter");
    await sandbox.openWhatIf();
    await page.keyboard.press("Tab");
    await page.keyboard.type("40");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("list", { name: "What you did" })).toBeVisible();
    await expect(sandbox.button("What if…")).toBeFocused();
    await expect(sandbox.lane(0).locator(".rule")).toBeVisible();
    await expect.poll(() => isClear(sandbox.button("What if…"))).toBe(true);
  });
});

test("focused controls of an open rule are above the bar of the story", async ({ story, page }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await story.button("Next").click();
  await story.lane(0).getByRole("button", { name: "Show the rule" }).focus();
  await page.keyboard.press("Enter");
  const first = page.getByRole("button", { name: /^Show .* in the picture$/ }).first();
  await expect(first).toBeVisible();
  await page.keyboard.press("Tab");
  for (const button of await story.lane(0).getByRole("button", { name: /^Show .* in the picture$/ }).all()) {
    await expect(button).toBeFocused();
    expect(await isClear(button)).toBe(true);
    await page.keyboard.press("Tab");
  }
  await story.openWhatIf();
  await expect.poll(() => isClear(story.whatIf.getByRole("combobox"))).toBe(true);
});

test("the bar of a story does not stay above the picture in a low window", async ({ story, page }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  const bar = page.locator(".pinned > .bar");
  const { height } = await bar.boundingBox();
  await expect(bar).toHaveCSS("position", "sticky");
  await page.setViewportSize({ width: 1280, height: Math.floor(2 * height) });
  await expect(bar).toHaveCSS("position", "static");
  await page.setViewportSize({ width: 1280, height: 800 });
  await expect(bar).toHaveCSS("position", "sticky");
  await expect(story.button("Next")).toBeVisible();
});

test("runs start and stop, and settings are searched for and not", async ({ sandbox, page }) => {
  const ask = page.getByRole("region", { name: "Ask for settings" });
  const start = ask.getByRole("button", { name: "Simulate 200 runs" });
  const stop = ask.getByRole("button", { name: "Stop" });
  await start.focus();
  await page.keyboard.press("Enter");
  await expect(stop).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(start).toBeFocused();

  // A search that takes a while.
  await sandbox.type(sandbox.input("Replicas"), "2000");
  await sandbox.type(ask.getByLabel("Never more than"), "2100");
  await page.keyboard.press("Enter");
  await stop.focus();
  await page.keyboard.press("Enter");
  await expect(ask.getByRole("button", { name: "Find settings" })).toBeFocused();
  await expect(stop).toHaveCount(0);
});

test("the first Tab offers to skip the header", async ({ sandbox, page }) => {
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Skip to the rollout" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(sandbox.clock).toBeFocused();
  await expect(sandbox.clock).toBeInViewport({ ratio: 1 });
});

test("on a phone, Tab goes through the page as it is seen, and turning the phone keeps the input", async ({ sandbox, page }) => {
  const columns = page.locator("main > :is(.inputs, .result, .rest)");
  const order = () => columns.evaluateAll((all) => all.map((column) => column.className));
  const seen = () =>
    columns.evaluateAll((all) => all.toSorted((one, other) => one.getBoundingClientRect().top - other.getBoundingClientRect().top).map((column) => column.className));
  for (const width of [768, 320, 360]) {
    await page.setViewportSize({ width, height: 740 });
    // The inputs come directly below the result, and "Ask" below the inputs.
    await expect.poll(order).toEqual(["result", "inputs", "rest"]);
    expect(await seen()).toEqual(["result", "inputs", "rest"]);
  }
  await page.getByRole("button", { name: "Skip to the rollout" }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement.closest(".inputs"))).toBe(null);
  await sandbox.type(sandbox.input("Replicas"), "1");
  await page.setViewportSize({ width: 1000, height: 740 });
  await expect.poll(order).toEqual(["inputs", "result", "rest"]);
  await expect(sandbox.input("Replicas")).toBeFocused();
  await page.keyboard.type("2");
  await expect(sandbox.input("Replicas")).toHaveValue("12");
});

test.describe("the answer while a setting is typed on a phone", () => {
  const line = (page) => page.locator(".answer-line");
  /** How far the focused element is below the line. */
  const gap = (page) =>
    page.evaluate(() => document.activeElement.getBoundingClientRect().top - document.querySelector(".answer-line").getBoundingClientRect().bottom);

  test.use({ viewport: { width: 360, height: 740 } });

  test("one line says it, and nothing else moves", async ({ sandbox, page }) => {
    await sandbox.settled();
    await expect(line(page)).toBeHidden();
    const replicas = sandbox.input("Replicas");
    const top = () => replicas.evaluate((input) => Math.round(input.getBoundingClientRect().top + window.scrollY));
    const before = await top();
    await replicas.click();
    await expect(line(page)).toBeInViewport({ ratio: 1 });
    expect(await top()).toBe(before);
    await sandbox.type(replicas, "5");
    await expect(sandbox.title).toContainText("You asked for 5 pods");
    const [most, complete] = [await sandbox.answer(0, "pods at most").textContent(), await sandbox.answer(0, "complete after").textContent()];
    await expect(line(page)).toHaveText(new RegExp(`^${most} pods at most \\(\\d+ over \\d+\\), complete ${complete}$`));
    await expect(line(page)).not.toHaveClass(/stale/);
    // The status says the result.
    await expect(line(page)).toHaveAttribute("aria-hidden", "true");
    await sandbox.type(replicas, "x");
    await expect(line(page)).toHaveClass(/stale/);
    await sandbox.type(replicas, "6");
    await expect(sandbox.title).toContainText("You asked for 6 pods");
    await expect(line(page)).not.toHaveClass(/stale/);
    await page.setViewportSize({ width: 1440, height: 740 });
    await expect(replicas).toBeFocused();
    await expect(line(page)).toBeHidden();
  });

  test("it goes while the answer itself is in sight", async ({ sandbox, page }) => {
    await sandbox.settled();
    const replicas = sandbox.input("Replicas");
    await replicas.click();
    await expect(line(page)).toBeVisible();
    await page.mouse.wheel(0, -10_000);
    await expect(sandbox.title).toBeInViewport();
    await expect(line(page)).toBeHidden();
    await expect(replicas).toBeFocused();
    await page.keyboard.type("1");
    await expect(replicas).toBeInViewport();
    await expect(line(page)).toBeVisible();
  });

  test("while it is simulated, the line says so", async ({ sandbox, page }) => {
    test.slow();
    await sandbox.settled();
    await sandbox.type(sandbox.input("Replicas"), "10000");
    await expect(line(page)).toHaveText("Simulating…");
    await expect(line(page)).toHaveClass(/stale/);
    await expect(line(page)).toHaveText(/^\d+,\d{3} pods at most/, { timeout: 100_000 });
    await expect(line(page)).not.toHaveClass(/stale/);
  });

  test("it hides no field that gets the focus", async ({ sandbox, page }) => {
    await sandbox.settled();
    // A tap on a field at the top of the window.
    const replicas = sandbox.input("Replicas");
    await replicas.evaluate((input) => window.scrollBy({ top: input.getBoundingClientRect().top - 2, behavior: "instant" }));
    const { x, y, width, height } = await replicas.boundingBox();
    expect(y).toBeLessThan(5);
    await page.mouse.click(x + width / 2, y + height / 2);
    await expect(replicas).toBeFocused();
    await expect(line(page)).toBeVisible();
    await expect.poll(() => gap(page)).toBeGreaterThanOrEqual(0);
    // From the last field back to the first one.
    await sandbox.unfold();
    await sandbox.input("Random delay").click();
    for (let press = 0; press < 20 && !(await replicas.evaluate((input) => input === document.activeElement)); press += 1) {
      await page.keyboard.press("Shift+Tab");
      expect(await gap(page)).toBeGreaterThanOrEqual(0);
    }
    await expect(replicas).toBeFocused();
  });
});

const VIEWS = [
  ["story", ""],
  ["sandbox", "sandbox/"],
];
for (const [name, path] of VIEWS) {
  for (const [width, height] of [
    [1440, 900],
    [360, 740],
  ]) {
    test(`Tab reaches every command of the ${name}, and each can be seen, ${width} px`, async ({ page, site }) => {
      await page.setViewportSize({ width, height });
      const app = new App(page);
      await app.open(`${site}${path}`);
      if (name === "sandbox") await app.openWhatIf();
      if (name === "sandbox") await page.keyboard.press("Shift+Tab");
      const commands = page.locator("a[href], button:enabled, input:enabled, select, [tabindex='0']").locator("visible=true");
      const expected = await commands.count();
      await commands.evaluateAll((elements) => elements.forEach((element) => (element.dataset.waits = "true")));
      const reached = new Set();
      await page.evaluate(() => document.activeElement.blur());
      for (let press = 0; press <= expected + 8; press += 1) {
        await page.keyboard.press("Tab");
        const focus = await page.evaluate(() => {
          const element = document.activeElement;
          if (element === document.body) return null;
          const { left, right, top, bottom } = element.getBoundingClientRect();
          const share = [0.1, 0.3, 0.5, 0.7, 0.9];
          const seen = share.flatMap((x) => share.map((y) => document.elementFromPoint(left + (right - left) * x, top + (bottom - top) * y)));
          const name = `${element.tagName} ${element.id} ${element.getAttribute("aria-label") ?? ""} ${element.textContent.trim().slice(0, 20)}`;
          element.dataset.reached = "true";
          return {
            name,
            hidden: !seen.some((other) => other && (element.contains(other) || other.contains(element)) && other !== document.body && other !== document.documentElement),
            outline: getComputedStyle(element).outlineStyle,
          };
        });
        if (focus === null) continue;
        expect(focus.hidden, `${focus.name} is hidden`).toBe(false);
        expect(focus.outline, focus.name).not.toBe("none");
        reached.add(focus.name);
      }
      const missed = page.locator("[data-waits]:not([data-reached])").locator("visible=true");
      expect(await missed.evaluateAll((elements) => elements.map((element) => element.outerHTML.slice(0, 80)))).toEqual([]);
      expect(reached.size).toBeGreaterThan(12);
    });
  }
}

test("Tab along the bar of a story doesn't scroll the page", async ({ page, story }) => {
  const scrolled = () => page.evaluate(() => scrollY);
  for (const [width, height] of [[1280, 720], [1366, 768], [1440, 900]]) {
    await page.setViewportSize({ width, height });
    await page.evaluate(() => scrollTo(0, 0));
    if (await story.button("More").isVisible()) await story.showPlayer();
    await story.clock.focus();
    const start = await scrolled();
    for (const name of ["Back", "Play", "Next", "Less", "To the start", "Step back", "Step", "To the end", "zoom in", "Speed", "What if…"]) {
      await page.keyboard.press("Tab");
      const control = name === "Speed" ? page.getByRole("combobox", { name }) : story.button(name);
      await expect(control).toBeFocused();
      expect(await scrolled(), `${name}, ${width} px`).toBe(start);
    }
  }
});
