// A page whose Content Security Policy does not allow WebAssembly. Its result is each error's name, code and message.
import { deletionCost } from './node_modules/changeover/index.js';
import { init } from './node_modules/changeover/slim.js';

const failure = async (work) => {
  try {
    await work();
  } catch ({ name, code, message }) {
    return [name, code, message];
  }
};

// The second call fails like the first one.
const failures = [await failure(() => deletionCost('5')), await failure(() => deletionCost('5'))];
failures.push(await failure(() => init('./node_modules/changeover/changeover.wasm')));
window.result = failures;
