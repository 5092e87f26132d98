// No keystroke is lost, and none does anything but type.
import { App, test, expect } from "./fixtures.mjs";

const caret = (input) => input.evaluate(({ selectionStart, selectionEnd }) => [selectionStart, selectionEnd]);

/** Texts that no input accepts: for the first input of a form with all keys that are shortcuts elsewhere, and for the others. */
const [ANYTHING, FEW] = ["n b f ? + - x%", "f?x%"];

/** Types into an input, and edits the middle of the text. Returns the text and the caret position that the input must keep. */
async function typeAnything(app, input, typed) {
  const { keyboard } = app.page;
  await app.type(input, typed);
  for (const key of ["ArrowLeft", "ArrowLeft", "Backspace"]) await keyboard.press(key);
  await keyboard.type("7é");
  const start = `${typed.slice(0, -3)}7é`;
  const kept = { text: start + typed.slice(-2), caret: [start.length, start.length] };
  await expectKept(input, kept);
  return kept;
}

async function expectKept(input, kept) {
  await expect(input).toHaveValue(kept.text);
  await expect(input).toBeFocused();
  expect(await caret(input)).toEqual(kept.caret);
}

test("an input keeps every letter, the caret and the focus while its lanes are played", async ({ sandbox, page }) => {
  await test.step("every letter and the caret", async () => {
    const replicas = sandbox.input("Replicas");
    await sandbox.type(replicas, "1234");
    await page.keyboard.press("Backspace");
    await page.keyboard.press("Backspace");
    await expect(replicas).toHaveValue("12");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.type("5");
    await expect(replicas).toHaveValue("152");
    await expect(replicas).toBeFocused();
    expect(await caret(replicas)).toEqual([2, 2]);
    await expect(sandbox.title).toContainText("You asked for 152 pods");
    // The lanes have arrived, and the caret is still there.
    expect(await caret(replicas)).toEqual([2, 2]);
    await page.keyboard.press("Home");
    await page.keyboard.press("Delete");
    await page.keyboard.press("End");
    await page.keyboard.type("0");
    await expect(replicas).toHaveValue("520");
  });
  await sandbox.startOver();
  await test.step("all of a text can be deleted, and the default applies", async () => {
    await sandbox.type(sandbox.input("maxSurge"), "");
    await expect(sandbox.input("maxSurge")).toBeFocused();
    await expect(page.getByRole("alert")).toHaveCount(0);
    await sandbox.type(sandbox.input("Replicas"), "8");
    await expect(sandbox.title).toContainText("During an update the limit is 10");
  });
  await sandbox.startOver();
  await test.step("text is copied from one input and pasted into another", async () => {
    await sandbox.type(sandbox.input("Replicas"), "21");
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.press("ControlOrMeta+c");
    await sandbox.input("maxSurge").click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.press("ControlOrMeta+v");
    await expect(sandbox.input("maxSurge")).toHaveValue("21");
    await expect(sandbox.title).toContainText("During an update the limit is 42");
  });
  await sandbox.startOver();
  await test.step("text of an input method is composed without interruption", async () => {
    const replicas = sandbox.input("Replicas");
    await sandbox.type(replicas, "");
    const session = await page.context().newCDPSession(page);
    await session.send("Input.imeSetComposition", { text: "に", selectionStart: 1, selectionEnd: 1 });
    await expect(replicas).toHaveAttribute("aria-invalid", "true");
    await compose(page, (text) => expect(replicas).toHaveValue(text), "20");
    await expect(replicas).toBeFocused();
    await expect(sandbox.title).toContainText("You asked for 20 pods");
  });
});

test("only a simulation that takes long is announced as work", async ({ virtualClock, sandbox, page }) => {
  await sandbox.settled();
  // No time passes.
  await virtualClock.pauseAt(Date.now() + 3_600_000);
  const working = page.locator(".working[role=status]");
  await expect(working).toBeEmpty();
  await working.evaluate((status) => {
    window.announced = [];
    new MutationObserver(() => window.announced.push(status.textContent)).observe(status, { childList: true, characterData: true, subtree: true });
    window.grayed = [];
    const recordGrayed = (records) => window.grayed.push(...records.map(({ target }) => target.className).filter((name) => /stale/.test(name)));
    new MutationObserver(recordGrayed).observe(document.body, { subtree: true, attributeFilter: ["class"] });
  });
  for (const replicas of ["16", "127", "8"]) {
    await sandbox.type(sandbox.input("Replicas"), replicas);
    await expect(sandbox.title).toContainText(`You asked for ${replicas} pods`);
  }
  expect(await page.evaluate(() => window.announced)).toEqual([]);
  // Nothing flickers.
  expect(await page.evaluate(() => window.grayed)).toEqual([]);
});

