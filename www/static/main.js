// Loads the page's two WebAssembly modules at the same time: the page itself, and the player, which runs in workers so that
// the page never waits for it. All files are below the folder of this one.
const page = compile("page");
const player = compile("player");
const workers = new Map([["player", startWorker("player")]]);
let app;
let failed = false;

/** Compiles a module, while it arrives if the server sends its media type. */
async function compile(name) {
  const file = `pkg/${name}_bg.wasm`;
  const response = await fetch(new URL(file, import.meta.url));
  if (!response.ok) throw new Error(`${file} can't be fetched: the server says ${response.status}`);
  const streams = response.headers.get("content-type") === "application/wasm";
  return streams ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** Starts a worker with a player of its own: it plays the lanes ("player"), or checks what the user types ("checker"). */
function startWorker(name) {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data: [response, track] }) => app.receive(name, response, track);
  // For a script that can't be loaded the event has no message.
  worker.onerror = ({ message }) => fail(new Error(message ?? "its player, worker.js or pkg/player.js, can't be loaded"));
  player.then((module) => worker.postMessage(module)).catch(fail);
  return worker;
}

/** The text of a story file, or "!" and the reason why it is missing (no JSON begins with "!"). */
async function fetchFile(name) {
  const url = new URL(`./scenarios/${encodeURIComponent(name)}`, import.meta.url);
  const missing = (reason) => `!can't be fetched: ${reason}: must be a file in scenarios`;
  try {
    const response = await fetch(url);
    return response.ok ? await response.text() : missing(`the server says ${response.status}`);
  } catch (error) {
    return missing(error.message);
  }
}

/** The files that the page needs first, fetched while its module compiles: the index, and the story in the address. */
const prefetched = new Map([["index.json", fetchFile("index.json")]]);
prefetched.get("index.json").then((text) => {
  if (location.hash.startsWith("#sandbox") || text.startsWith("!")) return;
  const names = JSON.parse(text).map(({ name }) => name);
  const requested = location.hash.split("/")[1];
  const name = names.includes(requested) ? requested : names[0];
  for (const file of [`${name}.story.json`, `${name}.json`]) prefetched.set(file, fetchFile(file));
});

/** Sends a request of the page: for a file of the stories, or to a player. */
function sendRequest(target, body) {
  if (target === "file") {
    const file = prefetched.get(body) ?? fetchFile(body);
    // A missing file is fetched again when the page requests it again.
    prefetched.delete(body);
    file.then((text) => app.receive(body, text, new Int32Array()));
    return;
  }
  if (!workers.has(target)) workers.set(target, startWorker(target));
  workers.get(target).postMessage(body);
}

/** Shows the first error; later ones only follow from it. */
function fail(error) {
  console.error(error);
  if (failed) return;
  failed = true;
  const alert = document.createElement("p");
  alert.className = "loading";
  alert.setAttribute("role", "alert");
  const root = document.getElementById("page");
  if (app) {
    alert.textContent = `The page stopped: ${error.message}. Load it again.`;
    root.before(alert);
  } else {
    alert.textContent = `The page could not start: ${error.message}. It needs a browser with WebAssembly.`;
    root.replaceChildren(alert);
  }
}

try {
  // Both at once: a static import would come first.
  const [module_or_path, { default: init, Page }] = await Promise.all([page, import("./pkg/page.js")]);
  await init({ module_or_path });
  // The page may request a file before its constructor returns; the response comes later.
  if (!failed) app = new Page(sendRequest);
} catch (error) {
  fail(error);
}
