/** A problem with an input: `code` names the input, `path` the field, `message` what would be right. */
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

/** Calls the module. It throws its errors as JSON text; anything else is a bug of this package. */
export function call(work) {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof ChangeoverError) throw thrown;
    if (typeof thrown !== 'string') {
      throw new ChangeoverError('Internal', '', `Changeover failed: ${thrown instanceof Error ? thrown.message : thrown}`);
    }
    const { code, path, message, position } = JSON.parse(thrown);
    throw new ChangeoverError(code, path, message, position);
  }
}

/** An argument as JSON text. */
export function toJson(code, value) {
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

/** Checks the number of a frame or step. */
export function checkIndex(path, value, last) {
  if (Number.isInteger(value) && value >= 0 && value <= last) return value;
  const expected = last < 0 ? 'there is none' : `must be a whole number from 0 to ${last}`;
  throw new ChangeoverError('InvalidFrame', path, `${path}: Invalid value: ${String(value)}: ${expected}`);
}
