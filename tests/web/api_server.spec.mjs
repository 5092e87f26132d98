// Shows the responses of the API server and of the policy.
import { readFileSync, writeFileSync } from "node:fs";
import { violations } from "./axe.mjs";
import { expectNoSidewaysScroll, packedState, test as base, expect } from "./fixtures.mjs";

const test = base.extend({
  /** The page, opened at the API server view. */
  server: async ({ page, site }, use) => {
    await page.goto(`${site}api-server/`);
    await expect(page.getByRole("heading", { level: 2, name: /^Deployment "web"/ })).toBeVisible();
    const openSettings = () => page.getByRole("heading", { name: "The policy's settings" }).click();
    await openSettings();
    await page.evaluate(() => document.activeElement.blur());
    await use({
      page,
      openSettings,
      manifest: page.getByLabel("Your manifest"),
      existing: page.getByLabel("The existing object"),
      reviewed: page.locator(".reviewed"),
      setting: (name) => page.getByRole("form", { name: "Settings of the policy" }).getByLabel(name, { exact: true }),
    });
  },
});

/** Replaces a text. */
async function replaceAll(area, text) {
  await area.click();
  await area.press("ControlOrMeta+a");
  await area.page().keyboard.insertText(text);
}

/** Puts the cursor after a text, as a click and the arrow keys would, and types. */
async function typeBehind(area, text, more) {
  await area.click();
  await area.evaluate((element, text) => {
    const end = element.value.indexOf(text) + text.length;
    element.setSelectionRange(end, end);
  }, text);
  await area.page().keyboard.type(more);
}

test("it is reached from every page", async ({ sandbox, page }) => {
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "API server" }).click();
  await expect(page).toHaveURL(/\/api-server\/$/);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("What would the API server say?");
});

test("the first Tab offers to skip to the answer", async ({ server, page }) => {
  // The click that opened the settings has moved the focus.
  await page.reload();
  await expect(server.reviewed).toBeVisible();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Skip to the answer" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
});

test("an update is accepted and defaulted, and the policy forecasts it", async ({ server, page }) => {
  await expect(server.reviewed).toContainText("The API server accepts it.");
  await expect(server.reviewed).toContainText("The policy allows it.");
  const warnings = server.reviewed.getByText("Warning: ");
  await expect(warnings).toHaveText([
    "Warning: rollout: peak 26 pods (limit 19), at least 12 available, complete after about 21s",
    "Warning: assumed: new pods are ready after 7s, old pods stop after 5s (settings ready_after, stop_after)",
    "Warning: not judged: quotas (settings context, quota), nodes",
  ]);
  await page.getByText(/^Defaults that it sets/).click();
  await expect(server.reviewed.locator("ins").first()).toBeVisible();
  await page.getByText("Its response as an AdmissionReview").click();
  await expect(page.getByRole("group", { name: "AdmissionReview" })).toContainText('"allowed": true');
  await server.setting("forecast").uncheck();
  await expect(warnings).toHaveCount(0);
  await expect(server.reviewed).toContainText("The policy allows it.");
});

test("with context, the policy reads the existing objects", async ({ server, page }) => {
  const cluster = server.reviewed.getByText("Objects in the cluster: ");
  await expect(cluster).toHaveCount(0);
  await server.setting("context").check();
  await expect(cluster).toContainText("Objects in the cluster: 1 Deployment. ");
  await server.setting("quota").selectOption("deny");
  await expect(server.reviewed).toContainText("The policy allows it.");
  await server.existing.click();
  await page.keyboard.press("ControlOrMeta+End");
  const quota = { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "team" }, status: { hard: { pods: "10" }, used: { pods: "15" } } };
  await page.keyboard.type(`\n---\n${JSON.stringify(quota)}`);
  await expect(cluster).toContainText("Objects in the cluster: 1 Deployment, 1 ResourceQuota. ");
  await expect(server.reviewed).toContainText("The policy denies it:");
  await expect(server.reviewed).toContainText("spec: Forbidden: exceeds ResourceQuota team: pods=26 of 10; it never completes: room for 10 of 15 new pods (setting quota)");
  await server.existing.click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
  await expect(cluster).toContainText("Objects in the cluster: unknown. ");
  await expect(server.reviewed).toContainText("the quota is not judged: ResourceQuotas can't be read: there is no cluster to read");
});

