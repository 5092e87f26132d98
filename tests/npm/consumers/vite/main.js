import * as changeover from 'changeover';
import deployment from '../deployment.json';
import { use } from '../use.mjs';

window.result = use(changeover, deployment);
