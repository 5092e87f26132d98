// Cloudflare Workers have no workers of their own, and compile no bytes: their bundler compiles the file.
import module from './changeover.wasm';

import { setPlatform } from './calls.js';
import { startHere } from './here.js';

export * from './async_functions.js';

/** Timers have no turn while messages come. */
const pause = () => new Promise((resolve) => setTimeout(resolve));

setPlatform([startHere(pause)], async () => module);
