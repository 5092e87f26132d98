// Loads the page's WebAssembly, once: the page runs it, and so does its player, in a worker that never makes the page wait.
// Everything lies beside this file, wherever that is.
import init, { Page } from "./pkg/changeover.js";

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

/** What the page asks for: an answer of the player, or one of the stories' files. */
function ask(whom, what) {
  if (whom === "player") return player.postMessage(what);
  const url = new URL(`./scenarios/${encodeURIComponent(what)}`, import.meta.url);
  // What begins so is no JSON: it is what is wrong.
  const missing = (why) => `!can't be fetched: ${why}: must be a file in scenarios`;
  fetch(url)
    .then((answer) => (answer.ok ? answer.text() : missing(`the server says ${answer.status}`)), (error) => missing(error.message))
    .then((text) => page.hear(what, text, new Int32Array()));
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
  const module = await compile(new URL("./pkg/changeover_bg.wasm", import.meta.url));
  player.onmessage = ({ data: [text, film] }) => page.hear("", text, film);
  player.onerror = fail;
  player.postMessage(module);
  await init({ module_or_path: module });
  // The page may ask for a file before its constructor returns; it is answered later.
  page = new Page(ask);
} catch (error) {
  fail(error);
}
