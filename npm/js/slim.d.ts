export * from './index.js';

/**
 * The WebAssembly module: its bytes, its URL, a response with it, or the compiled module.
 *
 * @group Load
 */
export type ModuleSource = BufferSource | string | URL | Response | WebAssembly.Module;

/**
 * Starts the module. Await it before you call any other function; a second call does nothing.
 *
 * @example
 * import { init, simulate } from 'changeover/slim';
 * import url from 'changeover/changeover.wasm?url'; // Vite
 * await init(url);
 * @throws {ChangeoverError} `LoadFailed`
 * @group Load
 */
export declare function init(source: ModuleSource | Promise<ModuleSource>): Promise<void>;
