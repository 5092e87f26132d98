// Calls the functions in workers. The result must be the same in Node and in a browser.
import * as inWorker from 'changeover/async';
import * as inThread from 'changeover';
import { asyncCalls } from './async_calls.mjs';

console.log(JSON.stringify(await asyncCalls(inWorker, inThread)));
