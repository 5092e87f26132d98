import { bytes } from './bytes.js';
import { setBytesSource } from './instance.js';

export * from './api.js';

setBytesSource(bytes);
