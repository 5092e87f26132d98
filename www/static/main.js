// Loads the page's two WebAssembly modules, beside each other: the page itself, and its player, which runs in workers, so
// that the page never waits for it. Everything lies beside this file, wherever that is.
const page = compile("page");
const player = compile("player");
const players = new Map([["player", hire("player")]]);
let app;

/** Compiles a module while it arrives, where the server says what it is. */
async function compile(name) {
  const url = new URL(`./pkg/${name}_bg.wasm`, import.meta.url);
  try {
    return await WebAssembly.compileStreaming(fetch(url));
  } catch {
    return WebAssembly.compile(await (await fetch(url)).arrayBuffer());
  }
}

/** A worker with a player of its own: it plays what is shown ("player"), or in small what is typed ("checker"). */
function hire(name) {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data: [text, film] }) => app.hear(name, text, film);
  worker.onerror = fail;
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
    (early.get(what) ?? fetched(what)).then((text) => app.hear(what, text, new Int32Array()));
    return;
  }
  if (!players.has(whom)) players.set(whom, hire(whom));
  players.get(whom).postMessage(what);
}

function fail(error) {
  console.error(error);
  const words = document.createElement("p");
  words.className = "loading";
  words.setAttribute("role", "alert");
  words.textContent = `The page could not start: ${error.message ?? error}. It needs a browser with WebAssembly.`;
  document.getElementById("page").replaceChildren(words);
}

try {
  // Both at once: a static import would come first.
  const [module_or_path, { default: init, Page }] = await Promise.all([page, import("./pkg/page.js")]);
  await init({ module_or_path });
  // The page may ask for a file before its constructor returns; it is answered later.
  app = new Page(ask);
} catch (error) {
  fail(error);
}
