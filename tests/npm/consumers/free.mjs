// Frees a timeline in both ways. Prints the error code of each later use.
import { readFileSync } from 'node:fs';
import { scenario, simulate } from 'changeover';

const made = scenario(JSON.parse(readFileSync('deployment.json', 'utf8')), { image: 'web:2' });
const codeOf = (work) => {
  try {
    return work();
  } catch (error) {
    return error.code;
  }
};
const freed = simulate(made);
freed.free();
freed.free();
const midway = simulate(made);
const steps = midway.steps();
steps.next();
midway.free();
const disposed = simulate(made);
disposed[Symbol.dispose ?? 'free']();
console.log(JSON.stringify([
  codeOf(() => freed.frame(0)),
  codeOf(() => [...freed.steps()]),
  codeOf(() => freed.toJSON()),
  codeOf(() => freed.length > 10),
  codeOf(() => freed.steps()),
  codeOf(() => steps.next()),
  codeOf(() => disposed.seek('1s')),
]));