test("while many pods are simulated, the earlier result is grayed out, and stays in use", async ({ sandbox, page }) => {
  test.slow();
  await sandbox.settled();
  const replicas = sandbox.input("Replicas");
  const working = page.locator(".working[role=status]");
  const grayed = () =>
    Promise.all([sandbox.title, sandbox.lanes.first(), sandbox.play, page.locator(".moments")].map((part) => part.evaluate((part) => part.closest(".stale") !== null)));
  await sandbox.type(replicas, "10000");
  await page.keyboard.press("ArrowLeft");
  await expect(working).toHaveText("Simulating…");
  expect(await sandbox.title.textContent()).not.toContain("10,000");
  expect(await grayed()).toEqual([true, true, true, true]);
  // It has a line of its own.
  const [said, heading] = [await working.boundingBox(), await sandbox.lane(0).getByRole("heading", { level: 2 }).boundingBox()];
  expect(said.y + said.height).toBeLessThanOrEqual(heading.y);
  // What has the focus keeps it, and the keys still work.
  await expect(replicas).toBeFocused();
  expect(await caret(replicas)).toEqual([4, 4]);
  await expect(page.locator("[inert]")).toHaveCount(0);
  await sandbox.button("Step").focus();
  await page.keyboard.press("Enter");
  await expect(sandbox.button("Step")).toBeFocused();
  await replicas.focus();
  await expect(sandbox.title).toContainText("You asked for 10,000 pods", { timeout: 100_000 });
  await expect(working).toBeEmpty();
  await expect.poll(grayed).toEqual([false, false, false, false]);
  await expect(replicas).toBeFocused();
});

test("a simulation that takes long can be stopped: the settings of the result that is shown come back", async ({ virtualClock, sandbox, page }) => {
  await sandbox.settled();
  const title = await sandbox.title.textContent();
  await virtualClock.runFor(1_500);
  await sandbox.type(sandbox.input("Replicas"), "100000");
  await virtualClock.runFor(1_500);
  await sandbox.button("Stop").click();
  await expect(sandbox.input("Replicas")).toHaveValue("15");
  await sandbox.settled();
  await expect(sandbox.title).toHaveText(title);
  await expect(sandbox.button("Stop")).toHaveCount(0);
  await expect(page.locator(".stale")).toHaveCount(0);
});

test("every input keeps text that is not a number", async ({ sandbox, page }) => {
  test.slow();
  await test.step("every input", async () => {
    // It types into each of 34 inputs.
    await page.getByText("The cluster around it").click();
    await expect(sandbox.input("Pods that fit on a node")).toBeVisible();
    // Without others, there is nothing to say about them.
    await sandbox.type(sandbox.input("Pods of other Deployments"), "5");
    const inputs = await sandbox.form.getByRole("textbox").all();
    expect(inputs.length).toBeGreaterThanOrEqual(25);
    for (const [index, input] of inputs.entries()) {
      const before = await input.inputValue();
      const kept = await typeAnything(sandbox, input, index === 0 ? ANYTHING : FEW);
      await expect(input).toHaveAttribute("aria-invalid", "true");
      await expectKept(input, kept);
      await sandbox.type(input, before);
      await expect(page.getByRole("alert")).toHaveCount(0);
    }
    await expect(sandbox.help).toBeHidden();
    await expect(sandbox.whatIf).toBeHidden();
  });
  await sandbox.startOver();
  await test.step("the last setting of the cluster can be deleted, and what is typed next stays there", async () => {
    const pods = sandbox.input("Pods that fit on a node");
    // It is still open.
    await sandbox.type(pods, "7");
    await page.keyboard.press("Backspace");
    await expect(pods).toHaveValue("");
    await expect(pods).toBeFocused();
    await page.keyboard.type("f");
    await expect(pods).toHaveValue("f");
    await expect(sandbox.whatIf).toBeHidden();
    await page.keyboard.press("Backspace");
    // It closes if the user closes it.
    await page.getByText("The cluster around it").click();
    await expect(pods).toBeHidden();
  });
});

