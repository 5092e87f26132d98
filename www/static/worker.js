// The worker of the player. The first message is its compiled module; every other one is a request, answered in order with the
// response and the playback track.
import init, { Player } from "./pkg/player.js";

let begin;
const ready = new Promise((resolve) => (begin = resolve)).then((module_or_path) => init({ module_or_path })).then(() => new Player());

onmessage = async ({ data }) => {
  if (data instanceof WebAssembly.Module) return begin(data);
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
