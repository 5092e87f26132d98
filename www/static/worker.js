// A worker that plays, with the module after which it is named: the small player, or the workbench's. The first message is the
// compiled module; every other one is a request and maybe a scenario, answered in order with the response and the playback track.
const file = `pkg/${self.name || "player"}.js`;
const bindings = import(`./${file}`).catch(({ message }) => { throw new Error(`${file}: ${message}`); });

let begin;
const compiled = new Promise((resolve) => (begin = resolve));
const ready = Promise.all([bindings, compiled]).then(async ([{ default: init, Player }, module_or_path]) => {
  await init({ module_or_path });
  return new Player();
});

// The page gets only errors that are thrown outside of a promise.
const fail = (error) => setTimeout(() => { throw error; });
ready.catch(fail);

onmessage = async ({ data }) => {
  if (data instanceof WebAssembly.Module) return begin(data);
  const player = await ready.catch(() => undefined);
  if (!player) return;
  try {
    const response = player.answer(...data);
    const track = player.takeTrack();
    postMessage([response, track], [track.buffer]);
  } catch (error) {
    fail(error);
  }
};
