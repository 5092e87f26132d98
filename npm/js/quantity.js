// Amounts of resources. They need no simulation, so that this file does not load the module.
import { toJson } from './arguments.js';
import { ChangeoverError } from './error.js';

/** A sign, the digits, and a suffix or an exponent. As in Kubernetes, digits may be missing. */
const FORM = /^([-+]?)(\d*)(?:\.(\d*))?(?:([numkMGTPE]?)|([KMGTPE])i|[eE]([-+]?\d+))$/;

const DECIMAL = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };

const BINARY = 'KMGTPE';

/** What is less than a billionth is rounded up to one. */
const LEAST_EXPONENT = -9;

/** The largest amounts that Kubernetes has: with a binary suffix, larger ones become this one; others are refused. */
const [MOST_BINARY, MOST] = [2n ** 63n - 1n, 2n ** 127n - 1n];

/** The number that a quantity like `500m` or `16Gi` stands for. */
export function quantity(amount) {
  const json = toJson('InvalidQuantity', amount);
  const given = JSON.parse(json);
  const number = typeof given === 'string' || typeof given === 'number' ? parse(`${given}`.trim()) : undefined;
  if (number === undefined) throw wrong(json, 'must be an amount like 4, 500m or 16Gi');
  if (!Number.isFinite(number)) throw wrong(json, 'must be at most 1.79e308, the largest number of JavaScript');
  return number;
}

function parse(text) {
  const [, sign, whole, fraction = '', decimal, binary, written = '0'] = text === '' ? [] : (FORM.exec(text) ?? []);
  const power = Number(written);
  if (whole === undefined || Math.abs(power) > 2 ** 31 - 1) return undefined;
  let exponent = power + (DECIMAL[decimal] ?? 0) - fraction.length;
  let value = BigInt(`${whole}${fraction}` || 0);
  if (binary) value <<= 10n * BigInt(BINARY.indexOf(binary) + 1);
  if (value > MOST) return undefined;
  if (exponent < LEAST_EXPONENT) {
    value = dividedUp(value, LEAST_EXPONENT - exponent);
    exponent = LEAST_EXPONENT;
  }
  if (binary && value > MOST_BINARY * 10n ** BigInt(-exponent)) [value, exponent] = [MOST_BINARY, 0];
  // The engine rounds the decimal number once.
  return value === 0n ? 0 : Number(`${sign}${value}e${exponent}`);
}

/** Divides by a power of ten, up. */
function dividedUp(value, power) {
  // The largest amount has 39 digits.
  if (power > 39) return value > 0n ? 1n : 0n;
  const divisor = 10n ** BigInt(power);
  return (value + divisor - 1n) / divisor;
}

function wrong(json, expected) {
  return new ChangeoverError('InvalidQuantity', '', `Invalid value: ${json}: ${expected}`);
}
