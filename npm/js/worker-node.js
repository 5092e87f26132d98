import { parentPort } from 'node:worker_threads';

import { answers } from './worker_answers.js';

const answer = answers((result) => parentPort.postMessage(result));
parentPort.on('message', (data) => answer({ data }));
