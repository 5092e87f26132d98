// A long call in an instance of its own. The JavaScript that wasm-bindgen generates is for one instance alone, so this calls the
// module itself: it passes text in memory, and never frees it.
import { failureOf, loadError } from './failure.js';

/** Whether a call can pause. This is JavaScript Promise Integration, which not every platform has. */
export const canPause = typeof WebAssembly.Suspending === 'function' && typeof WebAssembly.promising === 'function';

/**
 * The answer to a call: JSON with a `result` or an `error`. `ask` is called again and again meanwhile. The call ends with what it throws,
 * and waits for the promise that it returns, if a call can pause.
 */
export async function answerTo({ name, args, memory }, module, ask) {
  let exports;
  try {
    ({ exports } = await WebAssembly.instantiate(module, importsOf(module, ask && canPause ? new WebAssembly.Suspending(ask) : ask)));
    exports.__wbindgen_start();
  } catch (error) {
    return failed(loadError(error));
  }
  try {
    if (memory !== undefined) exports.limitMemory(memory);
    const call = ask && canPause ? WebAssembly.promising(exports.longCall) : exports.longCall;
    const [pointer, length] = await call(...pass(exports, name), ...pass(exports, JSON.stringify(args)));
    return new TextDecoder().decode(new Uint8Array(exports.memory.buffer, pointer, length));
  } catch (error) {
    const failure = failureOf(error, () => exports.isOutOfMemory() !== 0);
    const isLimit = memory !== undefined && failure.code === 'OutOfMemory';
    return failed(failure, isLimit && { message: `${name} needs more memory than the limit of ${memory} bytes` });
  }
}

/** What the module imports: of all that, a long call only asks. */
function importsOf(module, ask = () => {}) {
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    imports[from][name] = name.includes('_pause_') ? ask : () => {};
  }
  return imports;
}

/** Puts text into the memory: where it begins, and how many bytes it has. */
function pass({ __wbindgen_malloc: allocate, memory }, text) {
  const bytes = new TextEncoder().encode(text);
  const pointer = allocate(bytes.length, 1);
  new Uint8Array(memory.buffer).set(bytes, pointer);
  return [pointer, bytes.length];
}

function failed(failure, details) {
  return JSON.stringify({ error: { ...failure.toJSON(), ...details } });
}
