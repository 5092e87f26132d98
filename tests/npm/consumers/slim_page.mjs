import * as changeover from './node_modules/changeover/slim.js';
import { exercise } from './exercise.mjs';

await changeover.init(new URL('./node_modules/changeover/changeover.wasm', import.meta.url));
const response = await fetch('deployment.json');
window.result = exercise(changeover, await response.json());
