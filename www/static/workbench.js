// The worker that answers questions about manifests. The first message is its compiled module; every other one is a question and
// the user's texts, answered in order. Of one that takes time, the page gets percentages before the answer.
const file = "pkg/workbench.js";
const bindings = import(`./${file}`).catch(({ message }) => { throw new Error(`${file}: ${message}`); });

/** After how many milliseconds a reader notices that it takes time. */
const NOTICEABLE = 100;
let asked;

/** What the module calls. */
self.progress = (percent) => {
  if (performance.now() - asked > NOTICEABLE) postMessage(percent);
};

let begin;
const compiled = new Promise((resolve) => (begin = resolve));
const ready = Promise.all([bindings, compiled]).then(async ([{ default: init, answer }, module_or_path]) => {
  await init({ module_or_path });
  return answer;
});

onmessage = async ({ data }) => {
  if (data instanceof WebAssembly.Module) return begin(data);
  try {
    const answer = await ready;
    asked = performance.now();
    postMessage(answer(...data));
  } catch (error) {
    // The page gets only errors that are thrown outside of a promise.
    setTimeout(() => { throw error; });
  }
};
