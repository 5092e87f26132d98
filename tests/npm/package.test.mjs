// Tests the package as users get it: from the tarball, in an empty folder.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import * as esbuild from 'esbuild';
import { publint } from 'publint';

import { POLICY_WITHOUT_WASM, open } from './browser.mjs';
import { POLICY_CASES, install, lines, run, tool } from './install.mjs';

/** The repository's own README, and a manifest for its example: a Deployment and a Service. */
const README = fileURLToPath(new URL('../../README.md', import.meta.url));
const MANIFEST = fileURLToPath(new URL('../cli/cases/predict.in/old/web.yaml', import.meta.url));

let folder;
let expected;

before(() => {
  folder = install();
  expected = run(folder, 'es_module.mjs');
});

test('an ES module in Node uses all of it', () => {
  const { error, validated, ...used } = expected;
  const three = { available: 3, ready: 0, starting: 0, pending: 0, terminating: 0, unknown: 0, failed: 0, succeeded: 0 };
  assert.ok(used.steps > 10, `${used.steps} steps`);
  assert.deepEqual({ ...used, steps: 0, peak: 0 }, {
    steps: 0,
    sentences: true,
    end: 'quiet',
    peak: 0,
    counts: three,
    back: three,
    forked: 7,
    cost: -5,
    order: ['b', 'a'],
    settings: true,
    review: true,
  });
  assert.ok(used.peak > 3, 'terminating pods hold resources beside the new ones');
  assert.deepEqual(error, {
    isError: true,
    isOurs: true,
    code: 'InvalidDeployment',
    path: 'deployment.spec.replicas',
    message: 'deployment.spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    copied: true,
    ofNothing: 'Internal',
  });
});

test('validation gives the errors of the API server with positions', () => {
  const { yaml, json, defaulted, list, update, gate, unreadable } = expected.validated;
  const [deployment, service] = yaml;
  assert.deepEqual(
    deployment.problems.map(({ type, line, column, message }) => `${line}:${column} ${type} ${message}`).sort(),
    [
      '12:9 FieldValueInvalid spec.template.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "+10": must be a 32bit integer',
      '15:9 FieldValueRequired spec.template.spec.containers[0].image: Required value',
      `6:34 FieldValueInvalid spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": may not be 0 when \`maxSurge\` is 0`,
    ],
  );
  assert.deepEqual(deployment.uncheckedFields, ['spec.template.spec.containers[0].resizePolicy']);
  assert.deepEqual(service, { problems: [], warnings: [], unknownFields: [], uncheckedFields: ['apiVersion', 'kind'], line: 18, column: 1 });
  assert.deepEqual(json, [{
    type: 'FieldValueInvalid',
    path: 'spec.replicas',
    value: '-1',
    detail: 'must be greater than or equal to 0',
    message: 'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    line: 8,
    column: 5,
  }]);
  assert.deepEqual(defaulted, { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } });
  const mismatch = 'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`';
  assert.deepEqual(list, [[], [mismatch]]);
  assert.deepEqual(update, [[mismatch, 'spec.selector: Invalid value: {"matchLabels":{"app":"other"}}: field is immutable']]);
  assert.equal(gate, 'TerminationComplete');
  assert.deepEqual(unreadable, { isOurs: true, code: 'InvalidManifest', line: 2, column: 1 });
});

test('the examples of the README print the output that it shows', () => {
  const readme = readFileSync(join(folder, 'node_modules/changeover/README.md'), 'utf8');
  const examples = [...readme.matchAll(/```js\n([^]*?)```\n\n```text\n([^]*?)```/g)];
  assert.ok(examples.length >= 4, `${examples.length} examples`);
  for (const [, code, output] of examples) {
    writeFileSync(join(folder, 'readme.mjs'), code);
    assert.equal(execFileSync(process.execPath, ['readme.mjs'], { cwd: folder, encoding: 'utf8' }), output);
  }
});

test("the example of the repository's README works with a manifest next to it", () => {
  const readme = readFileSync(README, 'utf8');
  const [, file, code] = /Save this as `(.+?\.mjs)`[^]*?```js\n([^]*?)```/.exec(readme);
  const [deployment] = readFileSync(MANIFEST, 'utf8').split('---\n');
  writeFileSync(join(folder, 'web.yaml'), deployment);
  writeFileSync(join(folder, file), code);
  const output = execFileSync(process.execPath, [file], { cwd: folder, encoding: 'utf8' });
  const [totals, sentence] = output.split('\n');
  assert.match(totals, /^\d+ pods at most, never fewer than 8 available$/);
  assert.equal(sentence, 'You change the pod template of Deployment web: image web:2.');
});

