// The package's types, as users' compilers read them.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { install, tool } from './install.mjs';

/** The declaration files, of which each has exports. */
const DECLARATIONS = ['types.d.ts', 'index.d.ts', 'slim.d.ts', 'async.d.ts', 'element.d.ts', 'error.d.ts', 'quantity.d.ts'];

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));

let folder;

before(() => {
  folder = install();
  for (const name of ['@kubernetes/client-node', 'kubernetes-types', '@types/react', 'csstype']) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(modules, name), link);
  }
});

function compile(resolution, files, libraries) {
  const strict = ['--noEmit', '--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', '--resolveJsonModule'];
  const options = [...strict, '--types', '', ...libraries, ...resolution, '--target', 'es2022'];
  tool(folder, 'typescript-7', 'bin/tsc', ...options, ...files);
}

for (const [name, resolution, files] of [
  ['node16', ['--module', 'node16', '--moduleResolution', 'node16'], ['types.mts', 'types.cts']],
  ['nodenext', ['--module', 'nodenext'], ['types.mts', 'types.cts']],
  ['bundler', ['--module', 'esnext', '--moduleResolution', 'bundler'], ['types.mts']],
]) {
  // Without skipLibCheck and lib, the compiler checks the package's own declarations, which must reference the
  // libraries that they need.
  test(`the types hold under --strict with ${name}`, () => compile(resolution, files, []));
  test(`the types of Kubernetes' clients fit with ${name}`, () => {
    // The clients' own declarations need Node's types.
    compile(resolution, ['kubernetes_types.mts'], ['--skipLibCheck', '--lib', 'es2022,dom,esnext.disposable']);
  });
}

test("the types need no library of the DOM", () => {
  compile(['--module', 'nodenext'], ['types_without_dom.mts'], ['--lib', 'es2022,esnext.disposable']);
});

test('the element has types in JSX', () => {
  const jsx = ['--jsx', 'react-jsx', '--skipLibCheck', '--lib', 'es2022,dom,esnext.disposable'];
  compile(['--module', 'esnext', '--moduleResolution', 'bundler'], ['element.tsx'], jsx);
});

/** The names that a declaration file exports. */
function exportedNames(file) {
  const text = readFileSync(join(folder, 'node_modules/changeover', file), 'utf8');
  return [...text.matchAll(/^export (?:declare )?(?:type|interface|class|function|const) (\w+)/gm)].map(([, name]) => name);
}

test('no type shadows a global one', () => {
  const lib = join(dirname(fileURLToPath(import.meta.resolve('typescript-7/package.json'))), 'lib');
  const files = ['lib.dom.d.ts', 'lib.es5.d.ts', 'lib.es2015.collection.d.ts'];
  const found = files.flatMap((file) => {
    const text = readFileSync(findLib(lib, file), 'utf8');
    return [...text.matchAll(/^(?:declare var|interface|type) (\w+)/gm)].map(([, name]) => name);
  });
  const globals = new Set(found);
  assert.ok(globals.has('Node') && globals.has('Event') && globals.has('Map'), 'the globals were read');
  const names = DECLARATIONS.flatMap(exportedNames);
  for (const name of ['NodeSpec', 'Timeline', 'ChangeoverRollout']) assert.ok(names.includes(name), name);
  assert.deepEqual(names.filter((name) => globals.has(name)), []);
});

/** TypeScript 7 ships its libraries in the platform's package. */
function findLib(lib, file) {
  if (readdirSync(lib).includes(file)) return join(lib, file);
  const platform = `@typescript/typescript-${process.platform}-${process.arch}`;
  return join(modules, platform, 'lib', file);
}

/** A description that means nothing by itself. */
const VAGUE = /^(?:(?:Its|Their|The same|As in|Which|Who|What is)\b.{0,25}|(?:What|When|Where|How|Why)(?: (?:it|they|is|are|was|were|found))*)\.$/;

test('every exported name has a meaningful comment', () => {
  for (const file of DECLARATIONS) {
    const text = readFileSync(join(folder, 'node_modules/changeover', file), 'utf8');
    const bare = [...text.matchAll(/(\*\/\n|\n)export (?:declare )?(?:type|interface|class|function) (\w+)/g)];
    assert.deepEqual(bare.filter(([, comment]) => comment === '\n').map(([, , name]) => name), [], file);
    // A comment of one line, or the only line of one.
    const comments = [...text.matchAll(/^\s*(?:\/\*\*|\*) (.*?)(?: \*\/)?$/gm)].map(([, line]) => line);
    assert.ok(comments.length > 2, file);
    assert.deepEqual(comments.filter((line) => VAGUE.test(line)), [], file);
  }
});

/** All descriptions in a schema. */
function descriptions(schema) {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) => (key === 'description' && typeof value === 'string' ? [value] : descriptions(value)));
}

test('every description in a schema is meaningful', () => {
  const home = join(folder, 'node_modules/changeover');
  const files = readdirSync(home).filter((file) => file.endsWith('.schema.json'));
  assert.ok(files.includes('explain-report.schema.json') && files.includes('predict-report.schema.json'), 'the schemas were found');
  for (const file of files) {
    const found = descriptions(JSON.parse(readFileSync(join(home, file), 'utf8')));
    assert.ok(found.length > 0, file);
    assert.deepEqual(found.filter((text) => VAGUE.test(text)), [], file);
  }
});
