// Runs the policy's cases with the package. Prints the names of those that differ, and the number of cases.
import { readFileSync, readdirSync } from 'node:fs';
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
  'policy.validate': ({ request, settings }) => {
    const { allowed, status, mutatedObject, warnings, auditAnnotations } = review({ request }, settings ?? {});
    const { code = null, message = null } = status ?? {};
    return { allowed, code, message, patchedObject: mutatedObject ?? null, warnings, auditAnnotations };
  },
  'policy.validateSettings': ({ settings }) => {
    const { valid, problems } = validateSettings(settings);
    return { valid, message: valid ? null : problems.map(({ message }) => message).join('\n') };
  },
};

// Compares only the expected keys.
const matches = (actual, expected) => Object.keys(expected).every((key) => isDeepStrictEqual(actual[key], expected[key]));
const differ = cases.filter(({ op, input, expected }) => !matches(ops[op](input), expected)).map(({ name }) => name);
console.log(JSON.stringify({ differ, count: cases.length }));