test("objects with the same name in two namespaces have an answer each, for as long as they are in the text", async ({ server, page }) => {
  const text = await server.manifest.inputValue();
  const elsewhere = text.replace("  name: web\n", "  name: web\n  namespace: staging\n").replace("replicas: 15", "replicas: -1");
  const answers = server.reviewed.getByRole("heading", { level: 2, name: /^Deployment "web"/ });
  const refused = server.reviewed.getByText("The API server refuses it:");
  const type = async (manifests) => {
    await server.manifest.click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText(manifests);
  };
  await type(`${elsewhere}---\n${text}`);
  await expect(answers).toHaveCount(2);
  await expect(refused).toHaveCount(1);
  await type(`${text}---\n${text.replace("  name: web\n", "  name: api\n")}`);
  await expect(answers).toHaveCount(1);
  await expect(refused).toHaveCount(0);
  await type(text);
  await expect(server.reviewed.getByRole("heading", { level: 2 })).toHaveCount(1);
});

test("errors show the line and the API server's message while you type", async ({ server, page }) => {
  const text = await server.manifest.inputValue();
  await test.step("an invalid value", async () => {
    await typeBehind(server.manifest, "replicas: ", "-");
    await expect(server.reviewed).toContainText("The API server refuses it:");
    await expect(server.reviewed).toContainText("Line 6: spec.replicas: Invalid value: -15: must be greater than or equal to 0");
    await expect(server.reviewed).toContainText("The policy denies it:");
    await expect(server.manifest).toHaveAttribute("aria-invalid", "true");
    await expect(server.manifest).toHaveAccessibleDescription(
      'Deployment "web": The API server refuses it. Line 6: spec.replicas: Invalid value: -15: must be greater than or equal to 0. The policy denies it, too.',
    );
    await server.reviewed.getByRole("button", { name: "Line 6", exact: true }).focus();
    await page.keyboard.press("Enter");
    await expect(server.manifest).toBeFocused();
    const selected = await server.manifest.evaluate(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd));
    expect(selected).toBe("  replicas: -15");
    await page.keyboard.type("  replicas: 15");
    await expect(server.reviewed).toContainText("The API server accepts it.");
  });
  await replaceAll(server.manifest, text);
  await test.step("a screen reader doesn't spell out the regular expression of a name", async () => {
    await typeBehind(server.manifest, "name: web", "_B");
    await expect(server.reviewed).toContainText("regex used for validation is '");
    await expect(server.manifest).toHaveAccessibleDescription(/must start and end with an alphanumeric character\. The policy allows it\.$/);
  });
  await replaceAll(server.manifest, text);
  await test.step("a field of the wrong type", async () => {
    await typeBehind(server.manifest, "replicas: 15", "x");
    const problems = server.reviewed.locator("li.problem");
    await expect(problems.nth(0)).toHaveText(
      'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
    );
    await expect(problems.nth(1)).toHaveText('Line 6: spec.replicas: Invalid value: "15x": must be a 32bit integer');
  });
  await replaceAll(server.manifest, text);
  await test.step("a request above its limit, and fields that are not checked", async () => {
    await typeBehind(server.manifest, "- name: web", "\n          resources: {requests: {cpu: 500m}, limits: {cpu: 200m}}");
    await expect(server.reviewed).toContainText("The API server refuses it:");
    await expect(server.reviewed).toContainText(
      'spec.template.spec.containers[0].resources.requests: Invalid value: "500m": must be less than or equal to cpu limit of 200m',
    );
    await typeBehind(server.manifest, "limits: {cpu: 200", "0");
    await expect(server.reviewed).toContainText("The API server accepts it.");
    await typeBehind(server.manifest, "- name: web", "\n          resizePolicy: []");
    await expect(server.reviewed).toContainText("The API server accepts what is checked here.");
    await expect(server.reviewed).toContainText("Fields that are not checked here: 1.");
  });
  await replaceAll(server.manifest, text);
  await test.step("a misspelled field", async () => {
    await typeBehind(server.manifest, "\nspec:", "\n  replcas: 5");
    await expect(server.reviewed).toContainText("The API server refuses it if kubectl sends it:");
    await expect(server.reviewed).toContainText(
      'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.replcas"',
    );
    await expect(server.reviewed).toContainText('unknown field "spec.replcas": did you mean "replicas"?');
    await expect(server.reviewed).toContainText("For a client that doesn't, the API server drops the fields that it doesn't know");
    await server.reviewed.getByRole("button", { name: /^Line / }).first().click();
    await expect(server.manifest).toBeFocused();
    await expect(server.reviewed).toContainText("The policy allows it.");
  });
  await replaceAll(server.manifest, text);
  await test.step("an unreadable text", async () => {
    await server.manifest.click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("kind: [");
    await expect(page.getByRole("alert")).toContainText(/^Line \d: kind/);
    await expect(server.manifest).toHaveValue("kind: [");
  });
});

