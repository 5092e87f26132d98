// The package's results satisfy the schemas that it ships.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';

import Ajv from 'ajv/dist/2020.js';

import { POLICY_CASES, install, lines } from './install.mjs';

const SCENARIOS = 60;

let folder;

before(() => {
  folder = install();
});

/** Validates each output of a program against its schema. Returns how many outputs each schema has. */
async function countValid(outputs, observe = () => {}) {
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
  for await (const { seed, name = `scenario ${seed}`, schema, output } of outputs) {
    const validate = validatorOf(schema);
    if (!validate(output)) assert.fail(`${schema} of ${name}: ${ajv.errorsText(validate.errors)}`);
    counts[schema] = (counts[schema] ?? 0) + 1;
    observe(schema, output);
  }
  return counts;
}

test('the output of random timelines satisfies the schemas', async () => {
  const [actors, modes] = [new Set(), new Set()];
  const counts = await countValid(lines(folder, 'random_timelines.mjs', SCENARIOS), (schema, output) => {
    if (schema !== 'timeline') return;
    modes.add(output.scenario.mode);
    for (const { actor } of output.steps) actors.add(actor);
  });
  const few = Object.entries(counts).filter(([, count]) => count < SCENARIOS / 2);
  assert.deepEqual([Object.keys(counts).length, few], [12, []]);
  assert.deepEqual(modes, new Set([undefined, 'realistic', 'exact']));
  const missing = ['deploymentController', 'jobController', 'cronJobController', 'nodeLifecycleController', 'clusterAutoscaler', 'kubelet'].filter(
    (actor) => !actors.has(actor),
  );
  assert.deepEqual(missing, [], [...actors].join());
});

test("the output of the policy's cases satisfies the schemas", async () => {
  const counts = await countValid(lines(folder, 'policy_cases.mjs', POLICY_CASES));
  assert.deepEqual(Object.keys(counts).sort(), ['settings-check', 'verdict']);
  for (const [schema, count] of Object.entries(counts)) assert.ok(count > 20, `${count} outputs of ${schema}`);
});
