// A reporter for Playwright: writes the tests that passed, as FILE::TITLE, one per line. `make test` reads them as
// proofs.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export default class Passed {
  constructor({ file }) {
    this.file = file;
  }

  onBegin(_config, suite) {
    this.suite = suite;
  }

  onEnd() {
    const passed = this.suite.allTests().filter((test) => ["expected", "flaky"].includes(test.outcome()));
    const lines = passed.map((test) => `${relative(ROOT, test.location.file)}::${test.title}\n`);
    mkdirSync(dirname(this.file), { recursive: true });
    writeFileSync(this.file, lines.join(""));
  }
}
