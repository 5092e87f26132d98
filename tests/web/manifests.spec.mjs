// The user's manifests: typed, pasted, opened and dropped.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { App, packedState, paste, pasteOverAll, test as base, expect } from "./fixtures.mjs";

const folder = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The YAML view of the sandbox. */
class Yaml {
  constructor(sandbox, page) {
    this.page = page;
    this.sandbox = sandbox;
    this.editor = page.getByRole("textbox", { name: "Your manifests, or the state of your cluster" });
    this.summary = page.locator("#manifests-summary");
    this.status = page.locator("[role=status].visually-hidden");
    this.problems = page.getByRole("list", { name: "Problems in the text" }).getByRole("listitem");
    this.objects = page.locator(".manifest-objects");
  }

  async open() {
    await this.sandbox.button("YAML").click();
    // Until it is loaded, a plain text area takes its place.
    await expect(this.page.locator("yaml-editor")).toBeVisible();
    await expect(this.editor).toBeVisible();
  }

  /** Expects that the text becomes this. */
  async expectText(expected) {
    const text = () => this.page.locator("#manifests").evaluate((element) => element.value);
    if (expected instanceof RegExp) await expect.poll(text).toMatch(expected);
    else await expect.poll(text).toBe(expected);
  }

  /** Replaces the whole text. */
  paste(text) {
    return pasteOverAll(this.editor, text);
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

const JOB = `apiVersion: batch/v1
kind: Job
metadata:
  name: train
spec:
  completions: 4 # all of them
  parallelism: 2
  completionMode: Indexed
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: train
          image: train:v1
`;

const CRON_JOB = `apiVersion: batch/v1
kind: CronJob
metadata:
  name: sync
spec:
  schedule: "*/5 * * * *"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: sync
              image: sync:v1
`;

/** An item of a List. */
const item = (manifest) => `- ${manifest.trimEnd().replaceAll("\n", "\n  ")}\n`;
const LIST = `apiVersion: v1\nkind: List\nitems:\n${item(DEPLOYMENT)}${item("apiVersion: v1\nkind: ResourceQuota\nmetadata:\n  name: team\nspec:\n  hard:\n    pods: 30\n")}`;

test("the controls are shown as a manifest that can be edited", async ({ yaml, sandbox, page }) => {
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
  await expect(yaml.summary).toHaveText("1 object. All pods of web that can run are running. 0:00: the image changes to example/web:next.");
});

test("a pasted manifest plays: other kinds are listed, one of several Deployments is shown, and assumed times are named", async ({ yaml, sandbox, page }) => {
  await test.step("times that are not in the YAML are named", async () => {
    const assumed = page.locator("p.note", { hasText: "Assumed:" });
    await expect(assumed).not.toContainText("how long its pods take");
    const probe = "          readinessProbe:\n            tcpSocket:\n              port: 80\n";
    await yaml.paste(`${DEPLOYMENT.replace("    spec:\n      containers", "    spec:\n      terminationGracePeriodSeconds: 300\n      containers")}${probe}`);
    await expect(assumed).toContainText("Here, they need 6 s to start and 5 s to stop, although the grace period is 5 min.");
  });
  await test.step("other kinds are listed", async () => {
    await yaml.paste(`apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: shop\n---\n${DEPLOYMENT}`);
    await expect(sandbox.title).toContainText("You asked for 4 pods");
    await expect(yaml.summary).toContainText("the image changes to registry:5000/shop:next");
    await yaml.objects.locator("summary").click();
    await expect(yaml.objects.getByRole("listitem").first()).toHaveText("Line 1: ConfigMap shop (objects of this kind are not simulated)");
  });
  await test.step("one of several Deployments is shown", async () => {
    const other = DEPLOYMENT.replaceAll("shop", "cart").replace("replicas: 4", "replicas: 9");
    await yaml.paste(`${DEPLOYMENT}---\n${other}`);
    await expect(sandbox.title).toContainText("You asked for 4 pods");
    await page.getByRole("combobox", { name: "Show" }).selectOption("cart");
    await expect(sandbox.title).toContainText("You asked for 9 pods");
  });
  await test.step("replicas that are left to an autoscaler are the least that it runs", async () => {
    const autoscaler = "---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: { name: shop }\n"
      + "spec: { scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: shop }, minReplicas: 6, maxReplicas: 9 }\n";
    await yaml.paste(DEPLOYMENT.replace("  replicas: 4\n", "") + autoscaler);
    await expect(sandbox.title).toContainText("You asked for 6 pods");
    await expect(page.locator(".assumed")).toContainText("Deployment shop does not set replicas, so it runs the minReplicas of HorizontalPodAutoscaler shop: 6.");
  });
  await test.step("downloads name the workload", async () => {
    await yaml.paste(DEPLOYMENT);
    await expect(sandbox.title).toContainText("You asked for 4 pods");
    await sandbox.settled();
    await sandbox.button("Share and download…").click();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Pull request comment (Markdown)" }).click(),
    ]);
    const markdown = readFileSync(await file.path(), "utf8");
    expect(markdown).toContain("Deployment shop from YAML, the image changes to registry:5000/shop:next: 4 replicas, RollingUpdate");
  });
});

test("an error shows its line, and the text and the last result stay", async ({ yaml, sandbox, page }) => {
  await test.step("its line", async () => {
    await yaml.paste(DEPLOYMENT);
    await expect(sandbox.title).toContainText("You asked for 4 pods");
    const broken = DEPLOYMENT.replace("replicas: 4", "replicas: -4");
    await yaml.paste(broken);
    await expect(yaml.problems).toHaveText(["Line 6: spec.replicas: Invalid value: -4: must be greater than or equal to 0"]);
    // Also for someone who doesn't see the list.
    const summary = "Fix 1 problem before this can be played.";
    await expect(yaml.summary).toHaveText(summary);
    await expect(yaml.status).toHaveText(`${summary} Line 6: spec.replicas: Invalid value: -4: must be greater than or equal to 0`);
    await expect(yaml.editor).toHaveAttribute("aria-invalid", "true");
    await expect(yaml.editor).toHaveAccessibleDescription(/^Line 6: spec\.replicas: Invalid value: -4: must be/);
    await yaml.expectText(broken);
    await expect(sandbox.title).toHaveClass(/stale/);
    await yaml.paste("kind: [");
    await expect(yaml.problems).toContainText(["must be YAML or JSON"]);
  });
  await test.step("the headline of the last result stays as it was while broken text is typed", async () => {
    await yaml.paste(DEPLOYMENT);
    await expect(sandbox.title).toContainText("You asked for 4 pods");
    const headline = await sandbox.title.textContent();
    await yaml.paste("kind: [");
    await expect(sandbox.title).toHaveClass(/stale/);
    await page.keyboard.press("Enter");
    await page.keyboard.type("{{");
    await expect(yaml.problems).toContainText(["must be YAML or JSON"]);
    await expect(sandbox.title).toHaveClass(/stale/);
    await expect(sandbox.title).toHaveText(headline);
  });
  await test.step("the line of a problem is a button that leads there", async () => {
    await yaml.paste(DEPLOYMENT.replace("name: shop\nspec", "name: Shop\nspec"));
    await expect(yaml.problems).toContainText(["Line 4: metadata.name: Invalid value: "]);
    await page.getByRole("button", { name: "Line 4" }).first().click();
    await page.keyboard.type("  name: shop");
    await expect(yaml.problems).toHaveCount(0);
    await expect(yaml.editor).not.toHaveAttribute("aria-invalid", "true");
    await expect(yaml.editor).toHaveAccessibleDescription("");
    await yaml.expectText(DEPLOYMENT);
  });
  await test.step("an error at the end of the text is in its last line", async () => {
    const text = `${DEPLOYMENT}?nbf +`;
    await yaml.paste(text);
    await expect(yaml.problems).toHaveText([new RegExp(`^Line ${text.split("\n").length}: `)]);
  });
  await test.step("on a phone, a problem is right below the text", async () => {
    await page.setViewportSize({ width: 320, height: 640 });
    await yaml.paste(DEPLOYMENT.replace("replicas: 4", "replicas: 15x"));
    await expect(yaml.problems).toHaveText([/15x/]);
    const [text, problem] = [await page.locator("yaml-editor").boundingBox(), await yaml.problems.boundingBox()];
    const gap = problem.y - text.y - text.height;
    expect(gap).toBeGreaterThanOrEqual(0);
    // The summary is in between.
    expect(gap).toBeLessThan(100);
  });
});

test("a typo is announced once, after a pause, and so is its correction", async ({ virtualClock, yaml, sandbox, page }) => {
  const result = "You asked for 4 pods.";
  await yaml.paste(DEPLOYMENT);
  await expect(sandbox.title).toContainText(result);
  await sandbox.settled();
  await virtualClock.runFor(1100);
  await expect(yaml.status).toContainText(result);
  // No time passes by itself.
  await virtualClock.pauseAt(Date.now() + 3_600_000);
  await page.evaluate(() => {
    const said = new Map();
    const record = () => {
      for (const region of document.querySelectorAll("[role=status], [role=alert]")) {
        const text = region.textContent;
        if (said.get(region) !== text && text !== "") window.announced.push(text);
        said.set(region, text);
      }
    };
    window.announced = [];
    record();
    window.announced = [];
    new MutationObserver(record).observe(document.body, { childList: true, characterData: true, attributes: true, subtree: true });
  });
  const announced = () => page.evaluate(() => window.announced.splice(0));
  await page.keyboard.press("ControlOrMeta+End");
  const busy = () => expect(page.locator(".result")).toHaveAttribute("aria-busy", "true");
  for (const key of "+nbf") {
    await page.keyboard.type(key);
    await busy();
    await virtualClock.runFor(150);
    await sandbox.settled();
  }
  await expect(yaml.problems).toHaveCount(1);
  expect(await announced()).toEqual([]);
  await virtualClock.runFor(1100);
  await expect(yaml.status).toHaveText(/^Fix 1 problem before this can be played\. Line \d+: /);
  await expect(page.getByText("Text that can't be read is not put into the address.")).toBeVisible();
  expect(await announced()).toEqual([await yaml.status.textContent()]);
  for (let key = 0; key < 4; key += 1) await page.keyboard.press("Backspace");
  await busy();
  await virtualClock.runFor(150);
  await expect(yaml.problems).toHaveCount(0);
  await sandbox.settled();
  await virtualClock.runFor(1100);
  await expect(yaml.status).toContainText(result);
  expect(await announced()).toEqual([await yaml.status.textContent()]);
});

test("a warning is on its line, and the rest plays", async ({ yaml, sandbox }) => {
  await test.step("a misspelled field", async () => {
    await yaml.paste(DEPLOYMENT.replace("replicas: 4", "replcas: 4"));
    await expect(yaml.problems).toHaveText([
      'Line 6: Warning: ignored here, and refused by kubectl: strict decoding error: unknown field "spec.replcas": did you mean "replicas"?',
    ]);
    await expect(yaml.summary).toContainText("All pods of shop that can run are running.");
    await expect(sandbox.title).toContainText("You asked for 1 pod");
  });
  await test.step("an invalid object of a kind that isn't simulated", async () => {
    await yaml.paste(`${DEPLOYMENT}---\napiVersion: v1\nkind: PodTemplate\nmetadata:\n  name: db\ntemplate: {}\n`);
    await expect(yaml.problems.filter({ hasText: "not simulated here, and refused by the API server: template.spec.containers: Required value" })).toHaveCount(1);
    await expect(yaml.problems.filter({ hasNotText: "Warning" })).toHaveCount(0);
    await expect(yaml.summary).toContainText("All pods of shop that can run are running.");
    await expect(sandbox.title).toContainText("You asked for 4 pods");
  });
  await test.step("a LimitRange whose max refuses every pod: nothing is said to run", async () => {
    const resources = "          resources: { requests: { cpu: 250m } }\n";
    const limits = "spec:\n  limits:\n    - type: Container\n      max: { cpu: 200m }\n";
    await yaml.paste(`${DEPLOYMENT}${resources}---\napiVersion: v1\nkind: LimitRange\nmetadata:\n  name: lr\n${limits}`);
    await expect(yaml.summary).toContainText("No pod of shop is running.");
    await expect(sandbox.title).toContainText("Kubernetes runs none.");
  });
});

