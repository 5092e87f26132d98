const inThread = require('changeover');
const inWorker = require('changeover/async');

import('./async_calls.mjs').then(({ asyncCalls }) => asyncCalls(inWorker, inThread)).then((result) => console.log(JSON.stringify(result)));
