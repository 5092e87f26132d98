// The GitHub Action as a runner starts it: from the bundle, with the event in a file and a local server in place of
// GitHub's.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { truncated } from '../../action/truncation.mjs';

const ENTRY = process.env.CHANGEOVER_ACTION;
const here = fileURLToPath(new URL('.', import.meta.url));
const workspace = join(here, '../cli/cases/predict.in');
const metadata = readFileSync(join(here, '../../action.yml'), 'utf8');

/** The inputs of action.yml with their defaults. */
const DEFAULTS = {
  base: '', 'base-command': '', head: '', 'head-command': '', quota: '', 'fail-on': 'quota,pending,incomplete,outage,replicas,worst,not-judged,refused', arguments: '',
  comment: 'true', name: 'changeover', token: 'secret',
};

const FITS = { base: 'old/web.yaml', head: 'new/web.yaml', quota: 'wide-quota.yaml' };
const TOO_MUCH = { ...FITS, quota: 'tight-quota.yaml' };

const folders = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

/** A folder that exists until the tests end. */
function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'changeover-action-'));
  folders.push(folder);
  return folder;
}

const marked = (id, text, type = 'Bot', login = 'github-actions[bot]') => ({ id, body: `<!-- changeover: changeover -->\n${text}`, user: { type, login } });

/** A server that has these comments, over several pages, and records what it was asked to write. The token may be that of a user. */
async function github(pages, refusal, login) {
  const written = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const url = new URL(request.url, 'http://github.test');
    const answer = (status, value, headers = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
    };
    assert.equal(request.headers.authorization, 'token secret');
    if (url.pathname === '/user') {
      return login ? answer(200, { login }) : answer(403, { message: 'Resource not accessible by integration' });
    }
    if (request.method === 'GET') {
      assert.equal(url.pathname, '/repos/octo-org/shop/issues/7/comments');
      const page = Number(url.searchParams.get('page') ?? 1);
      url.searchParams.set('page', page + 1);
      const next = `<http://${request.headers.host}${url.pathname}${url.search}>; rel="next"`;
      return answer(200, pages[page - 1] ?? [], page < pages.length ? { link: next } : {});
    }
    if (refusal) return answer(refusal, { message: 'Resource not accessible by integration' });
    written.push({ request: `${request.method} ${url.pathname}`, body: JSON.parse(text).body });
    return answer(request.method === 'POST' ? 201 : 200, { html_url: 'https://github.com/octo-org/shop/pull/7#issuecomment-1' });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, written, address: `http://127.0.0.1:${server.address().port}` };
}

/** Runs the action. */
async function act(inputs, { event = 'pull_request', pages = [[]], refusal, login } = {}) {
  const { server, written, address } = await github(pages, refusal, login);
  const temp = temporaryFolder();
  const [outputs, summary] = ['outputs', 'summary'].map((name) => join(temp, name));
  for (const file of [outputs, summary]) writeFileSync(file, '');
  const given = Object.entries({ ...DEFAULTS, ...inputs }).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]);
  const child = spawn(process.execPath, [ENTRY], {
    cwd: workspace,
    env: {
      PATH: process.env.PATH,
      ...Object.fromEntries(given),
      GITHUB_ACTIONS: 'true',
      GITHUB_API_URL: address,
      GITHUB_EVENT_NAME: event,
      GITHUB_EVENT_PATH: join(here, `events/${event}.json`),
      GITHUB_OUTPUT: outputs,
      GITHUB_REPOSITORY: 'octo-org/shop',
      GITHUB_STEP_SUMMARY: summary,
      GITHUB_WORKSPACE: workspace,
      RUNNER_TEMP: temp,
    },
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (log += chunk));
  const [status] = await once(child, 'close');
  server.close();
  // NAME<<DELIMITER, the value, DELIMITER
  const values = readFileSync(outputs, 'utf8').matchAll(/^([\w-]+)<<(\S+)\n([^]*?)\n\2$/gm);
  return {
    status,
    log,
    written,
    temp,
    outputs: Object.fromEntries([...values].map(([, name, , value]) => [name, value])),
    summary: readFileSync(summary, 'utf8'),
  };
}

test('the defaults match action.yml', () => {
  const names = metadata.match(/^inputs:\n([^]*?)^outputs:/m)[1].matchAll(/^ {2}([\w-]+):/gm);
  assert.deepEqual([...names].map(([, name]) => name), Object.keys(DEFAULTS));
  assert.ok(metadata.includes(`default: ${DEFAULTS['fail-on']}\n`));
});

