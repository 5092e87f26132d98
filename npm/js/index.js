import { bytesFrom } from './engine.js';
import { base64 } from './inline.js';

export * from './api.js';

bytesFrom(() => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
