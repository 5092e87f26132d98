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
  // All forms see the same time.
  const now = `--now=${new Date().toISOString()}`;
  const inForm = (form, ...defaults) =>
    command(printed, ['predict', base, head, `--output=${form}`, ...unlessGiven([now, ...defaults], flags), ...flags]);
  const { output: text, notes, code } = inForm('text', '--color=always');
  return {
    text: `${notes}${text}`,
    annotations: withoutPrinted(inForm('github').output, printed),
    markdown: inForm('markdown').output,
    json: inForm('json').output,
    fails: code === FINDINGS,
  };
}

/** Those defaults, like `--now=TIME`, that the flags do not set themselves, as `--now=TIME` or as `--now` and then the time. */
function unlessGiven(defaults, flags) {
  const name = (flag) => flag.split('=', 1)[0];
  const given = new Set(flags.map(name));
  return defaults.filter((flag) => !given.has(name(flag)));
}

/** The annotations. What a command printed is no file of the pull request, so it has no lines to annotate. */
function withoutPrinted(annotations, printed) {
  return annotations.replaceAll(/^(::\w+ )file=([^,]*),line=\d+,col=\d+,/gm, (all, level, file) => (printed.has(file) ? level : all));
}

/** What a command prints, with what it notes on standard error, and its exit code. Throws what it says if it can't answer. */
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
  return { output, notes: errors, code };
}
