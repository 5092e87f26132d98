import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

import { callsIn } from './calls.js';

export { ChangeoverError } from './error.js';

// This becomes CommonJS, which `import` loads as well.
export const { predict, advise, explain, totals } = callsIn(
  () => {
    const worker = new Worker(join(__dirname, 'worker-node.cjs'));
    return {
      post: (message) => worker.postMessage(message),
      listen: (answered, failed) => worker.on('message', answered).on('error', failed),
      end: () => worker.terminate(),
    };
  },
  async () => WebAssembly.compile(await readFile(join(__dirname, 'changeover.wasm'))),
);
