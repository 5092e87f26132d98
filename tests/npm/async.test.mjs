// The functions in workers, in Node and in a browser.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { open } from './browser.mjs';
import { install, run } from './install.mjs';

const EXPECTED = {
  same: true,
  fits: true,
  peak: 4,
  explained: [],
  stopped: ['AbortError', 20, 'This operation was aborted'],
  stoppedBefore: ['Error', 'no longer needed'],
  late: ['ChangeoverError', 'DeadlineExceeded', '', 'advise takes longer than the deadline of 1 ms', 1],
  large: ['ChangeoverError', 'OutOfMemory', '', 'predict needs more memory than the limit of 16777216 bytes', 1],
  wrong: ['ChangeoverError', 'InvalidObjects', 'old[0].spec.replicas', 'old[0].spec.replicas: Invalid value: -1: must be greater than or equal to 0', 1],
  located: ['InvalidObjects', 8, 3],
  uncopied: ['ChangeoverError', 'InvalidObjects', ''],
  limit: ['ChangeoverError', 'InvalidOptions', 'deadline', 'deadline: Invalid value: 0: must be a whole number of milliseconds from 1 to 2147483647', 1],
  noSignal: ['ChangeoverError', 'InvalidOptions', 'signal', 'signal: Invalid value: true: must be an AbortSignal', 1],
  noLimit: ['ChangeoverError', 'InvalidOptions', 'timeout', 'timeout: Unsupported value: "timeout": supported values: "signal", "deadline", "memory"', 1],
};

/** Trusted Types have no address of a worker that the page itself did not make. */
const POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";

let folder;

before(() => {
  folder = install();
});

test('an ES module in Node', () => assert.deepEqual(run(folder, 'async.mjs'), EXPECTED));

test('CommonJS', () => assert.deepEqual(run(folder, 'async.cjs'), EXPECTED));

test('a browser', async () => {
  const { stopped: [name], ...result } = await open(folder, 'async.html', () => window.result, { policy: POLICY });
  const { stopped, ...expected } = EXPECTED;
  assert.deepEqual([name, result], ['AbortError', expected]);
});
