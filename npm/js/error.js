/** A failure: `code` says which input or what, `path` names the field, `message` says what would be right. */
export class ChangeoverError extends Error {
  constructor(code, path, message, { line, column, problems, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ChangeoverError';
    this.code = code;
    this.path = path;
    this.problems = problems ?? [{ path, message }];
    this.line = line;
    this.column = column;
  }
}

/** An argument as JSON text. */
export function toJson(code, value) {
  let json;
  try {
    json = JSON.stringify(value);
  } catch (error) {
    throw new ChangeoverError(code, '', `Invalid value: must be serializable as JSON: ${reasonOf(error)}`, { cause: error });
  }
  if (json === undefined) {
    throw new ChangeoverError(code, '', `Invalid value: ${describe(value)}: must be a JSON value`);
  }
  return json;
}

/** Checks the number of a frame or step. */
export function checkIndex(path, value, last) {
  if (Number.isInteger(value) && value >= 0 && value <= last) return value;
  const expected = last < 0 ? 'there is none' : `must be a whole number from 0 to ${last}`;
  throw new ChangeoverError('InvalidFrame', path, `${path}: Invalid value: ${describe(value)}: ${expected}`);
}

/** A value of any kind as a message shows it. */
export function describe(value) {
  if (typeof value === 'string') return JSON.stringify(value.length > 64 ? `${value.slice(0, 64)}...` : value);
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}

/** The first line of the words of anything that was thrown. Reading them may throw as well. */
export function reasonOf(thrown) {
  try {
    const reason = thrown instanceof Error ? `${thrown.message}` : describe(thrown);
    return reason.split('\n', 1)[0];
  } catch {
    return 'an error that can not be read';
  }
}
