import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

import { setPlatform } from './calls.js';
import { startHere } from './here.js';

export * from './async_functions.js';

function startWorker(hear) {
  // This becomes CommonJS, which `import` loads as well.
  const worker = new Worker(join(__dirname, 'worker-node.cjs'));
  worker.on('message', hear.answered).on('error', hear.failed);
  return { post: (message) => worker.postMessage(message), end: () => worker.terminate() };
}

const pause = () => new Promise((resolve) => setImmediate(resolve));

// With Node's permission model, a program may start workers only if its user allows that.
setPlatform([startWorker, startHere(pause)], async () => WebAssembly.compile(await readFile(join(__dirname, 'changeover.wasm'))));
