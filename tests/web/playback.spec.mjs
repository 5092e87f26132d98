// Playback: buttons, keys, speed, dragging.
import { test, expect } from "./fixtures.mjs";

test("to the start, step by step, to the end, and play from there", async ({ sandbox }) => {
  await sandbox.button("To the start").click();
  await expect(sandbox.position).toHaveText(/^0:00 of \d+:\d\d$/);
  await expect(sandbox.picture(0)).toHaveAccessibleName(/: 22 pods, 12 available/);
  const first = await sandbox.state();
  await sandbox.button("Step").click();
  await expect(sandbox.clock).toHaveAttribute("aria-valuenow", "2");
  await expect(sandbox.sentence(0)).toBeVisible();
  await sandbox.button("Step back").click();
  await expect.poll(() => sandbox.state()).toEqual(first);
  await sandbox.button("To the end").click();
  await expect(sandbox.clock).toHaveAttribute("aria-valuetext", /^(\d+:\d\d)(\.\d+)? of \1, step (\d+) of \3\. /);
  await expect(sandbox.position).toHaveText(/^(\d+:\d\d) of \1$/);
  const end = await sandbox.state();
  for (const picture of end.pictures) expect(picture).toMatch(/: 15 pods, 15 available, 0 terminating$/);
  await sandbox.button("Step").click();
  await expect.poll(() => sandbox.state()).toEqual(end);
  // Playing from the end starts again.
  await sandbox.play.click();
  await expect(sandbox.pause).toBeVisible();
  await expect(sandbox.position).not.toHaveText(/^(\d+:\d\d) of \1/);
  await sandbox.pause.click();
  await expect(sandbox.play).toBeVisible();
});

test("time runs while it plays, and stops while it is paused", async ({ virtualClock, sandbox, page }) => {
  await page.keyboard.press("Home");
  await page.keyboard.press("Space");
  await expect(sandbox.pause).toBeVisible();
  await page.clock.runFor(500);
  await expect(sandbox.position).not.toContainText("0:00 of");
  await page.keyboard.press("Space");
  await expect(sandbox.play).toBeVisible();
  const paused = await sandbox.position.textContent();
  await page.clock.runFor(5_000);
  await expect(sandbox.position).toHaveText(paused);
  // Then to the end, where it stops.
  await page.keyboard.press("Space");
  await expect(sandbox.pause).toBeVisible();
  await page.clock.runFor(90_000);
  await expect(sandbox.position).toHaveText(/^(\d+:\d\d) of \1/);
  await expect(sandbox.play).toBeVisible();
});

test("keys: arrows, Home, End, plus, minus, question mark, Page Down and Page Up", async ({ sandbox, page }) => {
  await test.step("everywhere", async () => {
    await page.keyboard.press("Home");
    await expect(sandbox.clock).toHaveAttribute("aria-valuenow", "1");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await expect(sandbox.clock).toHaveAttribute("aria-valuenow", "3");
    await page.keyboard.press("ArrowLeft");
    await expect(sandbox.clock).toHaveAttribute("aria-valuenow", "2");
    await page.keyboard.press("End");
    await expect(sandbox.picture(0)).toHaveAccessibleName(/: 15 pods, 15 available/);
    const speed = page.getByRole("combobox", { name: "Speed" });
    await expect(speed).toHaveValue("4×");
    await page.keyboard.press("+");
    await expect(speed).toHaveValue("8×");
    for (let press = 0; press < 12; press += 1) await page.keyboard.press("-");
    await expect(speed).toHaveValue("0.25×");
    await page.keyboard.press("?");
    await expect(sandbox.help).toContainText("next step, previous step");
    await page.keyboard.press("Escape");
    await expect(sandbox.help).toBeHidden();
  });
  await test.step("Page Down and Page Up on the time slider", async () => {
    await sandbox.clock.focus();
    for (const [key, step] of [["Home", "1"], ["PageDown", "11"], ["ArrowDown", "12"], ["PageUp", "2"], ["PageUp", "1"]]) {
      await page.keyboard.press(key);
      await expect(sandbox.clock).toHaveAttribute("aria-valuenow", step);
    }
  });
  await test.step("Shift and an arrow", async () => {
    // On the slider, the arrows move it alone.
    await sandbox.clock.blur();
    await page.keyboard.press("Home");
    await expect(sandbox.position).toContainText("0:00 of");
    await page.keyboard.press("Shift+ArrowRight");
    await expect(sandbox.position).toContainText("write ");
    await expect(sandbox.button("zoom in")).toBeVisible();
  });
  await test.step("nothing moves while the help is open", async () => {
    const before = await sandbox.clock.getAttribute("aria-valuetext");
    await page.keyboard.press("?");
    await expect(sandbox.help).toBeVisible();
    for (const key of ["Home", "ArrowRight", "f"]) await page.keyboard.press(key);
    await expect(sandbox.clock).toHaveAttribute("aria-valuetext", before);
    await page.keyboard.press("Escape");
    await expect(sandbox.help).toBeHidden();
    await expect(sandbox.whatIf).toBeHidden();
  });
});

