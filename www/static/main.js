// Starts the page with the module that its document names, and with the sandbox at the same time the worker of its player.
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

// The modules that are on their way, and workers that say how far they are.
const loads = new Set();
const works = new Set();

/** After how many milliseconds a reader notices that something takes time. */
const NOTICEABLE = 100;

const player = compileOnce("pkg/player_bg.wasm");
const startPlayer = () => startWorker("worker.js", player(), "player");
// A story is recorded: few of its readers need a player.
const worker = page === "sandbox" ? startPlayer() : undefined;

// Few readers need the workbench.
const workbench = compileOnce("pkg/workbench_bg.wasm");
const startWorkbenchPlayer = () => startWorker("worker.js", workbench(), "workbench");
const startWorkbench = () => startWorker("workbench.js", workbench(), "answers");

// Modules that are only needed for some things are loaded then.
const loadModule = (file) => import(new URL(file, import.meta.url).href);

/** Compiles a module when it is first asked for, once for every worker, and again after a failure. */
function compileOnce(file) {
  let compiled;
  return () => {
    if (!compiled) {
      compiled = compile(file);
      compiled.catch(() => (compiled = undefined));
    }
    return compiled;
  };
}

/** Compiles a module of this site, once the static text is painted. */
async function compile(file) {
  const load = begin(file);
  await painted;
  try {
    const response = fetch(new URL(file, import.meta.url));
    count(load, response);
    return await WebAssembly.compileStreaming(response);
  } catch ({ message }) {
    throw new Error(`${file}: ${message}`);
  }
}

/** A module that is on its way. The page says how long each is: a compressed answer does not. */
function begin(file) {
  const [, name] = file.match(/(\w+)_bg\.wasm$/);
  const load = { arrived: 0, total: Number(app.dataset.bytes?.match(`${name}:(\\d+)`)?.[1]) };
  // What is on this machine already arrives at once.
  if (!load.total || navigator.serviceWorker?.controller) return null;
  loads.add(load);
  setTimeout(showLoads, NOTICEABLE);
  return load;
}

/** Shows how much of a module has arrived until all of it has. */
async function count(load, response) {
  if (!load) return;
  try {
    for (const reader = (await response).clone().body.getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) break;
      load.arrived += value.length;
      if (document.getElementById("loading")) showLoads();
    }
  } catch {
    // The compilation says why it fails.
  }
  load.isOver = true;
  // Until then, it counts, so that the percentage only grows.
  if ([...loads].every(({ isOver }) => isOver)) loads.clear();
  showLoads();
}

/** Draws the sign that modules are on their way or a worker is busy, or removes it. */
function showLoads() {
  let sign = document.getElementById("loading");
  const shown = loads.size > 0 ? loads : works;
  if (shown.size === 0) return sign?.remove();
  if (!sign) {
    sign = document.createElement("p");
    sign.id = "loading";
    const says = document.createElement("span");
    says.setAttribute("role", "status");
    sign.append(says, document.createElement("progress"), document.createElement("span"));
    document.body.append(sign);
  }
  const [says, bar, percent] = sign.children;
  const name = shown === loads ? "Loading" : "Working";
  // A status is read when its text changes.
  if (says.textContent !== name) says.textContent = name;
  const sum = (key) => [...shown].reduce((sum, load) => sum + load[key], 0);
  bar.setAttribute("aria-label", name);
  // What begins later adds to the total, and what is shown never gets less.
  bar.value = Math.max(bar.value, Math.min(1, sum("arrived") / sum("total")));
  percent.textContent = `${Math.floor(100 * bar.value)}%`;
}

/** Starts a worker of a script and a module that is being compiled. */
function startWorker(script, module, name) {
  const worker = new Worker(new URL(script, import.meta.url), { type: "module", name });
  const report = ({ message }) => worker.dispatchEvent(new ErrorEvent("error", { message }));
  module.then((compiled) => worker.postMessage(compiled), report);
  const work = { arrived: 0, total: 100 };
  const end = () => works.delete(work) && showLoads();
  worker.addEventListener("message", ({ data }) => {
    if (typeof data !== "number") return end();
    work.arrived = data;
    works.add(work);
    showLoads();
  });
  worker.terminate = () => {
    end();
    Worker.prototype.terminate.call(worker);
  };
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
worker?.addEventListener("error", onWorkerError);

// A panic in the page ends it.
addEventListener("error", ({ error }) => {
  if (error instanceof WebAssembly.RuntimeError) fail(error);
});

try {
  const module_or_path = compile(`pkg/${page}_bg.wasm`);
  const { default: init, start } = await import(`./pkg/${page}.js`);
  await init({ module_or_path });
  await start({ worker, startPlayer, startWorkbenchPlayer, startWorkbench, loadModule });
  worker?.removeEventListener("error", onWorkerError);
} catch (error) {
  fail(error);
}
