import * as changeover from 'changeover';
import deployment from '../deployment.json';
import { exercise } from '../exercise.mjs';

window.result = exercise(changeover, deployment);