test('a rollout that fits passes, with a comment', async () => {
  const { status, written, outputs, summary, log } = await act(FITS);
  assert.equal(status, 0, log);
  assert.deepEqual(written.map(({ request }) => request), ['POST /repos/octo-org/shop/issues/7/comments']);
  const [{ body }] = written;
  assert.ok(body.startsWith('<!-- changeover: changeover -->\n### ✓ fits ResourceQuota team; no nodes given\n'));
  assert.match(body, /\| web \| image web:1 → web:2 \| 20 \(10 desired\) \|/);
  assert.match(body, /<pre>\n0:00 {2}█+/);
  assert.ok(body.endsWith(summary));
  assert.deepEqual([outputs.fits, outputs.findings], ['true', '[]']);
  assert.equal(outputs['comment-url'], 'https://github.com/octo-org/shop/pull/7#issuecomment-1');
  assert.equal(JSON.parse(readFileSync(outputs.report, 'utf8')).version, 3);
});

test('a rollout that does not fit fails, with annotations on its lines', async () => {
  const { status, log, outputs, written } = await act(TOO_MUCH);
  assert.equal(status, 1);
  assert.match(log, /^::error file=new\/web.yaml,line=7,col=1,title=changeover::ResourceQuota team: exceeds pods by up to \d+ from \d+:\d+, .*, 15 allowed\)/m);
  assert.equal(outputs.fits, 'false');
  assert.equal(JSON.parse(outputs.findings)[0].condition, 'quota');
  assert.ok(written[0].body.includes('### ✗ does not fit: ResourceQuota team'));
});

test('findings that --fail-on does not name pass', async () => {
  const { status, outputs, written, log } = await act({ ...TOO_MUCH, 'fail-on': 'none' });
  assert.deepEqual([status, outputs.fits], [0, 'false']);
  assert.match(log, /^::warning file=new\/web.yaml,line=7,/m);
  assert.doesNotMatch(log, /^::error/m);
  assert.ok(written[0].body.includes('### ✗ does not fit: ResourceQuota team'));
});

test('the comment of an earlier run is updated, on any page', async () => {
  const others = Array.from({ length: 100 }, (_, index) => ({ id: index, body: 'looks good', user: { type: 'User' } }));
  const { written } = await act(FITS, { pages: [others, [marked(4711, '### ✗ old')]] });
  assert.deepEqual(written.map(({ request }) => request), ['PATCH /repos/octo-org/shop/issues/comments/4711']);
});

test('with the token of a user, the comment of that user is updated', async () => {
  const pages = [[marked(1, 'what is this?', 'User', 'octocat'), marked(2, '### ✗ old', 'User', 'deployer')]];
  const { written } = await act(FITS, { pages, login: 'deployer' });
  assert.deepEqual(written.map(({ request }) => request), ['PATCH /repos/octo-org/shop/issues/comments/2']);
});

test("comments of people and of other names are not changed", async () => {
  const quoted = marked(1, 'what is this?', 'User');
  const { written } = await act({ ...FITS, name: 'production' }, { pages: [[quoted, marked(2, 'other')]] });
  assert.deepEqual(written.map(({ request }) => request), ['POST /repos/octo-org/shop/issues/7/comments']);
  assert.ok(written[0].body.startsWith('<!-- changeover: production -->\n'));
});

test('a change that touches no Deployment gets no comment, and clears an existing one', async () => {
  const same = { ...FITS, head: 'old/web.yaml' };
  assert.deepEqual((await act(same)).written, []);
  const { written } = await act(same, { pages: [[marked(3, '### ✗ old')]] });
  assert.ok(written[0].body.includes('### ✓'));
});

