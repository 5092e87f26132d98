// Files that arrive late, are missing or broken, or are cached from before the connection was lost.
import { App, STORIES, test, expect } from "./fixtures.mjs";

const [FIRST] = STORIES;

/** Answers with a file that can't be read, of the right type. */
function breakFile(route) {
  const contentType = route.request().url().endsWith(".wasm") ? "application/wasm" : "text/javascript";
  return route.fulfill({ contentType, body: "{" });
}

/** Holds a file back. `asked` resolves when the browser asks for the file, and `release` lets it through. */
async function holdBack(page, file) {
  let ask;
  let release;
  const asked = new Promise((resolve) => (ask = resolve));
  const released = new Promise((resolve) => (release = resolve));
  await page.route((url) => url.pathname.endsWith(`/${file}`), async (route) => {
    ask();
    await released;
    await route.continue();
  });
  return { asked, release };
}

const WRONG_ANSWERS = {
  missing: (route) => route.fulfill({ status: 404 }),
  broken: breakFile,
};

const FILES = ["index.json", "fifteen.story.json", "fifteen.json", "fifteen.recording.json"].map((file) => `scenarios/${file}`);

// One of each kind: the files of a module are asked for one after the other.
for (const file of [...FILES, "pkg/stories_bg.wasm", "style.css"]) {
  test(`${file} may arrive late`, async ({ page, site }) => {
    const app = new App(page);
    const { asked, release } = await holdBack(page, file);
    await page.goto(site, { waitUntil: "commit" });
    await asked;
    // Meanwhile, the story's text can be read.
    if (file !== "style.css") await expect(page.getByRole("main")).toContainText(/What happens between|Loading/);
    release();
    await app.ready();
    await expect(app.captions).toHaveCount(FIRST.captions.length);
    await app.goToOwnCase();
    await app.button("Next").click();
    await expect(app.picture(0)).toHaveAccessibleName(/: 22 pods/);
  });
}

for (const file of ["pkg/sandbox_bg.wasm", "pkg/player_bg.wasm", "worker.js"]) {
  test(`${file} may arrive late in the sandbox`, async ({ page, site }) => {
    const app = new App(page);
    const { asked, release } = await holdBack(page, file);
    await page.goto(`${site}sandbox/`, { waitUntil: "commit" });
    await asked;
    await expect(app.title).toHaveText(/^(Sandbox|Simulating…)$/);
    release();
    await app.ready();
    await app.type(app.input("Replicas"), "16");
    await expect(app.title).toContainText("You asked for 16 pods");
  });
}

for (const file of ["pkg/workbench_bg.wasm"]) {
  test(`${file} may arrive late: Ask waits for it`, async ({ sandbox, page }) => {
    const { asked, release } = await holdBack(page, file);
    const ask = page.getByRole("region", { name: "Ask for settings" });
    await sandbox.type(ask.getByLabel("Never more than"), "19");
    await page.keyboard.press("Enter");
    await asked;
    await expect(ask.getByText("Simulating settings…")).toBeVisible();
    release();
    await expect(page.getByRole("region", { name: "Settings within your limits" })).toBeVisible();
  });
}

test("editor.js may arrive late: until then, the YAML is a plain text", async ({ sandbox, page }) => {
  const { asked, release } = await holdBack(page, "editor.js");
  await sandbox.button("YAML").click();
  await asked;
  const text = page.getByRole("textbox", { name: "Your manifests, or the state of your cluster" });
  await text.click();
  const yaml = await text.inputValue();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(yaml.replace("replicas: 15", "replicas: 16"));
  await expect(sandbox.title).toContainText("You asked for 16 pods");
  release();
  await expect(page.locator("yaml-editor")).toBeVisible();
  await expect(text).toBeFocused();
  await expect.poll(() => page.locator("yaml-editor").evaluate(({ value }) => value)).toContain("replicas: 16");
});

