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
    await expect(this.editor).toBeVisible();
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
  await expect(yaml.editor).toHaveValue(/\n {2}replicas: 15\n/);
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
  await expect(yaml.editor).toHaveValue(broken);
  await expect(sandbox.title).toHaveClass(/stale/);
  await yaml.paste("kind: [");
  await expect(yaml.problems).toContainText(["must be YAML or JSON"]);
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
  await expect(yaml.editor).toHaveValue(/name: web/);
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
  await expect(yaml.editor).toHaveValue(expected);
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

for (const name of files("../controlplane/states", ".yaml")) {
  test(`the recorded state ${name} plays`, async ({ yaml, page }) => {
    await yaml.paste(readFileSync(folder(`../controlplane/states/${name}`), "utf8"));
    await expect(yaml.summary).not.toHaveText("Reading…");
    await expect(yaml.problems.filter({ hasNotText: "Warning" })).toHaveCount(0);
    await expect(page.locator(".result h1")).not.toHaveClass(/stale/);
  });
}
