// Writes the package's reference as HTML: node reference.mjs PACKAGE FOLDER
//   PACKAGE  the assembled package
//   FOLDER   where the pages go
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { Application } from 'typedoc';

const [home, folder] = process.argv.slice(2).map((path) => resolve(path));
const entryPoints = ['index.d.ts', 'slim.d.ts', 'async.d.ts', 'element.d.ts', 'error.d.ts', 'quantity.d.ts'].map((file) => join(home, file));

const tsconfig = join(home, '../tsconfig.json');
const compilerOptions = { module: 'nodenext', target: 'es2022', lib: ['es2022', 'dom', 'esnext.disposable'], types: [], strict: true };
await writeFile(tsconfig, JSON.stringify({ compilerOptions, files: entryPoints }));

const application = await Application.bootstrap({
  entryPoints,
  tsconfig,
  name: 'changeover',
  readme: join(home, 'README.md'),
  disableSources: true,
  excludePrivate: true,
  githubPages: false,
  hideGenerator: true,
  sort: ['source-order'],
  groupOrder: ['Simulate', 'Predict', 'Check', 'Rank', 'Policy', 'Objects', 'Errors', 'Limits', 'Load', 'Show', 'Scenarios', 'Timelines'],
  navigation: { includeGroups: true },
  validation: { notExported: true, invalidLink: true, notDocumented: true },
  treatWarningsAsErrors: true,
});
const project = await application.convert();
if (!project) process.exit(1);
application.validate(project);
if (!application.logger.hasErrors() && !application.logger.hasWarnings()) await application.generateDocs(project, folder);
if (application.logger.hasErrors() || application.logger.hasWarnings()) process.exitCode = 1;
