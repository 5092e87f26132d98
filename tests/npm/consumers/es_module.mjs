import { readFileSync } from 'node:fs';
import * as changeover from 'changeover';
import { exercise } from './exercise.mjs';

console.log(JSON.stringify(exercise(changeover, JSON.parse(readFileSync('deployment.json', 'utf8')))));