test("fields are completed, and Tab leaves the editor", async ({ virtualClock, yaml, page }) => {
  await yaml.paste(DEPLOYMENT);
  await page.keyboard.press("ControlOrMeta+Home");
  for (let line = 0; line < 5; line += 1) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.keyboard.type("minR");
  await expect(page.getByRole("option", { name: "minReadySeconds", selected: true })).toBeVisible();
  // For a moment Enter is still a new line, so that nobody accepts a completion that they have not seen.
  await virtualClock.fastForward(1_000);
  await page.keyboard.press("Enter");
  await yaml.expectText(/\n {2}minReadySeconds: /);
  await page.keyboard.type("7");
  await yaml.expectText(/\n {2}minReadySeconds: \s*7\n/);
  await page.keyboard.press("Tab");
  await expect(yaml.editor).not.toBeFocused();
});

/** A text, the line of it below which is typed or nothing for its end, what is typed, and what the editor offers. */
const COMPLETIONS = {
  "a container below its image": [`${DEPLOYMENT}          `, null, "readinessP", [/^readinessProbe/]],
  "a LimitRange": ["apiVersion: v1\nkind: LimitRange\nspec:\n  limits:\n    - ", null, "defaultR", [/^defaultRequest/]],
  "the types of a LimitRange": ["apiVersion: v1\nkind: LimitRange\nspec:\n  limits:\n    - type: ", null, "P", ["PersistentVolumeClaim", "Pod"]],
  "a PersistentVolumeClaim": ["apiVersion: v1\nkind: PersistentVolumeClaim\nspec:\n  ", null, "acc", [/^accessModes/]],
  "a ReplicaSet": ["apiVersion: apps/v1\nkind: ReplicaSet\nspec:\n  ", null, "minR", [/^minReadySeconds/]],
  "the template of a ReplicaSet": ["apiVersion: apps/v1\nkind: ReplicaSet\nspec:\n  template:\n    spec:\n      ", null, "terminationG", [/^terminationGracePeriodSeconds/]],
  "a Pod": ["apiVersion: v1\nkind: Pod\nspec:\n  ", null, "terminationG", [/^terminationGracePeriodSeconds/]],
  "the containers of a Pod": ["apiVersion: v1\nkind: Pod\nspec:\n  containers:\n    - ", null, "readinessP", [/^readinessProbe/]],
  "the restart policies of a Pod": ["apiVersion: v1\nkind: Pod\nspec:\n  restartPolicy: ", null, "A", ["Always"]],
  "the kinds": ["apiVersion: v1\nkind: ", null, "P", ["PersistentVolumeClaim", "Pod", "PodDisruptionBudget"]],
  "a CronJob's Jobs": [CRON_JOB.replace("    spec:\n      template", "    spec:\n      suspend: false\n      template"), 8, "backoffL", [/^backoffLimit(?!P)/, /^backoffLimitPerIndex/]],
  "a Deployment": [DEPLOYMENT, 5, "podR", [/^podReplacementPolicy.*proposed/]],
  "the policies of a Deployment": [DEPLOYMENT, 5, "podReplacementPolicy: T", ["TerminationComplete", "TerminationStarted"]],
  "an item of a List": [LIST, 8, "podR", [/^podReplacementPolicy.*proposed/]],
  "the policies of an item of a List": [LIST, 8, "podReplacementPolicy: T", ["TerminationComplete", "TerminationStarted"]],
};
test("the editor completes fields and values by kind", async ({ yaml, page }) => {
  test.slow();
  const options = page.getByRole("listbox", { name: "Completions" }).getByRole("option");
  for (const [what, [text, line, typed, expected]] of Object.entries(COMPLETIONS)) {
    await test.step(what, async () => {
      await yaml.paste(text);
      if (line !== null) {
        await page.keyboard.press("ControlOrMeta+Home");
        for (let down = 0; down < line; down += 1) await page.keyboard.press("ArrowDown");
        await page.keyboard.press("End");
        await page.keyboard.press("Enter");
      }
      await page.keyboard.type(typed);
      await expect(options).toHaveText(expected);
      await page.keyboard.press("Escape");
      await expect(options).toHaveCount(0);
    });
  }
});

test("keys are shortcuts of the page only outside of the editor", async ({ yaml, sandbox, page }) => {
  await yaml.editor.click();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("# f n ?");
  await expect(sandbox.whatIf).toHaveCount(0);
  await expect(sandbox.help).toBeHidden();
  await yaml.expectText(/# f n \?$/);
});

test("input that is typed while a file is read stays", async ({ yaml, sandbox, page }) => {
  await page.evaluate(() => {
    const { text } = Blob.prototype;
    const released = new Promise((resolve) => (window.releaseFile = resolve));
    Blob.prototype.text = async function () {
      await released;
      return text.call(this);
    };
  });
  const chooser = page.waitForEvent("filechooser");
  await page.getByText("Open a file").click();
  await (await chooser).setFiles({ name: "shop.yaml", mimeType: "application/yaml", buffer: Buffer.from(DEPLOYMENT) });
  const limit = page.getByRole("region", { name: "Ask for settings" }).getByLabel("Never more than");
  await sandbox.type(limit, "19");
  await page.evaluate(() => window.releaseFile());
  await yaml.expectText(DEPLOYMENT);
  await expect(limit).toHaveValue("19");
});

test("files are opened and dropped, one or several, in UTF-8 and UTF-16", async ({ yaml, sandbox, page }) => {
  await test.step("one", async () => {
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
  await test.step("several", async () => {
    const file = (name, text) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
    const open = async (files) => {
      const chooser = page.waitForEvent("filechooser");
      await page.getByText("Open a file").click();
      await (await chooser).setFiles(files);
    };
    const quota = { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "team" }, spec: { hard: { pods: "30" } } };
    const service = "apiVersion: v1\nkind: Service\nmetadata:\n  name: shop";
    await open([file("service.yaml", service), file("quota.json", JSON.stringify(quota, null, 2)), file("shop.yaml", DEPLOYMENT)]);
    const text = `${service}\n---\n${JSON.stringify(quota, null, 2)}\n---\n${DEPLOYMENT}`;
    await yaml.expectText(text);
    await expect(page.getByText("3 files were read and joined with “---”.")).toBeVisible();
    await expect(yaml.summary).toContainText("3 objects.");
    await expect(sandbox.title).toContainText("You asked for 4 pods");
    // Together, the files are too large; each one alone is not.
    const large = `# ${"x".repeat(97)}\n`.repeat(25_000);
    await open([file("a.yaml", large), file("b.yaml", large)]);
    await expect(page.getByRole("alert")).toContainText("The 2 files together: must be at most 4 MB: leave out namespaces");
    await yaml.expectText(text);
    const transfer = await page.evaluateHandle(([service, deployment]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([service], "service.yaml"));
      transfer.items.add(new File(["\n"], "empty.yaml"));
      transfer.items.add(new File([deployment], "shop.yaml"));
      return transfer;
    }, [service, DEPLOYMENT]);
    await yaml.editor.dispatchEvent("drop", { dataTransfer: transfer });
    await yaml.expectText(`${service}\n---\n${DEPLOYMENT}`);
    await expect(page.getByText("2 files were read")).toBeVisible();
    await yaml.paste(DEPLOYMENT);
    await expect(page.getByText("2 files were read")).toHaveCount(0);
  });
  for (const encoding of ["utf-16le", "utf-16be"]) {
    await test.step(`in ${encoding} with its mark, as Windows PowerShell writes it`, async () => {
      const text = DEPLOYMENT.replace("spec:\n", `spec: # 😀 ${encoding}\n`);
      const buffer = Buffer.from(`\ufeff${text}`, "utf16le");
      if (encoding === "utf-16be") buffer.swap16();
      const chooser = page.waitForEvent("filechooser");
      await page.getByText("Open a file").click();
      await (await chooser).setFiles({ name: "shop.yaml", mimeType: "application/yaml", buffer });
      await yaml.expectText(text);
      await expect(sandbox.title).toContainText("You asked for 4 pods");
    });
  }
});

test("a file can be dropped anywhere on the page, also beside the controls", async ({ yaml, sandbox, page }) => {
  await sandbox.button("Controls").click();
  await expect(page.locator("yaml-editor")).toHaveCount(0);
  const drop = async (name, text) => {
    const dataTransfer = await page.evaluateHandle(([name, text]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], name));
      return transfer;
    }, [name, text]);
    // Without this, the browser opens the file in place of the page.
    const isTaken = await sandbox.title.evaluate(
      (title, dataTransfer) =>
        ["dragover", "drop"].map((type) => !title.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }))),
      dataTransfer,
    );
    expect(isTaken).toEqual([true, true]);
  };
  await drop("logo.png", "\u0000\u0001");
  await expect(page.getByRole("alert")).toHaveText("logo.png: must be text, as YAML or JSON: nothing was changed");
  await drop("shop.yaml", DEPLOYMENT);
  await yaml.expectText(DEPLOYMENT);
  await expect(page.getByRole("alert")).toHaveCount(0);
  await expect(sandbox.title).toContainText("You asked for 4 pods");
  // What the editor had before it went away can be brought back.
  await yaml.editor.click();
  await page.keyboard.press("ControlOrMeta+z");
  await yaml.expectText(/^apiVersion: apps\/v1\nkind: Deployment\nmetadata:\n {2}name: web/);
  await expect(sandbox.title).toContainText("You asked for 15 pods");
});

test("Ask answers for a pasted manifest, and Use writes the setting into its text", async ({ yaml, sandbox, page }) => {
  await yaml.paste(DEPLOYMENT);
  await expect(sandbox.title).toContainText("You asked for 4 pods");
  const ask = page.getByRole("region", { name: "Ask for settings" });
  await sandbox.type(ask.getByLabel("Never more than"), "4");
  await page.keyboard.press("Enter");
  const rows = ask.getByRole("row");
  await expect(rows.nth(1)).toContainText("your settings");
  for (const [cell, label] of [[0, "pods at most"], [1, "available at least"], [2, "complete after"]]) {
    await expect(rows.nth(1).getByRole("cell").nth(cell)).toHaveText(await sandbox.answer(0, label).textContent());
  }
  const row = rows.filter({ has: page.getByRole("button", { name: "Use Recreate" }) });
  const [most, least] = await row.getByRole("cell").allTextContents();
  await row.getByRole("button", { name: "Use Recreate" }).press("Enter");
  await yaml.expectText(/\n {2}strategy:\n {4}type: Recreate\n/);
  await expect(sandbox.answer(0, "pods at most")).toHaveText(most);
  await expect(sandbox.answer(0, "available at least")).toHaveText(least);
});

