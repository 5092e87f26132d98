// What the workflow asks for.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

import * as core from '@actions/core';

/** Where nothing is yet, as `kubectl get` prints it. */
const NOTHING = Buffer.from('{"apiVersion":"v1","kind":"List","items":[]}');

/**
 * Reads the inputs, and runs the commands among them.
 *
 * The manifests are paths. What a command printed is in `printed`, under a path that says where it comes from.
 */
export function readInputs() {
  const printed = new Map();
  const base = manifests('base', printed);
  if (!printed.has(base) && !existsSync(base)) {
    core.info(`${base}: not found, so everything after the change is new`);
    printed.set(base, NOTHING);
  }
  return {
    base,
    head: manifests('head', printed),
    printed,
    flags: [
      ...core.getMultilineInput('quota').map((path) => `--quota=${path}`),
      `--fail-on=${core.getInput('fail-on')}`,
      ...core.getMultilineInput('arguments'),
    ],
    comment: core.getBooleanInput('comment'),
    name: core.getInput('name'),
    token: core.getInput('token'),
  };
}

function manifests(side, printed) {
  const [path, command] = [core.getInput(side), core.getInput(`${side}-command`)];
  if (Boolean(path) === Boolean(command)) throw new Error(`${side}: give either ${side} or ${side}-command`);
  if (path) return path;
  const name = `output of ${side}-command`;
  try {
    // As the runner starts the script of a step.
    const output = execFileSync('bash', ['-eo', 'pipefail', '-c', command], { stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: Infinity });
    printed.set(name, output);
  } catch (error) {
    const how = error.signal ? `was stopped by ${error.signal}` : `ended with exit code ${error.status}`;
    throw new Error(`${side}-command: ${command}: ${how}`);
  }
  return name;
}
