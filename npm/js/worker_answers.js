// What a worker of `changeover/async` does: it gets one call, and the compiled module.
import { advise, explain, predict, totals } from './api.js';
import { reasonOf } from './arguments.js';
import { ChangeoverError } from './error.js';
import { limitMemory, start } from './instance.js';

const FUNCTIONS = { advise, explain, predict, totals };

/** Takes messages, and posts the answer to the call when the module is there. */
export function answers(post) {
  let call;
  return ({ data }) => {
    if (data.module) post(answer(data.module, call));
    else call = data;
  };
}

function answer(module, { name, args, memory }) {
  try {
    start(module);
    if (memory !== undefined) limitMemory(memory);
    return { result: FUNCTIONS[name](...args) };
  } catch (error) {
    if (!(error instanceof ChangeoverError)) return { error: { code: 'Internal', path: '', message: `Changeover failed: ${reasonOf(error)}` } };
    const isLimit = memory !== undefined && error.code === 'OutOfMemory';
    return { error: { ...error.toJSON(), ...(isLimit && { message: `${name} needs more memory than the limit of ${memory} bytes` }) } };
  }
}
