// The page in Firefox and in WebKitGTK, through WebDriver: somebody reads a story, types, plays, shares a link, and reloads without a
// network. xtask says where the browsers and their drivers are. The details are tested in Chromium, with Playwright.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeEach, describe, test } from "node:test";
import { Browser, Builder, By, Capabilities, Key } from "selenium-webdriver";
import { Options, ServiceBuilder } from "selenium-webdriver/firefox.js";
import { findFreePort } from "selenium-webdriver/net/portprober.js";
import { DriverService } from "selenium-webdriver/remote/index.js";
import { serve } from "./site.mjs";

/** How long a busy machine may need, in milliseconds. */
const TIMEOUT = 60_000;

async function startFirefox() {
  const options = new Options().addArguments("-headless", "--width=1440", "--height=900");
  options.setBinary(process.env.FIREFOX);
  const service = new ServiceBuilder(process.env.GECKODRIVER);
  const driver = await new Builder().forBrowser(Browser.FIREFOX).setFirefoxOptions(options).setFirefoxService(service).build();
  return { driver, stop: () => driver.quit() };
}

/** The browser of WebKitGTK has no mode without a display: it gets one without a screen. */
async function startWebKit() {
  const display = spawn("Xvfb", ["-displayfd", "3", "-screen", "0", "1440x900x24", "-nolisten", "tcp"], {
    stdio: ["ignore", "ignore", "inherit", "pipe"],
  });
  const [number] = await once(display.stdio[3], "data");
  const port = await findFreePort();
  const service = new DriverService.Builder(process.env.WEBKIT_DRIVER)
    .setLoopback(true)
    .setPort(port)
    .addArguments(`--port=${port}`)
    .setEnvironment({ ...process.env, DISPLAY: `:${number.toString().trim()}` })
    .build();
  const browser = { binary: process.env.MINI_BROWSER, args: ["--automation"] };
  const capabilities = new Capabilities({ browserName: "MiniBrowser", "webkitgtk:browserOptions": browser });
  const driver = await new Builder().usingServer(await service.start()).withCapabilities(capabilities).build();
  const stop = async () => {
    await driver.quit();
    await service.kill();
    display.kill();
  };
  return { driver, stop };
}

/** The lanes that the page drew: the document's own picture is there before them. */
const LANES = ".lanes:not(.empty)";
const button = (name) => By.xpath(`//button[normalize-space()="${name}"]`);
const input = (label) => By.xpath(`//input[@id=//label[starts-with(normalize-space(), "${label}")]/@for]`);

/** What a reader does in a browser. */
class Reader {
  constructor(driver) {
    this.driver = driver;
  }

  async open(address) {
    await this.driver.get(address);
    await this.pictures((names) => names.length > 0);
  }

  /** What is asked for, once it is as expected. */
  async until(ask, isExpected) {
    let answer;
    await this.driver.wait(async () => isExpected((answer = await ask())), TIMEOUT, ask.toString());
    return answer;
  }

  texts(selector) {
    return this.driver.executeScript((all) => [...document.querySelectorAll(all)].map((it) => it.textContent.trim()), selector);
  }

  async title(expected) {
    await this.until(() => this.texts("h1"), ([title]) => title?.includes(expected));
  }

  /** The names of the pictures, which count the pods, once they are as expected. */
  pictures(expected) {
    const names = (lanes) => [...document.querySelectorAll(`${lanes} svg.picture`)].map((it) => it.getAttribute("aria-label"));
    return this.until(() => this.driver.executeScript(names, LANES), expected);
  }

  async click(name) {
    const element = await this.driver.wait(() => this.driver.findElements(button(name)).then((all) => all[0]), TIMEOUT, name);
    await element.click();
  }

  async type(label, text) {
    const element = await this.driver.findElement(input(label));
    await element.click();
    await element.sendKeys(Key.chord(Key.CONTROL, "a"));
    await element.sendKeys(text);
  }

  /** The numbers above the lanes. */
  answers() {
    return this.texts(`${LANES} .answers b`);
  }

  press(key) {
    return this.driver.actions().sendKeys(key).perform();
  }
}

for (const [engine, start] of [["Firefox", startFirefox], ["WebKitGTK", startWebKit]]) {
  describe(`the page in ${engine}`, () => {
    let browser, server, reader;

    beforeEach(async () => {
      [browser, server] = await Promise.all([start(), serve("/")]);
      reader = new Reader(browser.driver);
    });

    afterEach(async () => {
      await browser?.stop();
      await server?.close();
    });

    test("a reader who only presses → sees the whole first story", async () => {
      await reader.open(server.url);
      const position = async () => (await reader.texts(".caption-buttons .position"))[0];
      const count = Number((await position()).split(" of ")[1]);
      for (let number = 2; number <= count; number += 1) {
        await reader.press(Key.ARROW_RIGHT);
        await reader.until(position, (text) => text === `${number} of ${count}`);
      }
      const answers = await reader.until(() => reader.answers(), (answers) => answers.length > 4);
      assert.deepEqual(answers, ["26", "12", "0:28", "0:30", "19", "12", "0:42", "0:42"]);
    });

    test("the picture follows what is typed, and plays", async () => {
      await reader.open(`${server.url}sandbox/`);
      await reader.type("Replicas", "6");
      await reader.title("You asked for 6 pods");
      await reader.click("Play");
      const shown = await reader.pictures(() => true);
      await reader.pictures((names) => names[0] !== shown[0]);
      await reader.click("Pause");
    });

    test("a link opens the same state", async () => {
      await reader.open(`${server.url}sandbox/`);
      await reader.type("Replicas", "7");
      await reader.title("You asked for 7 pods");
      const shown = await reader.pictures(() => true);
      await reader.until(() => browser.driver.getCurrentUrl(), (address) => address.includes("#state="));
      await reader.open(await browser.driver.getCurrentUrl());
      await reader.title("You asked for 7 pods");
      assert.deepEqual(await reader.pictures((names) => names.length === shown.length), shown);
    });

    test("what is kept offline opens without a network", async () => {
      await reader.open(server.url);
      await reader.click("Share and download…");
      await reader.click("Keep everything offline");
      await reader.until(() => reader.texts("dialog[open] [role=status]"), (texts) => texts.includes("Every page opens offline now"));
      const controller = () => browser.driver.executeScript(() => navigator.serviceWorker.controller?.state);
      await reader.until(controller, (state) => state === "activated");
      await server.close();
      // WebDriver's own reload in Firefox goes past the service worker.
      await browser.driver.executeScript(() => {
        window.isBefore = true;
        location.reload();
      });
      await reader.until(() => browser.driver.executeScript(() => window.isBefore === undefined), (isAfter) => isAfter);
      await reader.pictures((names) => names.length > 0);
      await reader.open(`${server.url}sandbox/`);
      await reader.title("You asked for 15 pods");
    });
  });
}
