// The answers to the files that the command gets in command.test.mjs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { advise, predict, rankFor } from 'changeover';

const [cases, state, replicaSet] = process.argv.slice(2);
const read = (...path) => readFileSync(join(cases, ...path), 'utf8');
const manifests = (folder) => ['web.yaml', 'worker.yml'].map((file) => read('predict.in', folder, file)).join('---\n');

console.log(JSON.stringify({
  predict: predict(manifests('old'), manifests('new'), { quotas: read('predict.in', 'quota.yaml') }),
  advise: advise(read('advise.in', 'web.yaml'), { maxPods: 16 }),
  withinQuota: advise(read('advise.in', 'web.yaml'), {}, { quotas: read('advise.in', 'quota.yaml') }),
  advised: advise(readFileSync(state, 'utf8'), { minAvailable: 1 }),
  ranked: rankFor(replicaSet, readFileSync(state, 'utf8')),
}));
