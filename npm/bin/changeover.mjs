#!/usr/bin/env node
// The command: the module beside it does the work, and this is the machine that it works on.
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { basename } from 'node:path';

import { initSync, run } from './command.js';

const machine = {
  isFolder: (path) => attempt(() => statSync(path).isDirectory()),
  readFile: (path) => attempt(() => readFileSync(path)),
  readFolder: (path) => attempt(() => readdirSync(path).map((name) => withMark(path, name)).join('\0')),
  readStdin: () => attempt(() => readFileSync(0)),
  runKubectl: (args) =>
    attempt(() => {
      const { error, status, stdout, stderr } = spawnSync('kubectl', args.split('\0'), {
        stdio: ['ignore', 'pipe', 'pipe'],
        maxBuffer: Infinity,
      });
      if (error) throw error;
      return { success: status === 0, stdout, stderr: stderr.toString() };
    }),
  print: (text) => process.stdout.write(text),
  printError: (text) => process.stderr.write(text),
  outputIsTerminal: Boolean(process.stdout.isTTY),
  errorIsTerminal: Boolean(process.stderr.isTTY),
  now: () => new Date().toISOString(),
  sleep: (milliseconds) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds),
  variable: (name) => process.env[name],
};

/** A name, with a slash after it if it is a folder. */
function withMark(folder, name) {
  return statSync(`${folder}/${name}`, { throwIfNoEntry: false })?.isDirectory() ? `${name}/` : name;
}

/** Runs a function of the system. Its errors become strings. */
function attempt(work) {
  try {
    return work();
  } catch (error) {
    const known = { ENOENT: 'NotFound', EACCES: 'NotAllowed', EPERM: 'NotAllowed' };
    throw known[error.code] ?? error.message;
  }
}

// Nobody may be reading any more, as with `head`.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

initSync({ module: readFileSync(new URL('command.wasm', import.meta.url)) });
process.exitCode = run(machine, [basename(process.argv[1]), ...process.argv.slice(2)].join('\0'));
