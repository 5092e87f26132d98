import { answers } from './worker_answers.js';

self.onmessage = answers((answer) => self.postMessage(answer));
