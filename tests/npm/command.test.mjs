// The command as users of npx get it: from the tarball. The sessions in tests/cli/cases test its output.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import Ajv from 'ajv/dist/2020.js';

import { install, run } from './install.mjs';
import { pageOf } from './page.mjs';

const cases = fileURLToPath(new URL('../cli/cases', import.meta.url));
const states = fileURLToPath(new URL('../controlplane/states', import.meta.url));
const NOW = ['--now', '2026-01-01T12:00:00Z'];

let folder;

before(() => {
  folder = install();
});

/** The package's command, and the native one, which `make test` names. */
function commands() {
  return [join(folder, 'node_modules/.bin/changeover'), process.env.CHANGEOVER_COMMAND].filter(Boolean);
}

function changeover(cwd, ...args) {
  const command = join(folder, 'node_modules/.bin/changeover');
  return spawnSync(command, args, { cwd: join(cases, cwd), encoding: 'utf8' });
}

for (const [schema, status, cwd, ...args] of [
  ['predict-report', 1, 'predict.in', 'predict', 'old', 'new', '--quota', 'quota.yaml'],
  ['advice', 0, 'advise.in', 'advise', 'web.yaml', '--max-pods', '16'],
  ['explain-report', 1, 'explain.in', 'explain', '-f', 'image.json', ...NOW],
  ['rank-report', 0, 'rank.in', 'rank', 'web-7c9d5f6b8', '-f', 'cluster.json', ...NOW],
  ['validate-report', 1, 'validate.in', 'validate', 'new', '--old', 'old'],
  ['review-report', 1, 'review.in', 'review', 'costly.yaml', '--settings', 'settings.yaml'],
]) {
  test(`${args[0]} -o json satisfies ${schema}.schema.json`, () => {
    const { stdout, stderr, ...ended } = changeover(cwd, ...args, '-o', 'json');
    assert.deepEqual([ended.status, stderr], [status, '']);
    const text = readFileSync(join(folder, `node_modules/changeover/${schema}.schema.json`), 'utf8');
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(JSON.parse(text));
    assert.ok(validate(JSON.parse(stdout)), JSON.stringify(validate.errors));
  });
}

test('standard input is read as a file is', () => {
  const command = join(folder, 'node_modules/.bin/changeover');
  const options = { cwd: join(cases, 'predict.in'), encoding: 'utf8' };
  const piped = spawnSync('sh', ['-c', `cat new/web.yaml | '${command}' predict old/web.yaml -`], options);
  const { status, stdout, stderr } = changeover('predict.in', 'predict', 'old/web.yaml', 'new/web.yaml');
  assert.deepEqual([piped.status, piped.stdout, piped.stderr], [status, stdout, stderr]);
  assert.match(stdout, /^not judged: .*\n\nweb {2}image web:1 → web:2\n/);
});

test("predict, advise and rank answer as the package's functions do, at the same time", () => {
  const [state, replicaSet] = [join(states, 'rolling-middle.yaml'), 'rs/web-75f9f985d6'];
  const answers = run(folder, 'command_answers.mjs', cases, state, replicaSet);
  const { prediction } = JSON.parse(changeover('predict.in', 'predict', 'old', 'new', '--quota', 'quota.yaml', '-o', 'json').stdout);
  assert.deepEqual(prediction, answers.predict);
  assert.ok(prediction.workloads.length > 1, 'several workloads are predicted');
  assert.deepEqual(JSON.parse(changeover('advise.in', 'advise', 'web.yaml', '--max-pods', '16', '-o', 'json').stdout), answers.advise);
  assert.deepEqual(JSON.parse(changeover('advise.in', 'advise', 'web.yaml', '--quota', 'quota.yaml', '-o', 'json').stdout), answers.withinQuota);
  for (const command of commands()) {
    const ask = (...args) => JSON.parse(spawnSync(command, [...args, '-o', 'json'], { cwd: cases, encoding: 'utf8' }).stdout);
    assert.deepEqual(ask('advise', state, '--min-available', '1'), answers.advised);
    assert.deepEqual(ask('rank', replicaSet, state), answers.ranked);
  }
  assert.deepEqual([answers.advise.now, answers.advised.now, answers.ranked.now], [undefined, '2026-11-26T10:25:05Z', '2026-11-26T10:25:05Z']);
});

test("states are explained and predicted as the package's functions do, natively, too", () => {
  const answers = run(folder, 'state_answers.mjs', states);
  assert.ok(Object.keys(answers).length > 10, 'the states were found');
  for (const [file, { explained, predicted, totals }] of Object.entries(answers)) {
    for (const [ofTimeline, ofPrediction] of totals) assert.deepEqual(ofTimeline, ofPrediction, file);
    const path = join(states, file);
    for (const command of commands()) {
      const ask = (...args) => spawnSync(command, [...args, '-o', 'json'], { cwd: cases, encoding: 'utf8' }).stdout;
      assert.deepEqual(JSON.parse(ask('explain', '-f', path)), explained, file);
      assert.deepEqual(JSON.parse(ask('predict', path)).prediction, predicted, file);
    }
  }
});

/** The page's file, if it was built; `make test` sets it. */
const site = process.env.CHANGEOVER_SITE;

test("states are explained, predicted and judged as the page does", { skip: !site && 'CHANGEOVER_SITE names no built page' }, async () => {
  const answerOfPage = await pageOf(site);
  const answers = run(folder, 'state_answers.mjs', states);
  for (const [file, { explained, predicted }] of Object.entries(answers)) {
    const { read, played, judgment, outlook } = answerOfPage(readFileSync(join(states, file), 'utf8'));
    assert.equal(read.readAt, predicted.assumptions.now, file);
    assert.equal(judgment.result, predicted.verdict.result, file);
    assert.deepEqual(outlook.rollouts.map(({ name, standing }) => [name, standing]), explained.rollouts.map(({ name, standing }) => [name, standing]), file);
    const shown = predicted.workloads.find(({ name }) => name === read.shown.name);
    // The page plays with the quotas. Of what is deleted, the prediction says when it is gone.
    const isDeleted = explained.rollouts.some(({ name, standing }) => name === read.shown.name && standing === 'deleting');
    const ofPage = figuresOfPage(played.totals);
    const expected = isDeleted ? { ...ofPage, complete: ofPage.lastOldPodGone } : ofPage;
    if (shown) assert.deepEqual(expected, figures(shown.withQuotas ?? shown.outcome), file);
  }
});

/** The figures that both have. */
function figures({ peak, lowestAvailable, complete, lastOldPodGone }) {
  return { peak, lowestAvailable, complete, lastOldPodGone };
}

/** The same of the page, which counts nanoseconds. */
function figuresOfPage({ complete, lastOldPodGone, ...counts }) {
  const milliseconds = (time) => (time === null ? undefined : time / 1e6);
  return figures({ ...counts, complete: milliseconds(complete), lastOldPodGone: milliseconds(lastOldPodGone) });
}

test('a closed pipe is not a failure', () => {
  const command = join(folder, 'node_modules/.bin/changeover');
  const { status, stderr } = spawnSync('sh', ['-c', `'${command}' --help | head -1`], { encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, '']);
});