test("every input of a Job keeps whatever is typed", async ({ sandbox, page }) => {
  await page.getByRole("combobox", { name: "Workload" }).selectOption("Job");
  const form = page.getByRole("form", { name: "Your Job" });
  // Every input applies to a pod that fails.
  await form.getByRole("combobox", { name: "One pod" }).selectOption("fails");
  await expect(form.getByRole("textbox", { name: "Exit code" })).toBeEnabled();
  const inputs = await form.getByRole("textbox").all();
  expect(inputs.length).toBe(9);
  for (const [index, input] of inputs.entries()) {
    const before = await input.inputValue();
    const kept = await typeAnything(sandbox, input, index === 0 ? ANYTHING : FEW);
    await expect(form.getByRole("alert")).toBeVisible();
    await expectKept(input, kept);
    await sandbox.type(input, before);
    await expect(page.getByRole("alert")).toHaveCount(0);
  }
  await expect(sandbox.help).toBeHidden();
  await expect(sandbox.whatIf).toBeHidden();
});

test("every input of a question keeps whatever is typed", async ({ sandbox, page }) => {
  const ask = page.getByRole("region", { name: "Ask for settings" });
  const settings = await ask.locator(".setting").all();
  expect(settings.length).toBe(4);
  let kept;
  for (const setting of settings) {
    const input = setting.getByRole("textbox");
    kept = await typeAnything(sandbox, input, ANYTHING);
    await page.keyboard.press("Enter");
    // The errors of the inputs before are there, too.
    await expect(setting.getByRole("alert")).toBeVisible();
    await expectKept(input, kept);
  }
  for (const setting of settings) await expect(setting.getByRole("textbox")).toHaveValue(kept.text);
  await expect(sandbox.help).toBeHidden();
  await expect(sandbox.whatIf).toBeHidden();
});

test("every setting of the policy keeps whatever is typed", async ({ page, site }) => {
  const app = new App(page);
  await page.goto(`${site}api-server/`);
  await page.getByRole("heading", { name: "The policy's settings" }).click();
  const form = page.getByRole("form", { name: "Settings of the policy" });
  await expect(form.getByRole("textbox").first()).toBeVisible();
  const inputs = await form.getByRole("textbox").all();
  expect(inputs.length).toBeGreaterThan(4);
  let kept;
  for (const input of inputs) {
    kept = await typeAnything(app, input, FEW);
    // Wait for the error of the first input.
    await expect(page.getByRole("alert").first()).toBeVisible();
    await expectKept(input, kept);
  }
  for (const input of inputs) await expect(input).toHaveValue(kept.text);
  await expect(app.help).toBeHidden();
});

/** Composes a text with an input method, as a Japanese keyboard does, and confirms it as another text. */
async function compose(page, expectText, confirmed) {
  const session = await page.context().newCDPSession(page);
  for (const text of ["に", "にじ", "にじゅう"]) {
    await session.send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length });
    await expectText(text);
  }
  await session.send("Input.insertText", { text: confirmed });
  await expectText(confirmed);
}

/** Opens an address, unless the page is there already. */
async function goTo({ page }, address) {
  if (new URL(page.url()).pathname !== new URL(address).pathname) await page.goto(address);
}

/** A text input of "What if…". */
const inputOfWhatIf = (change, name) => async (app, site) => {
  await goTo(app, `${site}sandbox/`);
  await app.ready();
  if (!(await app.whatIf.isVisible())) {
    await app.title.click();
    await app.openWhatIf();
  }
  await app.page.getByRole("combobox", { name: /^What if / }).selectOption(change);
  return app.page.getByRole("textbox", { name, exact: true });
};

/** A text area of the API server's page. */
const areaOfApiServer = (label) => async ({ page }, site) => {
  await goTo({ page }, `${site}api-server/`);
  await expect(page.getByRole("heading", { level: 2, name: /^Deployment "web"/ })).toBeVisible();
  return page.getByLabel(label);
};

/** The editor of the sandbox. */
async function yamlEditor(app, site) {
  await app.open(`${site}sandbox/`);
  await app.button("YAML").click();
  await expect(app.page.locator("yaml-editor")).toBeVisible();
  return app.page.getByRole("textbox", { name: "Your manifests, or the state of your cluster" });
}

