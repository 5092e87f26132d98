import { loadError } from './failure.js';
import { start } from './instance.js';

export * from './api.js';

/** Starts the module from its bytes, its address, a response, or compiled; or from the promise of one of them. */
export async function init(source) {
  try {
    start(await compile(await source));
  } catch (error) {
    throw loadError(error);
  }
}

async function compile(source) {
  if (source instanceof WebAssembly.Module) return source;
  if (typeof source === 'string' || source instanceof URL) return compile(await fetch(source));
  if (typeof Response === 'function' && source instanceof Response) {
    if (!source.ok) throw new Error(`${source.url}: ${source.status} ${source.statusText}`);
    return compileResponse(source);
  }
  return WebAssembly.compile(source);
}

// A stream only compiles with exactly the media type application/wasm, which not every server sends.
async function compileResponse(response) {
  const isWasm = response.headers.get('content-type')?.trim().toLowerCase() === 'application/wasm';
  if (isWasm && WebAssembly.compileStreaming) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}
