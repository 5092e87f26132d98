// Usage: node check.mjs OLD NEW
import { readFileSync } from 'node:fs';
import { scenario, simulate, validate } from 'changeover';

const [old, manifest] = process.argv.slice(2).map((file) => readFileSync(file, 'utf8'));

const problems = validate(manifest, { old }).flatMap((result) => result.problems);
for (const { line, column, message } of problems) console.log(`${line}:${column} ${message}`);

if (problems.length === 0) {
  const rollout = scenario(old, { to: manifest, at: '0s' });
  const { peak, mostOver, lowestAvailable, complete } = simulate(rollout).totals();
  console.log(`at most ${peak} pods at once, ${mostOver} above the limit`);
  console.log(`at least ${lowestAvailable} pods available`);
  console.log(complete === undefined ? 'never complete' : `complete after ${complete / 1e9} s`);
}

process.exitCode = problems.length > 0 ? 1 : 0;
