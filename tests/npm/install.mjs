// Installs the packed package into an empty folder outside the repository, as a user does.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

/** The programs that use the package. */
const consumers = fileURLToPath(new URL('consumers', import.meta.url));

/** The folder with the cases of the policy. */
export const POLICY_CASES = fileURLToPath(new URL('../conformance/cases/policy', import.meta.url));

/** Installs the tarball into a new folder with a copy of the consumers, and returns the folder. */
export function install() {
  const tarball = process.env.CHANGEOVER_TARBALL;
  if (!tarball) throw new Error('CHANGEOVER_TARBALL must name the packed package; `make test` sets it');
  const folder = mkdtempSync(join(tmpdir(), 'changeover-npm-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  cpSync(consumers, folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "name": "user", "private": true }\n');
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', '--loglevel', 'error', tarball], { cwd: folder });
  return folder;
}

/** Runs a file with Node and returns its output, parsed as JSON. */
export function run(folder, file, ...args) {
  return JSON.parse(execFileSync(process.execPath, [file, ...args], { cwd: folder, encoding: 'utf8' }));
}

/** Runs a file with Node and yields each line of its output, parsed as JSON. */
export async function* lines(folder, file, ...args) {
  const program = spawn(process.execPath, [file, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => program.on('exit', resolve));
  for await (const line of createInterface({ input: program.stdout })) yield JSON.parse(line);
  const status = await ended;
  if (status !== 0) throw new Error(`${file} ended with ${status}`);
}

/** Runs a tool of this repository in the user's folder. */
export function tool(folder, name, file, ...args) {
  const path = join(dirname(require.resolve(`${name}/package.json`)), file);
  return execFileSync(process.execPath, [path, ...args], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
