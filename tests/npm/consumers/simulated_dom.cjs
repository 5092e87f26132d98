// The globals of Jest's jsdom: those of the language, and no others. Prints a result.
delete globalThis.TextDecoder;
delete globalThis.TextEncoder;
console.log(JSON.stringify({ cost: require('changeover').deletionCost('5') }));
