// The instance of the WebAssembly module. It starts at the first call, so importing costs nothing and awaits nothing.
//
// A trap leaves an instance in an unknown state. Then it is dropped, and the next call starts a fresh one.
import * as glue from 'changeover-glue';
import { ChangeoverError, reasonOf } from './error.js';

const OUT_OF_MEMORY =
  'WebAssembly has no more memory (4 GB at most): lower limits.bytes, limits.pods or limits.steps of the scenario, ' +
  'or the size of its objects';

let isStarted = false;
let isBroken = false;
let bytesSource;
const listeners = [];

/** Sets the source of the bytes, used unless `init` is called. */
export function setBytesSource(source) {
  bytesSource ??= source;
}

/** Calls `listener` whenever an instance is dropped, with everything that it held. */
export function onDrop(listener) {
  listeners.push(listener);
}

/** Starts the module, unless it has started. */
export function start(module) {
  if (isStarted) return;
  try {
    glue.initSync({ module });
  } catch (error) {
    throw loadError(error);
  }
  isStarted = true;
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
    for (const listener of listeners) listener();
    throw isOutOfMemory(thrown)
      ? new ChangeoverError('OutOfMemory', '', OUT_OF_MEMORY, { cause: thrown })
      : new ChangeoverError('Internal', '', `Changeover failed: ${reasonOf(thrown)}`, { cause: thrown });
  }
}

function ready() {
  if (!isStarted) {
    if (!bytesSource) {
      throw new ChangeoverError('NotInitialized', '', 'await init(...) before anything else of changeover/slim is called');
    }
    start(bytesSource());
  }
  if (isBroken) {
    try {
      glue.__wbg_reset_state();
    } catch (error) {
      throw loadError(error);
    }
    isBroken = false;
  }
  return glue;
}

function fromModule({ code, path, message, position: [line, column] = [], problems }) {
  return new ChangeoverError(code, path, message, { line, column, problems });
}

/** A trap does not say why; the allocator knows. A result that is too long for a string never traps. */
function isOutOfMemory(thrown) {
  const isTrap = thrown instanceof WebAssembly.RuntimeError;
  const isStackOverflow = thrown instanceof RangeError && /stack/i.test(thrown.message);
  return isTrap ? glue.isOutOfMemory() : !isStackOverflow;
}
