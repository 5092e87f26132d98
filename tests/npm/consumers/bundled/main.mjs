import * as changeover from 'changeover';
import { exercise } from '../exercise.mjs';

const response = await fetch('../../deployment.json');
window.result = exercise(changeover, await response.json());
