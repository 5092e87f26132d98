// The answers of `explain` and `predict` to the recorded states of clusters, without a time: as the command reads saved files. Each
// prediction of a Deployment comes with the totals of its timeline.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { explain, predict } from 'changeover';

const [states] = process.argv.slice(2);
const answer = (file) => {
  const state = readFileSync(join(states, file), 'utf8');
  const predicted = predict(state);
  const timeline = predicted.timeline();
  const totals = predicted.workloads.filter(({ kind }) => kind === 'Deployment').map(({ namespace, name, outcome }) => {
    const { peak, lowestAvailable } = timeline.totals(`${namespace}/${name}`);
    return [[peak, lowestAvailable], [outcome.peak, outcome.lowestAvailable]];
  });
  return [file, { explained: explain(state), predicted, totals }];
};
console.log(JSON.stringify(Object.fromEntries(readdirSync(states).filter((file) => file.endsWith('.yaml')).map(answer))));
