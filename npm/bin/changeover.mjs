#!/usr/bin/env node
// The command: the module beside it does the work.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { isatty } from 'node:tty';
import { fileURLToPath } from 'node:url';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';

import { initSync, run } from './command.js';
import { lostOutput, machine } from './machine.mjs';

/** Wrong use, input that can't be read, or output that can't be written. */
const UNUSABLE = 2;

/** Moves to the beginning of the line and clears it, which removes a progress bar. */
const CLEAR_LINE = '\r\x1B[K';

if (!isMainThread) {
  parentPort.postMessage(runCommand(workerData));
} else {
  const args = [basename(process.argv[1]), ...process.argv.slice(2)].join('\0');
  // Node.js handles no signals while the main thread computes, and only a terminal has a progress bar to remove. A server has none,
  // and a thread that waits for its client can't be ended.
  if (isatty(2) && process.argv[2] !== 'mcp') runInThread(args);
  else process.exitCode = runCommand(args);
}

/** Runs the command, and returns its exit code. */
function runCommand(args) {
  initSync({ module: readFileSync(new URL('command.wasm', import.meta.url)) });
  const code = run(machine, args);
  const error = lostOutput();
  if (!error) return code;
  machine.printError(`error: the output can't be written: ${error.message}\n`);
  return UNUSABLE;
}

function runInThread(args) {
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: args });
  worker.on('message', (code) => {
    process.exitCode = code;
  });
  process.on('SIGINT', async () => {
    await worker.terminate();
    machine.printError(CLEAR_LINE);
    // The signal has to end the process: a shell ends its script only then.
    process.removeAllListeners('SIGINT');
    process.kill(process.pid, 'SIGINT');
  });
}
