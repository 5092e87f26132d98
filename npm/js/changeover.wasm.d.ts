import type { ModuleSource } from './slim.js';

/** The WebAssembly module as your bundler imports it, for `init` of `changeover/slim`: compiled in Cloudflare Workers, the URL or the bytes elsewhere. */
declare const source: ModuleSource;
export default source;
