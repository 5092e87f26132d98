// The globals of Jest's jsdom, and of Cloudflare Workers with an early compatibility date. Prints a result.
delete globalThis.FinalizationRegistry;
delete globalThis.TextDecoder;
delete globalThis.TextEncoder;
const { deletionCost, simulate } = require('changeover');
const { explain } = require('changeover/async');
const element = Object.keys(require('changeover/element'));
explain([]).then(({ rollouts }) => {
  console.log(JSON.stringify({ cost: deletionCost('5'), steps: simulate({ version: 1 }).length, rollouts, element }));
});
