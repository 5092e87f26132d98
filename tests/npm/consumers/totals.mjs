// Compares the totals of scenarios with those of their timelines, and prints both.
import { ChangeoverError, scenario, simulate, totals } from 'changeover';

const deployment = (name, replicas) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'app', image: `${name}:1` }] } },
  },
});

const alone = scenario(deployment('web', 10), { image: 'web:2' }, { mode: 'realistic' });
const beside = scenario([deployment('web', 3)], { image: 'web:2' }, { objects: [deployment('api', 2)] });
const asText = { ...alone, objects: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: alone.objects }) };
const pairs = [
  [alone],
  [alone, 'web', '6s'],
  [asText],
  [beside, 'default/web', '5s'],
  [beside, 'api'],
].map(([made, ...args]) => [totals(made, ...args), simulate(made).totals(...args)]);

function failure(...args) {
  try {
    return totals(...args);
  } catch (error) {
    return [error instanceof ChangeoverError, error.code, error.message];
  }
}

const failures = [[beside], [alone, 'api'], [alone, 'web', 'soon'], [{ version: 2 }]].map((args) => failure(...args));
console.log(JSON.stringify({ pairs, failures }));