/** Other places for text, and how a user gets there. */
const TEXTS = [
  ["a number in What if", inputOfWhatIf("scale it to", "Number of pods")],
  ["an image in What if", inputOfWhatIf("set the image", "Image")],
  ["an action in What if", inputOfWhatIf("run an action (JSON)", "Action of a scenario, as JSON")],
  ["the YAML editor", yamlEditor],
  ["the manifest for the API server", areaOfApiServer("Your manifest")],
  ["the existing object for the API server", areaOfApiServer("The existing object")],
];
test("each other place for text takes text of an input method and pasted text", async ({ page, site }) => {
  for (const [name, open] of TEXTS) {
    await test.step(name, async () => {
      const input = await open(new App(page), site);
      // Only the editor is not an input.
      const text = () => input.evaluate((element) => element.value ?? element.innerText);
      const expectText = (expected) => expect.poll(text).toBe(expected);
      await input.click();
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.press("Delete");
      await compose(page, expectText, "二十");
      await expect(input).toBeFocused();
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.press("ControlOrMeta+c");
      await page.keyboard.press("End");
      await page.keyboard.type("-");
      await page.keyboard.press("ControlOrMeta+v");
      await expectText("二十-二十");
      await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("Backspace");
      await page.keyboard.type("7");
      await expectText("二十-7十");
      await expect(input).toBeFocused();
    });
  }
});

test("keys that are shortcuts elsewhere only type, choose and move the caret in inputs", async ({ sandbox, page }) => {
  await test.step("the caret", async () => {
    const before = await sandbox.clock.getAttribute("aria-valuetext");
    await sandbox.input("Replicas").click();
    for (const key of ["End", "ArrowLeft", "ArrowRight", "Home", "Shift+ArrowRight"]) await page.keyboard.press(key);
    expect(await caret(sandbox.input("Replicas"))).toEqual([0, 1]);
    await expect(sandbox.clock).toHaveAttribute("aria-valuetext", before);
  });
  await sandbox.startOver();
  await test.step("keys with Ctrl, Alt or Meta belong to the browser", async () => {
    const before = await sandbox.clock.getAttribute("aria-valuetext");
    await sandbox.title.click();
    for (const key of ["Control+b", "Alt+f", "Control+Home"]) await page.keyboard.press(key);
    await expect(sandbox.whatIf).toBeHidden();
    await expect(sandbox.clock).toHaveAttribute("aria-valuetext", before);
  });
  await sandbox.startOver();
  await test.step("letters choose in a select", async () => {
    const select = page.getByRole("combobox", { name: "Compare with" });
    await select.focus();
    await page.keyboard.press("n");
    await expect(select).toHaveValue("nothing");
    await expect(sandbox.lanes).toHaveCount(1);
    await expect(select).toBeFocused();
    await page.keyboard.press("f");
    await expect(sandbox.whatIf).toBeHidden();
  });
  await sandbox.startOver();
  await test.step("text typed into What if stays there", async () => {
    await sandbox.openWhatIf();
    await page.getByRole("combobox", { name: /^What if / }).selectOption("run an action (JSON)");
    const action = page.getByRole("textbox", { name: "Action of a scenario, as JSON" });
    const text = '{"scale": {"name": "web + b f n ?", "replicas": -20}}';
    await sandbox.type(action, text);
    await expect(action).toHaveValue(text);
    await expect(sandbox.help).toBeHidden();
    await expect(sandbox.whatIf).toBeVisible();
  });
});

test("shortcuts of a single character can be turned off", async ({ sandbox, page }) => {
  await page.keyboard.press("?");
  await expect(sandbox.help).toBeVisible();
  const toggle = sandbox.help.getByRole("checkbox", { name: /single-character keys/ });
  await toggle.uncheck();
  await page.keyboard.press("Escape");
  await expect(sandbox.help).toBeHidden();
  const speed = page.getByRole("combobox", { name: "Speed" });
  const before = await speed.inputValue();
  await sandbox.title.click();
  for (const key of ["f", "?", "+", "n"]) await page.keyboard.press(key);
  await page.keyboard.press("Home");
  // Keys that are not characters still work, after all others.
  await expect(sandbox.position).toContainText("0:00 of");
  await expect(sandbox.whatIf).toBeHidden();
  await expect(sandbox.help).toBeHidden();
  await expect(speed).toHaveValue(before);
  // Turn them on again.
  await sandbox.button("Help").click();
  await toggle.check();
  await page.keyboard.press("Escape");
  await page.keyboard.press("f");
  await expect(sandbox.whatIf).toBeVisible();
});

test("Enter and Space only press the focused button", async ({ sandbox, page }) => {
  for (const key of ["Enter", "Space"]) {
    await test.step(key, async () => {
      await sandbox.button("To the start").focus();
      await page.keyboard.press(key);
      await expect(sandbox.position).toContainText("0:00 of");
      await expect(sandbox.play).toBeVisible();
      await sandbox.play.focus();
      await page.keyboard.press(key);
      await expect(sandbox.pause).toBeFocused();
      await page.keyboard.press(key);
      await expect(sandbox.play).toBeFocused();
    });
  }
});
