// Bundled copies of the package give the same results as the package in Node.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { before, test } from 'node:test';

import * as esbuild from 'esbuild';
import webpack from 'webpack';

import { open } from './browser.mjs';
import { install, run, tool } from './install.mjs';

let folder;
let expected;

before(() => {
  folder = install();
  expected = run(folder, 'es_module.mjs');
});

const bundlers = {
  async esbuild(input, file) {
    const { warnings } = await esbuild.build({ entryPoints: [input], outfile: file, bundle: true, minify: true, format: 'esm', logLevel: 'silent' });
    return warnings;
  },
  webpack: (input, file) => webpackWith({ target: 'web' }, input, file),
};

/** Its hints about large files are not warnings about the package. */
function webpackWith(options, input, file) {
  const output = { path: dirname(file), filename: basename(file) };
  const compiler = webpack({ mode: 'production', entry: input, output, performance: { hints: false }, ...options });
  return new Promise((resolve, reject) => {
    compiler.run((error, stats) => {
      if (error) return reject(error);
      const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true });
      return resolve([...errors, ...warnings].map(({ message }) => message));
    });
  });
}

for (const [name, bundle] of Object.entries(bundlers)) {
  test(`a page that ${name} builds gives the same`, async () => {
    const home = join(folder, 'bundled', name);
    mkdirSync(home);
    writeFileSync(join(home, 'index.html'), '<!doctype html><title>bundled</title><script type="module" src="bundle.js"></script>\n');
    assert.deepEqual(await bundle(join(folder, 'bundled/main.mjs'), join(home, 'bundle.js')), []);
    assert.deepEqual(await open(folder, `bundled/${name}/index.html`), expected);
  });
}

test('a page that Vite builds gives the same', async () => {
  tool(folder, 'vite', 'bin/vite.js', 'build', 'bundled', '--outDir', 'vite', '--base', './', '--logLevel', 'warn');
  assert.deepEqual(await open(folder, 'bundled/vite/index.html'), expected);
});

test('a bundle for Cloudflare Workers leaves the module to them', async () => {
  const input = join(folder, 'bundled/worker.mjs');
  const options = { entryPoints: [input], bundle: true, format: 'esm', conditions: ['workerd', 'worker', 'browser'], external: ['*.wasm'], write: false };
  const { outputFiles: [{ text }], warnings } = await esbuild.build({ ...options, logLevel: 'silent' });
  assert.deepEqual(warnings, []);
  assert.match(text, /import \w+ from "\.\/changeover\.wasm"/);
  assert.ok(text.length < 200_000, `${text.length} bytes: the module is not in it`);
});

test('an entry without the module is small', async () => {
  for (const [code, most] of [["import { ChangeoverError } from 'changeover/error'; console.log(ChangeoverError);", 1_500], ["import { quantity } from 'changeover/quantity'; console.log(quantity('1'));", 6_000]]) {
    const stdin = { contents: code, resolveDir: folder };
    const { outputFiles: [{ text }] } = await esbuild.build({ stdin, bundle: true, minify: true, format: 'esm', write: false });
    assert.ok(text.length < most, `${code} ${text.length} bytes`);
  }
});

test('a bundle of the functions and of those in workers has the module once', async () => {
  const code = "import { predict } from 'changeover'; import { totals } from 'changeover/async'; console.log(predict, totals);";
  const stdin = { contents: code, resolveDir: folder };
  const { metafile } = await esbuild.build({ stdin, bundle: true, minify: true, splitting: true, format: 'esm', outdir: join(folder, 'once'), write: false, metafile: true, logLevel: 'silent' });
  const large = Object.values(metafile.outputs).filter(({ bytes }) => bytes > 1_000_000);
  assert.equal(large.length, 1);
});

/** Says that Node's own zlib was called. */
const WATCHED_ZLIB = "const zlib = require('node:zlib'); const { inflateRawSync } = zlib; zlib.inflateRawSync = (...args) => (console.error('zlib'), inflateRawSync(...args));\n";

test('a single file for Node needs no other files', async () => {
  const [input, home] = [join(folder, 'commonjs.cjs'), join(folder, 'alone')];
  mkdirSync(home);
  copyFileSync(join(folder, 'package.json'), join(home, 'package.json'));
  const options = { entryPoints: [input], bundle: true, platform: 'node', logLevel: 'silent' };
  await esbuild.build({ ...options, outfile: join(home, 'esbuild.cjs') });
  assert.deepEqual(await webpackWith({ target: 'node' }, input, join(home, 'webpack.cjs')), []);
  writeFileSync(join(home, 'watched.cjs'), WATCHED_ZLIB);
  for (const file of ['esbuild.cjs', 'webpack.cjs']) {
    const { stdout, stderr } = spawnSync(process.execPath, ['--require', './watched.cjs', file], { cwd: home, encoding: 'utf8' });
    assert.deepEqual([JSON.parse(stdout), stderr], [expected, 'zlib\n'], file);
  }
});

test('a bundle for Node runs long calls itself', async () => {
  const [input, home] = [join(folder, 'long_call.mjs'), join(folder, 'in_node')];
  mkdirSync(home);
  writeFileSync(input, "import { explain } from 'changeover/async'; explain([]).then(({ rollouts }) => console.log(rollouts.length));");
  await esbuild.build({ entryPoints: [input], bundle: true, platform: 'node', format: 'esm', outfile: join(home, 'esbuild.mjs'), logLevel: 'silent' });
  assert.deepEqual(await webpackWith({ target: 'node' }, input, join(home, 'webpack.cjs')), []);
  for (const file of ['esbuild.mjs', 'webpack.cjs']) {
    assert.equal(execFileSync(process.execPath, [file], { cwd: home, encoding: 'utf8' }), '0\n', file);
  }
});