test("lines have numbers, which scroll with the text", async ({ server, page }) => {
  const numbers = page.locator(".line-numbers > div").first();
  const count = (await server.manifest.inputValue()).split("\n").length;
  const upTo = (last) => Array.from({ length: last }, (_, index) => index + 1).join(" ");
  await expect(numbers).toHaveText(upTo(count));
  const layout = (area) => area.evaluate((element) => {
    const { fontSize, lineHeight, paddingTop } = getComputedStyle(element);
    return { fontSize, lineHeight, paddingTop, top: Math.round(element.getBoundingClientRect().top + element.clientTop) };
  });
  expect(await layout(numbers)).toEqual(await layout(server.manifest));
  await server.manifest.click();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("\n# the end");
  await expect(numbers).toHaveText(upTo(count + 1));
  // Only the last numbers change, however long the text is.
  await page.keyboard.insertText("\n".repeat(600));
  await expect(numbers).toHaveText(upTo(count + 601));
  await numbers.evaluate((element) => {
    window.changes = 0;
    const observer = new MutationObserver((changes) => (window.changes += changes.length));
    observer.observe(element.firstElementChild, { childList: true, characterData: true, subtree: true });
  });
  await page.keyboard.press("Enter");
  await expect(numbers).toHaveText(upTo(count + 602));
  expect(await page.evaluate(() => window.changes)).toBe(0);
  const scrolled = (area) => area.evaluate((element) => element.scrollTop);
  await expect.poll(() => scrolled(server.manifest)).toBeGreaterThan(0);
  await expect.poll(async () => Math.abs((await scrolled(numbers)) - (await scrolled(server.manifest)))).toBeLessThan(1);
});

test("without an old object, it is created; with another selector, the update is refused", async ({ server, page }) => {
  await expect(page.getByRole("heading", { level: 2, name: /^Deployment "web"/ })).toContainText("update");
  await typeBehind(server.existing, "matchLabels:\n      app: web", "2");
  await expect(server.reviewed).toContainText("field is immutable");
  // What is refused is never rolled out.
  await expect(server.reviewed).not.toContainText("rollout:");
  await server.existing.click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
  await expect(page.getByRole("heading", { level: 2, name: /^Deployment "web"/ })).toContainText("create");
});

test("the policy's settings change its patch, and contradictions in them are reported", async ({ server, page }) => {
  const deployments = page.getByRole("group", { name: "pod_replacement_policy.deployments", exact: true });
  await deployments.getByRole("combobox", { name: "default", exact: true }).selectOption("TerminationComplete");
  await expect(page.getByRole("alert")).toContainText("needs feature_gates.DeploymentPodReplacementPolicy: true");
  // Without valid settings there is no verdict, and the answer says why.
  const invalid = server.reviewed.getByText("The policy's settings are invalid:");
  await expect(invalid).toBeVisible();
  await server.setting("feature_gates").click();
  // As the message writes it.
  await page.keyboard.type("DeploymentPodReplacementPolicy: true");
  await expect(page.getByRole("alert")).toHaveCount(0);
  await expect(invalid).toHaveCount(0);
  await expect(server.reviewed.locator("ins")).toContainText(['+ spec.podReplacementPolicy: "TerminationComplete"']);
});

test("axe finds no problem, and nothing is wider than the window, also with wrong texts and settings", async ({ server, page }) => {
  test.slow();
  const sizes = [[768, 1024], [1440, 900], [360, 740]];
  // Each state is fitted to all sizes, and axe looks at one after the other.
  const expectNoViolations = async (what) => {
    sizes.push(sizes.shift());
    for (const [width, height] of sizes) {
      await page.setViewportSize({ width, height });
      await expectNoSidewaysScroll(page, `${what}, ${width} px`);
    }
    expect.soft(await violations(page, { targetSize: true }), `${what}, ${sizes.at(-1)} px`).toEqual([]);
  };
  await page.getByText(/^Defaults that it sets/).click();
  await page.getByText("Its response as an AdmissionReview").click();
  await expectNoViolations("the answer");
  await typeBehind(server.manifest, "replicas: ", "-");
  await expect(server.reviewed).toContainText("The API server refuses it:");
  await expect(server.reviewed).toContainText("The policy denies it:");
  await expectNoViolations("an object that both deny");
  await page.keyboard.press("Backspace");
  await expect(server.reviewed).toContainText("The API server accepts it.");
  await typeBehind(server.manifest, "\nspec:", "\n  replcas: 5");
  await expect(server.reviewed).toContainText("The API server refuses it if kubectl sends it:");
  await expectNoViolations("an unknown field");
  const deployments = page.getByRole("group", { name: "pod_replacement_policy.deployments", exact: true });
  await deployments.getByRole("combobox", { name: "default", exact: true }).selectOption("TerminationComplete");
  await expect(page.getByRole("alert")).toContainText("needs feature_gates.DeploymentPodReplacementPolicy: true");
  await expectNoViolations("a setting that is wrong");
  await server.manifest.click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("kind: [");
  await expect(page.getByRole("alert").filter({ hasText: /^Line \d: kind/ })).toBeVisible();
  await expectNoViolations("no YAML");
});

