// The inputs of the sandbox.
import { test, expect } from "./fixtures.mjs";

/** An input, a value, and what the ruler of the first lane then shows. */
const CHANGES = [
  ["Replicas", "20", /minimum available 15, desired 20, limit 25/],
  ["Extra pods (maxSurge)", "50%", /minimum available 8, desired 10, limit 15/],
  ["Extra pods (maxSurge)", "1", /minimum available 8, desired 10, limit 11/],
  ["May be missing (maxUnavailable)", "0", /minimum available 10, desired 10, limit 13/],
];

for (const [label, text, expected] of CHANGES) {
  test(`${label} ${text} rebuilds at once, and the playhead stays`, async ({ app }) => {
    const before = await app.now.textContent();
    await app.input(label).fill(text);
    for (const lane of [0, 1, 2]) await expect(app.ruler(lane)).toHaveAttribute("aria-label", expected);
    await expect(app.now).toHaveText(before);
  });
}

test("the strategy, the start-up, the grace period and the rest rebuild", async ({ app, page }) => {
  const end = () => page.locator(".clock").textContent();
  const rebuilt = async (act) => {
    const before = await end();
    await act();
    await expect.poll(end).not.toBe(before);
  };
  await rebuilt(() => app.input("Ready after").fill("9"));
  await rebuilt(() => app.input("Grace period").fill("60"));
  await rebuilt(() => app.input("Ready for (minReadySeconds)").fill("12"));
  await expect(app.lane(0).locator(".picture")).toBeVisible();
  await rebuilt(() => app.input("Random spread").fill("50"));
  await rebuilt(() => app.input("Strategy").selectOption("Recreate"));
  await expect(app.input("Extra pods (maxSurge)")).toBeDisabled();
  await expect(app.ruler(0)).toHaveAttribute("aria-label", /minimum available 0, desired 10, limit 10/);
  await app.input("Strategy").selectOption("RollingUpdate");
  await expect(app.input("Extra pods (maxSurge)")).toHaveValue("25%");
  await expect(app.ruler(0)).toHaveAttribute("aria-label", /limit 13/);
});

test("Recreate says of each lane what holds for it", async ({ app, page }) => {
  await app.input("Strategy").selectOption("Recreate");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(
    "10 replicas promise 10 pods at most. For a while there are 20 with TerminationStarted.",
  );
  const says = ["as today: waits until pods are gone", "does not wait", "waits, in writing"];
  for (const [lane, text] of says.entries()) await expect(app.lane(lane).locator(".differs")).toHaveText(text);
  await expect(page.locator(".summary")).toContainText("only TerminationStarted does not wait");
});

test("a revision that never becomes ready leaves the rollout where it is", async ({ app, page }) => {
  await app.input("Ready after").fill("never");
  await app.quiet();
  await page.locator("h1").click();
  await page.keyboard.press("End");
  await expect(app.ruler(0)).toHaveAttribute("aria-label", /8 available, 5 starting/);
  await expect(app.lane(0).locator(".sentence")).toContainText("made no progress for 600 s");
});

/** Inputs with values, the input with the problem, and its message. */
const PROBLEMS = [
  [[["Replicas", "-1"]], "Replicas", "spec.replicas: Invalid value: -1: must be greater than or equal to 0"],
  [[["Replicas", "1099511627776"]], "Replicas", "spec.replicas: Invalid value: 1099511627776: must be a 32bit integer"],
  [[["Replicas", "1000000000"]], "Replicas", /^spec\.replicas: .*250000/],
  [[["Replicas", "ten"]], "Replicas", /^spec\.replicas: .*"ten"/],
  [[["Extra pods (maxSurge)", "abc%"]], "Extra pods (maxSurge)", /^spec\.strategy\.rollingUpdate\.maxSurge: Invalid value: "abc%": a valid percent string/],
  [[["May be missing (maxUnavailable)", "150%"]], "May be missing (maxUnavailable)", /^spec\.strategy\.rollingUpdate\.maxUnavailable: Invalid value: "150%": must not be greater than 100%/],
  [[["Extra pods (maxSurge)", "0"], ["May be missing (maxUnavailable)", "0"]], "May be missing (maxUnavailable)", /^spec\.strategy\.rollingUpdate\.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0/],
  [[["Ready after", "soon"]], "Ready after", /^kubelet\[0\]\.ready: .*soon/],
  [[["Grace period", "a while"]], "Grace period", /^spec\.template\.spec\.terminationGracePeriodSeconds: .*a while/],
  [[["Random spread", "-5"]], "Random spread", /^kubelet\[0\]\.jitterPercent: .*-5/],
];

