// The examples work as their READMEs show: each quoted file, and each command with its output.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { open } from './browser.mjs';
import { install, tool } from './install.mjs';

const examples = fileURLToPath(new URL('../../npm/examples', import.meta.url));
const README_PICTURE = fileURLToPath(new URL('../../docs/package.png', import.meta.url));
const names = readdirSync(examples, { withFileTypes: true }).filter((entry) => entry.isDirectory());

let folder;

before(() => {
  folder = install();
  cpSync(examples, join(folder, 'examples'), { recursive: true });
});

/** The code blocks of a text, each with its language and the line before it. */
function blocks(text) {
  const found = text.matchAll(/(?<=^|\n)([^\n]*)\n\n```(\w+)\n([^]*?)```/g);
  return [...found].map(([, before, language, code]) => ({ before, language, code }));
}

for (const { name } of names) {
  test(`the example ${name} works as its README shows`, () => {
    const home = join(folder, 'examples', name);
    const shown = blocks(readFileSync(join(home, 'README.md'), 'utf8'));
    const quoted = shown.filter(({ language }) => language === 'js');
    assert.ok(quoted.length > 0, 'it quotes a file');
    for (const { before, code } of quoted) {
      const [, file] = /`([\w.]+)`/.exec(before);
      assert.equal(code, readFileSync(join(home, file), 'utf8'), file);
    }
    const consoles = shown.filter(({ language }) => language === 'console');
    for (const { code } of consoles) {
      const [command, ...output] = code.split('\n');
      const { stdout } = spawnSync('sh', ['-c', command.replace(/^\$ /, '')], { cwd: home, encoding: 'utf8' });
      assert.equal(stdout, output.join('\n'), command);
    }
    assert.ok(consoles.length > 0 || ['vite-page', 'custom-element'].includes(name), 'it shows a command');
  });
}

test('the Vite page shows its answer', async () => {
  const home = join(folder, 'examples/vite-page');
  tool(folder, 'vite', 'bin/vite.js', 'build', home, '--base', './', '--logLevel', 'warn');
  const answer = await open(join(home, 'dist'), 'index.html', () => document.querySelector('#answer').textContent);
  assert.equal(answer, 'At most 20 pods at once, 7 above the limit.');
});

test('the element shows a rollout, and updates when its manifest changes', async () => {
  const home = join(folder, 'examples/custom-element');
  tool(folder, 'vite', 'bin/vite.js', 'build', home, '--base', './', '--logLevel', 'warn');
  const shown = await open(join(home, 'dist'), 'index.html', async () => {
    const element = document.querySelector('changeover-rollout');
    const picture = () => element.shadowRoot?.querySelector('svg[role=img]')?.getAttribute('aria-label');
    const changed = (before) =>
      new Promise((resolve) => {
        const look = () => (picture() && picture() !== before ? resolve(picture()) : requestAnimationFrame(look));
        look();
      });
    const first = await changed(undefined);
    const replicas = document.querySelector('#replicas');
    replicas.value = '4';
    replicas.dispatchEvent(new Event('input'));
    const second = await changed(first);
    const rows = element.shadowRoot.querySelectorAll('tbody tr').length;
    const caption = element.shadowRoot.querySelector('figcaption').textContent;
    const colored = getComputedStyle(element.shadowRoot.querySelector('path.limit')).strokeWidth;
    return { first, second, rows, caption, colored };
  });
  const name = (pods, over, least) =>
    new RegExp(`^The release of web: pods at most ${pods} \\(${over} over the limit\\), available at least ${least}, complete after \\d:\\d\\d, last old pod gone \\d:\\d\\d$`);
  assert.match(shown.first, name(30, 11, 12));
  assert.match(shown.second, name('\\d+', '\\d+', 3));
  assert.ok(shown.rows > 5, `${shown.rows} rows`);
  assert.deepEqual([shown.caption, shown.colored], ['The release of web', '2px']);
});

// The picture is written if UPDATE_PICTURES is set, or if it is missing.
test("the README's picture shows the element", async () => {
  const home = join(folder, 'examples/custom-element');
  tool(folder, 'vite', 'bin/vite.js', 'build', home, '--base', './', '--logLevel', 'warn');
  const drawn = () => document.querySelector('changeover-rollout').shadowRoot?.querySelector('svg[role=img]')?.getAttribute('aria-label');
  const isDue = process.env.UPDATE_PICTURES || !existsSync(README_PICTURE);
  const picture = isDue ? { element: 'changeover-rollout', file: README_PICTURE } : undefined;
  const label = await open(join(home, 'dist'), 'index.html', drawn, { picture });
  assert.match(label, /^The release of web: pods at most 30 \(11 over the limit\)/);
});

/** Builds a page with an element, for a script that uses `element`, a `deployment` and its `timeline`. Returns the page's folder. */
function elementPage(name, script) {
  const home = join(folder, name);
  mkdirSync(home);
  writeFileSync(join(home, 'index.html'), '<!doctype html><script type="module" src="./main.js"></script><changeover-rollout></changeover-rollout>');
  writeFileSync(join(home, 'main.js'), `
    import { scenario, simulate } from 'changeover';
    import 'changeover/element';
    const labels = { app: 'shop' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'shop', image: 'shop:1' }] } };
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'shop' }, spec: { replicas: 4, selector: { matchLabels: labels }, template } };
    const timeline = simulate(scenario(deployment, { image: 'shop:2' }));
    const element = document.querySelector('changeover-rollout');
    ${script}
  `);
  tool(folder, 'vite', 'bin/vite.js', 'build', home, '--base', './', '--logLevel', 'warn');
  return home;
}

