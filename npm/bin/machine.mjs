// The machine that the module of the command works on: this process, its files and the user's kubectl.
import { spawnSync } from 'node:child_process';
import { readFileSync, readSync, readdirSync, realpathSync, statSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';

const [INPUT, OUTPUT, ERRORS] = [0, 1, 2];

const NEWLINE = 10;

/** The bytes of standard input that were read beyond the last line. */
let pending = Buffer.alloc(0);

/** Why output was lost, as on a full disk. */
let lost;

export const machine = {
  isFolder: (path) => attempt(() => statSync(path).isDirectory()),
  readFile: (path) => attempt(() => readFileSync(path)),
  readFolder: (path) => attempt(() => readdirSync(path).map((name) => withMark(path, name)).join('\0')),
  realPath: (path) => attempt(() => realpathSync(path)),
  readStdin: () => attempt(() => readFileSync(INPUT)),
  readLine: () => attempt(readLine),
  runKubectl: (args) =>
    attempt(() => {
      const { error, status, stdout, stderr } = spawnSync('kubectl', args.split('\0'), {
        stdio: ['ignore', 'pipe', 'pipe'],
        maxBuffer: Infinity,
      });
      if (error) throw error;
      return { success: status === 0, stdout, stderr: stderr.toString() };
    }),
  print: (text) => {
    const error = write(OUTPUT, text);
    // The reader may be gone, as with `head`.
    if (error && !['EPIPE', 'EOF'].includes(error.code)) lost = error;
  },
  printError: (text) => {
    write(ERRORS, text);
  },
  outputIsTerminal: isatty(OUTPUT),
  errorIsTerminal: isatty(ERRORS),
  columns: isatty(OUTPUT) ? process.stdout.columns : undefined,
  now: () => new Date().toISOString(),
  sleep,
  variable: (name) => process.env[name],
};

/** Why output could not be written; undefined if it was. */
export function lostOutput() {
  return lost;
}

/** The next line of standard input, without its end; undefined after the last one. */
function readLine() {
  const parts = [];
  for (;;) {
    const end = pending.indexOf(NEWLINE);
    if (end >= 0) {
      parts.push(pending.subarray(0, end));
      pending = pending.subarray(end + 1);
      return Buffer.concat(parts);
    }
    parts.push(pending);
    pending = readSome();
    if (pending.length === 0) {
      const rest = Buffer.concat(parts);
      return rest.length > 0 ? rest : undefined;
    }
  }
}

/** Waits for more of standard input; empty at its end. */
function readSome() {
  const buffer = Buffer.alloc(65536);
  for (;;) {
    try {
      return buffer.subarray(0, readSync(INPUT, buffer));
    } catch (error) {
      // On Windows, the end of a pipe is an error.
      if (error.code === 'EOF') return Buffer.alloc(0);
      if (error.code !== 'EAGAIN') throw error;
      sleep(10);
    }
  }
}

/**
 * Writes all of a text, and returns why that failed, if it did.
 *
 * The streams of `process` would write after the module has ended, and in a thread only then.
 */
function write(file, text) {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(file, rest));
    } catch (error) {
      // Another process may have made the pipe one that does not block.
      if (error.code !== 'EAGAIN') return error;
      sleep(1);
    }
  }
  return undefined;
}

function sleep(milliseconds) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

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
