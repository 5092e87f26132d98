import * as inThread from './node_modules/changeover/index.js';
import * as inWorker from './node_modules/changeover/async.js';
import { asyncCalls } from './async_calls.mjs';

window.result = await asyncCalls(inWorker, inThread);