test('the element shows a timeline in place of its manifest', async () => {
  const home = elementPage('timeline-page', `
    element.manifest = { ...deployment, spec: { ...deployment.spec, replicas: 9 } };
    element.timeline = timeline;
    element.addEventListener('changeover-shown', () => {
      window.result = [element.shadowRoot.querySelector('svg[role=img]').getAttribute('aria-label'), timeline.totals().peak, timeline.totals().lowestAvailable];
    });
  `);
  const [label, peak, least] = await open(join(home, 'dist'), 'index.html');
  assert.match(label, new RegExp(`pods at most ${peak}\\b.*available at least ${least},`));
  assert.equal(least, 3);
});

test('the element works where scripts fill no style sheets, as in jsdom', async () => {
  const home = elementPage('plain-page', `
    delete CSSStyleSheet.prototype.replaceSync;
    const plain = document.createElement('changeover-rollout');
    plain.timeline = timeline;
    plain.addEventListener('changeover-shown', () => {
      window.result = plain.shadowRoot.querySelector('svg[role=img]').getAttribute('aria-label');
    });
    document.body.append(plain);
  `);
  assert.match(await open(join(home, 'dist'), 'index.html'), /pods at most/);
});

test('the element shows what was set last, however long the module takes to load', async () => {
  const home = elementPage('late-page', `
    const shown = [];
    element.addEventListener('changeover-shown', () => shown.push(element.shadowRoot.querySelector('svg[role=img]').getAttribute('aria-label')));
    element.addEventListener('changeover-failed', () => shown.push('failed'));
    for (const replicas of [9, -1]) {
      element.timeline = undefined;
      element.manifest = { ...deployment, spec: { ...deployment.spec, replicas } };
      // The first drawing begins, and waits for the module.
      await Promise.resolve();
      await Promise.resolve();
      element.timeline = timeline;
      // The module is there, and so is whatever waited for it.
      await new Promise((resolve) => setTimeout(resolve));
      await new Promise((resolve) => setTimeout(resolve));
    }
    window.result = [...shown, timeline.totals().lowestAvailable];
  `);
  const [...shown] = await open(join(home, 'dist'), 'index.html');
  const least = shown.pop();
  assert.equal(least, 3);
  assert.equal(shown.length, 2);
  for (const label of shown) assert.match(label, new RegExp(`available at least ${least},`));
});

test("the page of the package's README needs no bundler", async () => {
  const readme = readFileSync(join(folder, 'node_modules/changeover/README.md'), 'utf8');
  const [{ code }] = blocks(readme).filter(({ language }) => language === 'html');
  writeFileSync(join(folder, 'page.html'), `<!doctype html><meta charset="utf-8">${code}`);
  writeFileSync(join(folder, 'web.yaml'), `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 4
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: "web:1" }] }
`);
  const drawn = () => document.querySelector('changeover-rollout').shadowRoot?.querySelector('svg[role=img]')?.getAttribute('aria-label');
  // Its scripts are inline.
  const policy = "default-src 'self'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'";
  const label = await open(folder, 'page.html', drawn, { policy });
  assert.match(label, /^Our release: pods at most \d+ /);
});

test('the element shows what is wrong with a manifest', async () => {
  const home = join(folder, 'examples/custom-element');
  const problem = await open(join(home, 'dist'), 'index.html', async () => {
    const element = document.querySelector('changeover-rollout');
    if (!customElements.get('changeover-rollout')) return undefined;
    const failed = new Promise((resolve) => element.addEventListener('changeover-failed', ({ detail }) => resolve(detail.code), { once: true }));
    element.manifest = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: { replicas: -1 } };
    return [await failed, element.shadowRoot.querySelector('[role=alert]').textContent];
  });
  assert.equal(problem[0], 'InvalidDeployment');
  assert.match(problem[1], /^deployment\.spec\./);
});

test('the element says what is wrong with an attribute', async () => {
  const home = join(folder, 'examples/custom-element');
  const problems = await open(join(home, 'dist'), 'index.html', async () => {
    const element = document.querySelector('changeover-rollout');
    if (!customElements.get('changeover-rollout')) return undefined;
    const problems = [];
    for (const [attribute, value] of [['changes', 'image: web:2'], ['options', '{ "kubelet": [{ "ready": "soon" }] }']]) {
      const failed = new Promise((resolve) => element.addEventListener('changeover-failed', ({ detail }) => resolve(detail), { once: true }));
      element.setAttribute(attribute, value);
      const { name, code } = await failed;
      problems.push([name, code, element.shadowRoot.querySelector('[role=alert]').textContent]);
      element.removeAttribute(attribute);
    }
    return problems;
  });
  assert.deepEqual(problems, [
    ['ChangeoverError', 'InvalidChanges', 'changes: Invalid value: "image: web:2": must be a map'],
    ['ChangeoverError', 'InvalidOptions', 'kubelet[0].ready: Invalid value: "soon": must be a duration like 90s, or never'],
  ]);
});
