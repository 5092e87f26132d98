// The instance of the WebAssembly module. It starts at the first call, so importing costs nothing and awaits nothing.
//
// A trap leaves an instance in an unknown state. Then it is dropped, and the next call starts a fresh one.
import * as glue from 'changeover-glue';
import { reasonOf } from './arguments.js';
import { ChangeoverError } from './error.js';

const OUT_OF_MEMORY =
  'WebAssembly has no more memory (4 GB at most): lower limits.bytes, limits.pods or limits.steps of the scenario, ' +
  'or the size of its objects';

let isStarted = false;
let isBroken = false;
let dropped = 0;
let bytesSource;

/** Sets the source of the bytes, used unless `init` is called. */
export function setBytesSource(source) {
  bytesSource ??= source;
}

/** The number of the instance. One that is dropped takes everything that it held with it. */
export function generation() {
  return dropped;
}

/** Starts the module, unless it has started. */
export function start(module) {
  if (isStarted) return;
  glue.initSync({ module });
  isStarted = true;
}

/** Sets how many bytes of memory the module may have. */
export function limitMemory(bytes) {
  call((module) => module.limitMemory(bytes));
}

/** Why the module can't be loaded. */
export function loadError(error) {
  if (error instanceof ChangeoverError) return error;
  return new ChangeoverError('LoadFailed', '', `The WebAssembly module can't be loaded: ${reasonOf(error)}`, { cause: error });
}

/** Calls functions of the module. It throws its errors as JSON text; anything else breaks the instance. */
export function call(work) {
  const module = ready();
  try {
    return work(module);
  } catch (thrown) {
    if (thrown instanceof ChangeoverError) throw thrown;
    if (typeof thrown === 'string') throw fromModule(JSON.parse(thrown));
    isBroken = true;
    dropped += 1;
    throw isOutOfMemory(thrown)
      ? new ChangeoverError('OutOfMemory', '', OUT_OF_MEMORY, { cause: thrown })
      : new ChangeoverError('Internal', '', `Changeover failed: ${reasonOf(thrown)}`, { cause: thrown });
  }
}

function ready() {
  if (!isStarted) {
    if (!bytesSource) {
      throw new ChangeoverError('NotInitialized', '', 'await init(...) before you call any other function of changeover/slim');
    }
    loading(() => start(bytesSource()));
  }
  if (isBroken) {
    loading(() => glue.__wbg_reset_state());
    isBroken = false;
  }
  return glue;
}

function loading(work) {
  try {
    work();
  } catch (error) {
    throw loadError(error);
  }
}

function fromModule({ code, path, message, position: [line, column] = [], problems }) {
  return new ChangeoverError(code, path, message, { line, column, problems });
}

/** A trap does not say why; the allocator knows. A result that is too long for a string never traps. */
function isOutOfMemory(thrown) {
  // As V8 and Safari say, and Firefox.
  const isStackOverflow = /call stack|too much recursion/i.test(reasonOf(thrown));
  return thrown instanceof WebAssembly.RuntimeError ? glue.isOutOfMemory() : !isStackOverflow;
}
