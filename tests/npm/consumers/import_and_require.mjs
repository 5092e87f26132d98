// A program that uses both `import` and `require` gets one instance.
import { createRequire } from 'node:module';
import * as slim from 'changeover/slim';
import { ChangeoverError, simulate } from 'changeover';

const required = createRequire(import.meta.url)('changeover');
console.log(JSON.stringify([required.ChangeoverError === ChangeoverError, required.simulate === simulate, slim.simulate === simulate]));
