// Assembles the package: node build.mjs RAW FOLDER FIELDS
//   RAW      wasm-bindgen's changeover.js and command.js, and the optimised changeover.wasm and command.wasm
//   FOLDER   where the package goes; the schemas are there already
//   FIELDS   the fields of package.json that do not stand in npm/package.json, as JSON
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateRawSync } from 'node:zlib';

import { compile } from 'json-schema-to-typescript';
import { rolldown } from 'rolldown';
import typescript from 'typescript';

const source = fileURLToPath(new URL('.', import.meta.url));
const [raw, folder, fields] = process.argv.slice(2);

/** The schemas of each group of the reference. A type that several have is in the group that comes first. */
const GROUPS = {
  Scenarios: ['scenario', 'changes', 'scenario-options', 'action'],
  Timelines: ['frame', 'frame-summary', 'series-point', 'totals', 'job-series-point', 'job-totals', 'timeline'],
  Predict: ['prediction', 'advice', 'explain-report', 'predict-options', 'advise-options', 'constraints'],
  Check: ['validate-options', 'validated'],
  Rank: ['rank-options', 'rank-for-options', 'rank-report'],
  Policy: ['verdict', 'settings-check'],
};

/** The schemas of what programs write. */
const INPUTS = ['scenario', 'changes', 'scenario-options', 'action', 'predict-options', 'advise-options', 'constraints', 'validate-options', 'rank-options', 'rank-for-options'];

/** What options may be besides JSON, by type and property. */
const ACCEPTED = {
  Changes: { to: 'Manifests' },
  ScenarioOptions: { objects: 'Manifests', nodes: 'Nodes' },
  PredictOptions: { quotas: 'Manifests', nodes: 'Nodes', assumptions: 'GivenAssumptions' },
  AdviseOptions: { quotas: 'Manifests', nodes: 'Nodes', assumptions: 'GivenAssumptions' },
  ValidateOptions: { old: 'Manifests' },
  RankOptions: { now: 'string | number | Date', relatedPods: 'Manifests' },
  RankForOptions: { now: 'string | number | Date' },
};

/** Their types. */
const ACCEPTED_TYPES = "import type { GivenAssumptions, Manifests, Nodes } from './index.js';\n\n";

/** A type with exactly one of the properties of another. */
const EXACTLY_ONE = `/**
 * An object with exactly one of the properties of \`T\`.
 *
 * @group Scenarios
 */
export type ExactlyOne<T> = { [Key in keyof T]: Pick<T, Key> & { [Other in Exclude<keyof T, Key>]?: never } }[keyof T];
`;

/** In the DOM that Jest simulates, these are no globals. */
const TEXT_CODERS = {
  cjs: "const { TextDecoder, TextEncoder } = require('node:util');",
  es: "const { TextDecoder, TextEncoder } = globalThis.TextDecoder ? globalThis : globalThis.process.getBuiltinModule('node:util');",
};

/** In CommonJS, the element shares the instance of `node.cjs`. */
const nodeEntryForElement = {
  name: 'node-entry-for-element',
  resolveId: (id, importer) => (id === './index.js' && importer === join(source, 'js/element.js') ? join(source, 'js/node.js') : undefined),
};

await copyFile(join(raw, 'changeover.wasm'), join(folder, 'changeover.wasm'));
await copyFile(join(source, 'README.md'), join(folder, 'README.md'));
await mkdir(join(folder, 'bin'));
for (const file of ['changeover.mjs', 'machine.mjs']) await copyFile(join(source, 'bin', file), join(folder, 'bin', file));
for (const file of ['command.js', 'command.wasm']) await copyFile(join(raw, file), join(folder, 'bin', file));
await mkdir(join(folder, 'docs'));
const pages = ['cli.md', 'mcp.md', 'predict.md', 'scenario.md'];
for (const page of pages) await copyPage(`docs/${page}`);
await writePackageJson();
// A browser and every bundler take the module as text in JavaScript; Node reads the file.
await bundle('es', '.js', ['index', 'slim', 'element', 'async', 'async-workerd', 'worker', 'workerd', 'error', 'quantity']);
await bundle('cjs', '.cjs', ['node', 'slim', 'async-node', 'worker-node', 'element', 'error', 'quantity']);
await writeInline();
await writeNodeEntry('node', 'node');
await writeNodeEntry('async-node', 'async-node');
for (const entry of ['slim', 'error', 'quantity']) await writeNodeEntry(entry, `${entry}-node`);
await writeTypes();

async function writePackageJson() {
  const description = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'));
  await writeFile(join(folder, 'package.json'), `${JSON.stringify({ ...description, ...JSON.parse(fields) }, null, 2)}\n`);
}

