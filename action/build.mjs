// Bundles the action: node build.mjs RAW FOLDER
//   RAW      wasm-bindgen's command.js, and the optimised command.wasm
//   FOLDER   where index.mjs and the licenses of what it contains go
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';

import { rolldown } from 'rolldown';

const source = fileURLToPath(new URL('.', import.meta.url));
const [raw, folder] = process.argv.slice(2);

const build = await rolldown({
  input: join(source, 'main.mjs'),
  platform: 'node',
  resolve: { alias: { 'changeover-command': join(raw, 'command.js') } },
  plugins: [{ name: 'inline', resolveId: (id) => (id === './inline.js' ? 'inline' : null), load: loadInline }],
  treeshake: true,
});
const { output } = await build.write({ file: join(folder, 'index.mjs'), format: 'es', codeSplitting: false });
await build.close();
await writeFile(join(folder, 'LICENSES.txt'), await licenses(output.flatMap(({ moduleIds = [] }) => moduleIds)));

async function loadInline(id) {
  if (id !== 'inline') return null;
  const module = await readFile(join(raw, 'command.wasm'));
  return `export const base64 = '${module.toString('base64')}';\n`;
}

/** The licenses of the packages that have one of these modules. */
async function licenses(modules) {
  // A bundle may begin with functions of its bundler.
  const all = [fileURLToPath(import.meta.resolve('rolldown')), ...modules];
  const packages = new Set(all.flatMap((module) => module.match(/^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? []));
  const texts = [...packages].sort().map(async (root) => {
    const { name, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const file = (await readdir(root)).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file) throw new Error(`${name} has no license`);
    return `${name} ${version}\n\n${(await readFile(join(root, file), 'utf8')).trim()}\n`;
  });
  return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`);
}
