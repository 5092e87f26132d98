// The machine that the module of the command works on: this process, its files and the user's kubectl.
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, statSync } from 'node:fs';

export const machine = {
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
