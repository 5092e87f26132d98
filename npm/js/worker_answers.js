// What a worker of `changeover/async` does: it gets one call, and the compiled module.
import { answerTo } from './own_instance.js';

/** Takes messages, and posts the answer to the call when the module is there. */
export function answers(post) {
  let call;
  return async ({ data }) => {
    if (data.module) post(await answerTo(call, data.module));
    else call = data;
  };
}
