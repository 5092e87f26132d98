import * as changeover from './node_modules/changeover/index.js';
import { exercise } from './exercise.mjs';

const response = await fetch('deployment.json');
postMessage(exercise(changeover, await response.json()));
