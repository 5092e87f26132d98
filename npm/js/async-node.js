import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

import { callsIn } from './calls.js';

export { ChangeoverError } from './error.js';

function startWorker(hear) {
  // This becomes CommonJS, which `import` loads as well.
  const worker = new Worker(join(__dirname, 'worker-node.cjs'));
  worker.on('message', hear.answered).on('error', hear.failed);
  return { post: (message) => worker.postMessage(message), end: () => worker.terminate() };
}

export const { predict, advise, explain, totals } = callsIn(
  [startWorker],
  async () => WebAssembly.compile(await readFile(join(__dirname, 'changeover.wasm'))),
);
