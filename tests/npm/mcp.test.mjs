// The tools for agents, as the official client uses them: from the tarball, and natively where CHANGEOVER_COMMAND names the command.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import Ajv from 'ajv/dist/2020.js';

import { install } from './install.mjs';

const cases = fileURLToPath(new URL('../cli/cases', import.meta.url));
const NOW = '2026-01-01T12:00:00Z';
const WEB = readFileSync(join(cases, 'predict.in/new/web.yaml'), 'utf8');

/** For each tool: its report, its arguments, the beginning of its text, and the command that gives the same report. */
const CALLS = [
  ['predict', 'predict-report', { old: 'predict.in/old', new: WEB, quotas: 'predict.in/tight-quota.yaml', prune: true }, '✗ does not fit: ',
    ['predict.in/old', '-', '--quota', 'predict.in/tight-quota.yaml', '--prune']],
  ['advise', 'advice', { objects: 'advise.in/web.yaml', maxPods: 16 }, 'web, 10 replicas', ['advise.in/web.yaml', '--max-pods', '16']],
  ['explain', 'explain-report', { objects: 'explain.in/image.json', deployment: 'web', now: NOW }, 'web is stuck: ',
    ['-f', 'explain.in/image.json', 'deploy/web', '--now', NOW]],
  ['validate', 'validate-report', { objects: 'validate.in/new', old: 'validate.in/old' }, '', ['validate.in/new', '--old', 'validate.in/old']],
  ['rank', 'rank-report', { workload: 'web-7c9d5f6b8', objects: 'rank.in/cluster.json', now: NOW }, 'No pod is deleted.',
    ['web-7c9d5f6b8', '-f', 'rank.in/cluster.json', '--now', NOW]],
  ['review', 'review-report', { objects: 'review.in/costly.yaml', settings: 'review.in/settings.yaml' }, 'review.in/costly.yaml:',
    ['review.in/costly.yaml', '--settings', 'review.in/settings.yaml']],
];

const commands = { 'the package': undefined };
if (process.env.CHANGEOVER_COMMAND) commands['the native command'] = process.env.CHANGEOVER_COMMAND;

let folder;

before(() => {
  folder = install();
  commands['the package'] = join(folder, 'node_modules/.bin/changeover');
});

/** Connects to a server with these flags. */
async function connect(command, mode, ...flags) {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  const transport = new StdioClientTransport({ command, args: ['mcp', ...flags], cwd: cases, stderr: 'pipe' });
  await client.connect(transport);
  return client;
}

for (const name of Object.keys(commands)) {
  for (const mode of ['legacy', { pin: '2026-07-28' }]) {
    test(`${name} answers the official client in the mode ${JSON.stringify(mode)}`, async () => {
      const command = commands[name];
      const client = await connect(command, mode);
      after(() => client.close());
      assert.equal(client.getServerVersion().name, 'changeover');
      assert.match(client.getInstructions(), /predict/);
      const { tools } = await client.listTools();
      assert.deepEqual(tools.map((tool) => tool.name), CALLS.map(([tool]) => tool));
      assert.ok(tools.every(({ annotations }) => annotations.readOnlyHint && !annotations.openWorldHint));
      for (const [tool, schema, args, start, words] of CALLS) {
        // The client checks the structured content with the tool's own schema.
        const { content, structuredContent, isError } = await client.callTool({ name: tool, arguments: args });
        assert.ok(!isError && content[0].text.startsWith(start), content[0].text);
        const text = readFileSync(join(folder, `node_modules/changeover/${schema}.schema.json`), 'utf8');
        const validate = new Ajv({ strict: false, validateFormats: false }).compile(JSON.parse(text));
        assert.ok(validate(structuredContent), JSON.stringify(validate.errors));
        const { stdout } = spawnSync(command, [tool, ...words, '-o', 'json'], { cwd: cases, encoding: 'utf8', input: WEB });
        const named = (report) => JSON.stringify(report, (key, value) => (key === 'proposed' ? undefined : value)).replaceAll('standard input', '<new>');
        assert.deepEqual(JSON.parse(named(structuredContent)), JSON.parse(named(JSON.parse(stdout))), tool);
      }
      // The client checks the report here, too.
      const broken = await client.callTool({ name: 'predict', arguments: { old: 'a: [\n', new: WEB } });
      assert.deepEqual(broken.structuredContent.leftOut.map(({ object, file, line }) => [object, file, line]), [['', '<old>', 2]]);
      const wrong = await client.callTool({ name: 'predict', arguments: { old: 'gone.yaml', new: WEB } });
      assert.deepEqual([wrong.isError, wrong.content[0].text], [true, 'gone.yaml: not found']);
      await assert.rejects(client.callTool({ name: 'apply', arguments: {} }), /Unknown tool: apply/);
    });
  }

  test(`${name} reads the cluster with the user's flags`, async () => {
    const client = await connect(commands[name], 'legacy', '--cluster', '--namespace', 'shop');
    after(() => client.close());
    const { content, isError } = await client.callTool({ name: 'explain', arguments: { cluster: true, namespace: 'bank' } });
    assert.deepEqual([isError, content[0].text], [true, 'kubectl: not allowed: the user lets this server read only the namespace shop']);
  });

  test(`${name} ends with its input`, () => {
    const { status, stdout, stderr } = spawnSync(commands[name], ['mcp'], { encoding: 'utf8', input: '{"jsonrpc":"2.0","id":1,"method":"ping"}' });
    assert.deepEqual([status, stdout, stderr], [0, '{"id":1,"jsonrpc":"2.0","result":{}}\n', '']);
  });
}
