// A reporter for Node's test runner: writes the tests that passed, as FILE::NAME, one per line. `make test` reads them
// as proofs.
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export default async function* passed(events) {
  for await (const { type, data } of events) {
    if (type === 'test:pass' && data.file && data.skip === undefined && data.todo === undefined) {
      yield `${relative(ROOT, data.file)}::${data.name}\n`;
    }
  }
}
