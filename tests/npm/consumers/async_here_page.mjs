// The page's policy forbids workers. With `?whole`, the browser can't pause calls either.
import * as inThread from './node_modules/changeover/index.js';
import { asyncCalls, otherWork } from './async_calls.mjs';

const isWhole = location.search === '?whole';
if (isWhole) delete WebAssembly.Suspending;
const here = await import('./node_modules/changeover/async.js');

window.result = { ...(await asyncCalls(here, inThread)), ...(isWhole ? {} : await otherWork(here)) };
