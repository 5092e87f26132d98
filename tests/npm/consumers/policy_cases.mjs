// Runs the policy's cases with the package. Prints for each its name, whether the answer differs, and the package's answer
// under the name of its schema.
import { readFileSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { review, validateSettings } from 'changeover';

const [folder] = process.argv.slice(2);
const all = readdirSync(folder).flatMap((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')));
// Without a request, `review` throws. The package can't read from a cluster.
const isOurs = ({ op, input }) =>
  op === 'policy.validateSettings' || (op === 'policy.validate' && input.request?.constructor === Object);
const cases = all.filter(isOurs);

const ops = {
  'policy.validate': {
    schema: 'verdict',
    answer: ({ request, settings }) => review({ request }, settings ?? {}),
    asExpected: ({ allowed, status, mutatedObject, warnings, auditAnnotations }) => {
      const { code = null, message = null } = status ?? {};
      return { allowed, code, message, patchedObject: mutatedObject ?? null, warnings, auditAnnotations };
    },
  },
  'policy.validateSettings': {
    schema: 'settings-check',
    answer: ({ settings }) => validateSettings(settings),
    asExpected: ({ valid, problems }) => ({ valid, message: valid ? null : problems.map(({ message }) => message).join('\n') }),
  },
};

// Compares only the expected keys.
const matches = (actual, expected) => Object.keys(expected).every((key) => isDeepStrictEqual(actual[key], expected[key]));
for (const { name, op, input, expected } of cases) {
  const { schema, answer, asExpected } = ops[op];
  const output = answer(input);
  writeSync(1, `${JSON.stringify({ name, differs: !matches(asExpected(output), expected), schema, output })}\n`);
}
