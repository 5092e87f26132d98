// Loads the module when that fails. Prints each error's name and code, and whether a later attempt works.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { deletionCost } from 'changeover';
import { init } from 'changeover/slim';

const failure = async (work) => {
  try {
    await work();
  } catch ({ name, code }) {
    return [name, code];
  }
};

const { Module } = WebAssembly;
// The effect of a Content Security Policy without 'wasm-unsafe-eval'.
WebAssembly.Module = class {
  constructor() {
    throw new WebAssembly.CompileError('Wasm code generation disallowed by embedder');
  }
};
const failures = [await failure(() => deletionCost('5'))];
WebAssembly.Module = Module;
failures.push(await failure(() => init(new Uint8Array([1, 2, 3]))));
failures.push(await failure(() => init(new Response('', { status: 404 }))));
failures.push(await failure(() => init('no address')));
failures.push(await failure(() => init(7)));
await init(readFileSync(createRequire(import.meta.url).resolve('changeover/changeover.wasm')));
console.log(JSON.stringify({ failures, cost: deletionCost('5') }));
