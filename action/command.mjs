// The command line, in this process: its module is part of the bundle.
import { initSync, run } from 'changeover-command';

import { machine } from '../npm/bin/machine.mjs';
import { base64 } from './inline.js';

/** Findings that the step fails on. */
const FINDINGS = 1;

/** Wrong use, or input that can't be read. */
const UNUSABLE = 2;

initSync({ module: Buffer.from(base64, 'base64') });

/** Predicts in each form that the action shows. */
export function predict({ base, head, printed, flags }) {
  const now = `--now=${new Date().toISOString()}`;
  const inForm = (form, ...more) => command(printed, ['predict', base, head, now, ...flags, `--output=${form}`, ...more]);
  const { output: text, code } = inForm('text', '--color=always');
  return {
    text,
    annotations: withoutPrinted(inForm('github').output, printed),
    markdown: inForm('markdown').output,
    json: inForm('json').output,
    fails: code === FINDINGS,
  };
}

/** The annotations. What a command printed is no file of the pull request, so it has no lines to annotate. */
function withoutPrinted(annotations, printed) {
  return annotations.replaceAll(/^(::\w+ )file=([^,]*),line=\d+,col=\d+,/gm, (all, level, file) => (printed.has(file) ? level : all));
}

/** What a command prints, and its exit code. Throws what it says if it can't answer. */
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
  return { output, code };
}
