// Usage: node check.mjs OLD NEW [QUOTAS]
import { readFileSync } from 'node:fs';
import { predict, validate } from 'changeover';

const [old, manifest, quotas] = process.argv.slice(2).map((file) => readFileSync(file, 'utf8'));

const problems = validate(manifest, { old }).flatMap((result) => result.problems);
for (const { line, column, message } of problems) console.log(`${line}:${column} ${message}`);
process.exitCode = 1;

if (problems.length === 0) {
  const { verdict, workloads, warnings } = predict(old, manifest, { quotas });
  console.log({ fits: 'fits', doesNotFit: 'does not fit', notJudged: 'not judged' }[verdict.result]);
  for (const { object, message } of [...verdict.reasons, ...warnings]) console.log(`${object ?? 'all'}: ${message}`);
  for (const { name, outcome } of workloads) {
    const { peak, lowestAvailable, complete } = outcome;
    console.log(`${name}: at most ${peak} pods at once, at least ${lowestAvailable} available`);
    console.log(`${name}: ${complete === undefined ? 'never complete' : `complete after ${Math.ceil(complete / 1000)} s`}`);
  }
  if (verdict.result === 'fits') process.exitCode = 0;
}
