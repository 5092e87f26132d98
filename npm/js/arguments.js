// What is the same for all functions: arguments as JSON text, and values in messages.
import { ChangeoverError } from './error.js';

/** An argument as JSON text. `root` is its path in messages. */
export function toJson(code, value, root = '') {
  let json;
  let unwritable;
  try {
    unwritable = findUnread(code, value, root);
    if (!unwritable) json = JSON.stringify(value);
    // A replacer makes large inputs slow, so it runs only if there is a null or half a character that it could have to refuse.
    if (json?.includes('null') || json?.includes('\\ud')) unwritable = findUnwritable(code, value, root);
  } catch (error) {
    const message = `Invalid value: must be serializable as JSON: ${reasonOf(error)}`;
    throw findBigInt(code, value, root) ?? new ChangeoverError(code, '', message, { cause: error });
  }
  if (unwritable) throw unwritable;
  if (json === undefined) throw unwritableError(code, root, describe(value), 'must be a JSON value');
  return json;
}

/** How to get text, an object or a list from what JSON would write as an empty object, by its type. */
const UNREAD = {
  Promise: 'use await',
  Response: 'use await response.text()',
  Blob: 'use await blob.text()',
  File: 'use await file.text()',
  Map: 'use Object.fromEntries(map)',
  Set: 'use [...set]',
};

/**
 * The error for what still has to be read, such as a promise or bytes, as the value or as one of its fields or items. JSON would
 * write an empty object or a map of numbers.
 */
function findUnread(code, value, root) {
  if (typeof value !== 'object' || value === null) return undefined;
  const unread = unreadError(code, root, value);
  if (unread) return unread;
  for (const key of Object.keys(value)) {
    const found = unreadError(code, fieldPath(root, value, key), value[key]);
    if (found) return found;
  }
  return undefined;
}

function unreadError(code, path, value) {
  if (typeof value !== 'object' || value === null) return undefined;
  const type = Object.prototype.toString.call(value).slice('[object '.length, -1);
  if (Object.hasOwn(UNREAD, type)) return unwritableError(code, path, `a ${type}`, `must be text or an object: ${UNREAD[type]}`);
  if (!ArrayBuffer.isView(value) && !type.endsWith('ArrayBuffer')) return undefined;
  return unwritableError(code, path, `bytes (${type})`, "must be text or an object: decode the bytes, as readFileSync(path, 'utf8') does");
}

/** As a part of text, half of a surrogate pair is no character. */
const HALF_CHARACTER = /\p{Surrogate}/u;

/** The error for the first number or date that JSON would silently write as null, number that it can't write, or text that is no Unicode. */
function findUnwritable(code, value, root) {
  const paths = new WeakMap();
  let found;
  JSON.stringify(value, function check(key, value) {
    const path = paths.has(this) ? fieldPath(paths.get(this), this, key) : root;
    if (typeof value === 'number' && !Number.isFinite(value)) found ??= unwritableError(code, path, value, 'must be a finite number');
    if (HALF_CHARACTER.test(key)) found ??= unwritableError(code, path, JSON.stringify(key), 'must not have half of a surrogate pair');
    if (typeof value === 'string' && HALF_CHARACTER.test(value)) found ??= unwritableError(code, path, describe(value), 'must not have half of a surrogate pair');
    if (typeof value === 'bigint') found ??= unwritableError(code, path, `${value}n`, 'must be a number, not a BigInt');
    if (value === null && this[key] instanceof Date) found ??= unwritableError(code, path, this[key], 'must be a valid date');
    if (typeof value === 'object' && value !== null) paths.set(value, path);
    return typeof value === 'bigint' ? null : value;
  });
  return found;
}

/** The error for a BigInt in what JSON can't write; undefined if there is another reason. */
function findBigInt(code, value, root) {
  try {
    return findUnwritable(code, value, root);
  } catch {
    return undefined;
  }
}

function fieldPath(path, holder, key) {
  if (Array.isArray(holder)) return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
}

function unwritableError(code, path, value, expected) {
  const message = `Invalid value: ${String(value)}: ${expected}`;
  return new ChangeoverError(code, path, path === '' ? message : `${path}: ${message}`);
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
    return "an error that can't be read";
  }
}
