// The long calls, each in a worker of its own, or in the caller's thread where there are no workers. They can be stopped.
import { describe, reasonOf } from './arguments.js';
import { ChangeoverError } from './error.js';
import { errorOf, loadError } from './failure.js';
import { LONG_CALLS } from './long_calls.js';

/** The properties of the last argument. */
const LIMITS = ['signal', 'deadline', 'memory'];

/** The module starts with a few megabytes, and has 4 GB at most. */
const [LEAST_MEMORY, MOST_MEMORY] = [2 ** 24, 2 ** 32];

/**
 * The functions. `ways` are the ways to start a call; if one refuses or throws, the next one is used from then on. Each gets what to do
 * with an answer and with errors, and returns how to `post` the call and then the module, and how to `end` the call. `compile` gives the
 * compiled module, which all calls share.
 */
export function callsIn(ways, compile) {
  const left = [...ways];
  let compiled;
  const compiledOnce = () => {
    compiled ??= compile().catch((error) => {
      compiled = undefined;
      throw error;
    });
    return compiled;
  };
  const functions = {};
  for (const [name, { count, texts }] of Object.entries(LONG_CALLS)) {
    functions[name] = async (...args) => {
      const limits = checkLimits(args[count] ?? {});
      limits.signal?.throwIfAborted();
      return call({ ways: left, compiledOnce }, { name, args: texts(...args.slice(0, count)) }, limits);
    };
  }
  return functions;
}

function call({ ways, compiledOnce }, request, { signal, deadline, memory }) {
  return new Promise((resolve, reject) => {
    let end = () => {};
    const settle = (settled, value) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      end();
      settled(value);
    };
    const abort = () => settle(reject, signal.reason);
    const late = () => settle(reject, new ChangeoverError('DeadlineExceeded', '', `${request.name} takes longer than the deadline of ${deadline} ms`));
    const answered = (text) => {
      const { result, error } = JSON.parse(text);
      if (error) settle(reject, errorOf(error));
      else settle(resolve, result);
    };
    const failed = (error) => settle(reject, workerError(error));
    const begin = () => {
      const [start, next] = ways;
      const refused = () => {
        if (ways[0] === start) ways.shift();
        begin();
      };
      let started;
      try {
        started = start({ answered, late, failed, refused });
      } catch (error) {
        if (next) refused();
        else failed(error);
        return;
      }
      end = started.end;
      started.post({ ...request, memory, deadline });
      compiledOnce().then((module) => started.post({ module }), (error) => settle(reject, loadError(error)));
    };
    const timer = deadline === undefined ? undefined : setTimeout(late, deadline);
    signal?.addEventListener('abort', abort);
    begin();
  });
}

/** The limits, if they are valid and there are no others. */
function checkLimits(limits) {
  const other = Object.keys(limits).find((key) => !LIMITS.includes(key));
  if (other !== undefined) throw invalid(other, `Unsupported value: ${describe(other)}: supported values: ${LIMITS.map(describe).join(', ')}`);
  const { signal, deadline, memory } = limits;
  if (signal !== undefined && signal !== null && typeof signal.addEventListener !== 'function') {
    throw invalid('signal', `Invalid value: ${describe(signal)}: must be an AbortSignal`);
  }
  checkNumber('deadline', deadline, 1, 2 ** 31 - 1, 'milliseconds');
  checkNumber('memory', memory, LEAST_MEMORY, MOST_MEMORY, 'bytes');
  return limits;
}

function checkNumber(path, value, least, most, unit) {
  if (value === undefined || (Number.isInteger(value) && value >= least && value <= most)) return;
  throw invalid(path, `Invalid value: ${describe(value)}: must be a whole number of ${unit} from ${least} to ${most}`);
}

function invalid(path, problem) {
  return new ChangeoverError('InvalidOptions', path, `${path}: ${problem}`);
}

function workerError(error) {
  return new ChangeoverError('LoadFailed', '', `A worker can't be started: ${reasonOf(error)}`, { cause: error });
}
