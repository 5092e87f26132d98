// Starts the page with the module that its document names, and at the same time the worker of its player.
const app = document.getElementById("app");
const page = app.dataset.module;

// `?embed=quota` leads from every page to the one that shows only the picture of that story.
const embedded = new URLSearchParams(location.search).get("embed");
if (embedded !== null) {
  location.replace(new URL(`embed/?embed=${encodeURIComponent(embedded)}${location.hash}`, document.baseURI));
  // Nothing of this page is needed.
  await new Promise(() => {});
}

// Until the static text is painted, the network is for its style alone: the modules are a hundred times as large. And a
// reader may have begun with that text before the app replaces it. A hidden tab paints nothing.
const painted = new Promise((resolve) => {
  if (document.hidden) resolve();
  else new PerformanceObserver(resolve).observe({ type: "paint", buffered: true });
});

// It is on its way before the worker asks, and compiled once for every worker.
const player = compile("pkg/player_bg.wasm");
const startPlayer = () => startWorker("worker.js", player, "player");
const worker = startPlayer();

// Few readers need the workbench.
let compiledWorkbench;
const workbench = () => (compiledWorkbench ??= compile("pkg/workbench_bg.wasm"));
const startWorkbenchPlayer = () => startWorker("worker.js", workbench(), "workbench");
const startWorkbench = () => startWorker("workbench.js", workbench(), "answers");

// Modules that are only needed for some things are loaded then.
const loadModule = (file) => import(new URL(file, import.meta.url).href);

/** Compiles a module of this site, once the static text is painted. */
async function compile(file) {
  await painted;
  try {
    return await WebAssembly.compileStreaming(fetch(new URL(file, import.meta.url)));
  } catch ({ message }) {
    throw new Error(`${file}: ${message}`);
  }
}

/** Starts a worker of a script and a module that is being compiled. */
function startWorker(script, module, name) {
  const worker = new Worker(new URL(script, import.meta.url), { type: "module", name });
  const report = ({ message }) => worker.dispatchEvent(new ErrorEvent("error", { message }));
  module.then((compiled) => worker.postMessage(compiled), report);
  return worker;
}

/** Says above the page why it does not work. */
function fail(error) {
  console.error(error);
  if (document.getElementById("failure")) return;
  const alert = document.createElement("p");
  alert.id = "failure";
  alert.className = "problem";
  alert.setAttribute("role", "alert");
  alert.textContent = `The page does not work: ${error.message ?? error}. Reload it. It needs a browser with WebAssembly.`;
  app.before(alert);
}

// Until the page hears of them itself.
const onWorkerError = ({ message }) => fail(new Error(message || "worker.js can't be loaded"));
worker.addEventListener("error", onWorkerError);

// A panic in the page ends it.
addEventListener("error", ({ error }) => {
  if (error instanceof WebAssembly.RuntimeError) fail(error);
});

try {
  const module_or_path = compile(`pkg/${page}_bg.wasm`);
  const { default: init, start } = await import(`./pkg/${page}.js`);
  await init({ module_or_path });
  await start({ worker, startPlayer, startWorkbenchPlayer, startWorkbench, loadModule });
  worker.removeEventListener("error", onWorkerError);
} catch (error) {
  fail(error);
}
