// The instance of the WebAssembly module. It starts at the first call, so importing costs nothing and awaits nothing.
//
// A trap leaves an instance in an unknown state. Then it is dropped, and the next call starts a fresh one.
import * as glue from 'changeover-glue';
import { ChangeoverError } from './error.js';
import { errorOf, failureOf, loadError } from './failure.js';

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

/** Calls functions of the module. It throws its errors as JSON text; anything else breaks the instance. */
export function call(work) {
  const module = ready();
  try {
    return work(module);
  } catch (thrown) {
    if (thrown instanceof ChangeoverError) throw thrown;
    if (typeof thrown === 'string') throw errorOf(JSON.parse(thrown));
    isBroken = true;
    dropped += 1;
    throw failureOf(thrown, () => glue.isOutOfMemory());
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
