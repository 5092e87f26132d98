// Errors are reported where the input is wrong, with their code and path: `inputs.json` has the result of each case in
// `consumers/inputs.mjs`.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { install, run } from './install.mjs';

const expected = JSON.parse(readFileSync(new URL('inputs.json', import.meta.url), 'utf8'));

test('wrong and unusual inputs get the expected answers', () => {
  const results = run(install(), 'inputs.mjs');
  assert.deepEqual(Object.keys(results), Object.keys(expected));
  for (const [name, result] of Object.entries(results)) assert.deepEqual(result, expected[name], name);
});
