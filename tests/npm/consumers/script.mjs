import * as changeover from './node_modules/changeover/index.js';
import { use } from './use.mjs';

const response = await fetch('deployment.json');
window.result = use(changeover, await response.json());
