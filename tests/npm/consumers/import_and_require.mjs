// A program that uses both `import` and `require`, and several entries, gets one instance.
import { createRequire } from 'node:module';
import * as slim from 'changeover/slim';
import { ChangeoverError, quantity, simulate } from 'changeover';
import { ChangeoverError as ErrorAlone } from 'changeover/error';
import { quantity as quantityAlone } from 'changeover/quantity';

const required = createRequire(import.meta.url)('changeover');
const { simulate: ofSlim } = slim;
console.log(JSON.stringify([
  required.ChangeoverError === ChangeoverError,
  required.simulate === simulate,
  ofSlim === simulate,
  ErrorAlone === ChangeoverError,
  quantityAlone === quantity,
]));
