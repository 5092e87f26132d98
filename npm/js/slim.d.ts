export * from './index.js';

/**
 * The platform's `URL`, `Response` and `WebAssembly.Module`, as far as TypeScript's libraries have them.
 *
 * @group Load
 */
export type PlatformSource =
  | (typeof globalThis extends Record<'URL', abstract new (...args: any) => infer Known> ? Known : never)
  | (typeof globalThis extends Record<'Response', abstract new (...args: any) => infer Known> ? Known : never)
  | (typeof globalThis extends Record<'WebAssembly', Record<'Module', abstract new (...args: any) => infer Known>> ? Known : never);

/**
 * The WebAssembly module: its bytes, its URL, a response with it, or the compiled module.
 *
 * @group Load
 */
export type ModuleSource = ArrayBuffer | ArrayBufferView | string | PlatformSource;

/**
 * Starts the module. Await it before you call any other function. Once the module has started, another call doesn't replace it, but is still
 * rejected if its source can't be loaded.
 *
 * @example
 * import { init, simulate } from 'changeover/slim';
 * import url from 'changeover/changeover.wasm?url'; // Vite
 * await init(url);
 * @throws {ChangeoverError} `LoadFailed`
 * @group Load
 */
export declare function init(source: ModuleSource | Promise<ModuleSource>): Promise<void>;
