// Cloudflare Workers compile no bytes: their bundler compiles the file.
import module from './changeover.wasm';

import { setBytesSource } from './instance.js';

export * from './api.js';

setBytesSource(() => module);