test.describe("broken", () => {
  test.use({ expectedProblems: /404/ });

  for (const file of FILES) {
    test(`${file} is missing: an error names it, and it can be retried`, async ({ page, site }) => {
      const app = new App(page);
      await page.route(`**/${file}`, (route) => route.fulfill({ status: 404 }));
      await page.goto(site);
      await expect(page.getByRole("alert")).toContainText(file.replace("scenarios/", ""));
      await expect(page.getByRole("alert")).toContainText("404");
      await page.getByRole("button", { name: "Try again" }).click();
      await expect(page.getByRole("alert")).toContainText("404");
      await page.unroute(`**/${file}`);
      await page.getByRole("button", { name: "Try again" }).click();
      await app.ready();
      await expect(app.title).toHaveText(FIRST.headline);
      await app.expectFocus();
    });
  }

  test("a file of a story that is broken: an error names it, and it can be retried", async ({ page, site }) => {
    const app = new App(page);
    const [file] = FILES.slice(1);
    await page.route(`**/${file}`, (route) => route.fulfill({ body: "{" }));
    await page.goto(site);
    await expect(page.getByRole("alert")).toContainText(`${file.replace("scenarios/", "")}: can't be read as JSON`);
    await page.unroute(`**/${file}`);
    await page.getByRole("button", { name: "Try again" }).click();
    await app.ready();
    await expect(app.captions).toHaveCount(FIRST.captions.length);
  });

  test("an unknown field of a story is named with its path", async ({ page, site }) => {
    await page.route("**/scenarios/fifteen.story.json", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ json: { ...(await response.json()), tilte: "x" } });
    });
    await page.goto(site);
    await expect(page.getByRole("alert")).toContainText("fifteen.story.json");
    await expect(page.getByRole("alert")).toContainText("tilte");
  });

  test("you can go back from a missing story", async ({ story, page }) => {
    await page.route("**/scenarios/quota.json", (route) => route.fulfill({ status: 404 }));
    await page.getByRole("combobox", { name: /^Story \d+ of/ }).selectOption(STORIES.find(({ name }) => name === "quota").label);
    await expect(page.getByRole("alert")).toContainText("quota.json");
    await story.expectFocus();
    await page.goBack();
    await expect(story.title).toHaveText(FIRST.headline);
  });
});

