// Every case of the policy, as the package judges it: the names of those that come out otherwise, and how many there are.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { review, validateSettings } from 'changeover';

const [folder] = process.argv.slice(2);
const all = readdirSync(folder).flatMap((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')));
// What is no request at all is an error of whoever calls.
const cases = all.filter(({ op, input }) => op !== 'policy.validate' || input.request?.constructor === Object);

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

// What a case does not say is not asked.
const fits = (told, expected) => Object.keys(expected).every((key) => isDeepStrictEqual(told[key], expected[key]));
const differ = cases.filter(({ op, input, expected }) => !fits(ops[op](input), expected)).map(({ name }) => name);
console.log(JSON.stringify({ differ, count: cases.length }));
