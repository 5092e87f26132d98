// The bytes of the module where no file can be read: compressed, and as text. `build.mjs` writes that text.
import { inflateSync } from 'fflate';

import { base64, size } from './inline.js';

export function bytes() {
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
