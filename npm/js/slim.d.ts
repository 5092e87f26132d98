export * from './index.js';

/** The module: its bytes, its address, a response that brings it, or compiled. */
export type Source = BufferSource | string | URL | Response | WebAssembly.Module;

/**
 * Starts the module. Everything else of this entry needs it to have been awaited; a second call does nothing.
 *
 * @example
 * import { init, simulate } from 'changeover/slim';
 * import url from 'changeover/changeover.wasm?url'; // Vite
 * await init(url);
 */
export declare function init(source: Source | Promise<Source>): Promise<void>;
