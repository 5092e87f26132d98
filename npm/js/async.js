import { setPlatform } from './calls.js';
import { startHere } from './here.js';

export * from './async_functions.js';

function startWorker(hear) {
  // In this form, bundlers find the file.
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  worker.onmessage = ({ data }) => hear.answered(data);
  // A worker that could not be started gives no reason: the page's policy forbids it, or its file was not found.
  worker.onerror = ({ message }) => (message ? hear.failed(message) : hear.refused());
  return { post: (message) => worker.postMessage(message), end: () => worker.terminate() };
}

/** Browsers delay timers, above all in a page that nobody sees, but no messages. jsdom has only timers. */
function pause() {
  return new Promise((resolve) => {
    if (typeof MessageChannel === 'undefined') {
      setTimeout(resolve);
      return;
    }
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

// In a bundle for Node, whose workers have another interface, there is no `self`.
const ways = typeof self === 'undefined' ? [startHere(pause)] : [startWorker, startHere(pause)];

setPlatform(ways, async () => {
  const { bytes } = await import('./bytes.js');
  return WebAssembly.compile(bytes());
});