test('without permission to comment, there is a warning and the summary', async () => {
  const { status, log, summary } = await act(FITS, { refusal: 403 });
  assert.equal(status, 0);
  assert.match(log, /^::warning::The comment could not be written \(Resource not accessible.*pull-requests: write/m);
  assert.ok(summary.includes('### ✓ fits ResourceQuota team'));
});

test('a push has no pull request to comment on', async () => {
  const { status, written, summary } = await act(FITS, { event: 'push' });
  assert.deepEqual([status, written], [0, []]);
  assert.ok(summary.includes('### ✓ fits ResourceQuota team'));
});

test('commands print the manifests', async () => {
  const commands = { 'base-command': 'cat old/web.yaml', 'head-command': 'sed s/web:1/web:9/ old/web.yaml' };
  const { status, written, log } = await act(commands);
  assert.equal(status, 0, log);
  assert.match(written[0].body, /web:1 → web:9/);
  const tooMuch = await act({ ...commands, quota: 'tight-quota.yaml' });
  assert.match(tooMuch.log, /^::error title=changeover::ResourceQuota team: /m);
  assert.doesNotMatch(tooMuch.log, /file=/);
  const failed = await act({ ...commands, 'head-command': 'exit 3' });
  assert.equal(failed.status, 1);
  assert.match(failed.log, /^::error::head-command: exit 3: ended with exit code 3$/m);
  const inPipe = await act({ ...commands, 'head-command': 'false | cat old/web.yaml' });
  assert.match(inPipe.log, /^::error::head-command: .*: ended with exit code 1$/m);
});

test('if the base does not exist, everything is new', async () => {
  const { status, written, log } = await act({ ...FITS, base: 'nowhere' });
  assert.equal(status, 0, log);
  assert.match(written[0].body, /\| web \| created with 10 pods \|/);
});

test('extra flags are passed to the command, and the token is never printed', async () => {
  const { log, written } = await act({ ...FITS, arguments: '--ready-after=20s\n--stop-after=10s' });
  assert.match(written[0].body, /Pods are ready 20 s after creation, and take 10 s to stop/);
  assert.ok(!log.includes('secret'));
});

test("flags take precedence over the action's own", async () => {
  const inputs = { ...FITS, arguments: '--color=never\n--now\n2026-01-01T12:00:00Z' };
  const { status, log } = await act(inputs);
  assert.equal(status, 0, log);
  assert.match(log, /^web {2}image web:1 → web:2$/m);
  assert.doesNotMatch(log, /\u001B/);
});

test('wrong inputs get a message with the right ones', async () => {
  for (const [inputs, message] of [
    [{ base: 'old' }, 'head: give either head or head-command'],
    [{ ...FITS, 'head-command': 'true' }, 'head: give either head or head-command'],
    [{ ...FITS, head: 'nowhere' }, 'nowhere: not found'],
    [{ ...FITS, arguments: '--max-pods=3' }, "error: unexpected argument '--max-pods' found"],
  ]) {
    const { status, log, written } = await act(inputs);
    assert.deepEqual([status, written], [1, []]);
    assert.ok(log.includes(`::error::${message}`), log);
  }
});

test('a document that can not be read is a finding', async () => {
  const { status, written } = await act({ 'base-command': 'echo "replicas: {"', head: 'new' });
  assert.equal(status, 1);
  assert.match(written[0].body, /### not judged: output of base-command:2:1: /);
});

test('a very long report is cut between lines', async () => {
  const document = (name, image) =>
    `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: ${name}}\nspec:\n  selector: {matchLabels: {app: a}}\n  template:\n` +
    `    metadata: {labels: {app: a}}\n    spec: {containers: [{name: a, image: "${image}"}]}\n`;
  const all = (image) => Array.from({ length: 900 }, (_, index) => document(`${'a'.repeat(40)}-${index}`, image)).join('---\n');
  const folder = temporaryFolder();
  for (const image of ['a:1', 'a:2']) writeFileSync(join(folder, `${image.at(-1)}.yaml`), all(image));
  const [base, head] = readdirSync(folder).sort().map((name) => join(folder, name));
  const { status, written, log } = await act({ base, head });
  assert.equal(status, 0, log.slice(0, 1000));
  const [{ body }] = written;
  assert.ok(body.length <= 65_536 && body.length > 60_000);
  assert.ok(body.endsWith('|\n\n… The rest is in the summary of the job.\n'));
});

test('a report that is cut in a picture has the end of the picture', () => {
  const lines = 'line\n'.repeat(100);
  const report = `text\n<pre>\n${lines}</pre>\n${lines}`;
  assert.equal(truncated(report, report.length, 'More.'), report);
  for (const [length, end] of [[200, 'line\n</pre>\n\n… More.\n'], [700, 'line\n\n… More.\n']]) {
    const cut = truncated(report, length, 'More.');
    assert.ok(cut.length <= length && cut.length > length - 20, cut);
    assert.ok(cut.endsWith(end), cut);
  }
});

test('the documentation shows the workflow that actionlint reads', () => {
  const page = readFileSync(join(here, '../../docs/action.md'), 'utf8');
  const shown = page.match(/```yaml\n([^]*?)```/)[1];
  assert.equal(shown.replace(/OWNER\/changeover@v\d+/, './'), readFileSync(join(here, 'workflow.yml'), 'utf8'));
});