test('it judges every case of the policy as the policy does', async () => {
  const judged = [];
  for await (const { name, differs } of lines(folder, 'policy_cases.mjs', POLICY_CASES)) judged.push({ name, differs });
  assert.deepEqual(judged.filter(({ differs }) => differs), []);
  assert.ok(judged.length > 200, `${judged.length} cases`);
});

test('totals of a scenario are those of its timeline', () => {
  const { pairs, failures } = run(folder, 'totals.mjs');
  for (const [only, ofTimeline] of pairs) assert.deepEqual(only, ofTimeline);
  assert.deepEqual([pairs[0][0].peak, pairs[0][0].lowestAvailable], [20, 8]);
  assert.deepEqual(failures, [
    [true, 'InvalidDeployment', 'deployment: Required value: must be one of "default/api", "default/web"'],
    [true, 'InvalidDeployment', 'deployment: Unsupported value: "api": supported values: "default/web"'],
    [true, 'InvalidTime', 'from: Invalid value: "soon": must be a duration like 90s, 1m30s or 250ms'],
    [true, 'InvalidScenario', 'version: Invalid value: 2: must be 1'],
  ]);
});

test('a Job runs under both policies', () => {
  const { results: [today, failed], beside } = run(folder, 'jobs.mjs');
  const status = {
    parallelism: 3, completions: 3, active: 0, ready: 0, terminating: 0, succeeded: 3, failed: 1, completedIndexes: '0-2',
    condition: 'Complete',
  };
  assert.deepEqual([today.end, failed.end], ['quiet', 'quiet']);
  assert.deepEqual(today.totals, { finished: 82, mostOfIndex: 2, peak: 4, status });
  assert.deepEqual(failed.totals, { finished: 102, mostOfIndex: 1, peak: 3, status });
  assert.deepEqual([today.at25s, failed.at25s], [[0, 1, 4, 1], [0, 1, 3, 1]]);
  assert.deepEqual([today.waits, failed.waits], [0, 1]);
  assert.ok(today.same && failed.same);
  // The quota holds, and the Job from a cluster starts again.
  assert.deepEqual(beside, [1, 2]);
});

test('CommonJS gives the same', () => assert.deepEqual(run(folder, 'commonjs.cjs'), expected));

test('Jest finds CommonJS for jsdom, which lacks globals of Node, also for ES modules; Workers lack others', () => {
  const { exports } = JSON.parse(readFileSync(join(folder, 'node_modules/changeover/package.json'), 'utf8'));
  const required = ['.', './slim', './element', './error', './quantity'].map((entry) => exports[entry].require);
  assert.deepEqual(required, ['./node.cjs', './slim.cjs', './element.cjs', './error.cjs', './quantity.cjs']);
  for (const file of ['simulated_dom.cjs', 'simulated_dom.mjs']) assert.deepEqual(run(folder, file), { cost: 5, steps: 0, rollouts: [], element: ['ChangeoverRollout'] }, file);
});

test('publint and attw find nothing', async () => {
  const { messages } = await publint({ pkgDir: join(folder, 'node_modules/changeover'), strict: true });
  assert.deepEqual(messages, []);
  tool(folder, '@arethetypeswrong/cli', 'dist/index.js', process.env.CHANGEOVER_TARBALL);
});

test('the JavaScript is minified, with source maps', () => {
  const home = join(folder, 'node_modules/changeover');
  for (const [file, source] of [['shared.js', 'js/timeline.js'], ['shared.cjs', 'js/timeline.js'], ['node.cjs', 'js/node.js'], ['element.cjs', 'js/element.js'], ['worker-node.cjs', 'js/worker-node.js']]) {
    const text = readFileSync(join(home, file), 'utf8');
    const [, name] = /^\/\/# sourceMappingURL=(.+)$/m.exec(text);
    const { sources, sourcesContent } = JSON.parse(readFileSync(join(home, name), 'utf8'));
    assert.ok(sourcesContent[sources.indexOf(source)].length > 0, file);
    assert.doesNotMatch(text, /^\s*(?:\/\*\*|\/\/ )/m, file);
  }
});

test('import and require give one instance', () => assert.deepEqual(run(folder, 'import_and_require.mjs'), Array(5).fill(true)));

