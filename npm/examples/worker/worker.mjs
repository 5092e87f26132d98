import { parentPort } from 'node:worker_threads';
import { scenario, simulate } from 'changeover';

parentPort.on('message', ({ deployment, changes }) => {
  const timeline = simulate(scenario(deployment, changes));
  parentPort.postMessage({ steps: timeline.length, peak: timeline.totals().peak });
  timeline.free();
});
