import { callsIn } from './calls.js';

export { ChangeoverError } from './error.js';

export const { predict, advise, explain, totals } = callsIn(
  () => {
    if (typeof Worker === 'undefined') throw new Error('this platform has none; in Node, leave changeover out of the bundle');
    // In this form, bundlers find the file.
    const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
    return {
      post: (message) => worker.postMessage(message),
      listen: (answered, failed) => {
        worker.onmessage = ({ data }) => answered(data);
        worker.onerror = (event) => failed(event.message ?? 'its file was not found');
      },
      end: () => worker.terminate(),
    };
  },
  async () => {
    const { bytes } = await import('./bytes.js');
    return WebAssembly.compile(bytes());
  },
);
