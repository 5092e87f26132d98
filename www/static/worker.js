// The player: it gets the compiled module first, then questions, and answers each in its turn.
import init, { Player } from "./pkg/changeover.js";

let player;

onmessage = async ({ data }) => {
  if (data instanceof WebAssembly.Module) {
    player = init({ module_or_path: data }).then(() => new Player());
    return;
  }
  const text = (await player).answer(data);
  const film = (await player).film();
  postMessage([text, film], [film.buffer]);
};
