// Starts the module from a response with the given media type. Prints whether the module was compiled while it loaded.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { deletionCost, init } from 'changeover/slim';

const { compileStreaming } = WebAssembly;
let streamed = 0;
WebAssembly.compileStreaming = (...args) => {
  streamed += 1;
  return compileStreaming(...args);
};

const bytes = readFileSync(createRequire(import.meta.url).resolve('changeover/changeover.wasm'));
await init(Promise.resolve(new Response(bytes, { headers: { 'content-type': process.argv[2] } })));
console.log(JSON.stringify({ streamed, cost: deletionCost('5') }));
