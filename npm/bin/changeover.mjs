#!/usr/bin/env node
// The command: the module beside it does the work.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

import { initSync, run } from './command.js';
import { machine } from './machine.mjs';

// The reader may have closed the pipe, as `head` does.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

initSync({ module: readFileSync(new URL('command.wasm', import.meta.url)) });
process.exitCode = run(machine, [basename(process.argv[1]), ...process.argv.slice(2)].join('\0'));
