// The page in Chromium: Debian's, or the one that CHROMIUM names. The site is what `make page` built (CHANGEOVER_SITE),
// served by the tests themselves.
import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: ".",
  testMatch: "*.spec.mjs",
  outputDir: "../../target/web-tests/results",
  reporter: [
    ["list"],
    ["./failures.mjs", { file: "../../target/web-tests/failures.txt" }],
    ["./passed.mjs", { file: process.env.CHANGEOVER_PASSED ?? "../../target/web-tests/passed.txt" }],
  ],
  workers: 2,
  fullyParallel: true,
  forbidOnly: true,
  // What is awaited comes at once on an idle machine; a busy one may take its time.
  timeout: 180_000,
  expect: { timeout: 60_000 },
  use: {
    viewport: { width: 1440, height: 1000 },
    contextOptions: { reducedMotion: "reduce" },
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
