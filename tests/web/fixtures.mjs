// Fixtures of all tests. Each test fails on an error in the browser, a violation of the content security policy, or a request
// to another origin.
import { test as base, expect } from "@playwright/test";
import { fileURLToPath } from "node:url";
import { serve } from "./site.mjs";

export { expect };

/** The folder for screenshots. */
export const PICTURES = fileURLToPath(new URL("../../target/web-tests/pictures/", import.meta.url));

export const test = base.extend({
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
    async ({ context }, use) => {
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
      await context.addInitScript(() => {
        document.addEventListener("securitypolicyviolation", (event) =>
          window.reportViolation(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`),
        );
      });
      await use(browserProblems);
      expect(browserProblems).toEqual([]);
    },
    { auto: true },
  ],

  /** The page, opened at the sandbox. */
  app: async ({ page, site }, use) => {
    const app = new App(page);
    await app.open(`${site}#sandbox`);
    await use(app);
  },

  /** The page, opened as a first visit opens it. */
  story: async ({ page, site }, use) => {
    const app = new App(page);
    await app.open(site);
    await use(app);
  },
});

/** The page as a user sees it. */
export class App {
  constructor(page) {
    this.page = page;
    this.lanes = page.locator("section.lane");
    this.now = page.locator(".clock .now");
    this.step = page.locator(".clock .step");
    this.play = page.getByRole("button", { name: "Play", exact: true });
    this.pause = page.getByRole("button", { name: "Pause", exact: true });
    this.main = page.locator(".lanes");
  }

  /** Opens an address and waits until the lanes appear. */
  async open(address) {
    await this.page.goto(address);
    await expect(this.lanes.first().locator("svg.ruler")).toHaveAttribute("aria-label", / pods?, /);
    await this.quiet();
  }

  /** Waits until the player has answered all requests. */
  async quiet() {
    await expect(this.page.locator("#page")).toHaveAttribute("aria-busy", "false");
  }

  lane(index) {
    return this.lanes.nth(index);
  }

  /** The ruler of a lane. Its label has the pods in each state and the marks. */
  ruler(index) {
    return this.lane(index).locator("svg.ruler");
  }

  tiles(index) {
    return this.lane(index).locator(".tiles .tile[href]");
  }

  over(index) {
    return this.lane(index).locator(".over-text");
  }

  input(label) {
    return this.page.getByLabel(label, { exact: true });
  }

  /** What the page shows now, to compare. */
  async state() {
    await this.quiet();
    return this.page.evaluate(() => ({
      now: document.querySelector(".clock .now").textContent,
      step: Number(document.querySelector(".clock .step").textContent),
      rulers: [...document.querySelectorAll("svg.ruler")].map((ruler) => ruler.getAttribute("aria-label")),
      why: [...document.querySelectorAll(".why .sentence")].map((sentence) => sentence.textContent),
    }));
  }
}
