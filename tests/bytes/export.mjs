// A scenario a line in, its whole timeline a line out: from the packed npm package, installed as a user has it.
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
