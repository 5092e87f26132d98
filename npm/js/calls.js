// The long calls, each in a worker of its own, or in the caller's thread where there are no workers. They can be stopped.
import { describe, reasonOf } from './arguments.js';
import { ChangeoverError } from './error.js';
import { errorOf, loadError } from './failure.js';
import { LONG_CALLS } from './long_calls.js';

/** The properties of the last argument. */
const LIMITS = ['signal', 'deadline', 'memory'];

/** The module starts with a few megabytes, and has 4 GB at most. */
const [LEAST_MEMORY, MOST_MEMORY] = [2 ** 24, 2 ** 32];

/** Timers have no longer delay. */
const MOST_DEADLINE = 2 ** 31 - 1;

/** The ways to start a call that are left on this platform. */
const ways = [];

let compile;
let compiled;

/**
 * Sets the ways to start a call; if one refuses or throws, the next one is used from then on. Each gets what to do with an answer and with
 * errors, and returns how to `post` the call and then the module, and how to `end` the call. `compileModule` gives the compiled module, which
 * all calls share.
 */
export function setPlatform(platformWays, compileModule) {
  ways.push(...platformWays);
  compile = compileModule;
}

function compiledOnce() {
  compiled ??= compile().catch((error) => {
    compiled = undefined;
    throw error;
  });
  return compiled;
}

/** The function that makes a call of this name. */
export function longCall(name) {
  const { count, texts } = LONG_CALLS[name];
  return async (...args) => {
    const limits = checkLimits(args[count] ?? {});
    limits.signal?.throwIfAborted();
    if (limits.deadline <= 0) throw deadlineError(name, limits);
    return call({ name, args: texts(...args.slice(0, count)) }, limits);
  };
}

function call(request, { signal, deadline, memory }) {
  return new Promise((resolve, reject) => {
    let end = () => {};
    const settle = (settled, value) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      end();
      settled(value);
    };
    const abort = () => settle(reject, signal.reason);
    const late = () => settle(reject, deadlineError(request.name, { deadline }));
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
  if (deadline !== undefined && !(typeof deadline === 'number' && deadline <= MOST_DEADLINE)) {
    throw invalid('deadline', `Invalid value: ${describe(deadline)}: must be a number of milliseconds, at most ${MOST_DEADLINE}`);
  }
  if (memory !== undefined && !(Number.isInteger(memory) && memory >= LEAST_MEMORY && memory <= MOST_MEMORY)) {
    throw invalid('memory', `Invalid value: ${describe(memory)}: must be a whole number of bytes from ${LEAST_MEMORY} to ${MOST_MEMORY}`);
  }
  return limits;
}

function deadlineError(name, { deadline }) {
  return new ChangeoverError('DeadlineExceeded', '', `${name} takes longer than the deadline of ${deadline} ms`);
}

function invalid(path, problem) {
  return new ChangeoverError('InvalidOptions', path, `${path}: ${problem}`);
}

function workerError(error) {
  return new ChangeoverError('LoadFailed', '', `A worker can't be started: ${reasonOf(error)}`, { cause: error });
}
