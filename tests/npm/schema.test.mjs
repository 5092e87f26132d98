// The package's results satisfy the schemas that it ships.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';

import Ajv from 'ajv/dist/2020.js';

import { install } from './install.mjs';

const SCENARIOS = 60;

test('the output of random timelines satisfies the schemas', async () => {
  const folder = install();
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const validators = new Map();
  const validatorOf = (schema) => {
    if (!validators.has(schema)) {
      const file = join(folder, `node_modules/changeover/${schema}.schema.json`);
      validators.set(schema, ajv.compile(JSON.parse(readFileSync(file, 'utf8'))));
    }
    return validators.get(schema);
  };
  const counts = {};
  const program = spawn(process.execPath, ['random_timelines.mjs', SCENARIOS], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => program.on('exit', resolve));
  for await (const line of createInterface({ input: program.stdout })) {
    const { seed, schema, output } = JSON.parse(line);
    const validate = validatorOf(schema);
    if (!validate(output)) assert.fail(`${schema} of scenario ${seed}: ${ajv.errorsText(validate.errors)}`);
    counts[schema] = (counts[schema] ?? 0) + 1;
  }
  assert.equal(await ended, 0);
  const few = Object.entries(counts).filter(([, count]) => count < SCENARIOS / 2);
  assert.deepEqual([Object.keys(counts).length, few], [12, []]);
});
