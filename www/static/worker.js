// A player: it gets its compiled module, and questions, each of which it answers in its turn.
import init, { Player } from "./pkg/player.js";

let start;
const player = new Promise((resolve) => (start = resolve)).then(init).then(() => new Player());

onmessage = async ({ data }) => {
  if (data instanceof WebAssembly.Module) return start({ module_or_path: data });
  try {
    const asked = await player;
    const text = asked.answer(data);
    const film = asked.film();
    postMessage([text, film], [film.buffer]);
  } catch (error) {
    // Only what is thrown outside of a promise is heard of on the page.
    setTimeout(() => { throw error; });
  }
};
