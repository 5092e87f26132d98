// Loads the page's WebAssembly, once: the page runs it, and so does its player, in a worker that never makes the page wait.
// Everything lies beside this file, wherever that is.
const player = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
let page;

/** Compiles while it arrives, where the server says what it is. */
async function compile(url) {
  try {
    return await WebAssembly.compileStreaming(fetch(url));
  } catch {
    return WebAssembly.compile(await (await fetch(url)).arrayBuffer());
  }
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

/** What the page asks for: an answer of the player, or one of the stories' files. */
function ask(whom, what) {
  if (whom === "player") return player.postMessage(what);
  (early.get(what) ?? fetched(what)).then((text) => page.hear(what, text, new Int32Array()));
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
  const [module, { default: init, Page }] = await Promise.all([
    compile(new URL("./pkg/changeover_bg.wasm", import.meta.url)),
    import("./pkg/changeover.js"),
  ]);
  player.onmessage = ({ data: [text, film] }) => page.hear("", text, film);
  player.onerror = fail;
  player.postMessage(module);
  await init({ module_or_path: module });
  // The page may ask for a file before its constructor returns; it is answered later.
  page = new Page(ask);
} catch (error) {
  fail(error);
}