test("a reload, Back and Forward bring everything back, and the address has nothing that may be secret", async ({ server, page }) => {
  await expect(page).toHaveURL(/\/api-server\/$/);
  await typeBehind(server.manifest, "replicas: 15", "0");
  await expect(page).toHaveURL(/#state=/);
  const first = page.url();
  await server.setting("forecast").uncheck();
  await expect.poll(() => page.url()).not.toBe(first);
  await page.reload();
  await server.openSettings();
  await expect(server.manifest).toHaveValue(/replicas: 150\n/);
  await expect(server.setting("forecast")).not.toBeChecked();
  await page.goBack();
  await expect(server.setting("forecast")).toBeChecked();
  await expect(server.manifest).toHaveValue(/replicas: 150\n/);
  await page.goBack();
  await expect(server.manifest).toHaveValue(/replicas: 15\n/);
  await page.goForward();
  await expect(server.manifest).toHaveValue(/replicas: 150\n/);
  const before = page.url();
  await server.manifest.click();
  await page.keyboard.press("ControlOrMeta+a");
  const secret = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\nstringData:\n  password: hunter2\n";
  await page.keyboard.insertText(secret);
  await expect.poll(() => page.url()).not.toBe(before);
  expect((await packedState(page)).review.manifests).toBe("apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n");
  await page.reload();
  await expect(server.manifest).toHaveValue(secret);
  await server.manifest.click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText("apiVersion: v1\nkind: Config\nusers:\n- user:\n    token: hunter2\n# password: hunter2\n");
  await expect.poll(async () => (await packedState(page)).review?.manifests).toBe("apiVersion: v1\nkind: Config\n");
});

test("a text that can't be read stays in this tab, and one that is too long is refused", async ({ server, page }) => {
  await server.manifest.click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText("kind: [");
  await expect(page.getByRole("alert")).toContainText("must be YAML or JSON");
  await expect(page).toHaveURL(/#tab$/);
  await page.reload();
  await expect(server.manifest).toHaveValue("kind: [");
  await server.manifest.evaluate((area) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", "# x\n".repeat(1_100_000));
    const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
    // What no listener prevents is inserted by the browser.
    if (area.dispatchEvent(event)) area.value = "inserted";
  });
  await expect(page.getByRole("alert")).toContainText("The pasted text: must be at most 4 MB: leave out namespaces");
  await expect(server.manifest).toHaveValue("kind: [");
});

test("a link, the manifest and everything can be taken away, and the file opens here again", async ({ server, page }, info) => {
  await typeBehind(server.manifest, "replicas: 1", "0");
  await expect.poll(async () => (await packedState(page)).review?.manifests).toContain("replicas: 105");
  await page.getByRole("button", { name: "Share and download…" }).click();
  const menu = page.getByRole("dialog", { name: "Share and download" });
  // It has no picture.
  await expect(menu.locator(".share-actions").getByRole("button")).toHaveText([
    "Copy link",
    "Manifest (YAML)",
    "Everything, to open here again",
    "Keep everything offline",
  ]);
  const download = async (name) => {
    const [file] = await Promise.all([page.waitForEvent("download"), menu.getByRole("button", { name }).click()]);
    return { name: file.suggestedFilename(), content: readFileSync(await file.path(), "utf8") };
  };
  const manifest = await download("Manifest (YAML)");
  expect([manifest.name, manifest.content]).toEqual(["manifest.yaml", await server.manifest.inputValue()]);
  const everything = await download("Everything, to open here again");
  const path = info.outputPath(everything.name);
  writeFileSync(path, everything.content);
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Sandbox" }).click();
  await page.getByRole("button", { name: "Share and download…" }).click();
  await menu.getByLabel(/Open a downloaded/).setInputFiles(path);
  await expect(page).toHaveURL(/\/api-server\//);
  await expect(server.manifest).toHaveValue(manifest.content);
});
