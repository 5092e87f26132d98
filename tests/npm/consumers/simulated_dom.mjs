// The same where Jest loads ES modules, for which it takes the files of browsers.
delete globalThis.TextDecoder;
delete globalThis.TextEncoder;
const { deletionCost, simulate } = await import('./node_modules/changeover/index.js');
const element = Object.keys(await import('changeover/element'));
console.log(JSON.stringify({ cost: deletionCost('5'), steps: simulate({ version: 1 }).length, element }));
