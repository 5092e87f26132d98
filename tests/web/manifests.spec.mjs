// The user's own manifests: typed, pasted, opened and dropped.
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { test as base, expect } from "./fixtures.mjs";

const folder = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The YAML view of the sandbox. */
class Yaml {
  constructor(sandbox, page) {
    this.page = page;
    this.sandbox = sandbox;
    this.editor = page.getByRole("textbox", { name: "Your manifests, or the state of your cluster" });
    this.summary = page.locator("#manifests-summary");
    this.problems = page.getByRole("list", { name: "Problems in the text" }).getByRole("listitem");
    this.objects = page.locator(".manifest-objects");
  }

  async open() {
    await this.sandbox.button("YAML").click();
    // Until it is loaded, a plain text takes its place.
    await expect(this.page.locator("yaml-editor")).toBeVisible();
    await expect(this.editor).toBeVisible();
  }

  /** What the text becomes. */
  async expectText(expected) {
    const text = () => this.page.locator("#manifests").evaluate((element) => element.value);
    if (expected instanceof RegExp) await expect.poll(text).toMatch(expected);
    else await expect.poll(text).toBe(expected);
  }

  /** Replaces the whole text, as somebody who pastes it. */
  async paste(text) {
    await this.editor.click();
    await this.page.keyboard.press("ControlOrMeta+a");
    await this.page.keyboard.insertText(text);
  }
}

const test = base.extend({
  yaml: async ({ sandbox, page }, use) => {
    const yaml = new Yaml(sandbox, page);
    await yaml.open();
    await use(yaml);
  },
});

const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
spec:
  replicas: 4
  selector:
    matchLabels:
      app: shop
  template:
    metadata:
      labels:
        app: shop
    spec:
      containers:
        - name: shop
          image: registry:5000/shop:1.4