for (const [typed, label, sentence] of PROBLEMS) {
  const name = typed.map(([field, text]) => `${field} ${text}`).join(", ");
  test(`${name}: one sentence beside the input, and the last timeline stays`, async ({ app, page }) => {
    for (const [field, text] of typed.slice(0, -1)) await app.input(field).fill(text);
    const before = await app.state();
    const [field, text] = typed.at(-1);
    await app.input(field).fill(text);
    const input = app.input(label);
    await expect(input).toHaveAttribute("aria-invalid", "true");
    await expect(page.locator(`#${await input.getAttribute("aria-describedby")}`)).toHaveText(sentence);
    await expect(page.getByRole("alert")).toHaveCount(1);
    await expect(input).toHaveValue(text);
    await expect(app.main).toHaveClass(/stale/);
    expect(await app.state()).toEqual(before);
    // Valid values clear the problem.
    for (const [field] of typed) await app.input(field).fill("7");
    await expect(page.getByRole("alert")).toHaveCount(0);
    await expect(app.main).not.toHaveClass(/stale/);
  });
}

test("nothing could move: plainly said, and both inputs marked", async ({ app, page }) => {
  await app.input("Extra pods (maxSurge)").fill("0");
  await app.input("May be missing (maxUnavailable)").fill("0");
  await expect(page.getByRole("alert")).toHaveClass(/neither/);
  const [plain, ...edges] = await page.evaluate(() => [
    getComputedStyle(document.querySelector(".neither"), "::before").content,
    ...["surge", "unavailable"].map((id) => getComputedStyle(document.getElementById(id)).borderBottomColor),
  ]);
  expect(plain).toContain("Nothing could move");
  expect(edges[0]).toBe(edges[1]);
});

test("what is wrong is said at once, however long the player works", async ({ app, page }) => {
  await app.input("Replicas").fill("8000");
  await expect(page.locator(".working")).toHaveText("Working out 8000 pods…");
  await expect(page.locator(".working")).toBeVisible();
  await app.input("Replicas").fill("ten");
  await expect(page.getByRole("alert")).toContainText('"ten"');
  // The player is still busy with the earlier value.
  expect(await app.ruler(0).getAttribute("aria-label")).toContain("desired 10,");
});

test("markup in an input is only text", async ({ app, page }) => {
  await app.input("Extra pods (maxSurge)").fill("<img src=x onerror=alert(1)>");
  await expect(page.getByRole("alert")).toContainText("onerror=alert(1)");
  await expect(page.locator("main img, form img")).toHaveCount(0);
});

test("hundreds of pods are small tiles, thousands are dots", async ({ app, page }) => {
  test.setTimeout(90_000);
  const width = () => app.tiles(0).first().evaluate((tile) => tile.getBoundingClientRect().width);
  const ten = await width();
  await app.input("Replicas").fill("300");
  await expect(app.ruler(0)).toHaveAttribute("aria-label", /desired 300/);
  expect(await width()).toBeLessThan(ten);
  expect(await app.tiles(0).count()).toBeGreaterThanOrEqual(300);
  await page.locator("h1").click();
  await page.keyboard.press("Home");
  await app.input("Replicas").fill("2000");
  await expect(app.ruler(0)).toHaveAttribute("aria-label", /desired 2000/);
  await expect(app.tiles(0)).toHaveCount(0);
  // One dot for each pod.
  const dots = await app.lane(0).locator("canvas.dense").first().evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return data.filter((value, index) => index % 4 === 3 && value > 0).length;
  });
  expect(dots).toBe(2000);
});
