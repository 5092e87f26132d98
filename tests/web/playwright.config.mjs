// Tests of the page in Chromium: Debian's, or the one in CHROMIUM. The tests serve the site that `make page` built
// (CHANGEOVER_SITE).
import { availableParallelism } from "node:os";
import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: ".",
  testMatch: "*.spec.mjs",
  outputDir: "../../target/web-tests/results",
  reporter: [
    ["list"],
    ["./failure_reporter.mjs", { file: "../../target/web-tests/failures.txt" }],
    ["./passed.mjs", { file: process.env.CHANGEOVER_PASSED ?? "../../target/web-tests/passed.txt" }],
  ],
  // A test keeps about one core busy.
  workers: Math.min(Math.max(availableParallelism(), 2), 8),
  fullyParallel: true,
  forbidOnly: true,
  // A test that passes only the second time is listed as flaky: a race in the test or in the page, to be mended.
  retries: 1,
  // An idle machine needs far less time than a busy one.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  use: {
    // A browser's process keeps the modules that it has compiled. Playwright empties the context between tests, but for the
    // session's storage, which the fixtures empty.
    reuseContext: true,
    viewport: { width: 1440, height: 900 },
    contextOptions: { reducedMotion: "reduce" },
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        // Most functions of a page run a few times: compiling them twice would take longer than running them.
        "--js-flags=--wasm-lazy-compilation,--liftoff-only",
      ],
    },
  },
});
