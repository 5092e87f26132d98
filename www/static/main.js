// Starts the page, and at the same time the worker of its player.
import init, { start } from "./pkg/page.js";

// It is on its way before the worker asks, and compiled once for every worker.
const player = compile("./pkg/player_bg.wasm");
const worker = startWorker();

async function compile(file) {
  return WebAssembly.compileStreaming(fetch(new URL(file, import.meta.url)));
}

/** Starts a worker of the player. */
function startWorker() {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  const report = ({ message }) => worker.dispatchEvent(new ErrorEvent("error", { message: `pkg/player_bg.wasm: ${message}` }));
  player.then((module) => worker.postMessage(module), report);
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
  alert.textContent = `The page does not work: ${error.message ?? error}. Load it again; it needs a browser with WebAssembly.`;
  document.getElementById("app").before(alert);
}

// Until the page hears of them itself.
const onWorkerError = ({ message }) => fail(new Error(message || "worker.js or pkg/player.js can't be loaded"));
worker.addEventListener("error", onWorkerError);

// A panic in the page ends it.
addEventListener("error", ({ error }) => {
  if (error instanceof WebAssembly.RuntimeError) fail(error);
});

// Somebody may begin to read the static text before the app takes its place. A hidden tab paints nothing.
const painted = new Promise((resolve) => {
  if (document.hidden) resolve();
  else new PerformanceObserver(resolve).observe({ type: "paint", buffered: true });
});

try {
  await Promise.all([init({ module_or_path: fetch(new URL("./pkg/page_bg.wasm", import.meta.url)) }), painted]);
  // Modules that are only needed for some things are loaded then.
  await start(worker, startWorker, (file) => import(new URL(file, import.meta.url).href));
  worker.removeEventListener("error", onWorkerError);
} catch (error) {
  fail(error);
}