/** Copies a page. Links to files that the package does not have become text. */
async function copyPage(page) {
  const text = await readFile(join(source, '..', page), 'utf8');
  const isThere = (target) => /^(https?:|#)/.test(target) || pages.includes(target.split('#')[0]);
  await writeFile(join(folder, page), text.replaceAll(/\[([^\]]+)\]\(([^)]+)\)/g, (link, words, target) => (isThere(target) ? link : words)));
}

/** Each entry is a file of its own, so that a program loads and bundles only what it uses. */
async function bundle(format, ending, entries) {
  const build = await rolldown({
    input: Object.fromEntries(entries.map((entry) => [entry, join(source, `js/${entry}.js`)])),
    platform: format === 'cjs' ? 'node' : 'neutral',
    resolve: { alias: { 'changeover-glue': join(raw, 'changeover.js'), fflate: fileURLToPath(import.meta.resolve('fflate/browser')) } },
    treeshake: true,
    experimental: { attachDebugInfo: 'none' },
    external: [/\.wasm$/, /inline\.js$/],
    plugins: format === 'cjs' ? [nodeEntryForElement] : [],
  });
  await build.write({
    dir: folder,
    format,
    // Node prints the line of an error that nobody catches, so CommonJS keeps its lines.
    minify: format === 'es' || { compress: true, mangle: true, codegen: { removeWhitespace: false } },
    comments: { jsdoc: false },
    keepNames: true,
    sourcemap: true,
    // The map has the sources; their names don't depend on where the package was built.
    sourcemapPathTransform: (path) => `js/${basename(path)}`,
    banner: (chunk) => (['calls', 'shared'].includes(chunk.name) ? TEXT_CODERS[format] : ''),
    entryFileNames: `[name]${ending}`,
    chunkFileNames: `[name]${ending}`,
    codeSplitting: {
      groups: [
        { name: 'arguments', test: /js\/(arguments|failure|long_calls)\.js$/ },
        { name: 'calls', test: /js\/(async_functions|calls|here|own_instance)\.js$/ },
        { name: 'amount', test: /js\/quantity\.js$/ },
        { name: 'bytes', test: /(js\/bytes|fflate\/esm\/\w+)\.js$/ },
        { name: 'shared', test: /(js\/(api|instance|recording|timeline)|raw\/changeover)\.js$/ },
      ],
    },
  });
  await build.close();
}

/** Text takes a third more than bytes, and compressed bytes a third of the file: bundles that contain the module are small. */
async function writeInline() {
  const module = await readFile(join(raw, 'changeover.wasm'));
  const base64 = deflateRawSync(module, { level: 9 }).toString('base64');
  await writeFile(join(folder, 'inline.js'), `export const size = ${module.length};\nexport const base64 = '${base64}';\n`);
}

/** In Node, `import` and `require` share one instance: `import` loads the CommonJS entry. */
async function writeNodeEntry(entry, name) {
  const exports = await import(join(folder, `${entry}.cjs`));
  const names = Object.keys(exports.default).join(', ');
  const lines = [`import exported from './${entry}.cjs';`, '', `export const { ${names} } = exported;`, ''];
  await writeFile(join(folder, `${name}.js`), lines.join('\n'));
}

/** Adds the definition of a type. Several files may define it, if they agree. */
function addDefinition(definitions, name, definition, group) {
  const { title, ...shape } = definition;
  const known = definitions.get(name);
  if (known && JSON.stringify(known.shape) !== JSON.stringify(shape)) throw new Error(`two types have the name ${name}`);
  if (!known) definitions.set(name, { shape, group });
}

/** The definitions of all types, each with its group. */
async function readDefinitions() {
  const definitions = new Map();
  for (const [group, files] of Object.entries(GROUPS)) {
    for (const file of files) {
      const { $schema, $defs, ...root } = JSON.parse(await readFile(join(folder, `${file}.schema.json`), 'utf8'));
      for (const [name, shape] of Object.entries({ ...$defs, [root.title]: root })) addDefinition(definitions, name, shape, group);
    }
  }
  for (const name of ['Manifest', 'ManifestOrList']) definitions.get(name).group = 'Objects';
  const described = ([name, { shape, group }]) => [name, { ...shape, description: `${shape.description}\n\n@group ${group}` }];
  return Object.fromEntries([...definitions].map(described));
}

