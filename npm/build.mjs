// Assembles the package: node build.mjs RAW FOLDER VERSION
//   RAW      wasm-bindgen's changeover.js and the optimised changeover.wasm
//   FOLDER   where the package goes; the schemas are there already
import { copyFile, readFile, readdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';

import { compile } from 'json-schema-to-typescript';
import { rolldown } from 'rolldown';

const source = fileURLToPath(new URL('.', import.meta.url));
const [raw, folder, version] = process.argv.slice(2);

await copyFile(join(raw, 'changeover.wasm'), join(folder, 'changeover.wasm'));
await copyFile(join(source, 'README.md'), join(folder, 'README.md'));
await describe();
await bundle('es', '.js');
await bundle('cjs', '.cjs');
await forNode('index', 'node');
await forNode('slim', 'slim-node');
await types();

async function describe() {
  const description = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'));
  await writeFile(join(folder, 'package.json'), `${JSON.stringify({ ...description, version }, null, 2)}\n`);
}

/** Each entry is a file of its own, and so is the inlined module; what they share is a chunk. */
async function bundle(format, ending) {
  const build = await rolldown({
    input: { index: join(source, 'js/index.js'), slim: join(source, 'js/slim.js') },
    resolve: { alias: { 'changeover-glue': join(raw, 'changeover.js') } },
    plugins: [{ name: 'inline', resolveId: (id) => (id === './inline.js' ? 'inline' : null), load: inlined }],
    treeshake: true,
  });
  await build.write({
    dir: folder,
    format,
    entryFileNames: `[name]${ending}`,
    chunkFileNames: `[name]${ending}`,
    codeSplitting: {
      groups: [
        { name: 'inline', test: /^inline$/ },
        { name: 'shared', test: /api\.js$|engine\.js$|error\.js$|changeover\.js$/ },
      ],
    },
  });
  await build.close();
}

async function inlined(id) {
  if (id !== 'inline') return null;
  const module = await readFile(join(raw, 'changeover.wasm'));
  return `export const base64 = '${module.toString('base64')}';\n`;
}

/** In Node both habits get one instance: `import` takes what `require` takes. */
async function forNode(entry, name) {
  const exports = await import(join(folder, `${entry}.cjs`));
  const names = Object.keys(exports.default).join(', ');
  const lines = [`import exported from './${entry}.cjs';`, '', `export const { ${names} } = exported;`, ''];
  await writeFile(join(folder, `${name}.js`), lines.join('\n'));
}

/** The title and the description are written on the root only where a type is one. */
function define(definitions, name, definition) {
  const { title, ...shape } = definition;
  const known = definitions[name];
  if (known && JSON.stringify(known) !== JSON.stringify(shape)) throw new Error(`two types have the name ${name}`);
  definitions[name] = shape;
}

/** A description beside a reference would make a type of its own; in an `allOf` it stays the property's. */
function described(schema) {
  if (Array.isArray(schema)) return schema.map(described);
  if (schema === null || typeof schema !== 'object') return schema;
  const { $ref, ...rest } = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, described(value)]));
  if (!$ref) return rest;
  return Object.keys(rest).length === 0 ? { $ref } : { ...rest, allOf: [{ $ref }] };
}

/** Types for every schema, each once, and the declarations for both habits. */
async function types() {
  const definitions = {};
  for (const file of (await readdir(folder)).filter((file) => file.endsWith('.schema.json'))) {
    const { $schema, $defs, ...root } = JSON.parse(await readFile(join(folder, file), 'utf8'));
    for (const [name, definition] of Object.entries({ ...$defs, [root.title]: root })) define(definitions, name, definition);
  }
  const schema = { title: 'Everything', type: 'object', $defs: described(definitions) };
  const options = { unreachableDefinitions: true, additionalProperties: false, bannerComment: '', format: true };
  const generated = await compile(schema, 'Everything', options);
  const text = generated
    .replace(/export interface Everything \{[^}]*\}\n/, '')
    .replaceAll(/\/\*\*\n \* This interface was referenced by `Everything`'s JSON-Schema\n \* via the `definition` "\w+"\.\n \*\/\n/g, '')
    .replaceAll(/ \*\n \* This interface was referenced by `Everything`'s JSON-Schema\n \* via the `definition` "\w+"\.\n/g, '');
  await writeFile(join(folder, 'types.d.ts'), text);
  await writeFile(join(folder, 'types.d.cts'), text);
  for (const entry of ['index', 'slim']) {
    const declarations = await readFile(join(source, `js/${entry}.d.ts`), 'utf8');
    await writeFile(join(folder, `${entry}.d.ts`), declarations);
    await writeFile(join(folder, `${entry}.d.cts`), declarations.replaceAll(/(from '\.\/\w+)\.js'/g, "$1.cjs'"));
  }
}