`;

test("the controls are a manifest that one can edit", async ({ yaml, sandbox, page }) => {
  await yaml.expectText(/\n {2}replicas: 15\n/);
  await expect(sandbox.title).toContainText("You asked for 15 pods");
  await yaml.editor.click();
  await page.keyboard.press("ControlOrMeta+Home");
  for (let line = 0; line < 5; line += 1) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Backspace");
  await page.keyboard.type("20");
  await expect(sandbox.title).toContainText("You asked for 20 pods");
  await expect(yaml.summary).toHaveText("1 object. All pods of web run; 0:00: the image becomes example/web:next.");
});

test("a pasted manifest plays, and other kinds are listed", async ({ yaml, sandbox }) => {
  await yaml.paste(`apiVersion: v1\nkind: Service\nmetadata:\n  name: shop\n---\n${DEPLOYMENT}`);
  await expect(sandbox.title).toContainText("You asked for 4 pods");
  await expect(yaml.summary).toContainText("the image becomes registry:5000/shop:next");
  await yaml.objects.locator("summary").click();
  await expect(yaml.objects.getByRole("listitem").first()).toHaveText("Line 1: Service shop (objects of this kind are not simulated)");
});

test("a problem has its line, what was typed stays, and the last result too", async ({ yaml, sandbox }) => {
  await yaml.paste(DEPLOYMENT);
  await expect(sandbox.title).toContainText("You asked for 4 pods");
  const broken = DEPLOYMENT.replace("replicas: 4", "replicas: -4");
  await yaml.paste(broken);
  await expect(yaml.problems).toHaveText(["Line 6: spec.replicas: Invalid value: -4: must be greater than or equal to 0"]);
  await yaml.expectText(broken);
  await expect(sandbox.title).toHaveClass(/stale/);
  await yaml.paste("kind: [");
  await expect(yaml.problems).toContainText(["must be YAML or JSON"]);
});

test("the line of a problem is a button that leads there", async ({ yaml, page }) => {
  await yaml.paste(DEPLOYMENT.replace("name: shop\nspec", "name: Shop\nspec"));
  await expect(yaml.problems).toContainText(["Line 4: metadata.name: Invalid value: "]);
  await page.getByRole("button", { name: "Line 4" }).first().click();
  await page.keyboard.type("  name: shop");
  await expect(yaml.problems).toHaveCount(0);
  await yaml.expectText(DEPLOYMENT);
});

test("fields are completed, and Tab leaves the editor", async ({ yaml, page }) => {
  await yaml.paste(DEPLOYMENT);
  await page.keyboard.press("ControlOrMeta+Home");
  for (let line = 0; line < 5; line += 1) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.keyboard.type("minR");
  await expect(page.getByRole("option", { name: "minReadySeconds" })).toBeVisible();
  // It takes no key for a moment, so that nobody accepts what they have not seen.
  await page.waitForFunction(() => document.querySelector("yaml-editor").shadowRoot.querySelector("[aria-selected=true]"));
  await expect(async () => {
    await page.keyboard.press("Enter");
    await yaml.expectText(/\n {2}minReadySeconds: /);
  }).toPass();
  await page.keyboard.type("7");
  await yaml.expectText(/\n {2}minReadySeconds: \s*7\n/);
  await page.keyboard.press("Tab");
  await expect(yaml.editor).not.toBeFocused();
});

test("keys are shortcuts of the page only outside of the editor", async ({ yaml, sandbox, page }) => {
  await yaml.editor.click();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("# f n ?");
  await expect(sandbox.whatIf).toHaveCount(0);
  await expect(sandbox.help).toBeHidden();
  await yaml.expectText(/# f n \?$/);
});

test("a file is opened, and another one dropped", async ({ yaml, sandbox, page }) => {
  const chooser = page.waitForEvent("filechooser");
  await page.getByText("Open a file").click();
  await (await chooser).setFiles({ name: "shop.yaml", mimeType: "application/yaml", buffer: Buffer.from(DEPLOYMENT) });
  await yaml.expectText(DEPLOYMENT);
  await expect(sandbox.title).toContainText("You asked for 4 pods");
  const other = DEPLOYMENT.replace("replicas: 4", "replicas: 5");
  const transfer = await page.evaluateHandle((text) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], "shop.yaml"));
    return transfer;
  }, other);
  await yaml.editor.dispatchEvent("drop", { dataTransfer: transfer });
  await yaml.expectText(other);
  await expect(sandbox.title).toContainText("You asked for 5 pods");
});

test("a file that is no text is refused in a sentence, and the text stays", async ({ yaml, page }) => {
  await yaml.paste(DEPLOYMENT);
  const chooser = page.waitForEvent("filechooser");
  await page.getByText("Open a file").click();
  await (await chooser).setFiles({ name: "logo.png", mimeType: "image/png", buffer: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 0xff]) });
  await expect(page.getByRole("alert")).toHaveText("logo.png: must be text: YAML or JSON. What was here stays.");
  await yaml.expectText(DEPLOYMENT);
});

test("what runs now and the text after it are the two ends of a rollout", async ({ yaml, sandbox, page }) => {
  await yaml.paste(DEPLOYMENT);
  await sandbox.button("This is what runs now").click();
  await yaml.paste(DEPLOYMENT.replace("replicas: 4", "replicas: 6").replace("1.4", "1.5"));
  await expect(yaml.summary).toHaveText("1 object. All pods of shop run; 0:00: you apply the text.");
  await expect(sandbox.title).toContainText("You asked for 6 pods");
  await page.getByRole("button", { name: "Forget what runs" }).click();
  await expect(yaml.summary).toContainText("the image becomes registry:5000/shop:next");
});

test("one of several Deployments is shown", async ({ yaml, sandbox, page }) => {
  const other = DEPLOYMENT.replaceAll("shop", "cart").replace("replicas: 4", "replicas: 9");
  await yaml.paste(`${DEPLOYMENT}---\n${other}`);
  await expect(sandbox.title).toContainText("You asked for 4 pods");
  await page.getByRole("combobox", { name: "Show" }).selectOption("cart");
  await expect(sandbox.title).toContainText("You asked for 9 pods");
});

test("the controls can be played again", async ({ yaml, sandbox, page }) => {
  await yaml.paste(DEPLOYMENT);
  await expect(sandbox.title).toContainText("You asked for 4 pods");
  await sandbox.button("Controls").click();
  await expect(sandbox.input("Replicas")).toHaveValue("4");
  await sandbox.button("Forget the YAML").click();
  await sandbox.button("YAML").click();
  await yaml.expectText(/name: web/);
});

test("controls write the text, and the text moves the controls", async ({ yaml, sandbox }) => {
  const text = DEPLOYMENT.replace("replicas: 4", "replicas: 4 # four");
  await yaml.paste(text);
  await expect(sandbox.title).toContainText("You asked for 4 pods");
  await sandbox.button("Controls").click();
  await expect(sandbox.input("Replicas")).toHaveValue("4");
  await expect(sandbox.input("maxSurge")).toHaveValue("");
  await sandbox.type(sandbox.input("Replicas"), "12");
  await sandbox.type(sandbox.input("maxSurge"), "50%");
  await expect(sandbox.title).toContainText("You asked for 12 pods. During an update the limit is 18.");
  await sandbox.button("YAML").click();
  const expected = text.replace("4 # four", "12 # four").replace("  replicas", "  strategy:\n    rollingUpdate:\n      maxSurge: 50%\n  replicas");
  await yaml.expectText(expected);
  await yaml.paste(expected.replace("12 # four", "7"));
  await expect(sandbox.title).toContainText("You asked for 7 pods");
  await sandbox.button("Controls").click();
  await expect(sandbox.input("Replicas")).toHaveValue("7");
});

const files = (path, ending) => readdirSync(folder(path)).filter((name) => name.endsWith(ending));
for (const name of files("../cli/charts", ".yaml")) {
  test(`the chart ${name} plays`, async ({ yaml, page }) => {
    await yaml.paste(readFileSync(folder(`../cli/charts/${name}`), "utf8"));
    await expect(yaml.summary).toContainText("0:00: the image becomes");
    await expect(yaml.problems.filter({ hasNotText: "Warning" })).toHaveCount(0);
    await expect(page.locator(".result h1")).not.toHaveClass(/stale/);
  });
}

// The YAML view shows Deployments; what else a state has is listed.
const hasDeployment = (name) => /^  kind: Deployment$/m.test(readFileSync(folder(`../controlplane/states/${name}`), "utf8"));
for (const name of files("../controlplane/states", ".yaml").filter(hasDeployment)) {
  test(`the recorded state ${name} plays`, async ({ yaml, page }) => {
    await yaml.paste(readFileSync(folder(`../controlplane/states/${name}`), "utf8"));
    await expect(yaml.summary).not.toHaveText("Reading…");
    await expect(yaml.problems.filter({ hasNotText: "Warning" })).toHaveCount(0);
    await expect(page.locator(".result h1")).not.toHaveClass(/stale/);
  });
}
