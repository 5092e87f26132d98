// The command line, in this process: its module is part of the bundle.
import { initSync, run } from 'changeover-command';

import { machine } from '../npm/bin/machine.mjs';
import { base64 } from './inline.js';

/** Wrong use, or input that can't be read. */
const UNUSABLE = 2;

initSync({ module: Buffer.from(base64, 'base64') });

/** Predicts in each form that the action shows. */
export function predict({ base, head, printed, flags }) {
  const now = `--now=${new Date().toISOString()}`;
  const inForm = (form, ...more) => command(printed, ['predict', base, head, now, ...flags, `--output=${form}`, ...more]);
  return {
    text: inForm('text', '--color=always'),
    annotations: inForm('github'),
    markdown: inForm('markdown'),
    json: inForm('json'),
  };
}

/** What a command prints. Throws what it says if it can't answer. */
function command(printed, args) {
  let [output, errors] = ['', ''];
  const code = run(
    {
      ...machine,
      isFolder: (path) => !printed.has(path) && machine.isFolder(path),
      readFile: (path) => printed.get(path) ?? machine.readFile(path),
      print: (text) => {
        output += text;
      },
      printError: (text) => {
        errors += text;
      },
    },
    ['changeover', ...args].join('\0'),
  );
  if (code === UNUSABLE) throw new Error(errors.trimEnd());
  return output;
}
