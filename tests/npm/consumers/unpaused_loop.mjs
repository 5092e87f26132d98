// Simulates a large scenario repeatedly, and never lets the garbage collector's callbacks run.
import { readFileSync } from 'node:fs';
import { deletionCost, scenario, simulate } from 'changeover';

const deployment = JSON.parse(readFileSync('deployment.json', 'utf8'));
const made = { ...scenario(deployment, { image: 'web:2' }), title: 'x'.repeat(4_000_000) };
let turns = 0;
for (; turns < 80; turns += 1) simulate(made);
console.log(JSON.stringify({ turns, cost: deletionCost('5') }));
