// The bytes of the module where no file can be read: compressed, and as text. `build.mjs` writes that text.
import { inflateSync } from 'fflate';

import { base64, size } from './inline.js';

// In a bundle for Node, its own zlib is several times as fast. Bundlers for browsers would look for an import.
const { Buffer, process } = globalThis;
const zlib = process?.getBuiltinModule?.('node:zlib');

export function bytes() {
  if (zlib && Buffer) return zlib.inflateRawSync(Buffer.from(base64, 'base64'));
  return inflateSync(decode(base64), { out: new Uint8Array(size) });
}

/** Several times as fast as `Uint8Array.from(text, callback)`. */
function decode(text) {
  if (typeof Uint8Array.fromBase64 === 'function') return Uint8Array.fromBase64(text);
  const characters = atob(text);
  const compressed = new Uint8Array(characters.length);
  for (let index = 0; index < characters.length; index += 1) compressed[index] = characters.charCodeAt(index);
  return compressed;
}
