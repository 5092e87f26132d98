// Reads a scenario per line and writes its whole timeline as a line, with the packed npm package, installed as users
// install it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { install } from '../npm/install.mjs';

const { simulate } = createRequire(join(install(), 'package.json'))('changeover');

for (const line of readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  let out;
  try {
    out = JSON.stringify(simulate(JSON.parse(line)));
  } catch (error) {
    out = error.message;
  }
  process.stdout.write(`${out}\n`);
}
