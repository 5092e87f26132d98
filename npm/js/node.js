import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { setBytesSource } from './instance.js';

export * from './api.js';

// This becomes CommonJS, which `import` loads as well.
setBytesSource(() => readFileSync(join(__dirname, 'changeover.wasm')));
