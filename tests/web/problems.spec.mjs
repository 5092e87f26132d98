// Invalid inputs.
import { test, expect } from "./fixtures.mjs";

/** What is typed into which inputs, the input with the error, and the message next to it. */
const PROBLEMS = [
  [[["Replicas", "-1"]], "Replicas", /^Replicas: “-1” must be greater than or equal to 0\.$/],
  [[["Replicas", "1099511627776"]], "Replicas", /^Replicas: “1099511627776” isn't a whole number from 0 to 2,147,483,647\.$/],
  [[["Replicas", "1000000000"]], "Replicas", /^Replicas: More than 250,000 pods at once are not simulated\.$/],
  [[["Replicas", "ten"]], "Replicas", /“ten” isn't a whole number/],
  [[["maxSurge", "abc%"]], "maxSurge", /^Extra pods: “abc%” isn't a number or a percentage\. Write 5 or 25%\.$/],
  [[["maxUnavailable", "150%"]], "maxUnavailable", /^Unavailable pods: “150%” must not be greater than 100%\.$/],
  [[["maxSurge", "0"], ["maxUnavailable", "0"]], "maxUnavailable", /“0” is too few if there are no extra pods: no pod could ever be replaced\./],
  [[["Time to start", "soon"]], "Time to start", /“soon” isn't a duration\. Write 90s, 1m30s or never\./],
  [[["Time to stop", "later"]], "Time to stop", /“later” isn't a duration\. Write 90s/],
  [[["Grace period", "a while"]], "Grace period", /a while/],
  [[["minReadySeconds", "-3"]], "minReadySeconds", /-3/],
  [[["Progress deadline", "0x"]], "Progress deadline", /0x/],
  [[["Random delay", "-5"]], "Random delay", /-5/],
];

test("an error is next to the input, and outdated results are grayed out", async ({ sandbox, page }) => {
  test.slow();
  for (const [typed, label, sentence] of PROBLEMS) {
    await test.step(typed.map(([field, text]) => `${field} ${text}`).join(", "), async () => {
      for (const [field, text] of typed.slice(0, -1)) await sandbox.type(sandbox.input(field), text);
      const [field, text] = typed.at(-1);
      await sandbox.type(sandbox.input(field), text);
      const input = sandbox.input(label);
      await expect(input).toHaveAttribute("aria-invalid", "true");
      await expect(input).toHaveAccessibleDescription(sentence);
      await expect(page.getByRole("alert")).toHaveCount(1);
      await expect(sandbox.input(field)).toHaveValue(text);
      await expect(sandbox.input(field)).toBeFocused();
      await expectStale(sandbox, true);
      await expect(sandbox.picture(0)).toBeVisible();
      // A valid value clears the error.
      for (const [field] of typed) await sandbox.type(sandbox.input(field), "7");
      await expect(page.getByRole("alert")).toHaveCount(0);
      await expect(input).not.toHaveAttribute("aria-invalid", "true");
      await expectStale(sandbox, false);
    });
    await sandbox.startOver();
  }
});

/** Expects whether the headline, the assumptions, the lanes and the player are grayed out, and whether the player is disabled. */
async function expectStale({ page, title, lanes, position }, expected) {
  const isWithin = (element, selector) => element.evaluate((element, selector) => element.closest(selector) !== null, selector);
  const assumed = page.getByText(/^Assumed: /);
  for (const element of [title, assumed, lanes.first(), position]) await expect.poll(() => isWithin(element, ".stale")).toBe(expected);
  for (const element of [lanes.first(), position]) await expect.poll(() => isWithin(element, "[inert]")).toBe(expected);
}

test("a grace period below zero, which the API server turns into another one, is an error", async ({ sandbox, page }) => {
  await sandbox.type(sandbox.input("Grace period"), "-3");
  await expect(page.locator("#grace-period-problem")).toHaveText("Grace period: “-3” must be greater than or equal to 0.");
  await expect(sandbox.input("Grace period")).toHaveValue("-3");
});

test("an error changes with each key, and is announced once typing has paused", async ({ virtualClock, sandbox, page }) => {
  await sandbox.settled();
  // No time passes.
  await virtualClock.pauseAt(Date.now() + 3_600_000);
  const input = sandbox.input("Time to stop");
  await sandbox.type(input, "45nbf?");
  const sentence = /^Time to stop: “45nbf\?” isn't a duration\. Write 90s/;
  await expect(input).toHaveAccessibleDescription(sentence);
  await expect(page.getByRole("alert")).toHaveCount(0);
  await virtualClock.runFor(1100);
  await expect(page.getByRole("alert")).toHaveText(sentence);
  await page.keyboard.type("x");
  await expect(input).toHaveAccessibleDescription(/“45nbf\?x”/);
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("an error in the other settings is next to them", async ({ sandbox, page }) => {
  await page.getByRole("combobox", { name: "Compare with" }).selectOption("my other settings");
  const replicas = page.getByRole("form", { name: "The other rollout" }).getByRole("textbox", { name: "Replicas" });
  await sandbox.type(replicas, "-4");
  await expect(replicas).toHaveAccessibleDescription(/-4/);
  await expect(sandbox.input("Replicas")).not.toHaveAttribute("aria-invalid", "true");
  await sandbox.type(replicas, "4");
  await expect(page.getByRole("alert")).toHaveCount(0);
});
