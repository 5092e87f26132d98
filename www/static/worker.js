// The worker of a player: its first message is the compiled module, every other one a request, answered in order.
import init, { Player } from "./pkg/player.js";

let start;
const ready = new Promise((resolve) => (start = resolve)).then(init).then(() => new Player());

onmessage = async ({ data }) => {
  if (data instanceof WebAssembly.Module) return start({ module_or_path: data });
  try {
    const player = await ready;
    const response = player.answer(data);
    const track = player.takeTrack();
    postMessage([response, track], [track.buffer]);
  } catch (error) {
    // The page gets only errors that are thrown outside of a promise.
    setTimeout(() => { throw error; });
  }
};
