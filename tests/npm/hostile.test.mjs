// Hostile inputs get proper errors, and the package keeps working.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { install, run } from './install.mjs';

let folder;

before(() => {
  folder = install();
});

test('every failure is a ChangeoverError with a sentence', () => {
  const { wrong, count } = run(folder, 'hostile.mjs');
  assert.deepEqual(wrong, []);
  assert.ok(count > 700, `${count} failures`);
});

test('calls without room on the stack break nothing', () => {
  assert.deepEqual(run(folder, 'recursion.mjs'), { deep: true, same: 20, cost: 5 });
});
