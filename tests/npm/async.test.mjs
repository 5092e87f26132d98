// The long calls in workers, in Node and in a browser, and without workers.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { open } from './browser.mjs';
import { install, run } from './install.mjs';

const EXPECTED = {
  different: [],
  fits: true,
  peak: 4,
  explained: [],
  stopped: ['AbortError', 20, 'This operation was aborted'],
  stoppedBefore: ['Error', 'no longer needed'],
  late: ['ChangeoverError', 'DeadlineExceeded', '', 'advise takes longer than the deadline of 1 ms', 1],
  large: ['ChangeoverError', 'OutOfMemory', '', 'predict needs more memory than the limit of 16777216 bytes', 1],
  wrong: ['ChangeoverError', 'InvalidObjects', 'old[0].spec.replicas', 'old[0].spec.replicas: Invalid value: -1: must be greater than or equal to 0', 1],
  located: ['InvalidObjects', 8, 3],
  named: ['web.json', 8],
  unread: ['ChangeoverError', 'InvalidObjects', ''],
  noTime: ['ChangeoverError', 'DeadlineExceeded', '', 'predict takes longer than the deadline of 0 ms', 1],
  someTime: 1,
  limit: ['ChangeoverError', 'InvalidOptions', 'deadline', 'deadline: Invalid value: NaN: must be a number of milliseconds, at most 2147483647', 1],
  noSignal: ['ChangeoverError', 'InvalidOptions', 'signal', 'signal: Invalid value: true: must be an AbortSignal', 1],
  noLimit: ['ChangeoverError', 'InvalidOptions', 'timeout', 'timeout: Unsupported value: "timeout": supported values: "signal", "deadline", "memory"', 1],
};

const WITHOUT_STOP = Object.fromEntries(Object.entries(EXPECTED).filter(([name]) => name !== 'stopped'));

/** Trusted Types have no address of a worker that the page itself did not make. */
const POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";

/** What a browser says of the worker that such a page may not start. */
const NO_WORKERS = { policy: `${POLICY}; worker-src 'none'`, expected: /worker/i };

let folder;

before(() => {
  folder = install();
});

test('an ES module in Node', () => assert.deepEqual(run(folder, 'async.mjs'), EXPECTED));

test('CommonJS', () => assert.deepEqual(run(folder, 'async.cjs'), EXPECTED));

/** The words for an aborted call differ. */
function checkSame({ stopped: [name], ...result }) {
  assert.deepEqual([name, result], ['AbortError', WITHOUT_STOP]);
}

test('a program in Node that may not start workers', () => {
  checkSame(run(folder, '--experimental-permission', '--no-warnings', '--allow-fs-read=*', 'async.mjs'));
});

test('a browser', async () => checkSame(await open(folder, 'async.html', () => window.result, { policy: POLICY })));

test('a page that may not start workers goes on while a call runs', async () => {
  const { ticked, fitted, stoppedMeanwhile, both, ...same } = await open(folder, 'async_here.html', () => window.result, NO_WORKERS);
  checkSame(same);
  assert.deepEqual([ticked, fitted, stoppedMeanwhile], [true, true, ['Error', 'no longer needed']]);
  assert.deepEqual(both, [2, 4]);
});

test('where calls cannot pause either, limits of time and memory still end them', async () => {
  checkSame(await open(folder, 'async_here.html?whole', () => window.result, NO_WORKERS));
});
