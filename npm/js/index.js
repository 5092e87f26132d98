import { setBytesSource } from './wasm.js';
import { base64 } from './inline.js';

export * from './api.js';

setBytesSource(() => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