test("the verdict and Ask know the quotas of the YAML", async ({ yaml, page, sandbox }) => {
  await test.step("the verdict says whether the change fits", async () => {
    const quota = (pods) => `---\napiVersion: v1\nkind: ResourceQuota\nmetadata:\n  name: team\nspec:\n  hard:\n    pods: ${pods}\n`;
    const verdict = page.getByRole("region", { name: "The verdict" });
    await yaml.paste(DEPLOYMENT);
    await expect(verdict).toHaveText("Not judged whether it fits: No quota and no nodes were given.");
    await yaml.paste(`${DEPLOYMENT}${quota(4)}`);
    await expect(verdict).toHaveText(/^✗ Does not fit: ResourceQuota team: pods: \d+ needed, 4 allowed\.$/);
    await yaml.paste(`${DEPLOYMENT}${quota(400)}`);
    await expect(verdict).toHaveText("✓ Fits ResourceQuota team.");
  });
  await test.step("they are limits of Ask", async () => {
    const quota = "apiVersion: v1\nkind: ResourceQuota\nmetadata:\n  name: team\nspec:\n  hard:\n    pods: 4\n";
    const ask = page.getByRole("region", { name: "Ask for settings" });
    await yaml.paste(DEPLOYMENT);
    await expect(sandbox.title).toContainText("You asked for 4 pods");
    await ask.getByRole("checkbox", { name: "Fits the cluster's quotas" }).press("Space");
    await ask.getByRole("button", { name: "Find settings" }).press("Enter");
    await expect(ask.getByRole("alert")).toContainText("The cluster has no ResourceQuota.");
    await yaml.paste(`${DEPLOYMENT}---\n${quota}`);
    await ask.getByRole("button", { name: "Find settings" }).press("Enter");
    await expect(ask.getByRole("row").nth(1)).toContainText(/misses: quota team allows 4 pods, and the rollout needs \d/);
    await expect(ask).toContainText("The cluster's quotas are enforced, as in the picture");
  });
});

test("a second rollout is played for a pasted manifest, too", async ({ yaml, sandbox, page }) => {
  await yaml.paste(DEPLOYMENT);
  await expect(sandbox.title).toContainText("You asked for 4 pods");
  const complete = sandbox.answer(0, "complete after");
  await expect(complete).toBeVisible();
  const once = await complete.textContent();
  await sandbox.button("Controls").click();
  await page.getByText("The cluster around it").click();
  await sandbox.type(page.getByRole("textbox", { name: "A second rollout after" }), "10");
  await expect(complete).not.toHaveText(once);
  // A control can't add a probe.
  const probe = page.getByRole("textbox", { name: "Probe every" });
  await expect(probe).toBeDisabled();
  await expect(probe).toHaveAccessibleDescription("This needs one container with a readiness probe. Change the probes in your YAML.");
});

test("controls add, show and write the quota and the budget of a text, but not several quotas", async ({ yaml, sandbox, page }) => {
  await test.step("they add and remove them", async () => {
    const quota = (pods) => `---\napiVersion: v1\nkind: ResourceQuota\nmetadata:\n  name: pods\nspec:\n  hard:\n    pods: ${pods}\n`;
    const budget = "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata:\n  name: shop\nspec:\n  minAvailable: 3\n  selector:\n    matchLabels:\n      app: shop\n";
    const pods = page.getByRole("textbox", { name: "Pods in the quota" });
    await yaml.paste(DEPLOYMENT);
    await expect(sandbox.title).toContainText("You asked for 4 pods");
    await sandbox.button("Controls").click();
    await page.getByText("The cluster around it").click();
    await sandbox.type(pods, "4");
    await sandbox.type(page.getByRole("textbox", { name: "Pods that must stay available" }), "3");
    await expect(sandbox.answer(0, "pods at most")).toHaveText("4");
    await sandbox.settled();
    await sandbox.button("YAML").click();
    await yaml.expectText(`${DEPLOYMENT}${quota(4)}${budget}`);
    await yaml.paste(`${DEPLOYMENT}${quota(5)}${budget}`);
    await expect(sandbox.answer(0, "pods at most")).toHaveText("5");
    await sandbox.button("Controls").click();
    await expect(pods).toHaveValue("5");
    await sandbox.type(pods, "");
    await expect(sandbox.answer(0, "pods at most")).not.toHaveText("5");
    await sandbox.settled();
    await sandbox.button("YAML").click();
    await yaml.expectText(`${DEPLOYMENT}${budget}`);
  });
  await test.step("they show and write them, but not several quotas", async () => {
    const quota = (name) => `---\napiVersion: v1\nkind: ResourceQuota\nmetadata: { name: ${name} }\nspec: { hard: { pods: "5" } } # for all\n`;
    const budget = "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: { name: guard }\nspec:\n  minAvailable: 50% # half\n  selector: {}\n";
    const text = `${DEPLOYMENT}${quota("team")}${budget}`;
    const pods = page.getByRole("textbox", { name: "Pods in the quota" });
    const available = page.getByRole("textbox", { name: "Pods that must stay available" });
    await yaml.paste(text);
    await expect(sandbox.answer(0, "pods at most")).toHaveText("5");
    await sandbox.button("Controls").click();
    await expect(pods).toHaveValue("5");
    await expect(available).toHaveValue("50%");
    await sandbox.type(pods, "4");
    await sandbox.type(available, "2");
    await expect(sandbox.answer(0, "pods at most")).toHaveText("4");
    await sandbox.settled();
    await sandbox.button("YAML").click();
    await yaml.expectText(text.replace('"5"', "4").replace("50%", "2"));
    await yaml.paste(`${text}${quota("more")}`);
    await expect(sandbox.answer(0, "pods at most")).toHaveText("5");
    await sandbox.button("Controls").click();
    await expect(pods).toBeDisabled();
    await expect(pods).toHaveAccessibleDescription("There are several ResourceQuotas in your YAML, or one with scopes. Change them there.");
  });
});

test("controls show and write the only probe, and the requests of the only container", async ({ yaml, sandbox, page }) => {
  const served = `${DEPLOYMENT}          readinessProbe:\n            periodSeconds: 5 # often\n            httpGet: { port: 80 }\n          resources: { requests: { cpu: 500m, memory: 1Gi } }\n`;
  const input = (name) => page.getByRole("textbox", { name });
  await yaml.paste(served);
  await expect(sandbox.title).toContainText("You asked for 4 pods");
  await sandbox.button("Controls").click();
  for (const [label, value] of [
    ["Probe every", "5"],
    ["First probe after", ""],
    ["CPU that a pod requests", "500m"],
    ["Memory that a pod requests", "1Gi"],
  ]) {
    await expect(input(label)).toHaveValue(value);
  }
  await sandbox.type(input("Probe every"), "20");
  await sandbox.type(input("First probe after"), "30");
  await sandbox.type(input("CPU that a pod requests"), "250m");
  await sandbox.settled();
  await sandbox.button("YAML").click();
  const written = served.replace("periodSeconds: 5", "initialDelaySeconds: 30\n            periodSeconds: 20").replace("500m", "250m");
  await yaml.expectText(written);
  await yaml.paste(`${written}        - name: sidecar\n          image: sidecar:1\n`);
  await sandbox.settled();
  await sandbox.button("Controls").click();
  await expect(input("CPU that a pod requests")).toBeDisabled();
  await expect(input("CPU that a pod requests")).toHaveAccessibleDescription("Your pods have several containers. Set their requests in your YAML.");
  await expect(input("Probe every")).toHaveValue("20");
});

test("the probes of a pasted manifest decide, not those of the controls", async ({ yaml, sandbox, page }) => {
  const complete = sandbox.answer(0, "complete after");
  const seconds = (clock) => clock.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
  await sandbox.button("Controls").click();
  await page.getByText("The cluster around it").click();
  await sandbox.type(page.getByRole("textbox", { name: "Probe every" }), "30");
  await sandbox.button("YAML").click();
  await yaml.paste(DEPLOYMENT);
  await expect(sandbox.title).toContainText("You asked for 4 pods");
  const without = seconds(await complete.textContent());
  expect(without).toBeGreaterThan(6);
  expect(without).toBeLessThan(30);
  await yaml.paste(`${DEPLOYMENT}          readinessProbe:\n            initialDelaySeconds: 60\n            httpGet: { port: 80 }\n`);
  await expect.poll(async () => seconds(await complete.textContent())).toBeGreaterThan(60);
  // The controls show what the text says, not what was typed into them.
  await sandbox.button("Controls").click();
  for (const [label, value] of [["First probe after", "60"], ["Probe every", ""]]) {
    const input = page.getByRole("textbox", { name: label });
    await expect(input).toBeEnabled();
    await expect(input).toHaveValue(value);
  }
  await expect(page.getByRole("textbox", { name: "Restart after failed probes" })).toBeDisabled();
});

test("the controls show the other Deployments of a text, and roll them out", async ({ yaml, sandbox, page }) => {
  const other = (name, replicas) => `---\n${DEPLOYMENT.replaceAll("shop", name).replace("replicas: 4", `replicas: ${replicas}`)}`;
  const quota = "---\napiVersion: v1\nkind: ResourceQuota\nmetadata:\n  name: team\nspec:\n  hard: { pods: 12 }\n";
  await yaml.paste(DEPLOYMENT);
  await sandbox.button("Controls").click();
  await page.getByText("The cluster around it").click();
  const rollout = page.getByRole("textbox", { name: "They roll out after" });
  await expect(rollout).toBeDisabled();
  await expect(rollout).toHaveAccessibleDescription("There is no other Deployment in the YAML. Add one there.");
  await sandbox.button("YAML").click();
  await yaml.paste(`${DEPLOYMENT}${other("api", 3)}${other("jobs", 2)}${quota}`);
  await expect(sandbox.answer(0, "complete after")).toBeVisible();
  await sandbox.settled();
  const before = await sandbox.answer(0, "complete after").textContent();
  // It is open: the YAML sets something in it.
  await sandbox.button("Controls").click();
  const pods = page.getByRole("textbox", { name: "Pods of other Deployments" });
  await expect(pods).toHaveValue("3, 2");
  await sandbox.type(rollout, "0");
  await expect(sandbox.answer(0, "complete after")).not.toHaveText(before);
  // The control writes its numbers into the text.
  await sandbox.type(pods, "3, 1");
  await sandbox.settled();
  await sandbox.button("YAML").click();
  await yaml.expectText(`${DEPLOYMENT}${other("api", 3)}${other("jobs", 1)}${quota}`);
});

test("a preStop command that sleeps takes its time, and another one takes none", async ({ yaml, sandbox, page }) => {
  const hook = (command) => `${DEPLOYMENT}          lifecycle:\n            preStop:\n              exec:\n                command: ${command}\n`;
  const assumed = page.locator("p.note", { hasText: "Assumed:" });
  const gone = sandbox.answer(0, "last old pod gone");
  const seconds = (clock) => clock.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
  await yaml.paste(hook("[/wait-shutdown]"));
  await expect(assumed).toContainText("The YAML doesn't say how long a preStop hook takes that does more than sleep.");
  await sandbox.settled();
  const before = seconds(await gone.textContent());
  await yaml.paste(hook('[sh, -c, "sleep 8"]'));
  await expect(assumed).toContainText("A pod's preStop hook sleeps for 8 s of this period");
  await expect.poll(async () => seconds(await gone.textContent())).toBe(before + 8);
  // The control shows what the YAML says.
  await sandbox.button("Controls").click();
  await page.getByText("The cluster around it").click();
  const control = page.getByRole("textbox", { name: "preStop hook takes" });
  await expect(control).toBeDisabled();
  await expect(control).toHaveValue("8");
  await expect(control).toHaveAccessibleDescription("The preStop hook comes from your YAML. Set it there.");
});

