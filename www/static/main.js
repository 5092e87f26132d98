// Loads the page's two WebAssembly modules, beside each other: the page itself, and its player, which runs in workers, so
// that the page never waits for it. Everything lies beside this file, wherever that is.
const page = compile("page");
const player = compile("player");
const players = new Map([["player", hire("player")]]);
let app;
let failed = false;

/** Compiles a module: while it arrives, where the server says what it is. */
async function compile(name) {
  const file = `pkg/${name}_bg.wasm`;
  const answer = await fetch(new URL(file, import.meta.url));
  if (!answer.ok) throw new Error(`${file} can't be fetched: the server says ${answer.status}`);
  const streams = answer.headers.get("content-type") === "application/wasm";
  return streams ? WebAssembly.compileStreaming(answer) : WebAssembly.compile(await answer.arrayBuffer());
}

/** A worker with a player of its own: it plays what is shown ("player"), or in small what is typed ("checker"). */
function hire(name) {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data: [text, film] }) => app.hear(name, text, film);
  // Of a script that can't be loaded nothing more is said.
  worker.onerror = ({ message }) => fail(new Error(message ?? "its player, worker.js or pkg/player.js, can't be loaded"));
  player.then((module) => worker.postMessage(module)).catch(fail);
  return worker;
}

/** A file of the stories: what is in it, or after "!" why not (no JSON begins so). */
async function fetched(name) {
  const url = new URL(`./scenarios/${encodeURIComponent(name)}`, import.meta.url);
  const missing = (why) => `!can't be fetched: ${why}: must be a file in scenarios`;
  try {
    const answer = await fetch(url);
    return answer.ok ? await answer.text() : missing(`the server says ${answer.status}`);
  } catch (error) {
    return missing(error.message);
  }
}

/** What the page will ask for first of all, fetched while its module compiles: the index, and the story of the address. */
const early = new Map([["index.json", fetched("index.json")]]);
early.get("index.json").then((text) => {
  if (location.hash.startsWith("#sandbox") || text.startsWith("!")) return;
  const names = JSON.parse(text).map(({ name }) => name);
  const asked = location.hash.split("/")[1];
  const name = names.includes(asked) ? asked : names[0];
  for (const file of [`${name}.story.json`, `${name}.json`]) early.set(file, fetched(file));
});

/** What the page asks for: one of the stories' files, or an answer of a player. */
function ask(whom, what) {
  if (whom === "file") {
    const coming = early.get(what) ?? fetched(what);
    // Asked for again, it may be there.
    early.delete(what);
    coming.then((text) => app.hear(what, text, new Int32Array()));
    return;
  }
  if (!players.has(whom)) players.set(whom, hire(whom));
  players.get(whom).postMessage(what);
}

/** Says what went wrong; once for all, whatever else follows from it. */
function fail(error) {
  console.error(error);
  if (failed) return;
  failed = true;
  const words = document.createElement("p");
  words.className = "loading";
  words.setAttribute("role", "alert");
  const place = document.getElementById("page");
  if (app) {
    words.textContent = `The page stopped: ${error.message}. Load it again.`;
    place.before(words);
  } else {
    words.textContent = `The page could not start: ${error.message}. It needs a browser with WebAssembly.`;
    place.replaceChildren(words);
  }
}

try {
  // Both at once: a static import would come first.
  const [module_or_path, { default: init, Page }] = await Promise.all([page, import("./pkg/page.js")]);
  await init({ module_or_path });
  // The page may ask for a file before its constructor returns; it is answered later.
  if (!failed) app = new Page(ask);
} catch (error) {
  fail(error);
}
