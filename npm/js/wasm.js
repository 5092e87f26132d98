// The one instance of the module. It starts at the first call, so that importing costs nothing and nothing awaits.
import * as glue from 'changeover-glue';
import { ChangeoverError } from './error.js';

let started = false;
let bytes;

/** Where the bytes come from if nobody calls `init`. */
export function bytesFrom(source) {
  bytes ??= source;
}

/** The functions of the module. */
export function engine() {
  if (!started) {
    if (!bytes) {
      throw new ChangeoverError('NotInitialized', '', 'await init(...) before anything else of changeover/slim is called');
    }
    start(bytes());
  }
  return glue;
}

/** Starts the module, unless it runs already. */
export function start(module) {
  if (started) return;
  glue.initSync({ module });
  started = true;
}