test("the speed sets how fast time runs", async ({ virtualClock, sandbox, page }) => {
  const reached = async (speed) => {
    await page.keyboard.press("Home");
    await page.getByRole("combobox", { name: "Speed" }).selectOption(speed);
    await sandbox.play.click();
    await page.clock.runFor(400);
    await sandbox.pause.click();
    await expect(sandbox.play).toBeVisible();
    return Number(await sandbox.clock.getAttribute("aria-valuenow"));
  };
  expect(await reached("0.25×")).toBeLessThan(await reached("32×"));
});

test("a frame draws no input again", async ({ virtualClock, sandbox, page }) => {
  await page.getByRole("combobox", { name: "Compare with" }).selectOption("my other settings");
  await expect(page.getByRole("form", { name: "The other rollout" })).toBeVisible();
  await sandbox.settled();
  await sandbox.button("To the start").click();
  await expect(sandbox.position).toContainText("0:00 of");
  // Yew reads an input's value before it draws it again.
  await page.evaluate(() => {
    const value = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
    window.drawn = new Set();
    Object.defineProperty(HTMLInputElement.prototype, "value", {
      ...value,
      get() {
        window.drawn.add(this.id);
        return value.get.call(this);
      },
    });
  });
  const drawn = () => page.evaluate(() => [...window.drawn]);
  await sandbox.play.click();
  await expect(sandbox.pause).toBeVisible();
  await page.clock.runFor(700);
  await expect(sandbox.position).not.toContainText("0:00 of");
  expect(await drawn()).toEqual([]);
  await sandbox.input("Replicas").click();
  await page.keyboard.type("0");
  await expect.poll(drawn).toContain("max-surge");
});

test("zoomed in, every write can be visited, forward and back", async ({ sandbox, page }) => {
  await page.keyboard.press("Home");
  await sandbox.button("zoom in").click();
  const there = [];
  for (let press = 0; press < 12; press += 1) {
    const before = await sandbox.position.textContent();
    there.push({ position: before, ...(await sandbox.state()) });
    await sandbox.button("Step").click();
    await expect(sandbox.position).not.toHaveText(before);
    await expect(sandbox.position).toHaveText(/· API write \d+ of \d+/);
  }
  for (const state of there.reverse()) {
    await sandbox.button("Step back").click();
    await expect.poll(async () => ({ position: await sandbox.position.textContent(), ...(await sandbox.state()) })).toEqual(state);
  }
  await sandbox.button("zoom in").click();
  await expect(sandbox.position).toHaveText(/^\d+:\d\d of \d+:\d\d$/);
});

