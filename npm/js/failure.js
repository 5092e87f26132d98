// What goes wrong in the module, as a ChangeoverError.
import { reasonOf } from './arguments.js';
import { ChangeoverError } from './error.js';

const OUT_OF_MEMORY =
  'WebAssembly has no more memory (4 GB at most): lower limits.bytes, limits.pods or limits.steps of the scenario, ' +
  'or the size of its objects';

/** An error that the module has found, from its fields. */
export function errorOf({ code, path, message, ...details }) {
  return new ChangeoverError(code, path, message, details);
}

/** Why the module can't be loaded. */
export function loadError(error) {
  if (error instanceof ChangeoverError) return error;
  return new ChangeoverError('LoadFailed', '', `The WebAssembly module can't be loaded: ${reasonOf(error)}`, { cause: error });
}

/** Why a call broke its instance. A trap does not say why; the allocator knows. A result that is too long for a string never traps. */
export function failureOf(thrown, isExhausted) {
  // As V8 and Safari say, and Firefox.
  const isStackOverflow = /call stack|too much recursion/i.test(reasonOf(thrown));
  const isOutOfMemory = thrown instanceof WebAssembly.RuntimeError ? isExhausted() : !isStackOverflow;
  return isOutOfMemory
    ? new ChangeoverError('OutOfMemory', '', OUT_OF_MEMORY, { cause: thrown })
    : new ChangeoverError('Internal', '', `Changeover failed: ${reasonOf(thrown)}`, { cause: thrown });
}
