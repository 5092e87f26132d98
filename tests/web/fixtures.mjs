// Fixtures for all tests. Each test fails on an error in the browser, a violation of the content security policy, or a
// request to another origin.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test as base, expect } from "@playwright/test";
import { SITE, serve } from "./site.mjs";

export { expect };

export const test = base.extend({
  /** Errors that a test expects in the browser, as a regular expression. */
  expectedProblems: [/^$/, { option: true }],

  /** Whether the page keeps its files for offline use. In other tests, the worker would answer instead of the test. */
  keepsFilesOffline: [false, { option: true }],

  site: [
    async ({}, use) => {
      if (process.env.CHANGEOVER_URL) return use(process.env.CHANGEOVER_URL);
      const server = await serve("/");
      await use(server.url);
      await server.close();
    },
    { scope: "worker" },
  ],

  browserProblems: [
    async ({ context, expectedProblems, keepsFilesOffline }, use, { testId, retry }) => {
      const browserProblems = [];
      const origins = new Set();
      context.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) browserProblems.push(`console: ${message.text()}`);
      });
      context.on("weberror", (error) => browserProblems.push(`exception: ${error.error()}`));
      context.on("request", (request) => {
        if (request.isNavigationRequest()) origins.add(new URL(request.url()).origin);
        else if (!origins.has(new URL(request.url()).origin)) browserProblems.push(`request: ${request.url()}`);
      });
      context.on("requestfailed", (request) => {
        // Leaving a page cancels its requests.
        if (request.failure()?.errorText !== "net::ERR_ABORTED") browserProblems.push(`failed: ${request.url()}`);
      });
      context.on("response", (response) => {
        if (response.status() >= 400) browserProblems.push(`${response.status()}: ${response.url()}`);
      });
      await context.exposeFunction("reportViolation", (what) => browserProblems.push(`policy: ${what}`));
      await context.addInitScript((test) => {
        try {
          if (sessionStorage.getItem("test") === test) return;
          sessionStorage.clear();
          sessionStorage.setItem("test", test);
        } catch {
          // A blank page has none.
        }
      }, `${testId}, ${retry}`);
      if (!keepsFilesOffline) await context.addInitScript(() => delete Navigator.prototype.serviceWorker);
      await context.addInitScript(() => {
        document.addEventListener("securitypolicyviolation", (event) =>
          window.reportViolation(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`),
        );
      });
      await use(browserProblems);
      const unexpected = browserProblems.filter((problem) => !expectedProblems.test(problem));
      expect(unexpected).toEqual([]);
    },
    { auto: true },
  ],

  /** Lets the test control how much time passes. It must be requested before `sandbox` and `story`. */
  virtualClock: async ({ page }, use) => {
    await page.clock.install();
    // Its frame ids don't fit into 32 bits, which Rust uses for them.
    await page.addInitScript(() => {
      const { requestAnimationFrame: request, cancelAnimationFrame: cancel } = window;
      const ids = new Map();
      window.requestAnimationFrame = (callback) => {
        ids.set(ids.size + 1, request(callback));
        return ids.size;
      };
      window.cancelAnimationFrame = (id) => cancel(ids.get(id));
    });
    await use(page.clock);
  },

  /** The page, opened at the sandbox. */
  sandbox: async ({ page, site }, use) => {
    const app = new App(page);
    await app.open(`${site}sandbox/`);
    await use(app);
  },

  /** The page as a first visitor sees it: at the beginning of the first story. */
  firstVisit: async ({ page, site }, use) => {
    const app = new App(page);
    await app.open(site);
    await use(app);
  },

  /** The page at the first story's own case, which follows smaller ones. */
  story: async ({ firstVisit }, use) => {
    await firstVisit.goToOwnCase();
    await use(firstVisit);
  },
});

/** The page as a user sees it. */
export class App {
  constructor(page) {
    this.page = page;
    this.title = page.getByRole("heading", { level: 1 });
    this.form = page.getByRole("form", { name: "Your rollout" });
    // The lanes that the app drew: the document's own picture, which is there before them, is in `.lanes.empty`.
    this.lanes = page.locator(".lanes:not(.empty) > section.lane");
    // The handle of the clock, with the time at the playhead.
    this.clock = page.getByRole("slider", { name: "Time", exact: true });
    this.position = page.getByRole("group", { name: "Playback" }).locator(".position");
    this.play = page.getByRole("button", { name: "Play", exact: true });
    this.pause = page.getByRole("button", { name: "Pause", exact: true });
    this.whatIf = page.getByRole("form", { name: "What if" });
    this.help = page.getByRole("dialog", { name: "How to read the picture" });
    // Those of the story's own case.
    this.captions = page.locator(".caption:not(.beginning)");
    this.caption = page.locator(".caption[aria-current=step]");
  }

  /** Opens an address and waits for its picture. */
  async open(address) {
    // To go where the page is already would be a reload, which keeps what was done.
    if (this.page.url().split("#")[0] === address.split("#")[0]) await this.page.goto("about:blank");
    await this.page.goto(address);
    await this.ready();
  }

  /** Goes from one story to another as a reader does: the page stays loaded. */
  async openStory({ label, headline, beginning }) {
    const select = this.page.getByRole("combobox", { name: /^Story \d+ of/ });
    await select.selectOption(label);
    await expect(this.title).toHaveText(headline);
    await this.ready();
    // Its keys would choose another story. A page that has just been loaded begins at its top.
    await select.blur();
    await this.page.evaluate(() => scrollTo(0, 0));
    if (beginning.length > 0) await this.goToOwnCase();
  }

  /** Opens the page of a story, at its own case. */
  async openOwnCase(address) {
    await this.open(address);
    if ((await this.page.locator(".caption.beginning").count()) > 0) await this.goToOwnCase();
  }

  /** Goes past the smaller cases that a story begins with. */
  async goToOwnCase() {
    await this.captions.first().getByRole("heading").click();
    // The lanes of that case are there.
    await expect(this.captions.first().locator(".caption-time")).toBeVisible();
    await this.ready();
  }

  /** Brings the sandbox back to its first settings. The page stays loaded. */
  async startOver() {
    await this.button("Start over").click();
    await expect(this.title).toContainText("You asked for 15 pods");
    await this.settled();
  }

  /** Waits until the lanes show the latest settings. */
  async ready() {
    await expect(this.picture(0)).toHaveAccessibleName(/: \d+ pods?, /);
  }

  /** Waits until the sandbox shows what was set last. */
  async settled() {
    await expect(this.page.locator(".result")).toHaveAttribute("aria-busy", "false");
    // The verdict on the text is asked for on its own.
    await expect(this.page.locator('.judgment[aria-busy="true"]')).toHaveCount(0);
  }

  button(name) {
    return this.page.getByRole("button", { name, exact: true });
  }

  /** An input of the first settings. */
  input(label) {
    return this.form.getByRole("textbox", { name: label });
  }

  /** Shows the player of a story. */
  async showPlayer() {
    await this.button("More").click();
    await expect(this.button("Step")).toBeVisible();
  }

  /** Shows the strategy and the deadlines. */
  async unfold() {
    const group = this.form.locator("details", { has: this.page.getByText("Strategy and deadlines") });
    if ((await group.getAttribute("open")) === null) await group.locator("summary").click();
    await expect(this.input("Grace period")).toBeVisible();
  }

  /** Replaces the text of an input as a user would. */
  async type(input, text) {
    if ((await input.count()) === 0) await this.unfold();
    await input.click();
    await this.page.keyboard.press("ControlOrMeta+a");
    if (text === "") await this.page.keyboard.press("Delete");
    else await this.page.keyboard.type(text);
    await expect(input).toHaveValue(text);
  }

  /** Opens "What if…" with its key, and waits until it has the focus, as a user would. */
  async openWhatIf() {
    await this.page.keyboard.press("f");
    await expect(this.whatIf.getByRole("combobox")).toBeFocused();
  }

  /** A handle in the picture of a lane. */
  handle(index, name) {
    return this.lane(index).getByRole("slider", { name });
  }

  lane(index) {
    return this.lanes.nth(index);
  }

  /** The picture of a lane. Its name lists how many pods are in each state. */
  picture(index) {
    return this.lane(index).locator("svg.picture");
  }

  tiles(index) {
    return this.lane(index).locator(".pod-row .tile");
  }

  /** The sentence on the current step. */
  sentence(index) {
    return this.lane(index).locator(".why .sentence");
  }

  /** A number above a lane. */
  answer(index, label) {
    return this.lane(index).locator(".answers > div", { hasText: label }).locator("b");
  }

  /** What the page shows now, for comparison. */
  state() {
    return this.page.evaluate(() => ({
      position: document.querySelector(".position b")?.textContent,
      pictures: [...document.querySelectorAll("svg.picture")].map((picture) => picture.getAttribute("aria-label")),
    }));
  }

  /** Expects that the focus is on an existing element. */
  async expectFocus() {
    await expect(this.page.locator(":focus")).toBeVisible();
    await expect(this.page.locator("body:focus")).toHaveCount(0);
  }
}

/** Pastes a text at the cursor of the editor. `keyboard.insertText` takes many seconds for the state of a cluster. */
export function paste(editor, text) {
  return editor.evaluate((element, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true, composed: true }));
  }, text);
}

/** Replaces the whole text of the editor by pasting. */
export async function pasteOverAll(editor, text) {
  await editor.click();
  await editor.press("ControlOrMeta+a");
  await paste(editor, text);
}

/** A file of the stories. */
export function scenarioFile(name) {
  return JSON.parse(readFileSync(join(SITE, "scenarios", name)));
}

/** A caption with its text as the page shows it. */
const caption = (caption) => ({ ...caption, text: caption.text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1") });

/** All stories, with their names. `beginning` has the captions of the smaller cases, and `captions` has those of the story's own. */
export const STORIES = scenarioFile("index.json").map(({ name, label }) => {
  const story = scenarioFile(`${name}.story.json`);
  const chapters = story.chapters ?? [];
  const beginning = chapters.flatMap(({ captions }) => captions).map(caption);
  return { name, label, headline: story.title, ...story, beginning, captions: story.captions.map(caption) };
});

/** Expects that the page is as wide as the window. */
export async function expectNoSidewaysScroll(page, what) {
  const wide = () =>
    page.evaluate(() => {
      const { clientWidth, scrollWidth } = document.documentElement;
      if (scrollWidth <= clientWidth) return [];
      const all = [...document.querySelectorAll("body *")].filter((element) => element.checkVisibility());
      const name = (element) => `${element.tagName}.${element.getAttribute("class") ?? ""} ${element.textContent.slice(0, 30)}`;
      return [scrollWidth, ...all.filter((element) => element.getBoundingClientRect().right > clientWidth + 1).map(name).slice(0, 5)];
    });
  // The page follows a resize with its next frame.
  await expect.poll(wide, { message: what, timeout: 5_000 }).toEqual([]);
}

/** The state in the address, unpacked. */
export async function packedState(page) {
  return page.evaluate(async () => {
    const text = location.hash.replace("#state=", "");
    if (text === "") return {};
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (it) => it.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return JSON.parse(await new Response(stream).text());
  });
}
