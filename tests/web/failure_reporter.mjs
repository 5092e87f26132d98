// A reporter that writes the failed tests, with a few lines of their errors, to a file that `make test` prints at the
// end.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

const LINES_OF_ERROR = 4;

export default class FailureReporter {
  constructor({ file }) {
    this.file = file;
  }

  onBegin(_config, suite) {
    this.suite = suite;
  }

  onEnd() {
    const failures = this.suite.allTests().flatMap((test) => {
      if (test.outcome() !== "unexpected") return [];
      const title = test.titlePath().filter(Boolean).join(" › ");
      const error = test.results.flatMap((result) => result.errors).at(0)?.message ?? "no error was reported";
      // Remove terminal colors.
      const lines = error.replace(/\u001b\[[0-9;]*m/g, "").split("\n").filter((line) => line.trim() !== "");
      return [`failed: ${title}`, ...lines.slice(0, LINES_OF_ERROR).map((line) => `  ${line}`)];
    });
    mkdirSync(dirname(this.file), { recursive: true });
    writeFileSync(this.file, failures.map((line) => `${line}\n`).join(""));
  }
}
