// The functions of `changeover/async` on every platform.
import { longCall } from './calls.js';

export { ChangeoverError } from './error.js';

export const advise = longCall('advise');
export const explain = longCall('explain');
export const live = longCall('live');
export const obstacles = longCall('obstacles');
export const parse = longCall('parse');
export const predict = longCall('predict');
export const rank = longCall('rank');
export const rankFor = longCall('rankFor');
export const scenario = longCall('scenario');
export const simulate = longCall('simulate');
export const timeline = longCall('timeline');
export const totals = longCall('totals');
export const validate = longCall('validate');
