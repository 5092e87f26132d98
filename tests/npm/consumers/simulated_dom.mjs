// The same where Jest loads ES modules, for which it takes the files of browsers.
delete globalThis.MessageChannel;
delete globalThis.TextDecoder;
delete globalThis.TextEncoder;
const { deletionCost, simulate } = await import('./node_modules/changeover/index.js');
const { explain } = await import('./node_modules/changeover/async.js');
const { rollouts } = await explain([]);
const element = Object.keys(await import('changeover/element'));
console.log(JSON.stringify({ cost: deletionCost('5'), steps: simulate({ version: 1 }).length, rollouts, element }));
