// The page's engine in Node: the module that reads manifests there and plays them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What the page assumes of a pasted state, except for its controls: those are as the other faces have it. */
const SURROUNDINGS = { mode: 'realistic', startsAsMeasured: true, kubelet: [{}] };

/** The page's answers to the state of a cluster. `site` is the folder of the built page. */
export async function pageOf(site) {
  const { Player, answer, initSync } = await import(pathToFileURL(join(site, 'pkg/workbench.js')).href);
  // In a worker, it posts how much is done.
  globalThis.progress = () => {};
  initSync({ module: readFileSync(join(site, 'pkg/workbench_bg.wasm')) });
  const ask = (question, text) => {
    const [reply, ...rest] = answer(JSON.stringify({ id: 1, question }), [text]);
    return [JSON.parse(reply).answer, rest];
  };
  return (text) => {
    const manifests = { text: '', before: null, workload: null, readAt: 'newestTime', surroundings: SURROUNDINGS };
    const lanes = [{ proposedPolicy: null, patch: null }];
    const [{ read }, rest] = ask({ read: { manifests, fields: [], write: false, lanes } }, text);
    const play = { generation: 1, lane: 0, shown: 0, source: 'attached', workload: read.shown, begin: 0, forks: [], pins: [] };
    const { played } = JSON.parse(new Player().answer(JSON.stringify({ play }), rest.at(-1)));
    const [{ judgment }] = ask({ judgment: manifests }, text);
    const [{ outlook }] = ask({ outlook: manifests }, text);
    return { read, played, judgment, outlook };
  };
}
