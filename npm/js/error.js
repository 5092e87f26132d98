/** A failure: `code` says which input or what, `path` names the field, `message` says what would be right. */
export class ChangeoverError extends Error {
  constructor(code, path, message, { file, line, column, problems = [{ path, message }], cause } = {}) {
    // Of an error, structuredClone and postMessage copy only the message and the cause.
    const details = { name: 'ChangeoverError', code, path, problems, file, line, column };
    super(message, { cause: isCloneable(cause) ? { ...details, cause } : details });
    Object.assign(this, details);
  }

  /** The error as it was, from a copy. */
  static from(copy) {
    const { message, cause } = copy instanceof Object ? copy : { message: `${String(copy)} was thrown`, cause: undefined };
    const { code, path, ...details } = cause?.name === 'ChangeoverError' ? cause : { code: 'Internal', path: '', cause };
    return new ChangeoverError(code, path, message, details);
  }

  toJSON() {
    const { name, code, path, message, problems, file, line, column } = this;
    return { name, code, path, message, problems, file, line, column };
  }
}

/** Anything may be thrown; an error can be copied if its own cause can. */
function isCloneable(cause) {
  try {
    return cause instanceof Error && cause.cause === undefined;
  } catch {
    return false;
  }
}
