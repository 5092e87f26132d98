// The GitHub Action: predicts the rollouts of a pull request, and reports them there.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import * as core from '@actions/core';

import { isWorthAComment, writeComment } from './comment.mjs';
import { predict } from './command.mjs';
import { readInputs } from './inputs.mjs';
import { truncated } from './truncation.mjs';

/** How many characters of a report the job summary takes, which may have 1 MiB. */
const SUMMARY_LENGTH = 250_000;

try {
  await main();
} catch (error) {
  core.setFailed(error.message);
}

async function main() {
  const inputs = readInputs();
  const { text, annotations, markdown, json, fails } = predict(inputs);
  process.stdout.write(`${text}\n${annotations}`);
  const report = JSON.parse(json);

  const file = join(process.env.RUNNER_TEMP ?? '.', `${inputs.name.replaceAll(/[^\w.-]/g, '-')}-report.json`);
  writeFileSync(file, json);
  core.setOutput('report', file);
  core.setOutput('findings', report.findings);
  core.setOutput('fits', report.verdict.result === 'fits');
  core.setOutput('verdict', report.verdict.result);
  const summary = truncated(markdown, SUMMARY_LENGTH, 'The rest is in the report, whose path is the output "report".');
  // Outside of GitHub, as in act, there may be no summary.
  if (process.env.GITHUB_STEP_SUMMARY) await core.summary.addRaw(summary).write();
  core.setOutput('comment-url', inputs.comment ? await writeComment(inputs, markdown, isWorthAComment(report)) : '');

  if (fails) process.exitCode = core.ExitCode.Failure;
}