test('slim waits for init, then gives the same', () => {
  assert.deepEqual(run(folder, 'slim.mjs'), { early: 'NotInitialized', used: expected });
});

test('slim compiles the module while it loads, unless the server gives it another media type', () => {
  assert.deepEqual(run(folder, 'slim_response.mjs', 'application/wasm'), { streamed: 1, cost: 5 });
  assert.deepEqual(run(folder, 'slim_response.mjs', 'application/octet-stream'), { streamed: 0, cost: 5 });
});

test('a module that cannot be loaded is reported as an error', () => {
  const failed = ['ChangeoverError', 'LoadFailed'];
  assert.deepEqual(run(folder, 'load_failed.mjs'), { failures: Array(5).fill(failed), cost: 5 });
});

test('a page that may not compile WebAssembly gets an error that says so', async () => {
  const blocked = { policy: POLICY_WITHOUT_WASM, expected: /wasm/i };
  const failures = await open(folder, 'blocked.html', () => window.result, blocked);
  for (const [name, code, message] of failures) {
    assert.deepEqual([name, code], ['ChangeoverError', 'LoadFailed']);
    assert.match(message, /^The WebAssembly module can't be loaded: .*Content Security Policy/);
  }
  assert.equal(failures.length, 3);
});

test('a bare module script gives the same', async () => assert.deepEqual(await open(folder, 'script.html'), expected));

test('slim fetches the module in a browser', async () => assert.deepEqual(await open(folder, 'slim.html'), expected));

// The page's policy applies to what is in the frame.
test('a sandboxed frame without an origin gives the same', async () => {
  const { outputFiles: [{ text }] } = await esbuild.build({ entryPoints: [join(folder, 'sandboxed.mjs')], bundle: true, minify: true, format: 'esm', write: false });
  writeFileSync(join(folder, 'sandboxed.js'), text);
  const policy = "default-src 'self'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; frame-src 'self'";
  assert.deepEqual(await open(folder, 'sandboxed.html', () => window.result, { policy }), expected);
});

test('a web worker gives the same', async () => assert.deepEqual(await open(folder, 'web_worker.html'), expected));

test('nothing awaits at the top level', async () => {
  const files = readdirSync(join(folder, 'node_modules/changeover')).filter((file) => /\.c?js$/.test(file));
  assert.ok(files.length > 0);
  for (const file of files) {
    const source = readFileSync(join(folder, 'node_modules/changeover', file), 'utf8');
    // A function can't contain it.
    await esbuild.transform(source, { format: 'iife', supported: { 'import-meta': true }, logLevel: 'silent' });
  }
});

test('it contains the listed files and no others, within its size', () => {
  const home = join(folder, 'node_modules/changeover');
  const description = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  assert.equal(description.dependencies, undefined);
  assert.equal(description.scripts, undefined);
  for (const file of ['README.md', 'LICENSE', 'LICENSES.txt', 'NOTICE']) assert.ok(statSync(join(home, file)).size > 100, file);
  for (const name of ['scenario', 'changes', 'frame']) {
    const schema = JSON.parse(readFileSync(join(home, `${name}.schema.json`), 'utf8'));
    assert.equal(schema.type, 'object', name);
  }
  assert.match(readFileSync(join(home, 'docs/scenario.md'), 'utf8'), /^# Scenarios/);
  assert.match(readFileSync(join(home, 'docs/predict.md'), 'utf8'), /^# Does my rollout fit/);
  assert.match(readFileSync(join(home, 'docs/cli.md'), 'utf8'), /^# The command line/);
  for (const page of ['README.md', 'docs/scenario.md', 'docs/predict.md', 'docs/cli.md', 'docs/mcp.md']) {
    const links = readFileSync(join(home, page), 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g);
    for (const [, link] of links) assert.ok(statSync(join(home, page, '..', link)).isFile(), `${page}: ${link}`);
  }
  assert.ok(description.man.includes('./man/changeover-predict.1'), 'predict has a man page');
  for (const page of description.man) assert.match(readFileSync(join(home, page), 'utf8'), /^\.TH changeover/m, page);
  for (const key of ['repository', 'homepage', 'bugs', 'funding', 'license']) assert.ok(description[key], key);
  // The module as a file, and once as text for browsers.
  const large = readdirSync(home).filter((file) => statSync(join(home, file)).size > 1_000_000);
  assert.deepEqual(large, ['changeover.wasm', 'inline.js']);
});
