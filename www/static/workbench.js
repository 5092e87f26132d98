// The worker that answers questions about manifests. The first message is its compiled module; every other one is a question and
// maybe the bytes of a file, answered in order.
import init, { answer } from "./pkg/workbench.js";

let begin;
const ready = new Promise((resolve) => (begin = resolve)).then((module_or_path) => init({ module_or_path }));

onmessage = async ({ data }) => {
  if (data instanceof WebAssembly.Module) return begin(data);
  try {
    await ready;
    postMessage(answer(...data));
  } catch (error) {
    // The page gets only errors that are thrown outside of a promise.
    setTimeout(() => { throw error; });
  }
};
