// The examples do what their READMEs show: each file that is quoted, and each command with its output.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { open } from './browser.mjs';
import { install, tool } from './install.mjs';

const examples = fileURLToPath(new URL('../../npm/examples', import.meta.url));
const names = readdirSync(examples, { withFileTypes: true }).filter((entry) => entry.isDirectory());

let folder;

before(() => {
  folder = install();
  cpSync(examples, join(folder, 'examples'), { recursive: true });
});

/** The code blocks of a text, each with its language and the line before it. */
function blocks(text) {
  const found = text.matchAll(/(?<=^|\n)([^\n]*)\n\n```(\w+)\n([^]*?)```/g);
  return [...found].map(([, before, language, code]) => ({ before, language, code }));
}

for (const { name } of names) {
  test(`the example ${name} does what its README shows`, () => {
    const home = join(folder, 'examples', name);
    const shown = blocks(readFileSync(join(home, 'README.md'), 'utf8'));
    const quoted = shown.filter(({ language }) => language === 'js');
    assert.ok(quoted.length > 0, 'it quotes a file');
    for (const { before, code } of quoted) {
      const [, file] = /`([\w.]+)`/.exec(before);
      assert.equal(code, readFileSync(join(home, file), 'utf8'), file);
    }
    const consoles = shown.filter(({ language }) => language === 'console');
    for (const { code } of consoles) {
      const [command, ...output] = code.split('\n');
      const { stdout } = spawnSync('sh', ['-c', command.replace(/^\$ /, '')], { cwd: home, encoding: 'utf8' });
      assert.equal(stdout, output.join('\n'), command);
    }
    assert.ok(consoles.length > 0 || name === 'vite-page', 'it shows a command');
  });
}

test('the Vite page shows its answer', async () => {
  const home = join(folder, 'examples/vite-page');
  tool(folder, 'vite', 'bin/vite.js', 'build', home, '--base', './', '--logLevel', 'warn');
  const answer = await open(join(home, 'dist'), 'index.html', () => document.querySelector('#answer').textContent);
  assert.equal(answer, 'At most 20 pods at once, 7 above the limit.');
});