/** Moves references with a description into `allOf`; otherwise each would become a type of its own. */
function keepReferences(schema) {
  if (Array.isArray(schema)) return schema.map(keepReferences);
  if (schema === null || typeof schema !== 'object') return schema;
  const { $ref, ...rest } = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, keepReferences(value)]));
  if (!$ref) return rest;
  // The default would become a type of its own, too; the description names it.
  const { default: _, ...described } = rest;
  return Object.keys(described).length === 0 ? { $ref } : { ...described, allOf: [{ $ref }] };
}

/** TypeScript lets an object have keys of several arms of a union, but an action has exactly one verb. */
function splitAction({ description, oneOf }) {
  const properties = Object.assign({}, ...oneOf.map((arm) => arm.properties));
  const verbs = 'The requests that users can make to the cluster, by their verb. An `Action` is one of them.\n\n@group Scenarios';
  return {
    Action: { description: description.replace('\n', ' To tell actions apart, ask for a verb: `if (action.scale) ...`.\n'), tsType: 'ExactlyOne<ActionVerbs>' },
    ActionVerbs: { type: 'object', description: verbs, properties, required: Object.keys(properties), additionalProperties: false },
  };
}

/** Sets the types of what options may be besides JSON. */
function acceptMore(definitions) {
  for (const [name, accepted] of Object.entries(ACCEPTED)) {
    for (const [property, tsType] of Object.entries(accepted)) {
      const { description } = definitions[name].properties[property];
      definitions[name].properties[property] = { description, tsType };
    }
  }
}

/** An action with its time is an action and a time; flattened, its arms would be written twice. */
function splitTimedAction({ description, properties: { at } }) {
  return { description, allOf: [{ type: 'object', properties: { at } }, { $ref: '#/$defs/Action' }] };
}

/** Writes the types of all schemas, and the declarations for `import` and `require`. */
async function writeTypes() {
  const definitions = await readDefinitions();
  definitions.TimedAction = splitTimedAction(definitions.TimedAction);
  acceptMore(definitions);
  const schema = { title: 'Everything', type: 'object', $defs: keepReferences({ ...definitions, ...splitAction(definitions.Action) }) };
  const options = { unreachableDefinitions: true, additionalProperties: false, unknownAny: false, bannerComment: '', format: true };
  const inputs = await readInputs();
  const generated = await compile(schema, 'Everything', options);
  const text = generated
    .replace(/export interface Everything \{[^}]*\}\n/, '')
    .replaceAll(/\/\*\*\n \* This interface was referenced by `Everything`'s JSON-Schema\n \* via the `definition` "\w+"\.\n \*\/\n/g, '')
    .replaceAll(/ \*\n \* This interface was referenced by `Everything`'s JSON-Schema\n \* via the `definition` "\w+"\.\n/g, '');
  for (const file of ['types.d.ts', 'types.d.cts']) {
    const types = ACCEPTED_TYPES + allowUndefined(text, (name) => inputs.has(name)) + EXACTLY_ONE;
    await writeFile(join(folder, file), file.endsWith('.cts') ? withEnding(types) : types);
  }
  for (const entry of ['index', 'slim', 'async', 'element', 'element-react', 'error', 'quantity', 'changeover.wasm']) {
    const declarations = allowUndefined(await readFile(join(source, `js/${entry}.d.ts`), 'utf8'));
    await writeFile(join(folder, `${entry}.d.ts`), declarations);
    await writeFile(join(folder, `${entry}.d.cts`), withEnding(declarations));
  }
}

/** The declarations for `require`. */
function withEnding(declarations) {
  return declarations.replaceAll(/(from '\.\/\w+)\.js'/g, "$1.cjs'");
}

/** The names of the types of what programs write. */
async function readInputs() {
  const names = new Set(['ActionVerbs']);
  for (const file of INPUTS) {
    const { $defs = {}, title } = JSON.parse(await readFile(join(folder, `${file}.schema.json`), 'utf8'));
    for (const name of [title, ...Object.keys($defs)]) names.add(name);
  }
  return names;
}

/**
 * With `exactOptionalPropertyTypes`, what may be absent may only be undefined if its type says so: programs may write both, and
 * read that it is absent.
 */
function allowUndefined(declarations, isInput = () => true) {
  const file = typescript.createSourceFile('types.d.ts', declarations, typescript.ScriptTarget.Latest);
  const ends = [];
  const visit = (node) => {
    if (typescript.isPropertySignature(node) && node.questionToken && node.type && !/\bundefined$/.test(node.type.getText(file))) ends.push(node.type.end);
    typescript.forEachChild(node, visit);
  };
  file.statements.filter(({ name }) => !name || isInput(name.text)).forEach(visit);
  return ends.sort((a, b) => b - a).reduce((text, end) => `${text.slice(0, end)} | undefined${text.slice(end)}`, declarations);
}
