const { predict } = require('changeover');
const inWorker = require('changeover/async');

import('./async_calls.mjs').then(({ asyncCalls }) => asyncCalls(inWorker, predict)).then((result) => console.log(JSON.stringify(result)));
