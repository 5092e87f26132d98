// Loads the page's WebAssembly. It lies beside this file, wherever that is.
import init from "./pkg/changeover.js";

init({ module_or_path: new URL("./pkg/changeover_bg.wasm", import.meta.url) }).catch((error) => {
  console.error(error);
  const words = document.createElement("p");
  words.className = "loading";
  words.setAttribute("role", "alert");
  words.textContent = `The page could not start: ${error.message ?? error}. It needs a browser with WebAssembly.`;
  document.getElementById("page").replaceChildren(words);
});
