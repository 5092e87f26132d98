import { setBytesSource } from './instance.js';
import { base64 } from './inline.js';

export * from './api.js';

setBytesSource(() => decode(base64));

/** Several times as fast as `Uint8Array.from(text, callback)`. */
function decode(text) {
  if (typeof Uint8Array.fromBase64 === 'function') return Uint8Array.fromBase64(text);
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let index = 0; index < characters.length; index += 1) bytes[index] = characters.charCodeAt(index);
  return bytes;
}