test("each step is announced with the pods of both lanes and the reason, and playing is not", async ({ sandbox, page }) => {
  const spoken = page.locator("output");
  await expect(spoken).toBeEmpty();
  await page.keyboard.press("Home");
  await expect(spoken).toHaveText(/^0:00(\.\d+)? of \d+:\d\d\. Your settings: 22 pods, 3 over\. .*TerminationComplete: \d+ pods\./);
  for (const step of [
    () => page.keyboard.press("ArrowRight"),
    () => sandbox.button("Step").click(),
    () => sandbox.button("zoom in").click(),
    () => page.keyboard.press("Shift+ArrowRight"),
    () => sandbox.button("Step back").click(),
    () => page.keyboard.press("End"),
    () => sandbox.button("To the start").click(),
  ]) {
    const before = await spoken.textContent();
    await step();
    await expect(spoken).not.toHaveText(before);
    await expect(spoken).toHaveText(/Your settings: \d+ pods/);
  }
  await sandbox.play.click();
  await expect(sandbox.pause).toBeVisible();
  await expect(spoken).toBeEmpty();
  await sandbox.pause.click();
  await expect(sandbox.play).toBeVisible();
  // The slider says its value itself.
  const before = await sandbox.clock.getAttribute("aria-valuetext");
  await sandbox.clock.press("ArrowUp");
  await expect(sandbox.clock).not.toHaveAttribute("aria-valuetext", before);
  await expect(spoken).toBeEmpty();
});

test("a slider that has the focus is silent while it plays, and says where it ends", async ({ virtualClock, sandbox, page }) => {
  await sandbox.clock.focus();
  await page.keyboard.press("Home");
  await expect(sandbox.clock).toHaveAttribute("aria-valuenow", "1");
  await page.evaluate(() => {
    window.said = [];
    const slider = document.activeElement;
    const observer = new MutationObserver(() => window.said.push(slider.ariaValueText));
    observer.observe(slider, { attributes: true, attributeFilter: ["aria-valuetext", "aria-valuenow"] });
  });
  await page.keyboard.press("Space");
  await expect(sandbox.pause).toBeVisible();
  await page.clock.runFor(700);
  await expect(sandbox.clock).not.toHaveText("0:00");
  expect(await page.evaluate(() => window.said)).toEqual([]);
  await page.clock.runFor(90_000);
  await expect(sandbox.play).toBeVisible();
  await expect(sandbox.clock).toHaveAttribute("aria-valuetext", /^(\d+:\d\d)(\.\d+)? of \1, step (\d+) of \3\. /);
  expect(await page.evaluate(() => window.said)).toHaveLength(1);
});

test("the end of playing is announced", async ({ virtualClock, sandbox, page }) => {
  await page.keyboard.press("Home");
  await sandbox.play.focus();
  await page.keyboard.press("Space");
  await expect(sandbox.pause).toBeVisible();
  await page.clock.runFor(90_000);
  await expect(sandbox.play).toBeVisible();
  // It is said once nothing follows.
  await page.clock.runFor(2_000);
  await expect(page.locator("output")).toHaveText(/^(\d+:\d\d)(\.\d+)? of \1\. Your settings: 15 pods/);
});

