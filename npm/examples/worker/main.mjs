import { Worker } from 'node:worker_threads';

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 1000,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
  },
};

const worker = new Worker(new URL('worker.mjs', import.meta.url));
worker.on('message', ({ steps, peak }) => {
  console.log(`${steps} steps, at most ${peak} pods at once`);
  worker.terminate();
});
worker.postMessage({ deployment, changes: { image: 'web:2' } });