test.describe("the modules", () => {
  test.use({ expectedProblems: /404|^console: |^exception: |^failed: / });

  for (const [how, file] of [
    ["missing", "main.js"],
    ["missing", "pkg/stories.js"],
    ["broken", "pkg/stories_bg.wasm"],
  ]) {
    test(`${file} is ${how}: the page shows an error`, async ({ page, site }) => {
      await page.route(`**/${file}`, WRONG_ANSWERS[how]);
      await page.goto(site);
      await expect(page.getByRole("alert")).toContainText("The page does not work: ");
    });
  }

  for (const [how, file] of [["missing", "worker.js"], ["missing", "pkg/player_bg.wasm"], ["broken", "pkg/player.js"]]) {
    test(`${file} is ${how}: "What if" shows an error, the story goes on, and what is asked next is tried again`, async ({ story, page }) => {
      await page.route(`**/${file}`, WRONG_ANSWERS[how]);
      await story.openWhatIf();
      await expect(page.getByRole("alert")).toContainText(file);
      await story.button("Next").click();
      await expect(story.picture(0)).toHaveAccessibleName(/: 22 pods/);
      await page.unroute(`**/${file}`);
      await page.getByRole("combobox", { name: /^What if / }).selectOption("pause it");
      await page.getByRole("button", { name: "Do it" }).click();
      await expect(page.getByRole("list", { name: "What you did" }).getByRole("listitem")).toHaveText(/you pause Deployment web/);
      await expect(page.getByRole("alert")).toHaveCount(0);
    });
  }

  test("style.css is missing: the page works without it", async ({ page, site }) => {
    await page.route("**/style.css", WRONG_ANSWERS.missing);
    const app = new App(page);
    await app.open(site);
    await expect(app.captions).toHaveCount(FIRST.captions.length);
    await app.open(`${site}sandbox/`);
    await app.type(app.input("Replicas"), "16");
    await expect(app.title).toContainText("You asked for 16 pods");
  });

  for (const [how, file] of [["missing", "pkg/sandbox.js"], ["broken", "pkg/sandbox_bg.wasm"]]) {
    test(`${file} is ${how}: the page shows an error`, async ({ page, site }) => {
      await page.route(`**/${file}`, WRONG_ANSWERS[how]);
      await page.goto(`${site}sandbox/`);
      await expect(page.getByRole("alert")).toContainText("The page does not work: ");
    });
  }

  for (const [how, file] of [["missing", "workbench.js"], ["missing", "pkg/workbench_bg.wasm"], ["broken", "pkg/workbench.js"]]) {
    test(`${file} is ${how}: Ask shows an error, and the rollout plays on`, async ({ sandbox, page }) => {
      // The address of a script of the site, and not the one of the same name in `pkg`.
      await page.route((url) => url.pathname === `/${file}`, WRONG_ANSWERS[how]);
      const ask = page.getByRole("region", { name: "Ask for settings" });
      await sandbox.type(ask.getByLabel("Never more than"), "19");
      await page.keyboard.press("Enter");
      await expect(ask.getByRole("alert")).toContainText(file);
      await sandbox.type(sandbox.input("Replicas"), "16");
      await expect(sandbox.title).toContainText("You asked for 16 pods");
    });
  }

  for (const how of ["missing", "broken"]) {
    test(`editor.js is ${how}: the YAML is a plain text, and plays`, async ({ sandbox, page }) => {
      await page.route("**/editor.js", WRONG_ANSWERS[how]);
      const asked = page.waitForEvent("request", (request) => request.url().endsWith("/editor.js"));
      await sandbox.button("YAML").click();
      await (await asked).response();
      const text = page.getByRole("textbox", { name: "Your manifests, or the state of your cluster" });
      await text.click();
      await page.keyboard.press("ControlOrMeta+a");
      const yaml = await text.inputValue();
      await page.keyboard.insertText(yaml.replace("replicas: 15", "replicas: 16"));
      await expect(sandbox.title).toContainText("You asked for 16 pods");
      await expect(page.locator("yaml-editor")).toHaveCount(0);
    });
  }

  test("a crash of the player is reported", async ({ page, site }) => {
    await page.route("**/pkg/player.js", async (route) => {
      const response = await route.fetch();
      const body = `${await response.text()}\nPlayer.prototype.answer = () => { throw new Error("unreachable"); };`;
      await route.fulfill({ response, body });
    });
    await page.goto(`${site}sandbox/`);
    await expect(page.getByRole("alert")).toHaveText(/^The page stopped: .*unreachable.* Reload it\.$/);
  });

  test("without WebAssembly there is an error, and the story can be read", async ({ page, site }) => {
    await page.addInitScript(() => delete globalThis.WebAssembly);
    await page.goto(site);
    await expect(page.getByRole("alert")).toContainText("needs a browser with WebAssembly");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(FIRST.headline);
  });
});

test.describe("offline", () => {
  test.use({ expectedProblems: /INTERNET_DISCONNECTED|^failed: / });

  test("loaded stories work without a connection", async ({ story, page, context }) => {
    await context.setOffline(true);
    for (let caption = 1; caption < FIRST.captions.length; caption += 1) await story.button("Next").click();
    await expect(story.picture(0)).toHaveAccessibleName(/: 15 pods, 15 available/);
    await page.getByRole("button", { name: FIRST.helps.button }).click();
    await expect(story.caption.getByRole("heading")).toHaveText(FIRST.helps.caption.title);
    // An error names what was not loaded, and it can be retried.
    await page.getByRole("combobox", { name: /^Story \d+ of/ }).selectOption(STORIES[3].label);
    await expect(page.getByRole("alert")).toContainText(`${STORIES[3].name}.story.json`);
    await context.setOffline(false);
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(story.title).toHaveText(STORIES[3].headline);
  });
});
