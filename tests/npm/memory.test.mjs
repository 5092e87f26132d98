// Work that takes too much memory fails on its own, and the package keeps working.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { install, run } from './install.mjs';

let folder;

before(() => {
  folder = install();
});

/** The result of a case. The package must still read a deletion cost afterward. */
function resultOf(name) {
  const { came, cost } = run(folder, 'never_dead.mjs', name);
  assert.equal(cost, 5);
  return came;
}

for (const name of ['export', 'exportInWorker']) {
  test(`the ${name} that no string can hold names the limit to lower`, () => {
    const { name: type, code, message } = resultOf(name);
    assert.deepEqual([type, code], ['ChangeoverError', 'OutOfMemory']);
    assert.match(message, /steps\(\), or lower limits\.steps/);
  });
}

test('a loop that never frees its timelines keeps working', () => assert.deepEqual(resultOf('loop'), [100, 100, 100]));

test('a loop that never pauses does not accumulate scenarios', () => {
  // 80 scenarios of 4 MB do not fit into memory.
  assert.deepEqual(run(folder, '--max-old-space-size=200', 'unpaused_loop.mjs'), { turns: 80, cost: 5 });
});

test('objects that fill the memory name the limits to lower', () => {
  const { name, code, message } = resultOf('annotation');
  assert.deepEqual([name, code], ['ChangeoverError', 'OutOfMemory']);
  assert.match(message, /limits\.bytes/);
});

test('pods share the spec of their template', () => {
  const [characters, peak, , bytes] = resultOf('template');
  assert.ok(characters < 2_000_000, `${characters} characters`);
  assert.ok(peak > 1000, `${peak} pods`);
  // Each pod with a copy of its own would take 100 MB together.
  assert.ok(bytes < 64_000_000, `${bytes} bytes`);
});

test('a frame of 30,000 pods can be read', () => assert.ok(resultOf('frame') > 30_000));

test('earlier timelines play again after memory ran out', () => {
  assert.deepEqual(resultOf('earlier'), ['OutOfMemory', true, true]);
});

test('using a freed timeline is an error', () => {
  const freed = 'TimelineFreed';
  assert.deepEqual(run(folder, 'free.mjs'), [freed, freed, freed, true, freed, freed, freed]);
});

test('a frame builds its objects and its step only when they are read', () => {
  const { built, afterReading, copies, assigned, frozen, freed } = run(folder, 'frame.mjs');
  assert.deepEqual([built, afterReading], [[], ['timeline_steps', 'timeline_objects', 'timeline_objects']]);
  assert.deepEqual(copies, Array(4).fill(true));
  assert.deepEqual([assigned, frozen, freed], [[], true, 'TimelineFreed']);
});

test('its memory grows in large steps', () => {
  const page = 64 * 1024;
  const pages = [...new Set(run(folder, 'memory.mjs'))].map((size) => size / page);
  assert.ok(pages.length > 3, `it grew to ${pages} pages`);
  for (const [index, before] of pages.slice(0, -1).entries()) {
    const growth = pages[index + 1] - before;
    assert.ok(growth >= 16 + Math.floor(before / 4), `by ${growth} pages from ${before}: must be 1 MB and a quarter`);
  }
});