test("the control of the preStop hook writes its sleep into the text, and follows it", async ({ yaml, sandbox, page }) => {
  const hook = (seconds) => `          lifecycle:\n            preStop:\n              sleep:\n                seconds: ${seconds}\n`;
  const gone = sandbox.answer(0, "last old pod gone");
  const seconds = (clock) => clock.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
  const control = page.getByRole("textbox", { name: "preStop hook takes" });
  await yaml.paste(DEPLOYMENT);
  await expect(sandbox.title).toContainText("You asked for 4 pods");
  await sandbox.settled();
  const before = seconds(await gone.textContent());
  await sandbox.button("Controls").click();
  await page.getByText("The cluster around it").click();
  await expect(control).toHaveAccessibleDescription(/written to each container with such a hook, or to all if none has one/);
  await sandbox.type(control, "8");
  await expect.poll(async () => seconds(await gone.textContent())).toBe(before + 8);
  await sandbox.settled();
  await sandbox.button("YAML").click();
  await yaml.expectText(`${DEPLOYMENT}${hook(8)}`);
  await yaml.paste(`${DEPLOYMENT}${hook(5)}`);
  await expect.poll(async () => seconds(await gone.textContent())).toBe(before + 5);
  await sandbox.settled();
  await sandbox.button("Controls").click();
  await expect(control).toHaveValue("5");
  // It may not take longer than the grace period.
  await sandbox.type(control, "45");
  const alerts = page.getByRole("alert");
  await expect(alerts.filter({ hasText: "lifecycle.preStop.sleep.seconds (whole seconds, at most the grace period)" })).toBeVisible();
  await expect(control).toHaveAccessibleDescription(/must be whole seconds, at most the grace period of 30 s/);
  await sandbox.type(control, "");
  await expect(alerts).toHaveCount(0);
  await expect.poll(async () => seconds(await gone.textContent())).toBe(before);
  await sandbox.settled();
  await sandbox.button("YAML").click();
  await yaml.expectText(DEPLOYMENT);
});

test("controls add, show and change the nodes of a text, but not nodes that differ", async ({ yaml, sandbox, page }) => {
  await test.step("they add, follow and remove them", async () => {
    const node = (name, pods) => `---\napiVersion: v1\nkind: Node\nmetadata:\n  name: node-${name}\nstatus:\n  allocatable:\n    pods: ${pods}\n`;
    const [nodes, pods] = ["Number of nodes", "Pods that fit on a node"].map((name) => page.getByRole("textbox", { name }));
    await yaml.paste(DEPLOYMENT);
    await expect(sandbox.title).toContainText("You asked for 4 pods");
    await sandbox.button("Controls").click();
    await page.getByText("The cluster around it").click();
    await expect(nodes).toHaveValue("3");
    await expect(nodes).toHaveAccessibleDescription("assumed; if you change it, Nodes are added to your YAML");
    await sandbox.settled();
    const before = await sandbox.answer(0, "complete after").textContent();
    await sandbox.type(nodes, "2");
    await sandbox.type(pods, "2");
    // The new pods wait for room.
    await expect(sandbox.answer(0, "complete after")).not.toHaveText(before);
    await expect(nodes).toHaveAccessibleDescription("Nodes in your YAML: a smaller number removes the last ones");
    await sandbox.settled();
    await sandbox.button("YAML").click();
    await yaml.expectText(`${DEPLOYMENT}${node("a", 2)}${node("b", 2)}`);
    await yaml.paste(`${DEPLOYMENT}${node("a", 5)}${node("b", 5)}${node("c", 5)}${node("d", 5)}`);
    await sandbox.settled();
    await sandbox.button("Controls").click();
    await expect(nodes).toHaveValue("4");
    await expect(pods).toHaveValue("5");
    await sandbox.type(nodes, "5");
    await sandbox.settled();
    await sandbox.button("YAML").click();
    await yaml.expectText(`${DEPLOYMENT}${["a", "b", "c", "d", "e"].map((name) => node(name, 5)).join("")}`);
    await sandbox.button("Controls").click();
    await sandbox.type(pods, "");
    await sandbox.type(nodes, "3");
    await expect(nodes).toHaveAccessibleDescription("assumed; if you change it, Nodes are added to your YAML");
    await sandbox.settled();
    await sandbox.button("YAML").click();
    await yaml.expectText(DEPLOYMENT);
  });
  await test.step("they change them, but not nodes that differ", async () => {
    const node = (name, cpu) => `---\napiVersion: v1\nkind: Node # ${name}\nmetadata: { name: ${name} }\nstatus: { allocatable: { cpu: ${cpu} }, capacity: { cpu: ${cpu} } }\n`;
    const [nodes, cpu] = ["Number of nodes", "CPU of a node"].map((name) => page.getByRole("textbox", { name }));
    await yaml.paste(`${DEPLOYMENT}${node("pool-1", "4")}${node("pool-2", "4")}`);
    await expect(sandbox.title).toContainText("You asked for 4 pods");
    await sandbox.settled();
    await sandbox.button("Controls").click();
    await expect(nodes).toHaveValue("2");
    await expect(cpu).toHaveValue("4");
    await sandbox.type(cpu, "3500m");
    await sandbox.type(nodes, "1");
    await sandbox.settled();
    await sandbox.button("YAML").click();
    await yaml.expectText(`${DEPLOYMENT}${node("pool-1", "3500m")}`);
    await yaml.paste(`${DEPLOYMENT}${node("pool-1", "3500m")}${node("pool-2", "4")}`);
    await sandbox.settled();
    await sandbox.button("Controls").click();
    await expect(nodes).toBeDisabled();
    await expect(nodes).toHaveAccessibleDescription(/^The nodes in your YAML differ in size/);
    await expect(cpu).toBeDisabled();
    await expect(cpu).toHaveAccessibleDescription("The nodes come from the YAML. This applies only to nodes that an autoscaler adds.");
  });
});

test("what is typed about nodes and hooks is in the manifest", async ({ sandbox, page }) => {
  await page.getByText("The cluster around it").click();
  await sandbox.type(page.getByRole("textbox", { name: "Number of nodes" }), "1");
  await sandbox.type(page.getByRole("textbox", { name: "preStop hook takes" }), "5");
  const yaml = new Yaml(sandbox, page);
  await yaml.open();
  await yaml.expectText(/sleep:\n {16}seconds: 5\n---\napiVersion: v1\nkind: Node\nmetadata:\n {2}name: node-a\n$/);
});

test("a preStop hook that a manifest can't contain is a problem at its input", async ({ sandbox, page }) => {
  await page.getByText("The cluster around it").click();
  const control = page.getByRole("textbox", { name: "preStop hook takes" });
  for (const text of ["1500ms", "45"]) {
    await sandbox.type(control, text);
    await expect(control).toHaveAccessibleDescription(/must be whole seconds, at most the grace period of 30 s/);
  }
  await sandbox.type(sandbox.input("Grace period"), "60");
  await expect(page.getByRole("alert")).toHaveCount(0);
  await sandbox.settled();
  const yaml = new Yaml(sandbox, page);
  await yaml.open();
  await yaml.expectText(/sleep:\n {16}seconds: 45\n/);
});

test("a grace period that is shorter than the preStop hook is a problem at the hook's input and in the text", async ({ yaml, sandbox, page }) => {
  await yaml.paste(`${DEPLOYMENT}          lifecycle:\n            preStop:\n              sleep:\n                seconds: 20\n`);
  await expect(sandbox.title).toContainText("You asked for 4 pods");
  await sandbox.settled();
  await sandbox.button("Controls").click();
  // The hook of the YAML has opened the cluster around the rollout.
  const control = page.getByRole("textbox", { name: "preStop hook takes" });
  await expect(control).toHaveValue("20");
  await sandbox.type(sandbox.input("Grace period"), "10");
  await expect(control).toHaveAccessibleDescription(/must be whole seconds, at most the grace period of 10 s/);
  await sandbox.button("YAML").click();
  const problem = yaml.problems.filter({ hasText: "must be non-negative and less than terminationGracePeriodSeconds (10)" });
  await expect(problem).toBeVisible();
  await sandbox.button("Controls").click();
  await sandbox.type(sandbox.input("Grace period"), "20");
  await expect(control).not.toHaveAccessibleDescription(/must be whole seconds/);
  await sandbox.settled();
});

test("controls that have no effect on a cluster say why", async ({ yaml, sandbox, page }) => {
  await yaml.paste(readFileSync(folder("../controlplane/states/rolling-middle.yaml"), "utf8"));
  await expect(yaml.summary).toContainText("the state of a cluster at");
  await sandbox.button("Controls").click();
  await page.getByText("The cluster around it").click();
  for (const [label, reason] of [
    ["Number of nodes", "The pods in your cluster already run on nodes. To change the nodes, add them to the YAML."],
    ["A new node takes", "The pods in your cluster already run on nodes. To change the nodes, add them to the YAML."],
    ["It crashes after", "This applies to a new version. Change the image in your YAML first."],
  ]) {
    const input = page.getByRole("textbox", { name: label });
    await expect(input).toBeDisabled();
    await expect(input).toHaveAccessibleDescription(reason);
  }
  await expect(page.getByRole("textbox", { name: "A second rollout after" })).toBeEnabled();
});

test("a new image in the state of a cluster can be slow or crash", async ({ yaml, sandbox, page }) => {
  const state = readFileSync(folder("../controlplane/states/rolling-middle.yaml"), "utf8");
  // The Deployment is the first object that has a template. Its pods took a second to become ready.
  await yaml.paste(state.replace("- image: web:2", "- image: web:3"));
  await expect(yaml.summary).toContainText("the state of a cluster at");
  await expect(sandbox.answer(0, "complete after")).toHaveText(/^\d+:\d\d$/);
  await sandbox.button("Controls").click();
  await page.getByText("The cluster around it").click();
  for (const [label, text] of [["Its time to start", "never"], ["Time to pull its image", "never"], ["It crashes after", "500ms"]]) {
    const input = page.getByRole("textbox", { name: label });
    await sandbox.type(input, text);
    await expect(sandbox.answer(0, "complete after")).toHaveText("never");
    await sandbox.type(input, "");
    await expect(sandbox.answer(0, "complete after")).not.toHaveText("never");
  }
});

