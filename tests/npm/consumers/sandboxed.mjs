import * as changeover from 'changeover';
import deployment from './deployment.json';
import { exercise } from './exercise.mjs';

parent.postMessage(exercise(changeover, deployment), '*');
