import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as changeover from 'changeover/slim';
import { exercise } from './exercise.mjs';

let early;
try {
  changeover.simulate({ version: 1 });
} catch (error) {
  early = error.code;
}
const file = createRequire(import.meta.url).resolve('changeover/changeover.wasm');
await changeover.init(readFileSync(file));
const used = exercise(changeover, JSON.parse(readFileSync('deployment.json', 'utf8')));
console.log(JSON.stringify({ early, used }));
