// Installs the packed package into an empty folder outside the repository, as a user does.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

/** The programs that use the package. */
const consumers = fileURLToPath(new URL('consumers', import.meta.url));

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

/** Runs a tool of this repository in the user's folder. */
export function tool(folder, name, file, ...args) {
  const path = join(dirname(require.resolve(`${name}/package.json`)), file);
  return execFileSync(process.execPath, [path, ...args], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
