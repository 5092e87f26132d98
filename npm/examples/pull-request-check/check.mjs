// Usage: node check.mjs OLD NEW [QUOTAS]
import { readFileSync } from 'node:fs';
import { predict, validate } from 'changeover';

const [old, manifest, quotas] = process.argv.slice(2).map((file) => readFileSync(file, 'utf8'));

const problems = validate(manifest, { old }).flatMap((result) => result.problems);
for (const { line, column, message } of problems) console.log(`${line}:${column} ${message}`);
let fits = problems.length === 0;

if (fits) {
  const prediction = predict(old, manifest, { quotas });
  for (const { name, outcome } of prediction.workloads) {
    const { peak, lowestAvailable, complete } = outcome;
    console.log(`${name}: at most ${peak} pods at once, at least ${lowestAvailable} available`);
    console.log(`${name}: ${complete === undefined ? 'never complete' : `complete after ${Math.ceil(complete / 1000)} s`}`);
  }
  for (const { name, demand } of prediction.quotas) {
    for (const { resource, needed, hard } of demand.exceeded) console.log(`quota ${name}: needs ${needed} ${resource}, has ${hard}`);
    fits &&= demand.fits;
  }
  for (const { object, message } of prediction.warnings) console.log(`${object}: ${message}`);
}

process.exitCode = fits ? 0 : 1;