test("the picture, and the handle of the clock, are dragged, and all lanes move", async ({ sandbox, page }) => {
  await test.step("the picture", async () => {
    const box = await sandbox.picture(1).boundingBox();
    const x = box.x + box.width / 2;
    await page.mouse.move(x, box.y + 2);
    await page.mouse.down();
    await expect(sandbox.position).toContainText("0:00 of");
    await page.mouse.move(x, box.y + box.height / 2, { steps: 4 });
    await expect(sandbox.position).not.toContainText("0:00 of");
    const time = await sandbox.clock.textContent();
    for (const lane of [0, 1]) await expect(sandbox.picture(lane)).toHaveAccessibleName(new RegExp(` at ${time}: `));
    // Beyond its edge, until the button is released.
    await page.mouse.move(x, box.y + box.height + 40, { steps: 4 });
    await expect(sandbox.position).toHaveText(/^(\d+:\d\d) of \1/);
    await page.mouse.up();
    await page.mouse.move(x, box.y + 10);
    await expect(sandbox.position).toHaveText(/^(\d+:\d\d) of \1/);
  });
  await page.keyboard.press("Home");
  await expect(sandbox.clock).toHaveAttribute("aria-valuenow", "1");
  await test.step("the handle of the clock", async () => {
    const box = await sandbox.clock.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    const before = await sandbox.clock.getAttribute("aria-valuetext");
    await page.mouse.down();
    // Nothing jumps when it is grabbed.
    await expect(sandbox.clock).toHaveAttribute("aria-valuetext", before);
    await page.mouse.move(box.x + box.width / 2, box.y + 600, { steps: 4 });
    await expect(sandbox.position).toHaveText(/^(\d+:\d\d) of \1/);
    await page.mouse.up();
  });
  await test.step("the clock is a slider for the keyboard, too", async () => {
    await sandbox.clock.focus();
    await page.keyboard.press("Home");
    await expect(sandbox.clock).toHaveAttribute("aria-valuenow", "1");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await expect(sandbox.clock).toHaveAttribute("aria-valuenow", "3");
    await page.keyboard.press("ArrowUp");
    await expect(sandbox.clock).toHaveAttribute("aria-valuenow", "2");
    await page.keyboard.press("End");
    const end = await sandbox.clock.getAttribute("aria-valuemax");
    await expect(sandbox.clock).toHaveAttribute("aria-valuenow", end);
    await expect(sandbox.clock).toHaveAttribute("aria-valuetext", /^(\d+:\d\d)(\.\d+)? of \1, step (\d+) of \3\. /);
    await expect(sandbox.clock).toBeFocused();
  });
});

test("the rule has its formula, its numbers with their sources, and its tables, and its numbers light up in the picture", async ({ sandbox, page }) => {
  await sandbox.type(sandbox.input("Time to stop"), "20");
  await test.step("its parts", async () => {
    await sandbox.lane(0).getByRole("button", { name: "Show the rule" }).click();
    const lane = sandbox.lane(0);
    await expect(lane.locator(".formula").first()).toBeVisible();
    await expect(lane.getByRole("term").filter({ hasText: /^limit$/ })).toBeVisible();
    await expect(lane.getByText(/\.go \w+/).first()).toBeVisible();
    await expect(lane.getByRole("table", { name: "Conditions" })).toContainText("Progressing");
  });
  await sandbox.lane(0).getByRole("button", { name: "Hide the rule" }).click();
  await test.step("a number is highlighted, by pointer and by keyboard", async () => {
    await sandbox.sentence(0).getByTitle(/^limit: /).hover();
    await expect(sandbox.picture(0)).toContainClass("lit-limit");
    await sandbox.title.hover();
    await expect(sandbox.picture(0)).not.toContainClass("lit-limit");
    await sandbox.lane(0).getByRole("button", { name: "Show the rule" }).click();
    const show = sandbox.lane(0).getByRole("button", { name: "Show limit in the picture" });
    await show.focus();
    await page.keyboard.press("Enter");
    await expect(sandbox.picture(0)).toContainClass("lit-limit");
    await expect(show).toHaveAttribute("aria-pressed", "true");
    await page.keyboard.press("Tab");
    await expect(sandbox.picture(0)).not.toContainClass("lit-limit");
  });
});

/** Where everything is but the parts of the picture, what has the focus, and how far the page is scrolled. */
function layout(page) {
  return page.evaluate(() => ({
    scroll: scrollY,
    focus: document.activeElement.className,
    boxes: [
      ...document.querySelectorAll("h1, form, .answers, .picture, .caption, .player, .player button:not(.play), .player select"),
    ].map((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      return [element.className, x, y, width, height].join(" ");
    }),
  }));
}

