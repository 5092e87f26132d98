// The single instance of the WebAssembly module. It starts at the first call, so importing costs nothing and awaits nothing.
import * as glue from 'changeover-glue';
import { ChangeoverError } from './error.js';

let started = false;
let bytesSource;

/** Sets the source of the bytes, used unless `init` is called. */
export function setBytesSource(source) {
  bytesSource ??= source;
}

/** The functions of the module. */
export function wasm() {
  if (!started) {
    if (!bytesSource) {
      throw new ChangeoverError('NotInitialized', '', 'await init(...) before anything else of changeover/slim is called');
    }
    start(bytesSource());
  }
  return glue;
}

/** Starts the module, unless it has started. */
export function start(module) {
  if (started) return;
  glue.initSync({ module });
  started = true;
}
