// Cloudflare Workers have no workers of their own, and compile no bytes: their bundler compiles the file.
import module from './changeover.wasm';

import { callsIn } from './calls.js';
import { startHere } from './here.js';

export { ChangeoverError } from './error.js';

/** Timers have no turn while messages come. */
const pause = () => new Promise((resolve) => setTimeout(resolve));

export const { predict, advise, explain, totals } = callsIn([startHere(pause)], async () => module);
