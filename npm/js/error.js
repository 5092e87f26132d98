/** What was wrong with an input: `code` says which one, `path` where in it, `message` what would be right. */
export class ChangeoverError extends Error {
  constructor(code, path, message, [line, column] = []) {
    super(message);
    this.name = 'ChangeoverError';
    this.code = code;
    this.path = path;
    this.line = line;
    this.column = column;
  }
}

/** Calls into the module. Its errors are JSON texts; anything else that is thrown is a fault of this package. */
export function call(work) {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof ChangeoverError) throw thrown;
    if (typeof thrown !== 'string') {
      throw new ChangeoverError('Internal', '', `Changeover failed: ${thrown instanceof Error ? thrown.message : thrown}`);
    }
    const { code, path, message, place } = JSON.parse(thrown);
    throw new ChangeoverError(code, path, message, place);
  }
}

/** An argument as JSON text. */
export function text(code, value) {
  let json;
  try {
    json = JSON.stringify(value);
  } catch (error) {
    throw new ChangeoverError(code, '', `Invalid value: must be what JSON can hold: ${error.message}`);
  }
  if (json === undefined) {
    throw new ChangeoverError(code, '', `Invalid value: ${String(value)}: must be a JSON value`);
  }
  return json;
}

/** A number of a frame or step. */
export function index(path, value, last) {
  if (Number.isInteger(value) && value >= 0 && value <= last) return value;
  const right = last < 0 ? 'there is none' : `must be a whole number from 0 to ${last}`;
  throw new ChangeoverError('InvalidFrame', path, `${path}: Invalid value: ${String(value)}: ${right}`);
}