test("a text that can't be read stays, in this tab only", async ({ yaml, sandbox, page }) => {
  const broken = "kind: Secret\nstringData:\n  password: hunter2\n  port: [";
  await yaml.paste(broken);
  await expect(yaml.problems).toHaveCount(1);
  await expect(page).toHaveURL(/#tab$/);
  await expect(page.getByText("Text that can't be read is not put into the address.")).toBeVisible();
  await page.reload();
  await yaml.expectText(broken);
  await expect(yaml.problems).toHaveCount(1);
  await page.getByRole("link", { name: "Stories" }).click();
  await expect(sandbox.captions.first()).toBeVisible();
  await page.getByRole("link", { name: "Sandbox" }).click();
  await yaml.expectText(broken);
  expect(page.url()).not.toContain("hunter2");
});

test("the last edit stays when you leave by a link right after typing, also in a large text", async ({ yaml, sandbox, page }) => {
  const large = DEPLOYMENT + `# ${"x".repeat(97)}\n`.repeat(700);
  for (const [text, typed, other] of [
    [large, "# by the link to the stories", "Stories"],
    [DEPLOYMENT, "# in a small text", "Stories"],
    [large, "# by the link to the API server", "API server"],
  ]) {
    await expect(page.locator("yaml-editor")).toBeVisible();
    await yaml.paste(text);
    await yaml.expectText(text);
    await sandbox.settled();
    await page.keyboard.press("ControlOrMeta+End");
    await page.keyboard.type(typed);
    await page.getByRole("link", { name: other }).click();
    if (other === "Stories") await expect(sandbox.captions.first()).toBeVisible();
    else await expect(sandbox.title).toHaveText("What would the API server say?");
    await page.getByRole("link", { name: "Sandbox" }).click();
    await yaml.expectText(text + typed);
    await page.reload();
    await yaml.expectText(text + typed);
  }
});

test("a change of a control stays when you leave right after it, before the YAML contains it", async ({ yaml, sandbox, page }) => {
  await yaml.paste(DEPLOYMENT);
  await expect(sandbox.title).toContainText("You asked for 4 pods");
  await sandbox.button("Controls").click();
  await sandbox.type(sandbox.input("Replicas"), "12");
  await page.getByRole("link", { name: "Stories" }).click();
  await expect(sandbox.captions.first()).toBeVisible();
  await page.getByRole("link", { name: "Sandbox" }).click();
  await expect(sandbox.input("Replicas")).toHaveValue("12");
  await expect(sandbox.title).toContainText("You asked for 12 pods");
  await sandbox.button("YAML").click();
  await yaml.expectText(DEPLOYMENT.replace("replicas: 4", "replicas: 12"));
});

test("a text that can't be read can be downloaded, and the menu says why nothing else can", async ({ yaml, sandbox, page }) => {
  await yaml.paste(DEPLOYMENT);
  await expect(sandbox.title).toContainText("You asked for 4 pods");
  await yaml.paste("kind: [");
  await expect(sandbox.title).toHaveClass(/stale/);
  await sandbox.button("Share and download…").click();
  const menu = page.getByRole("dialog", { name: "Share and download" });
  for (const name of ["Copy link", "Copy embed code"]) {
    const button = menu.getByRole("button", { name });
    await expect(button).toHaveAttribute("aria-disabled", "true");
    await expect(button).toHaveAccessibleDescription(/^Your YAML can't be parsed, so the page can't tell which parts of it a link may contain\./);
  }
  const picture = menu.getByRole("button", { name: "Picture (PNG)" });
  await expect(picture).toHaveAttribute("aria-disabled", "true");
  await expect(picture).toHaveAccessibleDescription(/^The picture still shows the previous result\./);
  const manifest = menu.getByRole("button", { name: "Manifest (YAML)" });
  await expect(manifest).toHaveAccessibleDescription("“Manifest” and “Everything” contain your text as it stands, secrets included.");
  const [file] = await Promise.all([page.waitForEvent("download"), manifest.click()]);
  expect(readFileSync(await file.path(), "utf8")).toBe("kind: [");
});

test("the view and the limits of Ask are in the address", async ({ yaml, sandbox, page }) => {
  const ask = page.getByRole("region", { name: "Ask for settings" });
  await yaml.paste(DEPLOYMENT);
  await expect(sandbox.title).toContainText("You asked for 4 pods");
  await sandbox.button("Controls").click();
  await sandbox.type(ask.getByLabel("Complete within"), "90s");
  await ask.getByRole("checkbox", { name: "Fits the cluster's quotas" }).press("Space");
  await expect.poll(async () => (await packedState(page)).sandbox?.ask).toEqual({ within: "90s", fitsQuotas: true });
  await page.reload();
  await expect(sandbox.title).toContainText("You asked for 4 pods");
  await expect(sandbox.input("Replicas")).toHaveValue("4");
  await expect(ask.getByLabel("Complete within")).toHaveValue("90s");
  await expect(ask.getByRole("checkbox", { name: "Fits the cluster's quotas" })).toBeChecked();
});

test("a reload, Back and Forward keep an edit that changes only a secret", async ({ yaml, page }) => {
  for (const password of ["hunter2", "hunter3"]) {
    await yaml.paste(withPassword(password));
    await expectInEntry(page, password);
    await expect.poll(async () => (await packedState(page)).sandbox?.manifests?.text).toContain("kind: Secret\nmetadata:\n  name: db\n---\n");
  }
  // Both entries of the history have the same address.
  const address = page.url();
  await page.goBack();
  await yaml.expectText(withPassword("hunter2"));
  expect(page.url()).toBe(address);
  await page.goForward();
  await yaml.expectText(withPassword("hunter3"));
  await page.reload();
  await expect(page.locator("yaml-editor")).toBeVisible();
  await yaml.expectText(withPassword("hunter3"));
});

test("the address has only what is read: no credentials, arguments, chart values, custom resources and comments", async ({ yaml, sandbox, page, context }) => {
  const config = "apiVersion: v1\nkind: Config\nusers:\n- name: me\n  user:\n    token: hunter2\n    client-key-data: hunter2\n";
  const database = "apiVersion: example.com/v1\nkind: Database\nmetadata:\n  name: orders\nspec:\n  init: hunter2\n";
  const service = "apiVersion: v1\nkind: Service\nmetadata:\n  name: shop\nspec:\n  selector:\n    compass: east\n";
  const text = async () => (await packedState(page)).sandbox?.manifests?.text;
  const whole = `${config}---\n${database}---\n${service}---\n# hunter2\n${DEPLOYMENT}          args: [hunter2, "-u", hunter2]\n`;
  await yaml.paste(whole);
  const names = "apiVersion: v1\nkind: Config\n---\napiVersion: example.com/v1\nkind: Database\nmetadata:\n  name: orders\n";
  await expect.poll(text).toContain(`${names}---\n${service}---\n`);
  const left = await text();
  expect(left).not.toContain("hunter2");
  expect(left).toMatch(/args:\n +- hidden-1\n +- hidden-2\n +- hidden-1\n/);
  const link = page.url();
  // In this tab, nothing is lost.
  await page.reload();
  await yaml.expectText(whole);
  await yaml.objects.locator("summary").click();
  await expect(yaml.objects.getByRole("listitem")).toContainText(["Config", "Database orders", "Service shop", "Deployment shop"]);
  await expect.poll(text).toBe(left);
  await page.getByRole("link", { name: "Stories" }).click();
  await expect(sandbox.captions.first()).toBeVisible();
  await page.getByRole("link", { name: "Sandbox" }).click();
  await yaml.expectText(whole);
  await expect(page.locator("yaml-editor")).toBeVisible();
  await expect(page).toHaveURL(/#state=/);
  expect(await text()).toBe(left);
  // A text that can't be played is in the address, too.
  const values = "auth:\n  password: hunter2\n  user: hunter2\n";
  await yaml.paste(values);
  await expect.poll(text).toBe('auth:\n  password: ""\n  user: ""\n');
  await page.goBack();
  await yaml.expectText(whole);
  await page.goForward();
  await yaml.expectText(values);
  // In another tab, the link opens the text without the secrets.
  const other = new App(await context.newPage());
  await other.open(link);
  await new Yaml(other, other.page).expectText(left);
});

const SECRET = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\nstringData:\n  password: hunter2\n";

/** A manifest with a secret, which the address leaves out. */
const withPassword = (password) => `${SECRET.replace("hunter2", password)}---\n${DEPLOYMENT}`;

/** Expects that the current entry of the history has this password. */
const expectInEntry = (page, password) =>
  expect.poll(() => page.evaluate((it) => String(history.state).includes(it), password)).toBe(true);

test("an edit right before you leave comes back only where it was made", async ({ virtualClock, yaml, sandbox, page }) => {
  for (const password of ["hunter2", "hunter3"]) {
    await yaml.paste(withPassword(password));
    await expectInEntry(page, password);
  }
  // No time passes in which the page could write the address.
  await virtualClock.pauseAt(Date.now() + 3_600_000);
  await yaml.paste(withPassword("hunter4"));
  await yaml.expectText(withPassword("hunter4"));
  await leaveForStories(virtualClock, page);
  await expect(sandbox.captions.first()).toBeVisible();
  // The document goes away, and the answer with it.
  await page.evaluate(() => void setTimeout(() => history.go(-2)));
  await expect(page.locator("yaml-editor")).toBeVisible();
  await yaml.expectText(withPassword("hunter2"));
});

/** Leaves the sandbox before time passes again. */
async function leaveForStories(virtualClock, page) {
  await page.getByRole("link", { name: "Stories" }).click();
  await page.waitForURL((url) => !url.pathname.endsWith("/sandbox/"), { waitUntil: "commit" });
  await virtualClock.resume();
}

for (const hasRoom of [true, false]) {
  const what = hasRoom ? "keeps the whole text in the tab" : "says that it can't keep the whole text";
  test(`if the history has no room for a text with a secret, the page ${what}`, async ({ yaml, page }) => {
    await page.evaluate((hasRoom) => {
      const refuse = () => {
        throw new DOMException("no room", "QuotaExceededError");
      };
      for (const method of ["pushState", "replaceState"]) {
        const write = History.prototype[method];
        History.prototype[method] = function (state, ...others) {
          if (state !== null) refuse();
          write.call(this, state, ...others);
        };
      }
      if (!hasRoom) Storage.prototype.setItem = refuse;
    }, hasRoom);
    const text = withPassword("hunter2");
    await yaml.paste(text);
    if (hasRoom) {
      await expect(page.getByText("Your browser's history has no room for this text.")).toBeVisible();
      await expect(page).toHaveURL(/\/sandbox\/#tab$/);
      await page.reload();
      await yaml.expectText(text);
    } else {
      await expect(page.getByText("if you reload the page, it is lost.")).toBeVisible();
      await expect(page).toHaveURL(/\/sandbox\/#state=/);
    }
  });
}

test("secrets are in no address, neither from the text nor from an action", async ({ yaml, sandbox, page }) => {
  await yaml.paste(`${DEPLOYMENT}          env:\n            - name: TOKEN\n              value: hunter2\n---\n${SECRET}`);
  await expect(sandbox.title).toContainText("You asked for 4 pods");
  await sandbox.title.click();
  await sandbox.openWhatIf();
  await sandbox.whatIf.getByRole("combobox").selectOption("run an action (JSON)");
  await sandbox.whatIf.getByRole("textbox").click();
  await page.keyboard.press("ControlOrMeta+a");
  const env = [{ name: "TOKEN", value: "hunter2, too" }];
  const template = { spec: { containers: [{ name: "shop", env }] } };
  await page.keyboard.insertText(JSON.stringify({ setTemplate: { name: "shop", template } }));
  await page.keyboard.press("Enter");
  await expect(page.getByRole("list", { name: "What you did" }).getByRole("listitem")).toHaveCount(1);
  await expect.poll(async () => (await packedState(page)).forks?.length).toBe(1);
  const state = JSON.stringify(await packedState(page));
  expect(state).toContain("TOKEN");
  expect(state).not.toContain("hunter2");
  // In this tab, nothing is lost.
  const isKept = () => page.evaluate(() => String(history.state).includes("hunter2, too"));
  await expect.poll(isKept).toBe(true);
  await page.reload();
  await expect(page.getByRole("list", { name: "What you did" }).getByRole("listitem")).toHaveCount(1);
  // What the page writes next shows what it has read.
  const address = page.url();
  await sandbox.button("To the start").click();
  await expect(page).not.toHaveURL(address);
  expect(await isKept()).toBe(true);
  // The menu shows what the link contains, and the file contains everything.
  await sandbox.button("Share and download…").click();
  const menu = page.getByRole("dialog", { name: "Share and download" });
  await menu.getByText("Show the objects in the link").click();
  const objects = menu.getByLabel("The objects in the link");
  await expect(objects).toContainText("TOKEN");
  await expect(objects).not.toContainText("hunter2");
  const everything = menu.getByRole("button", { name: "Everything, to open here again" });
  const [file] = await Promise.all([page.waitForEvent("download"), everything.click()]);
  expect(readFileSync(await file.path(), "utf8")).toContain("hunter2, too");
});

test("what runs now and the text after it are the two ends of a rollout", async ({ yaml, sandbox, page }) => {
  await test.step("the two ends", async () => {
    await yaml.paste(DEPLOYMENT);
    await sandbox.button("This is what runs now").click();
    await yaml.paste(DEPLOYMENT.replace("replicas: 4", "replicas: 6").replace("1.4", "1.5"));
    await expect(yaml.summary).toHaveText("1 object. All pods of shop that can run are running. 0:00: you apply the text.");
    await expect(sandbox.title).toContainText("You asked for 6 pods");
    await page.getByRole("button", { name: "Remove what runs now" }).click();
    await expect(yaml.summary).toContainText("the image changes to registry:5000/shop:next");
  });
  await sandbox.startOver();
  await yaml.open();
  await test.step("a pasted state that what runs now hides says so, and Remove starts from it", async () => {
    await yaml.paste(DEPLOYMENT);
    await sandbox.button("This is what runs now").click();
    await yaml.paste(MID_ROLLOUT);
    const ignored = yaml.problems.filter({ hasText: "Warning: This cluster state is ignored, because you saved what runs now" });
    await expect(ignored).toHaveCount(1);
    await sandbox.button("Remove what runs now").click();
    await expect(yaml.summary).toContainText("the state of a cluster at");
    await expect(ignored).toHaveCount(0);
  });
  await sandbox.startOver();
  await yaml.open();
  await test.step("a change that replaces no pods says so", async () => {
    await yaml.paste(DEPLOYMENT);
    await sandbox.button("This is what runs now").click();
    await sandbox.button("Controls").click();
    await sandbox.type(sandbox.input("maxSurge"), "2");
    await expect(sandbox.title).toHaveText("You asked for 4 pods. This change replaces no pods. To see a rollout, change the image too.");
  });
});

test("the controls wait until a changed text has been read", async ({ sandbox, page }) => {
  const yaml = new Yaml(sandbox, page);
  let read;
  const mayBeRead = new Promise((resolve) => (read = resolve));
  await page.route("**/pkg/workbench_bg.wasm", async (route) => {
    await mayBeRead;
    await route.continue();
  });
  await yaml.open();
  await yaml.paste(DEPLOYMENT);
  await sandbox.button("Controls").click();
  await expect(page.locator("[inert]")).toHaveCount(1);
  read();
  await expect(sandbox.input("Replicas")).toHaveValue("4");
  await sandbox.type(sandbox.input("maxSurge"), "2");
  await expect(sandbox.title).toContainText("You asked for 4 pods");
});

test("a pasted Job plays, and its controls write the text", async ({ yaml, sandbox, page }) => {
  await test.step("it plays", async () => {
    await yaml.paste(JOB);
    await expect(yaml.summary).toHaveText("1 object. 0:00: you create Job train.");
    await expect(sandbox.title).toHaveText("You asked for 2 pods at once. Kubernetes never runs more.");
    await expect(sandbox.answer(0, "succeeded")).toHaveText("4 of 4");
    await expect(sandbox.lane(0).locator(".column-labels")).toHaveText(/^index\s*0\s*1\s*2\s*3$/);
    await sandbox.button("Controls").click();
    const form = page.getByRole("form", { name: "Your Job" });
    await expect(form.getByRole("textbox", { name: "Pods at once" })).toHaveValue("2");
    await expect(form.getByRole("combobox", { name: "One pod" })).toHaveValue("runs undisturbed");
    await sandbox.type(form.getByRole("textbox", { name: "Pods that must succeed" }), "3");
    await form.getByRole("combobox", { name: "One pod" }).selectOption("is evicted");
    await expect(sandbox.title).toHaveText("You asked for 2 pods at once. By default, one index has two pods for 10 s.");
    await expect(sandbox.answer(1, "two pods of one index")).toHaveText("never");
    await sandbox.button("YAML").click();
    await yaml.expectText(JOB.replace("completions: 4", "completions: 3"));
    await form.waitFor({ state: "detached" });
    await yaml.paste(JOB.replace("parallelism: 2", "parallelism: 4"));
    await expect(sandbox.title).toContainText("You asked for 4 pods at once.");
    await sandbox.button("Controls").click();
    await expect(form.getByRole("textbox", { name: "Pods at once" })).toHaveValue("4");
  });
  await sandbox.button("YAML").click();
  await test.step("a Job that the API server refuses says why, on its line", async () => {
    await yaml.paste(JOB);
    await expect(sandbox.title).toContainText("You asked for 2 pods at once.");
    await yaml.paste(JOB.replace("restartPolicy: Never", "restartPolicy: Always"));
    await expect(yaml.problems).toHaveText([/^Line 11: spec.template.spec.restartPolicy: /]);
    await expect(sandbox.title).toHaveClass(/stale/);
  });
});

test("a CronJob beside a Deployment can be shown, and comes back with the address", async ({ yaml, sandbox, page }) => {
  await yaml.paste(`${DEPLOYMENT}---\n${CRON_JOB}---\n${JOB}`);
  await expect(sandbox.title).toContainText("You asked for 4 pods.");
  const show = page.getByRole("combobox", { name: "Show" });
  await show.selectOption("CronJob sync");
  await expect(sandbox.title).toHaveText("CronJob sync starts 6 Jobs here, with at most 1 pod at once.");
  await expect(sandbox.lane(0).locator(".column-labels .meaning")).toHaveText("run");
  await show.selectOption("Job train");
  await expect(sandbox.title).toContainText("You asked for 2 pods at once.");
  await show.selectOption("CronJob sync");
  await expect(sandbox.title).toContainText("CronJob sync starts 6 Jobs");
  // The address is written once nothing has changed for a moment.
  const shown = async () => (await packedState(page)).sandbox?.manifests?.name;
  await expect.poll(shown).toBe("sync");
  await page.reload();
  await expect(sandbox.title).toHaveText("CronJob sync starts 6 Jobs here, with at most 1 pod at once.");
  await expect(show).toHaveValue("CronJob sync");
});

/** What people paste by mistake, and the sentence about each. */
const WRONG_PASTES = {
  "a template of a chart": [
    DEPLOYMENT.replace("replicas: 4", "replicas: {{ .Values.replicas }}"),
    "Line 6: This is a Helm template: use the output of `helm template`",
  ],
  "a table of kubectl": [
    "NAME                    READY   STATUS    RESTARTS   AGE\nshop-5d4b7c9f6d-x2x7k   1/1     Running   0          3h\n",
    "Line 1: This is a table: add `-o yaml` to the command, and use its output",
  ],
  "a command above its output": [
    `me@laptop:~$ kubectl get deploy shop -o yaml\n${DEPLOYMENT}`,
    "Line 1: This line is a command: remove it, and keep only its output",
  ],
};
test("what is pasted by mistake says what to paste instead", async ({ yaml }) => {
  for (const [what, [text, sentence]] of Object.entries(WRONG_PASTES)) {
    await test.step(what, async () => {
      await yaml.paste(text);
      await expect(yaml.problems).toHaveText([sentence]);
    });
  }
});

/** Texts that nobody should have to write, and the sentence about each. */
const HOSTILE = {
  "an alias bomb": [
    ["a0: &a0 [x, x, x, x, x, x, x, x, x]", ...Array.from({ length: 29 }, (_, level) =>
      `a${level + 1}: &a${level + 1} [${Array(9).fill(`*a${level}`).join(", ")}]`)].join("\n"),
    /aliases must not copy more than/,
  ],
  "100,000 levels of nesting": ["[".repeat(100_000), /must have at most 100 levels of nesting/],
  "a binary text": ["\u0000\u0001\u0002PNG", /U\+0000|�/],
  "10 MB of YAML": [`# ${"x".repeat(97)}\n`.repeat(100_000) + DEPLOYMENT, null],
  "an unknown version": [DEPLOYMENT.replace("apps/v1", "apps/v7"), /apps\/v7/],
};
test("a hostile file is one sentence, and the text stays", async ({ yaml, sandbox, page }) => {
  test.slow();
  const isFirst = () => yaml.expectText(/^apiVersion: apps\/v1\nkind: Deployment\nmetadata:\n {2}name: web/);
  for (const [what, [text, sentence]] of Object.entries(HOSTILE)) {
    await test.step(what, async () => {
      await expect(sandbox.title).toContainText("You asked for 15 pods");
      const chooser = page.waitForEvent("filechooser");
      await page.getByText("Open a file").click();
      await (await chooser).setFiles({ name: "hostile.yaml", mimeType: "application/yaml", buffer: Buffer.from(text) });
      // What the page does not take leaves everything as it was.
      const refusal = { "a binary text": "must be text, as YAML or JSON", "10 MB of YAML": "must be at most 4 MB" }[what];
      if (refusal) {
        await expect(page.getByRole("alert")).toContainText(`hostile.yaml: ${refusal}: `);
        await isFirst();
        await expect(sandbox.title).not.toHaveClass(/stale/);
        return;
      }
      await expect(yaml.problems).toHaveText(sentence);
      await expect(yaml.problems).toHaveCount(1);
      await yaml.expectText(text);
      // What was there before is still shown, and the editor still takes keys.
      await expect(sandbox.title).toHaveText(/You asked for 15 pods/);
      await expect(sandbox.title).toHaveClass(/stale/);
      await yaml.editor.click();
      await page.keyboard.press("ControlOrMeta+z");
      await isFirst();
      await expect(sandbox.title).not.toHaveClass(/stale/);
    });
  }
});

test("a long text is refused before the editor gets it, and a large one is read by the worker", async ({ yaml, page, sandbox }) => {
  await yaml.paste(DEPLOYMENT);
  await expect(sandbox.title).toContainText("You asked for 4 pods");
  await yaml.editor.click();
  await paste(yaml.editor, `# ${"x".repeat(97)}\n`.repeat(100_000));
  await expect(page.getByRole("alert")).toContainText("The pasted text: must be at most 4 MB: leave out namespaces");
  await yaml.expectText(DEPLOYMENT);
  // Frames go on while the worker reads and plays a megabyte. `make bench` measures how evenly.
  await page.keyboard.press("ControlOrMeta+a");
  await page.evaluate(() => {
    window.framesWhileBusy = 0;
    const tick = () => {
      window.framesWhileBusy += document.querySelector(".result")?.ariaBusy === "true" ? 1 : 0;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  const other = DEPLOYMENT.replaceAll("shop", "cart").replace("replicas: 4", "replicas: 3000");
  await paste(yaml.editor, `${DEPLOYMENT.replace("replicas: 4", "replicas: 2000")}---\n${other}${`# ${"x".repeat(97)}\n`.repeat(11_000)}`);
  await expect(sandbox.title).toContainText("You asked for 2000 pods");
  await expect(page.getByRole("alert")).toHaveCount(0);
  expect(await page.evaluate(() => window.framesWhileBusy)).toBeGreaterThan(2);
});

test("the whole text has a limit: what is pasted or dropped beyond it is not taken, what is typed stays", async ({ yaml, page, sandbox }) => {
  test.slow();
  const comment = (bytes) => `# ${"x".repeat(97)}\n`.repeat(Math.floor(bytes / 100)) + "#".repeat(bytes % 100);
  // Not the text itself: a difference of megabytes can't be read.
  const length = () => page.locator("#manifests").evaluate((element) => element.value.length);
  const problem = page.getByRole("alert");
  const text = `${DEPLOYMENT}${comment(3_000_000)}`;
  await yaml.paste(text);
  await expect(sandbox.title).toContainText("You asked for 4 pods");
  await page.keyboard.press("ControlOrMeta+End");
  await paste(yaml.editor, comment(3_000_000));
  await expect(problem).toContainText("The whole text: must be at most 4 MB: leave out namespaces");
  expect(await length()).toBe(text.length);
  // What a paste replaces does not count.
  await yaml.paste(text.replace("replicas: 4", "replicas: 5"));
  await expect(sandbox.title).toContainText("You asked for 5 pods");
  await expect(problem).toHaveCount(0);
  const box = await page.locator("yaml-editor").boundingBox();
  await yaml.editor.evaluate((element, [dropped, clientX, clientY]) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.setData("text/plain", dropped);
    element.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true, composed: true, clientX, clientY }));
  }, [comment(3_000_000), box.x + box.width / 2, box.y + box.height / 2]);
  await expect(problem).toContainText("The whole text: must be at most 4 MB");
  expect(await length()).toBe(text.length);
  // Up to the limit, and then one key more.
  const most = 4 * 1024 * 1024;
  await page.keyboard.press("ControlOrMeta+End");
  await paste(yaml.editor, comment(most - text.length));
  await expect.poll(length).toBe(most);
  await expect(problem).toHaveCount(0);
  await page.keyboard.type("#");
  await expect(problem).toContainText("The whole text: must be at most 4 MB");
  expect(await length()).toBe(most + 1);
  await page.keyboard.press("Backspace");
  await expect(problem).toHaveCount(0);
  await expect(sandbox.title).toContainText("You asked for 5 pods");
});

/** A manifest, and labels up to about this many bytes, which a link keeps. They all differ, so that they don't compress too well. */
function largeText(bytes) {
  const labels = Array.from({ length: Math.ceil(bytes / 100) }, (_, number) => {
    return `    ${createHash("sha256").update(String(number)).digest("hex").slice(0, 60)}: ${"x".repeat(33)}\n`;
  });
  return `${DEPLOYMENT}---\napiVersion: v1\nkind: Namespace\nmetadata:\n  name: large\n  labels:\n${labels.join("")}`;
}

test("a large text or one with a thousand levels has no colors, until it is short again", async ({ yaml, page }) => {
  await test.step("a large text", async () => {
    const colored = yaml.editor.locator(".cm-line span");
    await expect(colored.first()).toBeVisible();
    await yaml.paste(largeText(300_000));
    await yaml.expectText(/\n {4}[0-9a-f]{60}: x+\n/);
    await expect(colored).toHaveCount(0);
    await yaml.editor.click();
    await page.keyboard.press("ControlOrMeta+z");
    await expect(colored.first()).toBeVisible();
  });
  for (const [what, levels] of [["brackets", "[".repeat(1_000)], ["lists on one line", `${"- ".repeat(1_000)}a`]]) {
    await test.step(`a thousand nested ${what}`, async () => {
      // Brackets have none anyway, and marks of problems and of the cursor are not colors.
      const colored = yaml.editor.locator(".cm-line").filter({ hasText: "apiVersion: apps/v1" }).locator("span");
      await yaml.paste(DEPLOYMENT);
      await expect(colored.first()).toBeVisible();
      await yaml.paste(`${DEPLOYMENT}---\n${levels}`);
      await expect(yaml.problems.first()).toBeVisible();
      await expect(colored).toHaveCount(0);
      await yaml.editor.click();
      await page.keyboard.press("ControlOrMeta+z");
      await yaml.expectText(DEPLOYMENT);
      await expect(colored.first()).toBeVisible();
    });
  }
});

test("a text of more than a megabyte stays when you reload, and when you return by a link", async ({ yaml, sandbox, page }) => {
  const text = largeText(1_500_000);
  await yaml.paste(text);
  await expect(sandbox.title).toContainText("You asked for 4 pods");
  await expect(page).toHaveURL(/\/sandbox\/#tab$/);
  await expect(page.getByText("This is too large for a link. This tab keeps it until you close the tab.")).toBeVisible();
  await page.reload();
  await yaml.expectText(text);
  await expect(sandbox.title).toContainText("You asked for 4 pods");
  await page.getByRole("link", { name: "Stories" }).click();
  await expect(sandbox.captions.first()).toBeVisible();
  await page.getByRole("link", { name: "Sandbox" }).click();
  await yaml.expectText(text);
  // A reload right after an edit loses nothing, either.
  await yaml.editor.click();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("# the end");
  await page.reload();
  await yaml.expectText(`${text}# the end`);
});

test("a large text stays when you leave right after an edit for which the browser has no room", async ({ virtualClock, yaml, sandbox, page }) => {
  await page.evaluate(() => {
    const { setItem } = Storage.prototype;
    Storage.prototype.setItem = function (key, value) {
      if (value.length > 100_000 && !value.startsWith("packed:")) throw new DOMException("no room", "QuotaExceededError");
      setItem.call(this, key, value);
    };
  });
  await yaml.paste(largeText(1_500_000));
  await expect(sandbox.title).toContainText("You asked for 4 pods");
  await expect(page).toHaveURL(/\/sandbox\/#tab$/);
  const packedCopies = () => Object.values(sessionStorage).filter((value) => value.startsWith("packed:")).length;
  await expect.poll(() => page.evaluate(packedCopies)).toBe(2);
  await yaml.editor.click();
  await page.keyboard.press("ControlOrMeta+End");
  // No time passes in which the page could pack the edit.
  await virtualClock.pauseAt(Date.now() + 3_600_000);
  await page.keyboard.type("# the end");
  await yaml.expectText(/# the end$/);
  await leaveForStories(virtualClock, page);
  await expect(sandbox.captions.first()).toBeVisible();
  await page.getByRole("link", { name: "Sandbox" }).click();
  // The default is the Deployment web.
  await yaml.expectText(/^apiVersion: apps\/v1\nkind: Deployment\nmetadata:\n {2}name: shop\n/);
});

test("a text of four megabytes stays when you reload", async ({ yaml, sandbox, page }) => {
  const text = largeText(4_000_000);
  await yaml.paste(text);
  await expect(sandbox.title).toContainText("You asked for 4 pods");
  await expect(page).toHaveURL(/\/sandbox\/#tab$/);
  await page.reload();
  await yaml.expectText(text);
});

test("a large state is packed once, for a reload and for a link back to it", async ({ yaml, sandbox, page }) => {
  await page.evaluate(() => {
    window.packs = 0;
    window.Worker = class extends Worker {
      constructor(address, options) {
        super(address, options);
        if (options.name === "packer") window.packs += 1;
      }
    };
  });
  /** The packed state that the tab keeps twice; empty as long as the two copies differ. */
  const kept = () => page.evaluate(() => {
    const copies = Object.values(sessionStorage).filter((value) => value.startsWith("packed:"));
    return copies.length === 2 && copies[0] === copies[1] ? copies[0] : "";
  });
  await yaml.paste(largeText(1_500_000));
  await expect(sandbox.title).toContainText("You asked for 4 pods");
  await sandbox.settled();
  await expect.poll(async () => (await kept()) !== "").toBe(true);
  const before = await kept();
  await page.evaluate(() => { window.packs = 0; });
  await sandbox.button("To the start").click();
  await expect.poll(async () => !["", before].includes(await kept())).toBe(true);
  expect(await page.evaluate(() => window.packs)).toBe(1);
});

test("if the browser has no room for a large text, the page says so", async ({ yaml, sandbox, page }) => {
  await page.evaluate(() => {
    const { setItem } = Storage.prototype;
    Storage.prototype.setItem = function (key, value) {
      if (value.length > 100_000) throw new DOMException("no room", "QuotaExceededError");
      setItem.call(this, key, value);
    };
  });
  await yaml.paste(largeText(2_000_000));
  await expect(sandbox.title).toContainText("You asked for 4 pods");
  await expect(page.getByText("This is too large to be kept: if you reload the page, it is lost.")).toBeVisible();
  await expect(page).toHaveURL(/\/sandbox\/$/);
});

test("controls write the text, the text moves the controls, and it can be removed", async ({ yaml, sandbox, page }) => {
  await test.step("they follow each other", async () => {
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
  await test.step("the text is removed", async () => {
    await sandbox.button("Remove the YAML").click();
    await sandbox.button("YAML").click();
    await yaml.expectText(/name: web/);
  });
});

/** Charts, and the most pods that an update takes at once. */
const CHARTS = { "blog.yaml": 2, "cluster-dns.yaml": 4, "queue-workers.yaml": 14 };
test("charts play, and their settings can be asked for", async ({ yaml, sandbox, page }) => {
  const ask = page.getByRole("region", { name: "Ask for settings" });
  for (const [name, most] of Object.entries(CHARTS)) {
    await test.step(name, async () => {
      // So that nothing below is about the chart before.
      await sandbox.startOver();
      await sandbox.button("YAML").click();
      await expect(page.locator("yaml-editor")).toBeVisible();
      await yaml.paste(readFileSync(folder(`../cli/charts/${name}`), "utf8"));
      // Not that of the first settings.
      await expect(yaml.summary).toContainText(/0:00: the image changes to (?!example\/web:)/);
      await expect(yaml.problems.filter({ hasNotText: "Warning" })).toHaveCount(0);
      await expect(page.locator(".result h1")).not.toHaveClass(/stale/);
      await expect(sandbox.answer(0, "pods at most")).toHaveText(String(most));
      await sandbox.type(ask.getByLabel("Never more than"), String(most));
      await page.keyboard.press("Enter");
      const rows = ask.getByRole("row");
      await expect(rows.nth(1)).toContainText("your settings");
      await expect(rows.nth(1).getByRole("cell").first()).toHaveText(String(most));
      // At least one setting besides the chart's own, below the title of its group.
      await expect(rows.nth(3)).toBeVisible();
    });
  }
});

/** Recorded states, and where their rollouts and Jobs stand. */
const STANDINGS = {
  "deleting.yaml": "web is being deleted",
  "job-backing-off.yaml": "Job task is active",
  "node-lost.yaml": "web is complete",
  "paused.yaml": "web is paused",
  "rolling-middle.yaml": "web is in progress",
  "stuck-image.yaml": "web is stuck",
  "stuck-never-ready.yaml": "web is in progress",
};
test("recorded states play", async ({ yaml, sandbox, page }) => {
  test.slow();
  for (const [name, standing] of Object.entries(STANDINGS)) {
    await test.step(name, async () => {
      // So that nothing below is about the state before.
      await sandbox.startOver();
      await sandbox.button("YAML").click();
      await expect(page.locator("yaml-editor")).toBeVisible();
      await yaml.paste(readFileSync(folder(`../controlplane/states/${name}`), "utf8"));
      await expect(yaml.summary).toContainText("the state of a cluster at");
      await expect(sandbox.title).toHaveText(/^(Deployment|Job) [a-z-]+ wants \d+ pods? at once\. |^Deployment [a-z-]+ wants \d+ pods?, at most \d+\. (From here on, |It has \d+ now, )/);
      await expect(yaml.problems.filter({ hasNotText: "Warning" })).toHaveCount(0);
      await expect(page.locator(".result h1")).not.toHaveClass(/stale/);
      // Nobody acts.
      await sandbox.title.click();
      await page.keyboard.press("Home");
      await expect(page.locator(".lanes")).not.toContainText(/has not been made|You apply/);
      const outlook = page.getByRole("region", { name: "The state of your rollouts" });
      await expect(outlook.getByRole("heading", { level: 2 })).toHaveText([standing]);
      // What is in progress has an end, or never one.
      const isOfDeployment = !name.startsWith("job-");
      const isRollout = isOfDeployment && standing !== "web is complete";
      await expect(sandbox.lane(0).locator(".answers dt .long").filter({ hasText: /^complete after$/ })).toHaveCount(isRollout || !isOfDeployment ? 1 : 0);
      // Nothing in the state says that the pods become ready.
      const isAssumed = standing === "web is in progress";
      await expect(outlook.getByText("A snapshot can't show whether pods will become ready.")).toHaveCount(isAssumed ? 1 : 0);
      if (name === "node-lost.yaml") {
        await expect(outlook).toContainText("Node node-lost-1-a no longer reports: 2 pods there stay until it does");
      }
      if (name === "job-backing-off.yaml") {
        await expect(outlook).toContainText("Pods: 0 active, 0 of 1 succeeded, 1 failed.");
        await expect(outlook.getByRole("listitem").first()).toContainText(/task waits another .+ before it creates 1 pod: 1 pod failed since the last success\./);
      }
      if (name === "stuck-never-ready.yaml") await expect(sandbox.title).toHaveText(/, if all pods become ready\.$/);
    });
  }
});

/** The objects of a List, with others before them. */
const withObjects = (list, objects) => list.replace("\nitems:\n", `\nitems:\n${objects.map((object) => `- ${JSON.stringify(object)}\n`).join("")}`);
const MID_ROLLOUT = readFileSync(folder("./states/mid-rollout.yaml"), "utf8");
const namespace = /\n {4}namespace: (.*)\n/.exec(MID_ROLLOUT)[1];
const AROUND = [
  ...["node-1", "node-2", "node-3", "node-4"].map((name) => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, uid: name },
    status: { allocatable: { pods: "110" }, conditions: [{ type: "Ready", status: "True" }] },
  })),
  {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "team", namespace, uid: "team" },
    spec: { hard: { pods: "4" } },
    status: { hard: { pods: "4" }, used: { pods: "4" } },
  },
  {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "guard", namespace, uid: "guard" },
    spec: { minAvailable: 3, selector: { matchLabels: { app: "web" } } },
  },
];

test("a rollout in progress plays with the nodes, the quota and the budget around it", async ({ yaml, sandbox, page }) => {
  await yaml.paste(MID_ROLLOUT);
  await expect(yaml.summary).toContainText("7 objects: the state of a cluster at");
  // Without the quota, a new pod starts while an old one terminates.
  await expect(sandbox.answer(0, "pods at most")).toHaveText("5");
  await yaml.paste(withObjects(MID_ROLLOUT, AROUND));
  await expect(yaml.summary).toContainText("13 objects: the state of a cluster at");
  await expect(sandbox.title).toHaveText("Deployment web wants 3 pods, at most 4. From here on, Kubernetes stays within the limit, if all pods become ready.");
  await expect(sandbox.answer(0, "pods at most")).toHaveText("4");
  await yaml.objects.locator("summary").click();
  const around = AROUND.map(({ kind, metadata }, index) => `Line ${index + 3}: ${kind} ${metadata.name}`);
  await expect(yaml.objects.getByRole("listitem")).toHaveCount(13);
  await expect(yaml.objects.getByRole("listitem")).toContainText([...around, "Deployment web"]);
  await expect(page.getByRole("region", { name: "The state of your rollouts" })).toContainText("exceeded quota: team, requested: pods=1, used: pods=4, limited: pods=4");

  await sandbox.title.click();
  await sandbox.button("To the start").click();
  await expect(sandbox.picture(0)).toHaveAccessibleName("Your cluster at 0:00: 4 pods, 3 available, 0 terminating");
  await sandbox.button("Show pods by node").click();
  const table = sandbox.lane(0).getByRole("table", { name: "Pods by node" });
  await expect(table.getByRole("row")).toHaveText([/^node-1\s*1 pod/, /^node-2\s*1 pod/, /^node-3\s*2 pods/, /^node-4\s*(0|no) pods/]);
  await sandbox.openWhatIf();
  await sandbox.whatIf.getByRole("combobox", { name: /^What if / }).selectOption("drain the node");
  await sandbox.button("Do it").click();
  await expect(page.getByRole("list", { name: "What you did" }).getByRole("listitem")).toContainText("you drain Node node-1");
  await sandbox.button("zoom in").click();
  await expect(sandbox.sentence(0)).toContainText("You drain Node node-1");
  await sandbox.button("Step").click();
  await expect(sandbox.sentence(0)).toContainText("can't be evicted: the disruption budget guard needs 3 healthy pods and has 3.");
  await sandbox.button("To the end").click();
  await expect(sandbox.picture(0)).toHaveAccessibleName(/: 3 pods, 3 available, 0 terminating/);
});

test("a state that was just read goes on from now, also after a reload an hour later", async ({ virtualClock, yaml, page }) => {
  await yaml.paste(MID_ROLLOUT);
  await expect(yaml.summary).toContainText(", the latest time in it.");
  const time = async () => /\d{4}-\S+Z/.exec(await yaml.summary.textContent())[0];
  const newest = await time();
  const after = (seconds) => new Date(Date.parse(newest) + seconds * 1_000);
  await expect(page).toHaveURL(/#state=/);
  const address = page.url();
  await virtualClock.setSystemTime(after(300));
  await yaml.paste(MID_ROLLOUT);
  await expect(yaml.summary).toContainText(/, 5 min( \d+ s)? after the latest time in it\. 0:00: the cluster is in the state that you gave\./);
  const readAt = await time();
  expect(Date.parse(readAt)).toBeGreaterThanOrEqual(after(300).getTime());
  expect(Date.parse(readAt)).toBeLessThan(after(600).getTime());
  await expect(page).not.toHaveURL(address);
  await virtualClock.setSystemTime(after(3_600));
  await page.reload();
  await expect(yaml.summary).toContainText(`7 objects: the state of a cluster at ${readAt}, 5 min`);
  // An object that is added later doesn't change when the others were read.
  await expect(page.locator("yaml-editor")).toBeVisible();
  await yaml.editor.press("ControlOrMeta+a");
  await yaml.editor.press("ArrowRight");
  await paste(yaml.editor, '\n---\napiVersion: v1\nkind: ResourceQuota\nmetadata: { name: team, uid: team }\nspec: { hard: { pods: "9" } }\n');
  await expect(yaml.summary).toContainText(`8 objects: the state of a cluster at ${readAt}, 5 min`);
  await yaml.paste(MID_ROLLOUT);
  await expect(yaml.summary).toContainText(`the state of a cluster at ${newest}, the latest time in it.`);
});

test("the time from which a pasted state goes on can be chosen", async ({ virtualClock, yaml, sandbox, page }) => {
  await yaml.paste(MID_ROLLOUT);
  await expect(yaml.summary).toContainText(", the latest time in it.");
  const fromGiven = sandbox.button("Go on from when you gave it");
  const fromNewest = sandbox.button("Go on from the latest time in it");
  await expect(fromGiven.or(fromNewest)).toHaveCount(0);
  const newest = /\d{4}-\S+Z/.exec(await yaml.summary.textContent())[0];
  await virtualClock.setSystemTime(new Date(Date.parse(newest) + 240_000));
  await yaml.paste(MID_ROLLOUT);
  await expect(yaml.summary).toContainText(/, 4 min( \d+ s)? after the latest time in it\./);
  await fromNewest.press("Enter");
  await expect(yaml.summary).toContainText(new RegExp(`at ${newest}, the latest time in it, 4 min( \\d+ s)? before you gave it\\.`));
  await expect(fromGiven).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(yaml.summary).toContainText(/, 4 min( \d+ s)? after the latest time in it\./);
  await expect(fromNewest).toBeFocused();
});

test("manifests whose rollout never completes say what it waits for, and what would unblock it", async ({ yaml, sandbox, page }) => {
  const waits = page.getByRole("region", { name: "What your rollouts wait for" });
  const quota = "apiVersion: v1\nkind: ResourceQuota\nmetadata:\n  name: team\nspec:\n  hard:\n    pods: 4\n";
  await yaml.paste(DEPLOYMENT);
  await expect(sandbox.title).toContainText("You asked for 4 pods");
  await expect(waits).toHaveCount(0);
  await yaml.paste(`${DEPLOYMENT.replace("  replicas: 4\n", "  replicas: 4\n  strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }\n")}---\n${quota}`);
  await expect(sandbox.title).toContainText("The rollout never completes.");
  await expect(waits.getByRole("heading", { level: 2 })).toHaveText("shop is stuck");
  await expect(waits).toContainText("The API server refuses pods: exceeded quota: team");
  await expect(waits.getByRole("listitem").filter({ hasText: /^Raise quota team/ })).toContainText("after the next try");
  await expect(waits.getByRole("listitem").filter({ hasText: /^Allow 1 unavailable pod/ })).toContainText("then it completes");
});

test("a change of the template in a rollout in progress is played from there", async ({ yaml, sandbox, page }) => {
  const outlook = page.getByRole("region", { name: "The state of your rollouts" });
  const end = async (time) => {
    await sandbox.title.click();
    await sandbox.button("To the end").click();
    await expect(sandbox.sentence(0)).toContainText(`at ${time}: The rollout of Deployment web is complete: 3 pods, all 3 up to date`);
  };
  await yaml.paste(MID_ROLLOUT);
  await expect(outlook).toContainText("2 new and 2 old pods, 3 of 3 available; complete in 2 s");
  await end("0:02");
  // The Deployment is the first object that has a template.
  await yaml.paste(MID_ROLLOUT.replace("image: web:2", "image: web:3"));
  await expect(outlook).toContainText("0 new and 4 old pods, 3 of 3 available; complete in 3 s");
  await expect(outlook).toContainText(/web-\w+ was created as revision 3 of Deployment web/);
  await end("0:03");
});

test("while a state changes, the outlook of the earlier one is grey", async ({ virtualClock, yaml, page }) => {
  const outlook = page.getByRole("region", { name: "The state of your rollouts" });
  await yaml.paste(MID_ROLLOUT);
  await expect(outlook).toContainText("2 new and 2 old pods");
  await expect(outlook).not.toHaveClass(/stale/);
  // No time passes in which the page could ask about the other state.
  await virtualClock.pauseAt(Date.now() + 3_600_000);
  await yaml.paste(MID_ROLLOUT.replace("image: web:2", "image: web:3"));
  await expect(outlook).toHaveClass(/stale/);
  await expect(outlook).toHaveAttribute("aria-busy", "true");
  await expect(outlook).toContainText("2 new and 2 old pods");
  await virtualClock.resume();
  await expect(outlook).toContainText("0 new and 4 old pods");
  await expect(outlook).not.toHaveClass(/stale/);
  await expect(outlook).toHaveAttribute("aria-busy", "false");
});

test("new pods take as long as the running ones took, unless you say otherwise", async ({ yaml, sandbox, page }) => {
  const outlook = page.getByRole("region", { name: "The state of your rollouts" });
  const said = page.locator(".how-to-read");
  await yaml.paste(MID_ROLLOUT);
  await expect(said).toContainText("Here, a pod takes 1 s to become ready, as your running pods took");
  await expect(page.locator(".assumed")).toContainText("new pods need 1 s to become ready (the median of your running pods)");
  await expect(outlook).toContainText("complete in 2 s");
  await sandbox.button("Controls").click();
  const start = sandbox.input("Time to start");
  await expect(start).toHaveAccessibleDescription(/until then, new pods take as long as your running pods took/);
  // The new pod's containers run already; the next one is created when it is ready, and starts them after 1 second.
  await sandbox.type(start, "9");
  await expect(outlook).toContainText("complete in 19 s");
  await expect(said).not.toContainText("as your running pods took");
});