for (const [width, height] of [
  [1440, 500],
  [360, 740],
]) {
  test(`layout, scroll position and focus stay put while it plays, ${width} px wide`, async ({ virtualClock, sandbox, page }) => {
    await page.setViewportSize({ width, height });
    // It takes longer than the test.
    await sandbox.type(sandbox.input("Time to stop"), "20");
    await sandbox.button("To the start").click();
    await sandbox.play.click();
    const before = await layout(page);
    for (let second = 0; second < 12; second += 1) {
      await virtualClock.runFor(700);
      expect(await layout(page)).toEqual(before);
    }
  });

  test(`layout, scroll position and focus stay put while the picture of a story plays, ${width} px wide`, async ({ virtualClock, story, page }) => {
    await page.setViewportSize({ width, height });
    await story.button("Next").click();
    await expect(story.picture(0)).toHaveAccessibleName(/: 22 pods, /);
    // On a busy machine, the next caption would come.
    await virtualClock.pauseAt(Date.now() + 3_600_000);
    await story.button("Play").click();
    const clock = () => story.clock.textContent();
    const caption = await story.caption.getByRole("heading").textContent();
    const [start, before] = [await clock(), await layout(page)];
    for (let step = 0; step < 8; step += 1) {
      await virtualClock.runFor(100);
      expect(await layout(page)).toEqual(before);
    }
    expect(await clock()).not.toBe(start);
    await expect(story.caption.getByRole("heading")).toHaveText(caption);
  });
}

test("nothing glides with reduced motion", async ({ sandbox, page }) => {
  await expect(sandbox.tiles(0).first()).toBeVisible();
  const durations = await page.evaluate(() =>
    [...document.querySelectorAll("main, main *")].map((element) => getComputedStyle(element).transitionDuration),
  );
  expect(new Set(durations.flatMap((duration) => duration.split(", ")))).toEqual(new Set(["0s"]));
});

test.describe("with motion", () => {
  test.use({ contextOptions: { reducedMotion: "no-preference" } });

  test("a move takes at most 250 ms", async ({ sandbox, page }) => {
    await expect(sandbox.tiles(0).first()).toBeVisible();
    const longest = await page.evaluate(() =>
      Math.max(...[...document.querySelectorAll("main *")].flatMap((element) => getComputedStyle(element).transitionDuration.split(", ").map(Number.parseFloat))),
    );
    expect(longest).toBeGreaterThan(0);
    expect(longest).toBeLessThanOrEqual(0.25);
  });

  for (const [level, key, steps] of [
    ["step", "ArrowRight", 18],
    ["write", "Shift+ArrowRight", 40],
  ]) {
    test(`from ${level} to ${level} each pod keeps its tile, and glides where it moves`, async ({ sandbox, page }) => {
      await page.keyboard.press("Home");
      await expect(sandbox.clock).toHaveAttribute("aria-valuenow", "1");
      // Long moves are visible on a machine of any speed.
      await page.evaluate(() => document.styleSheets[0].insertRule(".tile { transition-duration: 60s !important; }"));
      const visit = () =>
        sandbox.tiles(0).evaluateAll((tiles) => {
          for (const tile of tiles) tile.pod ??= tile.querySelector("title").textContent.split(":")[0];
          const seen = tiles.map((tile) => [tile.pod, tile.querySelector("title").textContent.split(":")[0]]);
          const there = new Map(tiles.map((tile) => [tile.pod, { tile, place: tile.style.transform }]));
          const before = window.tilesBefore ?? new Map();
          window.tilesBefore = there;
          const stayed = [...there].filter(([pod]) => before.has(pod)).map(([pod, now]) => ({ ...now, before: before.get(pod) }));
          const moved = stayed.filter(({ place, before }) => place !== before.place);
          const glides = ({ tile }) => tile.getAnimations().some(({ transitionProperty }) => transitionProperty === "transform");
          return {
            renamed: seen.filter(([pod, title]) => pod !== title).length,
            replaced: stayed.filter(({ tile, before }) => tile !== before.tile).length,
            jumped: moved.filter((tile) => !glides(tile)).length,
            moved: moved.length,
          };
        });
      await visit();
      // The wave, and the write in it.
      const place = async () => [await sandbox.clock.getAttribute("aria-valuenow"), await sandbox.position.textContent()].join(": ");
      let moved = 0;
      for (let press = 0; press < steps; press += 1) {
        const before = await place();
        await page.keyboard.press(key);
        await expect.poll(place).not.toBe(before);
        const visited = await visit();
        expect(visited).toMatchObject({ renamed: 0, replaced: 0, jumped: 0 });
        moved += visited.moved;
      }
      expect(moved).toBeGreaterThan(5);
    });
  }
});
