// The worker of the player: every message is a request, answered in order with the response and the playback track.
import init, { Player } from "./pkg/player.js";

const module_or_path = fetch(new URL("./pkg/player_bg.wasm", import.meta.url));
const ready = init({ module_or_path }).then(() => new Player());

onmessage = async ({ data }) => {
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
