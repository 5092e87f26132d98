import { readFileSync } from 'node:fs';
import * as changeover from 'changeover';
import { use } from './use.mjs';

console.log(JSON.stringify(use(changeover, JSON.parse(readFileSync('deployment.json', 'utf8')))));
